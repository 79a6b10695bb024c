import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { folderSystem, openExclusions } from './exclusions.ts';

let dir = '';
beforeEach(() => {
  dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'mascot-excluded-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
const at = (...names: string[]) => path.join(dir, ...names);

async function opened(written: () => readonly string[]) {
  let disposed = 0;
  const noted = { excludes: (folder: string) => folder.startsWith(at('noted')), dispose: () => void disposed++ };
  const system = folderSystem(process.platform);
  const exclusions = await openExclusions({ written, noted, userHome: dir, system });
  return { exclusions, disposed: () => disposed };
}

test('HKI-9 the settings and the noted list count together; what is no folder counts for nothing', async () => {
  const { exclusions, disposed } = await opened(() => ['~/secret/', at('other', '..', 'third'), 'relative', '']);
  const asked = ['secret', 'secret/src', 'secrets', 'other', 'third/x', 'noted/x', 'relative', ''];
  expect(asked.filter((name) => exclusions.excludes(at(name)))).toEqual(['secret', 'secret/src', 'third/x', 'noted/x']);
  exclusions.dispose();
  expect(disposed()).toBe(1);
});

test('HKI-9 a link in the settings means the folder that it leads to', async () => {
  mkdirSync(at('real', 'shop'), { recursive: true });
  symlinkSync(at('real'), at('link'));
  const { exclusions } = await opened(() => [at('link', 'shop')]);
  expect([exclusions.excludes(at('real', 'shop', 'src')), exclusions.excludes(at('real'))]).toEqual([true, false]);
});

test('HKI-9 a setting counts from the moment that it is changed', async () => {
  let written: readonly string[] = [];
  const { exclusions } = await opened(() => written);
  const before = exclusions.excludes(at('shop'));
  written = [at('shop')];
  const meanwhile = exclusions.excludes(at('shop'));
  written = [];
  expect([before, meanwhile, exclusions.excludes(at('shop'))]).toEqual([false, true, false]);
});
