import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runScript, temporaryFolder } from './forwarder.testkit.ts';
import { isLaunchRightTaken, LAUNCH_EVERY_MS, takeLaunchRight } from './launchRight.ts';

const MINUTE = 60_000;

describe('FWD-7 at most once a minute', () => {
  let home: string;
  beforeEach(() => (home = temporaryFolder('right')));
  afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const at = 29_000_000 * MINUTE;
  const fileOf = (time: number) => path.join(home, `launch-${Math.floor(time / MINUTE)}`);
  const leave = (time: number, mtime = time) => {
    writeFileSync(fileOf(time), '');
    utimesSync(fileOf(time), mtime / 1000, mtime / 1000);
  };
  /** As it is at that time: the file system keeps a clock of its own. */
  const take = (time: number) => {
    const won = takeLaunchRight(home, time);
    if (won) utimesSync(fileOf(time), time / 1000, time / 1000);
    return won;
  };

  it('FWD-7 a minute is a minute, on whichever side of the clock’s it begins', () => {
    expect(LAUNCH_EVERY_MS).toBe(MINUTE);
    const times = [0, 1, 30_000, 59_999, 60_000, 119_000, 119_999, 120_000, 200_000];
    expect(times.map((after) => take(at + 50_000 + after))).toEqual([
      true,
      false,
      false,
      false,
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  it.each([
    ['an old file', () => leave(at - 5 * MINUTE)],
    [
      'a file of the minute before, with a time from before the clock was set',
      () => leave(at - 1, at + 9_999 * MINUTE),
    ],
    ['files of a time to come', () => [2, 3, 900].forEach((minutes) => leave(at + minutes * MINUTE))],
    ['what others call alike', () => writeFileSync(path.join(home, 'launch-me'), '')],
  ])('FWD-7 %s does not stand in the way', (_title, prepare) => {
    prepare();
    expect(take(at)).toBe(true);
  });

  it.each([
    ['a folder', () => mkdirSync(fileOf(at))],
    ['a file with a time to come', () => leave(at, at + 9_999 * MINUTE)],
    ['a file with a time long gone', () => leave(at, 1)],
  ])('FWD-7 %s in its place blocks for that minute, not for ever', (_title, prepare) => {
    prepare();
    expect([take(at), take(at + 59_000), take(at + MINUTE)]).toEqual([false, false, true]);
  });

  it('FWD-7 that it is taken is seen without taking it', () => {
    const looks = () => [0, 59_999, 60_000].map((after) => isLaunchRightTaken(home, at + 50_000 + after));
    expect(looks()).toEqual([false, false, false]);
    expect(take(at + 50_000)).toBe(true);
    expect(looks()).toEqual([true, true, false]);
    expect(isLaunchRightTaken(path.join(home, 'gone'), at)).toBe(false);
  });

  it('FWD-7 a home that is not there, or can’t be written, starts nothing', () => {
    expect(takeLaunchRight(path.join(home, 'gone'), at)).toBe(false);
    writeFileSync(path.join(home, 'file'), '');
    expect(takeLaunchRight(path.join(home, 'file'), at)).toBe(false);
  });

  it('FWD-7 no more than the last few are kept, and nothing else goes', () => {
    for (const name of ['launch-1', 'launch-99999999999', 'launch-me', 'other'])
      writeFileSync(path.join(home, name), '');
    mkdirSync(path.join(home, 'launch-2'));
    for (let n = 0; n < 5; n++) expect(take(at + n * MINUTE)).toBe(true);
    const names = readdirSync(home).toSorted();
    expect(names).toEqual(['launch-2', 'launch-29000003', 'launch-29000004', 'launch-me', 'other']);
  });

  it('FWD-7 of 20 processes at once exactly one has it', async () => {
    const script = path.join(home, 'take.mjs');
    const module = path.join(import.meta.dirname, 'launchRight.ts');
    writeFileSync(
      script,
      `import { takeLaunchRight } from ${JSON.stringify(module)};
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.argv[2]) - Date.now());
       console.log(takeLaunchRight(process.argv[3], Date.now()));`,
    );
    // Late enough that all of them are up and waiting: two processors start twenty in about two seconds.
    const begin = String(Date.now() + 2_500);
    const ran = await Promise.all(Array.from({ length: 20 }, () => runScript(script, { args: [begin, home] })));
    expect(ran.map(({ stdout, code }) => `${code} ${stdout.trim()}`).toSorted()).toEqual([
      ...Array.from({ length: 19 }, () => '0 false'),
      '0 true',
    ]);
  });
});
