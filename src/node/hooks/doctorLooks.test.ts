import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refreshBin } from '../machine/binFolder.ts';
import { homeAt, prepareHome } from '../machine/home.ts';
import { lookAtEntry, lookAtLog, lookAtSpool, lookForRuntime } from './doctorLooks.ts';

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'mascot-looks-'));
  mkdirSync(built());
  for (const name of ['hook', 'mascot.sh', 'forward-to-mascot.mjs'])
    writeFileSync(path.join(built(), name), `of ${name}`);
  await prepareHome(home());
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const at = (...parts: readonly string[]) => path.join(folder, ...parts);
const built = () => at('built');
const home = () => homeAt(at('home'));

describe('HKI-5 the entry', () => {
  const state = async (version = '1.2.3') => (await lookAtEntry(home(), built(), version)).state;

  test('HKI-5 is good as it was copied, and only so', async () => {
    expect(await state()).toBe('missing');
    await refreshBin(home(), built(), '1.2.3');
    expect(await lookAtEntry(home(), built(), '1.2.3')).toEqual({
      state: 'good',
      folder: home().bin,
      bytes: 'of hook'.length,
      version: '1.2.3',
    });
    for (const name of ['hook', 'mascot', 'forward-to-mascot.mjs']) {
      writeFileSync(path.join(home().bin, name), 'changed');
      expect(await state(), name).toBe('missing');
      await refreshBin(home(), built(), '1.2.3');
      expect(await state(), name).toBe('good');
    }
  });

  test('HKI-5 of a newer version is told as that, whatever its bytes', async () => {
    await refreshBin(home(), built(), '2.0.0');
    writeFileSync(path.join(home().bin, 'hook'), 'newer');
    expect(await lookAtEntry(home(), built(), '1.2.3')).toMatchObject({ state: 'newer', version: '2.0.0', bytes: 5 });
  });

  test.skipIf(process.platform === 'win32')('SEC-1 HKI-5 is of no newer version where others could write', async () => {
    await refreshBin(home(), built(), '2.0.0');
    chmodSync(home().bin, 0o777);
    expect(await state()).toBe('good');
    writeFileSync(path.join(home().bin, 'hook'), 'theirs');
    expect(await state()).toBe('missing');
  });

  test.skipIf(process.platform === 'win32')('HKI-5 is missing when nobody may read it', async () => {
    await refreshBin(home(), built(), '1.2.3');
    chmodSync(path.join(home().bin, 'hook'), 0o000);
    expect(await state()).toBe('missing');
  });

  test('HKI-5 is good for the program that runs from there', async () => {
    await refreshBin(home(), built(), '1.2.3');
    expect((await lookAtEntry(home(), home().bin, '1.2.3')).state).toBe('good');
  });
});

describe.skipIf(process.platform === 'win32')('HKI-5 the runtime', () => {
  function program(name: string, text: string): string {
    const file = at(name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    return file;
  }
  const look = (...folders: readonly string[]) =>
    lookForRuntime(home(), { PATH: [...folders.map((name) => at(name)), '/bin', '/usr/bin'].join(':') });

  test('HKI-5 is the first Node on the PATH, if it is not too old', async () => {
    mkdirSync(at('a'));
    symlinkSync(process.execPath, at('a', 'node'));
    expect(await look('none', 'a')).toEqual({ kind: 'node', version: process.versions.node, file: at('a', 'node') });
  });

  test('SEC is asked for its version in the person’s own folder, and only if no other account could have written it', async () => {
    const file = program('c/node', '[ "$(pwd -P)" = "$HOME" ] && echo v20.1.0');
    mkdirSync(at('person'));
    const person = realpathSync(at('person'));
    const looked = () => lookForRuntime(home(), { PATH: `${at('c')}:/bin:/usr/bin`, HOME: person });
    expect(await looked()).toEqual({ kind: 'node', version: '20.1.0', file });
    chmodSync(file, 0o777);
    expect(await looked()).toEqual({ kind: 'none' });
  });

  test.each([
    ['an old one', 'echo v16.20.2'],
    ['one that fails', 'exit 1'],
    ['one that prints something else', 'echo hello'],
  ])('HKI-5 with %s is the editor’s, as far as it is known and there', async (_title, text) => {
    program('b/node', text);
    expect(await look('b')).toEqual({ kind: 'none' });
    const runtime = path.join(home().bin, 'runtime');
    writeFileSync(runtime, `${at('gone')}\n`);
    expect(await look('b')).toEqual({ kind: 'none' });
    const editor = program('editor', 'true');
    writeFileSync(runtime, `${editor}\n`);
    expect(await look('b')).toEqual({ kind: 'editor', file: editor });
  });
});

describe('HKI-5 the spool', () => {
  const nothing = () => ({ folder: home().spool, count: 0, kilobytes: 0, dropped: 0, megabytesMax: 64 });

  test('HKI-5 counts what waits, and what was dropped each time; not what is being written', async () => {
    expect(await lookAtSpool(home())).toEqual(nothing());
    for (const name of ['a.hook', 'b.json', '.c.hook', 'd.tmp']) {
      writeFileSync(path.join(home().spool, name), 'x'.repeat(1_000));
    }
    writeFileSync(path.join(home().spool, 'dropped.count'), '3\n4\nno number\n');
    const now = Date.UTC(2026, 0, 20);
    expect(await lookAtSpool(home(), now)).toEqual({
      ...nothing(),
      count: 2,
      kilobytes: 2,
      dropped: 7,
      droppedOn: '2026-01-20',
    });
  });

  test('HKI-5 FWD-6 what was lost is told for seven days after the last, and for ever after no more', async () => {
    const day = 24 * 60 * 60_000;
    const last = Date.UTC(2026, 0, 1, 12);
    const told = { version: 1, total: 7, lastAt: new Date(last).toISOString() };
    writeFileSync(home().dropped, JSON.stringify(told));
    const seen = async (now: number) => {
      const { dropped, droppedOn } = await lookAtSpool(home(), now);
      return [dropped, droppedOn];
    };
    expect([await seen(last), await seen(last + 7 * day - 1), await seen(last + 7 * day)]).toEqual([
      [7, '2026-01-01'],
      [7, '2026-01-01'],
      [0, undefined],
    ]);
    // A new one tells of all.
    writeFileSync(path.join(home().spool, 'dropped.count'), '1\n');
    expect(await seen(last + 30 * day)).toEqual([8, '2026-01-31']);
  });

  test.skipIf(process.getuid?.() !== 0 || process.platform !== 'linux')(
    'HKI-5 a disk without any room blocks it (as root, who can make one)',
    async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', home().spool]);
      try {
        expect((await lookAtSpool(home())).blocked).toBeUndefined();
        expect(() => writeFileSync(path.join(home().spool, 'filler'), Buffer.alloc(64 * 1024))).toThrow('ENOSPC');
        expect((await lookAtSpool(home())).blocked).toBe('ENOSPC');
      } finally {
        execFileSync('umount', [home().spool]);
      }
    },
  );

  test('HKI-5 that is missing is made by the next hook; a file in its place blocks it', async () => {
    rmSync(home().spool, { recursive: true });
    expect(await lookAtSpool(home())).toEqual(nothing());
    rmSync(home().folder, { recursive: true });
    expect(await lookAtSpool(home())).toEqual(nothing());
    mkdirSync(home().folder);
    writeFileSync(home().spool, '');
    expect(await lookAtSpool(home())).toEqual({ ...nothing(), blocked: 'not a folder' });
  });
});

test('HKI-5 the log’s newest line, cut', async () => {
  expect(await lookAtLog(home())).toBeUndefined();
  const file = path.join(home().folder, 'hooks.log');
  writeFileSync(file, `first\n\n${'x'.repeat(500)}\n`);
  expect(await lookAtLog(home())).toEqual({ file, count: 2, newest: 'x'.repeat(200) });
});
