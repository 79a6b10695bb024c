import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHub } from '../../app/hub.ts';
import { createLeftOut } from '../../app/leftOut.ts';
import { createPipeline } from '../../app/pipeline.ts';
import { fakeClock, keepsAll, logLines } from '../../app/testkit/fakes.testkit.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { GUARD_FILE_NAME } from '../../protocol/handOver.ts';
import { readSettings } from '../../protocol/settings.ts';
import { homeAt, prepareHome } from '../machine/home.ts';
import { createOwnerWorld } from '../ownerWorld.ts';
import { watchSpool } from './spool.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'mascot-excluded-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));

test('HKI-9 what an excluded project’s hooks left in the spool is removed and not stored', async () => {
  const store = memoryStore();
  const clock = fakeClock();
  const log = logLines();
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced: [], idleMs: () => 60_000 });
  const exclusions = { excludes: (folder: string) => folder === '/w/shop' };
  const projects = { locate: (folder: string) => Promise.resolve({ path: folder }) };
  const leftOut = createLeftOut({ exclusions, hub });
  const pipeline = createPipeline({ ...keepsAll(), store, hub, projects, leftOut, clock, log });
  for (const [name, cwd] of [
    ['1-a.json', '/w/shop'],
    ['2-b.json', '/w/till'],
  ] as const) {
    const hook = { hook_event_name: 'UserPromptSubmit', session_id: cwd, cwd, prompt: 'hello' };
    writeFileSync(path.join(dir, name), JSON.stringify(hook));
  }
  const watching = watchSpool(dir, pipeline, log);
  await expect.poll(() => readdirSync(dir)).toEqual([]);
  await watching.close();
  expect([store.events('/w/shop').length, store.events('/w/till').length]).toEqual([0, 1]);
});

function worldIn(folder: string, raw: Readonly<Record<string, unknown>>) {
  const home = homeAt(folder);
  const { settings } = readSettings(raw);
  const parts = { storage: folder, assets: folder, app: 'test', version: '0', log: logLines() };
  return { home, world: createOwnerWorld({ home, ...parts, settings: () => settings }) };
}

test('HKI-9 the settings and the file of the home are what excludes', async () => {
  const { home, world } = worldIn(dir, { excludedProjects: ['/w/shop', 7, ''] });
  await prepareHome(home);
  writeFileSync(path.join(dir, 'excluded.json'), JSON.stringify({ version: 1, projects: ['/w/till'] }));
  const exclusions = await world.exclusions();
  const folders = ['/w/shop/src', '/w/till', '/w/house'];
  expect(folders.map((folder) => exclusions.excludes(folder))).toEqual([true, true, false]);
  exclusions.dispose();
});

test('HKI-3 an owner removes the sign of a guard that it does not have', async () => {
  const { home, world } = worldIn(dir, {});
  await prepareHome(home);
  const sign = path.join(dir, GUARD_FILE_NAME);
  writeFileSync(sign, '');
  const process = { pid: 1, instance: 'i', generation: 1, startedAt: '2026-01-01T00:00:00.000Z', app: 'test' };
  await world.publish({ version: 1, url: 'http://127.0.0.1:1', port: 1, token: 't'.repeat(43), ...process }, () =>
    Promise.resolve(true),
  );
  expect(existsSync(sign)).toBe(false);
});
