import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FoundFile, SessionRoot } from '../../app/sourcePorts.ts';
import { logLines, type LogLines } from '../../app/testkit/fakes.testkit.ts';
import { createGatedDisk } from './gatedDisk.ts';
import { createSessionFiles, dayFolders, inTurns } from './sessionFiles.ts';
import { createTestFolder, createTold, type TestFolder, type Told } from './sources.testkit.ts';

let folder: TestFolder;
let log: LogLines;
beforeEach(() => {
  folder = createTestFolder();
  log = logLines();
});
afterEach(() => folder.dispose());

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const onPosix = test.skipIf(process.platform === 'win32');

function watch(layout: SessionRoot['layout'] = 'projects', root = folder.path, now = Date.now): Told<FoundFile> {
  const told = createTold<FoundFile>();
  folder.use(createSessionFiles(log, { now, roundMs: 5 }).watch({ folder: root, layout }, told.add));
  return told;
}

function file(name: string, { age = 0, text = 'x\n' } = {}): string {
  const full = folder.at(...name.split('/'));
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
  touch(full, age);
  return full;
}

function touch(full: string, age: number): void {
  const time = new Date(Date.now() - age);
  utimesSync(full, time, time);
}

const names = (found: readonly FoundFile[]) => found.map((one) => path.relative(folder.path, one.path)).sort();
const has = (name: string) => (found: readonly FoundFile[]) => names(found).includes(path.normalize(name));

describe('TRN-4 sessions that no hook tells of', () => {
  test('TRN-4 transcripts written to lately are found at once, with size and time', async () => {
    file('-home-a/old.jsonl', { age: 11 * MINUTE_MS });
    const modifiedAt = Math.floor(Date.now() / 1000) * 1000 - 9 * MINUTE_MS;
    const recent = file('-home-a/recent.jsonl', { text: '12345' });
    utimesSync(recent, modifiedAt / 1000, modifiedAt / 1000);
    const told = watch();
    await told.until(has('-home-a/recent.jsonl'));
    file('-home-a/new.jsonl');
    await told.until(has('-home-a/new.jsonl'));
    file('-home-b/other.jsonl');
    await told.until(has('-home-b/other.jsonl'));
    expect(told.items[0]).toEqual({ path: recent, modifiedAt, size: 5 });
    expect(names(told.items)).toEqual(
      ['-home-a/new.jsonl', '-home-a/recent.jsonl', '-home-b/other.jsonl'].map(path.normalize),
    );
  });

  onPosix('TRN-4 sub-agents’ files, other files, pipes, links and deeper folders are none', async () => {
    file('-home-a/session/subagents/agent-1.jsonl');
    file('-home-a/agent-1.jsonl');
    file('-home-a/notes.json');
    file('top.jsonl');
    mkdirSync(folder.at('-home-a', 'folder.jsonl'));
    execFileSync('mkfifo', [folder.at('-home-a', 'pipe.jsonl')]);
    symlinkSync(file('elsewhere/real.txt'), folder.at('-home-a', 'link.jsonl'));
    const told = watch();
    file('-home-z/session.jsonl');
    await told.until(has('-home-z/session.jsonl'));
    file('-home-a/last.jsonl');
    await told.until(has('-home-a/last.jsonl'));
    expect(names(told.items)).toEqual(['-home-a/last.jsonl', '-home-z/session.jsonl']);
  });

  test('TRN-4 one that had been quiet is told again when it goes on, one that works is told once', async () => {
    let now = Date.now();
    const quiet = file('-home-a/quiet.jsonl', { age: 3 * DAY_MS });
    const told = watch('projects', folder.path, () => now);
    file('-home-a/busy.jsonl');
    await told.until(has('-home-a/busy.jsonl'));
    touch(quiet, 0);
    await told.until(has('-home-a/quiet.jsonl'));
    now += 11 * MINUTE_MS;
    // Both are quiet now; a third one shows that this was looked at.
    touch(file('-home-a/third.jsonl'), -11 * MINUTE_MS);
    await told.until(has('-home-a/third.jsonl'));
    file('-home-a/fourth.jsonl');
    touch(folder.at('-home-a', 'fourth.jsonl'), -11 * MINUTE_MS);
    await told.until(has('-home-a/fourth.jsonl'));
    touch(quiet, -11 * MINUTE_MS);
    await told.until((found) => found.filter((one) => one.path === quiet).length === 2);
    expect(names(told.items).filter((name) => name.endsWith('busy.jsonl'))).toHaveLength(1);
  });

  test('TRN-4 one that came within the same tick of the file system’s clock is found too', async () => {
    file('-home-a/first.jsonl');
    const { atime, mtime } = statSync(folder.at('-home-a'));
    const told = watch();
    await told.until(has('-home-a/first.jsonl'));
    // The first reading of the folder remembers this time.
    utimesSync(folder.at('-home-a'), atime, mtime);
    file('-home-b/other.jsonl');
    await told.until(has('-home-b/other.jsonl'));
    file('-home-a/second.jsonl');
    utimesSync(folder.at('-home-a'), atime, mtime);
    await told.until(has('-home-a/second.jsonl'));
  });

  test('TRN-4 a root that is not there yet, goes and comes again', async () => {
    const told = watch('projects', folder.at('projects'));
    for (const name of ['a', 'b']) {
      file(`projects/-home/${name}.jsonl`);
      await told.until(has(`projects/-home/${name}.jsonl`));
      rmSync(folder.at('projects'), { recursive: true });
    }
    expect(log.lines).toEqual([]);
  });

  test('TRN-4 thousands of old files and folders: a recent one is found, and one that goes on again as well', async () => {
    for (let n = 0; n < 1_500; n++) {
      file(`p${n}/s.jsonl`, { age: 30 * DAY_MS });
      touch(folder.at(`p${n}`), 30 * DAY_MS);
    }
    const told = watch();
    file('new/s.jsonl');
    await told.until(has('new/s.jsonl'));
    touch(folder.at('p777', 's.jsonl'), 0);
    await told.until(has('p777/s.jsonl'));
    file('p3/t.jsonl');
    await told.until(has('p3/t.jsonl'));
    expect(told.items).toHaveLength(3);
  });

  test('TRN-4 a round looks at what is new, what is warm, and a hundred of the rest in turns', () => {
    const now = 100 * DAY_MS;
    const all = new Map(Array.from({ length: 1_000 }, (_, index) => [`old${index}`, { modifiedAt: 0 }]));
    all.set('warm', { modifiedAt: now - DAY_MS / 2 }).set('new', { modifiedAt: Infinity });
    const due = inTurns();
    const rounds = Array.from({ length: 11 }, () => due(all, now).map(([name]) => name));
    expect(rounds.map(({ length }) => length)).toEqual([...Array(10).fill(102), 2]);
    expect(rounds.every((round) => round.includes('warm') && round.includes('new'))).toBe(true);
    expect(new Set(rounds.flat()).size).toBe(1_002);
    expect(due(all, now)).toEqual([...all].filter(([name]) => rounds[0]!.includes(name)));
  });
});

describe('TRN-4 folders by date', () => {
  test('TRN-4 today’s and yesterday’s rollouts are found, by local time and UTC, and tomorrow’s once it comes', async () => {
    let now = Date.now();
    const day = (ago: number) => path.relative(folder.path, dayFolders(folder.path, now - ago * DAY_MS)[0]!);
    file(`${day(3)}/rollout-old.jsonl`);
    file(`${day(0)}/other.jsonl`);
    file(`${day(1)}/rollout-yesterday.jsonl`);
    file(`${day(0)}/rollout-today.jsonl`);
    const tomorrow = `${day(-2)}/rollout-later.jsonl`;
    touch(file(tomorrow), -2 * DAY_MS);
    const told = watch('dated', folder.path, () => now);
    await told.until(({ length }) => length === 2);
    expect(told.items.map((one) => path.basename(one.path)).sort()).toEqual([
      'rollout-today.jsonl',
      'rollout-yesterday.jsonl',
    ]);
    now += 2 * DAY_MS;
    await told.until(has(tomorrow));
  });

  test('TRN-4 the folders of a moment, over the end of a month and where day and UTC day differ', async () => {
    const script = `
      const { dayFolders } = await import(${JSON.stringify(new URL('./sessionFiles.ts', import.meta.url).href)});
      console.log(JSON.stringify(dayFolders('root', Date.UTC(2026, 2, 1, 20))));`;
    const at = async (zone: string) => {
      const env = { ...process.env, TZ: zone, NODE_NO_WARNINGS: '1' };
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env });
      return (JSON.parse(stdout) as string[]).map((name) => name.replaceAll('\\', '/'));
    };
    expect(await Promise.all([at('UTC'), at('Asia/Seoul')])).toEqual([
      ['root/2026/03/01', 'root/2026/02/28'],
      ['root/2026/03/02', 'root/2026/03/01', 'root/2026/02/28'],
    ]);
  });
});

test('TRN-1 nothing that watches or waits keeps the process alive', async () => {
  mkdirSync(folder.at('there'));
  const module = (name: string) => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `
    const { createTails } = await import(${module('./tail.ts')});
    const { createFolderEvents } = await import(${module('./folderEvents.ts')});
    const { createFolderWatch } = await import(${module('./folderWatch.ts')});
    const { createSessionFiles } = await import(${module('./sessionFiles.ts')});
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const [there, none] = ${JSON.stringify([folder.at('there'), folder.at('none')])};
    const tails = createTails(log);
    for (const folder of [there, none]) {
      tails.follow({ path: folder + '/s.jsonl', from: 0, wants: () => true, onChunk() {} });
      createFolderWatch(createFolderEvents(log), log).watch(folder, () => true, () => {});
      createSessionFiles(log).watch({ folder, layout: 'projects' }, () => {});
    }
    console.log('watching');`;
  const env = { ...process.env, NODE_NO_WARNINGS: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env,
    timeout: 20_000,
  });
  expect(stdout).toBe('watching\n');
});

describe('TRN-4 very many transcripts', () => {
  /** One round ends with the next one's look at the root. */
  function watchRounds(disk = createGatedDisk(log), options = {}) {
    const rounds: string[][] = [];
    const stat = (name: string) => {
      if (name === folder.path) rounds.push([]);
      return disk.stat(name);
    };
    const told = createTold<FoundFile>();
    const sessions = createSessionFiles(log, { roundMs: 5, disk: { ...disk, stat }, ...options });
    folder.use(
      sessions.watch({ folder: folder.path, layout: 'projects' }, (found) => {
        rounds.at(-1)!.push(path.basename(found.path));
        told.add(found);
      }),
    );
    return { rounds, told };
  }

  test('TRN-4 a copied folder is told in pieces, the newest first, and none of it twice', async () => {
    for (let n = 0; n < 450; n++) file(`copied/${n}.jsonl`, { age: n * 1_000 });
    const { rounds, told } = watchRounds();
    await told.until(({ length }) => length === 200);
    file('live/live.jsonl', { age: -1_000 });
    await told.until(({ length }) => length === 451);
    file('live/end.jsonl');
    await told.until(has('live/end.jsonl'));
    const inOrder = Array.from({ length: 450 }, (_, n) => `${n}.jsonl`);
    const telling = rounds.filter(({ length }) => length > 0);
    expect(telling.map(({ length }) => length <= 200)).toEqual(telling.map(() => true));
    expect(telling[0]).toEqual(inOrder.slice(0, 200));
    expect(telling[1]![0]).toBe('live.jsonl');
    expect(telling.flat().filter((name) => /\d/.test(name))).toEqual(inOrder);
  });

  test('TRN-4 what has fallen quiet before its turn is not told', async () => {
    let now = Date.now();
    for (let n = 0; n < 300; n++) file(`copied/${n}.jsonl`, { age: n < 200 ? 0 : 9 * MINUTE_MS });
    const { told } = watchRounds(undefined, { now: () => now });
    await told.until(({ length }) => length === 200);
    now += 2 * MINUTE_MS;
    file('live/live.jsonl');
    await told.until(has('live/live.jsonl'));
    expect(told.items).toHaveLength(201);
  });

  test('TRN-4 beyond the limit the oldest are let go for new ones, and not looked at again', async () => {
    const looks: string[] = [];
    const disk = createGatedDisk(log);
    const lstat = (name: string) => (looks.push(path.basename(name)), disk.lstat(name));
    for (let n = 0; n < 30; n++) file(`p/${n}.jsonl`, { age: DAY_MS * (n + 2) });
    const { rounds, told } = watchRounds({ ...disk, lstat }, { filesMax: 20 });
    await expect.poll(() => rounds.length).toBeGreaterThan(3);
    for (let n = 0; n < 5; n++) {
      looks.length = 0;
      file(`p/new${n}.jsonl`);
      await told.until(has(`p/new${n}.jsonl`));
    }
    const old = new Set(looks.filter((name) => /^\d/.test(name)).map((name) => Number.parseInt(name)));
    expect([...old].sort((a, b) => a - b).every((n) => n < 18)).toBe(true);
    expect(log.lines).toEqual([]);
  });

  test('TRN-4 beyond all measure it is said once', async () => {
    for (let n = 0; n < 30; n++) file(`p/${n}.jsonl`);
    const { rounds, told } = watchRounds(undefined, { namesMax: 20 });
    await told.until(({ length }) => length === 20);
    const before = rounds.length;
    await expect.poll(() => rounds.length).toBeGreaterThan(before + 3);
    expect(told.items).toHaveLength(20);
    expect(log.lines).toEqual(['warn There are more than 20 transcripts; new ones may be seen by their hooks only.']);
  });
});
