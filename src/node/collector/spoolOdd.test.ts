import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../forwarder/home.ts';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import type { Pipeline } from '../../app/ports.ts';
import { homeAt } from '../machine/home.ts';
import { lookAtSpool } from '../hooks/doctorLooks.ts';
import { type SpoolOptions, type SpoolWatch, watchSpool } from './spool.ts';
import { nodeSpoolDisk, type SpoolDisk } from './spoolDisk.ts';
import { createDropLedger, dropOldest, spoolStanding } from './spoolDropped.ts';
import { listSpool } from './spoolFiles.ts';
import { ownSpool } from './spoolFolder.ts';

const posix = process.platform !== 'win32';
const pace = { sweepMs: 3, pendingMs: 3, fullRestMs: 2, firstRestMs: 2, longestRestMs: 6, firstAsideMs: 2 };

let home = '';
let folder = '';
const watching: SpoolWatch[] = [];
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'mascot-spool-odd-'));
  folder = path.join(home, 'spool');
  mkdirSync(folder, { mode: 0o700 });
});
afterEach(async () => {
  for (const each of watching.splice(0)) await each.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

const put = (name: string, text: string | Buffer, at?: number) => {
  const file = path.join(folder, name);
  writeFileSync(file, text, { mode: 0o600 });
  if (at !== undefined) utimesSync(file, at / 1000, at / 1000);
};
const hook = (prompt: string, id?: string) =>
  JSON.stringify({
    hook_event_name: 'UserPromptSubmit',
    session_id: 's',
    prompt,
    ...(id !== undefined && { _meta: { delivery_id: id } }),
  });
const handOver = (prompt: string) =>
  `agent-mascot-hook/1\0provider=claude\0event=UserPromptSubmit\0host=${hostname()}\0\0${hook(prompt)}\0\n`;
const names = () => readdirSync(folder).toSorted();
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** `refuses`: as a store that is full, or whose owner was deposed. Ids that were seen count once, whoever brings them. */
function collecting(seen: string[] = [], refuses: () => boolean = () => false) {
  const log = logLines();
  let asked = 0;
  const pipeline: Pick<Pipeline, 'ingest'> = {
    async ingest({ raw, meta }) {
      asked++;
      await new Promise((resolve) => setImmediate(resolve));
      if (refuses()) throw new Error('refused');
      const key = `${String(raw['prompt'])} ${meta.delivery_id ?? ''}`;
      const duplicate = seen.includes(key);
      if (!duplicate) seen.push(key);
      return { id: 'x', duplicate };
    },
  };
  const start = (options: SpoolOptions = {}) => {
    const watch = watchSpool(folder, pipeline, log, { pace, ...options });
    watching.push(watch);
    return watch;
  };
  return { log, seen, start, asked: () => asked, prompts: () => seen.map((each) => each.split(' ')[0]) };
}

describe('FWD-6 in order, whatever kind and round', () => {
  test('FWD-6 over more than two rounds of both kinds, equal moments, and a clock that was set back', async () => {
    const begin = Date.now() - 60_000;
    const expected: string[] = [];
    for (let n = 0; n < 120; n++) {
      const at = begin + n * 10;
      // The second of each pair is older by its name, though it was written later.
      put(`${at}-e${n}.json`, hook(`e${n}`));
      put(`${n}-1-h${n}.hook`, handOver(`h${n}`), at + 5);
      expected.push(`e${n}`, `h${n}`);
    }
    put(`${begin}-e0b.json`, hook('e0b'));
    expected.splice(1, 0, 'e0b');
    const { start, prompts } = collecting();
    start();
    await until(() => names().length === 0);
    expect(prompts()).toEqual(expected);
  });

  test('FWD-6 one that becomes whole later keeps its own moment, and is waited for by nobody', async () => {
    const whole = handOver('slow');
    const slow = path.join(folder, `${process.pid}-1-slow.hook`);
    writeFileSync(slow, whole.slice(0, 60), { mode: 0o600 });
    const { birthtimeMs, mtimeMs } = statSync(slow);
    put('2-1-quick.hook', handOver('quick'));
    const { start, seen, prompts } = collecting();
    start();
    await until(() => seen.length === 1);
    appendFileSync(slow, whole.slice(60));
    const made = Math.trunc(birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs);
    await until(() => names().length === 0);
    expect([prompts(), seen[1]?.endsWith(`slow@${made}`)]).toEqual([['quick', 'slow'], true]);
  });
});

describe('FWD-6 odd things in the folder', () => {
  test.runIf(posix)('FWD-6 nothing that is no file of ours is read, removed, or keeps anybody waiting', async () => {
    const elsewhere = path.join(home, 'elsewhere.json');
    writeFileSync(elsewhere, hook('linked'));
    mkdirSync(path.join(folder, '0-folder.hook'));
    execFileSync('mkfifo', [path.join(folder, '0-pipe.hook')]);
    symlinkSync(elsewhere, path.join(folder, '0-link.json'));
    symlinkSync('/dev/zero', path.join(folder, '0-device.hook'));
    const socket = createServer().listen(path.join(folder, '0-socket.json'));
    put('1-zero.json', '');
    put('2-latin.json', Buffer.from(hook('caf\xe9'), 'latin1'));
    put('4194305-1-empty.hook', '', Date.now() - 120_000);
    put('3-large.json', '');
    truncateSync(path.join(folder, '3-large.json'), 65 * 1024 * 1024);
    put('9-good.json', hook('good'));
    const { start, prompts, log } = collecting();
    const watch = start();
    const strange = ['0-device.hook', '0-folder.hook', '0-link.json', '0-pipe.hook', '0-socket.json'];
    await until(() => names().length === strange.length);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await watch.close();
    expect(names()).toEqual(strange);
    socket.close();
    expect([prompts(), readFileSync(elsewhere, 'utf8')]).toEqual([['caf\ufffd', 'good'], hook('linked')]);
    const counted = (what: string) => {
      const lines = log.lines.filter((line) => line.includes(what));
      return [lines.length, / \((\d) of this kind by now\.\)$/.exec(lines.at(-1) ?? '')?.[1]];
    };
    // The first by its name, and then how many.
    expect([counted('left alone'), counted('was removed')]).toEqual([
      [2, String(strange.length)],
      [2, '3'],
    ]);
  });

  test('SEC-1 a file of another account is none of ours; on Windows nobody can tell', async () => {
    put('1-a.json', hook('a'));
    const listed = (self: Account) => listSpool(nodeSpoolDisk, folder, self);
    const { uid } = statSync(folder);
    expect(
      (await Promise.all([uid, uid + 1, 'any' as const].map(listed))).map(({ count, strange }) => [count, strange]),
    ).toEqual([
      [1, []],
      [0, ['1-a.json']],
      [1, []],
    ]);
  });

  test('FWD-6 what goes wrong with thousands of files is told by a few', async () => {
    for (let n = 0; n < 200; n++) put(`${n}-bad.json`, 'x');
    const { start, log } = collecting();
    start();
    await until(() => names().length === 0);
    expect(log.lines[0]).toMatch(/was removed: "\d+-bad\.json"$/);
    await until(() => log.lines.at(-1)?.endsWith('(200 of this kind by now.)') === true);
    expect(log.lines.length).toBeLessThan(10);
  });
});

describe('FWD-6 SEC-1 the folder itself', () => {
  test.runIf(posix)('SEC-1 a link in its place is taken away and not followed; hooks write here again', async () => {
    const elsewhere = path.join(home, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(path.join(elsewhere, '1-a.json'), hook('not ours'));
    rmSync(folder, { recursive: true });
    symlinkSync(elsewhere, folder);
    const { start, seen, log, prompts } = collecting();
    start();
    await until(() => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true);
    put('2-b.json', hook('ours'));
    await until(() => seen.length === 1 && names().length === 0);
    expect([prompts(), readdirSync(elsewhere), statSync(folder).mode & 0o777]).toEqual([['ours'], ['1-a.json'], 0o700]);
    expect(log.lines.filter((line) => line.includes('was a link'))).toHaveLength(1);
  });

  test.runIf(posix)('SEC-1 one that was opened is made private again, also while it is watched', async () => {
    const { start, log } = collecting();
    start();
    chmodSync(folder, 0o777);
    await until(() => log.lines.some((line) => line.includes('private again')));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('SEC-1 one of another account, or no folder at all, is not touched', async () => {
    const { uid } = statSync(folder);
    await expect(ownSpool(nodeSpoolDisk, folder, logLines(), uid + 1)).rejects.toThrow('belongs to another user');
    await expect(ownSpool(nodeSpoolDisk, folder, logLines(), 'any')).resolves.toBe(statSync(folder).ino);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file');
    const { start, log } = collecting();
    start();
    await until(() => log.lines.length > 0);
    expect([log.lines[0]?.includes('is not a folder'), readFileSync(folder, 'utf8')]).toEqual([true, 'a file']);
  });
});

describe('FWD-6 MWN-2 two collectors over one folder', () => {
  test('FWD-6 each event counts once, whoever takes it in', async () => {
    for (let n = 0; n < 300; n++) put(`${1000 + n}-d${n}.json`, hook(`p${n}`, `d${n}`));
    const seen: string[] = [];
    const [one, two] = [collecting(seen), collecting(seen)];
    one.start();
    two.start();
    await until(() => names().length === 0);
    expect(seen.toSorted()).toEqual(Array.from({ length: 300 }, (_, n) => `p${n} d${n}`).toSorted());
  });

  test('MWN-2 one that was deposed removes nothing, however much there is', async () => {
    for (let n = 0; n < 50; n++) put(`${1000 + n}-d${n}.json`, hook(`p${n}`, `d${n}`));
    const deposed = collecting([], () => true);
    const bounds = { bytes: 1, files: 1 };
    deposed.start({ bounds, holds: () => Promise.resolve(false) });
    await until(() => deposed.asked() > 300);
    expect(names()).toHaveLength(50);
    const next = collecting();
    next.start();
    await until(() => names().length === 0);
    expect(next.seen).toHaveLength(50);
  });
});

describe('FWD-6 a collector that lives and can’t store', () => {
  const ledger = (told: number[]) => {
    const { spool, dropped: totalFile } = homeAt(home);
    return createDropLedger({ spool, totalFile, log: logLines(), tell: (count) => void told.push(count) });
  };

  test('FWD-6 holds the spool to its bounds by the oldest, and the sum is kept, told and shown', async () => {
    for (let n = 0; n < 20; n++) put(`${1000 + n}-d${n}.json`, hook(`p${n}`, `d${n}`));
    put('1-1-old.hook', handOver('old'), Date.now() - 60_000);
    let full = true;
    const { start, prompts, asked } = collecting([], () => full);
    const told: number[] = [];
    start({ bounds: { bytes: 1e6, files: 15 }, dropped: ledger(told) });
    await until(() => asked() > 100 && told.length > 0);
    expect(names().filter((name) => /\.(?:json|hook)$/.test(name))).toEqual([
      '1-1-old.hook',
      ...Array.from({ length: 14 }, (_, n) => `${1006 + n}-d${n + 6}.json`),
    ]);
    expect(told).toEqual([6]);
    full = false;
    await until(() => names().length === 0);
    expect(prompts()).toHaveLength(15);
    expect(await spoolStanding(homeAt(home))).toEqual({ waiting: 0, bytes: 0, dropped: 6 });
    expect((await lookAtSpool(homeAt(home))).dropped).toBe(6);
  });

  test('FWD-6 what was taken in before the store refused was not dropped', async () => {
    for (let n = 0; n < 300; n++) put(`${1000 + n}-d${n}.json`, hook(`p${n}`, `d${n}`));
    let stored = 0;
    let full = true;
    const pipeline: Pick<Pipeline, 'ingest'> = {
      ingest: () => {
        if (full && stored >= 200) return Promise.reject(new Error('ENOSPC'));
        stored++;
        return Promise.resolve({ id: 'x', duplicate: false });
      },
    };
    const told: number[] = [];
    const passes: number[] = [];
    const holds = () => {
      passes.push(names().length);
      return Promise.resolve(true);
    };
    watching.push(
      watchSpool(folder, pipeline, logLines(), {
        pace,
        bounds: { bytes: 1e6, files: 250 },
        dropped: ledger(told),
        holds,
      }),
    );
    await until(() => passes.length > 3);
    full = false;
    await until(() => names().length === 0);
    expect([passes[0], stored, told, (await spoolStanding(homeAt(home))).dropped]).toEqual([100, 300, [], 0]);
  });

  test('FWD-6 what somebody else took away meanwhile was not dropped by us', async () => {
    for (let n = 0; n < 20; n++) put(`${1000 + n}-d${n}.json`, hook(`p${n}`));
    const disk: SpoolDisk = {
      ...nodeSpoolDisk,
      unlink: async (file) => {
        await nodeSpoolDisk.unlink(file);
        // Theirs came a moment earlier.
        if (file.includes('-d1.')) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
      },
    };
    await dropOldest(disk, folder, await listSpool(disk, folder), { bytes: 1e6, files: 15 });
    expect([names().length - 1, (await spoolStanding(homeAt(home))).dropped]).toEqual([15, 4]);
  });

  test('STO-3 one event that can never be stored keeps no other waiting', async () => {
    for (let n = 0; n < 30; n++) put(`${1000 + n}-d${n}.json`, hook(`p${n}`, `d${n}`));
    const log = logLines();
    const taken: string[] = [];
    const pipeline: Pick<Pipeline, 'ingest'> = {
      ingest: ({ raw }) => {
        if (raw['prompt'] === 'p3') return Promise.reject(new Error('never'));
        taken.push(String(raw['prompt']));
        return Promise.resolve({ id: 'x', duplicate: false });
      },
    };
    watching.push(watchSpool(folder, pipeline, log, { pace }));
    await until(() => names().length === 1 && existsSync(path.join(folder, '1003-d3.json')));
    put('9999-new.json', hook('new'));
    await until(() => names().length === 1);
    expect([new Set(taken).size, taken.includes('new')]).toEqual([30, true]);
  });
});

describe('FWD-6 what was dropped', () => {
  const { spool, dropped: totalFile } = { spool: () => homeAt(home).spool, dropped: () => homeAt(home).dropped };
  const total = async () => (await spoolStanding(homeAt(home))).dropped;

  test('FWD-6 is told once, and again after an hour with what came since', async () => {
    let now = Date.UTC(2026, 0, 1);
    const told: number[] = [];
    const log = logLines();
    const parts = { spool: spool(), totalFile: totalFile(), log, now: () => now };
    const { collect } = createDropLedger({ ...parts, tell: (count) => void told.push(count) });
    for (const count of [3, 4, 5]) {
      writeFileSync(path.join(spool(), 'dropped.count'), `${count}\n`);
      await collect();
      await collect();
      now += 40 * 60_000;
    }
    expect([told, await total(), log.lines.length, names()]).toEqual([[3, 9], 12, 2, []]);
    expect(JSON.parse(readFileSync(totalFile(), 'utf8'))).toMatchObject({
      version: 1,
      total: 12,
      lastAt: new Date(Date.UTC(2026, 0, 1) + 80 * 60_000).toISOString(),
    });
    expect(statSync(totalFile()).mode & 0o777).toBe(0o600);
  });

  test('FWD-6 survives a crash between any two steps: neither lost nor counted twice', async () => {
    const id = '00000000-0000-4000-8000-000000000001';
    const taken = `dropped.${id}.taken`;
    const parts = { spool: spool(), totalFile: totalFile(), log: logLines() };
    // Renamed, not added.
    put(taken, '5\n');
    expect(await total()).toBe(5);
    await createDropLedger(parts).collect();
    expect([await total(), names()]).toEqual([5, []]);
    // Added, not removed.
    put('dropped.count', '2\n');
    const { counted } = JSON.parse(readFileSync(totalFile(), 'utf8')) as { counted: string };
    put(counted, '5\n');
    expect(await total()).toBe(7);
    await createDropLedger(parts).collect();
    expect([await total(), names()]).toEqual([7, []]);
    // A total that somebody broke begins anew.
    writeFileSync(totalFile(), '{');
    put('dropped.count', '1\n');
    await createDropLedger(parts).collect();
    expect(await total()).toBe(1);
  });
});
