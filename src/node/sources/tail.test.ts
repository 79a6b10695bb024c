import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TailChunk, Tails } from '../../app/sourcePorts.ts';
import { logLines, type LogLines } from '../../app/testkit/fakes.testkit.ts';
import { createFolderEvents } from './folderEvents.ts';
import { watchTurns } from '../turns.testkit.ts';
import { createTestFolder, createTold, type TestFolder, type Told } from './sources.testkit.ts';
import { createTails } from './tail.ts';

let folder: TestFolder;
let log: LogLines;
let tails: Tails;
beforeEach(() => {
  folder = createTestFolder();
  log = logLines();
  tails = createTails(log);
});
afterEach(() => folder.dispose());

const onPosix = test.skipIf(process.platform === 'win32');

function follow(file: string, from = 0, by = tails, wants: (line: string) => boolean = () => true): Told<TailChunk> {
  const told = createTold<TailChunk>();
  folder.use(by.follow({ path: file, from, wants, onChunk: told.add }));
  return told;
}

const linesOf = (chunks: readonly TailChunk[]) => chunks.flatMap(({ lines }) => lines);
/** What a reader holds that forgets at every reset. */
const heldOf = (chunks: readonly TailChunk[]) =>
  chunks.reduce<readonly string[]>((held, { reset, lines }) => (reset ? lines : [...held, ...lines]), []);
const atRest = (chunks: readonly TailChunk[]) => chunks.at(-1)?.caughtUp === true;
const holds =
  (...lines: string[]) =>
  (chunks: readonly TailChunk[]) =>
    JSON.stringify(heldOf(chunks)) === JSON.stringify(lines);
const last = (told: Told<TailChunk>) => {
  const { offset, reset, caughtUp } = told.items.at(-1)!;
  return { offset, reset, caughtUp };
};

describe('TRN-1 a transcript is followed by offset', () => {
  test('TRN-1 10,000 lines appended in any pieces come exactly once and in order', async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `{"n":${index},"text":"한글 🙂 é"}`);
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    const cuts = fc.array(fc.record({ at: fc.nat({ max: bytes.length }), wait: fc.boolean() }), { maxLength: 60 });
    let run = 0;
    const property = fc.asyncProperty(cuts, async (chosen) => {
      const file = folder.at(`${run++}.jsonl`);
      const told = follow(file);
      let done = 0;
      for (const { at, wait } of [...chosen].sort((a, b) => a.at - b.at)) {
        appendFileSync(file, bytes.subarray(done, at));
        const before = told.items.length;
        if (wait && at > done) await told.until(({ length }) => length > before);
        done = at;
      }
      appendFileSync(file, bytes.subarray(done));
      await told.until((chunks) => chunks.at(-1)?.offset === bytes.length);
      expect(linesOf(told.items)).toEqual(lines);
      expect(told.items.some(({ reset }) => reset)).toBe(false);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  test('TRN-3 a half-written line stays out until it is finished; the offset stays before it', async () => {
    const file = folder.at('s.jsonl');
    const whole = Buffer.from('{"b":"한"}\n');
    writeFileSync(file, Buffer.concat([Buffer.from('{"a":1}\n'), whole.subarray(0, 7)]));
    const told = follow(file);
    await told.until(atRest);
    expect(told.items).toMatchObject([{ lines: ['{"a":1}'], offset: 8, reset: false, caughtUp: true }]);
    appendFileSync(file, whole.subarray(7));
    await told.until(holds('{"a":1}', '{"b":"한"}'));
    expect(last(told)).toEqual({ offset: 8 + whole.length, reset: false, caughtUp: true });
  });

  test('TRN-1 only wanted lines are handed over; pieces without any are told, with the time of the change', async () => {
    const file = folder.at('s.jsonl');
    writeFileSync(file, 'a1\nb1\na2\n');
    const told = follow(file, 0, tails, (line) => line.startsWith('b'));
    await told.until(holds('b1'));
    appendFileSync(file, 'a3\n');
    await told.until((chunks) => chunks.at(-1)?.offset === 12);
    expect(told.items.at(-1)).toMatchObject({ lines: [], offset: 12, reset: false, caughtUp: true });
    expect(Math.abs(told.items.at(-1)!.modifiedAt - Date.now())).toBeLessThan(60_000);
  });

  test('TRN-1 it goes on from an earlier offset, and begins anew where that is no start of a line', async () => {
    const file = folder.at('s.jsonl');
    writeFileSync(file, 'first\nsecond\n');
    const told = [6, 9, 1_000, -1, NaN].map((from) => follow(file, from));
    await Promise.all(told.map(({ until }) => until(atRest)));
    expect(told.map(({ items }) => items.map(({ lines, reset }) => ({ lines, reset })))).toEqual([
      [{ lines: ['second'], reset: false }],
      [{ lines: ['first', 'second'], reset: true }],
      [{ lines: ['first', 'second'], reset: true }],
      [{ lines: ['first', 'second'], reset: false }],
      [{ lines: ['first', 'second'], reset: false }],
    ]);
  });

  test('TRN-1 a file of many pieces is caught up with at its end only; a giant line is passed over', async () => {
    const small = createTails(log, { sliceBytes: 100, maxLineBytes: 300 });
    const file = folder.at('s.jsonl');
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    writeFileSync(file, [...lines, 'x'.repeat(1_000), 'end', ''].join('\n'));
    const told = follow(file, 0, small);
    await told.until(atRest);
    expect(linesOf(told.items)).toEqual([...lines, 'end']);
    expect(told.items.map(({ caughtUp }) => caughtUp)).toEqual([...told.items.slice(1).map(() => false), true]);
    expect(told.items.length).toBeGreaterThan(15);
  });

  test('TRN-1 a listener that throws loses its piece, is told in the log, and is told the rest', async () => {
    const file = folder.at('s.jsonl');
    writeFileSync(file, 'a\n');
    const told = createTold<TailChunk>();
    const onChunk = (chunk: TailChunk) => {
      told.add(chunk);
      if (chunk.lines[0] === 'a') throw new Error('mine');
    };
    folder.use(tails.follow({ path: file, from: 0, wants: () => true, onChunk }));
    await told.until(holds('a'));
    appendFileSync(file, 'b\n');
    await told.until(holds('a', 'b'));
    expect(log.lines).toEqual(['error A transcript could not be followed: Error: mine']);
  });
});

describe('TRN-3 a file that does not stay what it was', () => {
  const LONG = 'x'.repeat(100);
  const OTHER = 'y'.repeat(100);
  const changes: readonly [name: string, change: (file: string) => void, held: string[]][] = [
    ['emptied', (file) => truncateSync(file, 0), []],
    ['cut short', (file) => truncateSync(file, 6), ['line1']],
    ['replaced by a shorter one', (file) => replace(file, 'other\n'), ['other']],
    ['replaced by a longer one', (file) => replace(file, `other1\nb\n${OTHER}\n`), ['other1', 'b', OTHER]],
    ['replaced by one of the same size', (file) => replace(file, `LINE1\n${OTHER}\n`), ['LINE1', OTHER]],
    ['replaced by one that ends alike', (file) => replace(file, `LINE1\n${LONG}\n`), ['LINE1', LONG]],
    ['rewritten in place, longer', (file) => writeFileSync(file, `${OTHER}\n${LONG}\n`), [OTHER, LONG]],
    ['rewritten in place, same size', (file) => writeFileSync(file, `LINE1\n${OTHER}\n`), ['LINE1', OTHER]],
    ['removed and made again', (file) => (unlinkSync(file), writeFileSync(file, 'other1\nx\n')), ['other1', 'x']],
  ];

  function replace(file: string, text: string): void {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file);
  }

  test.each(changes)('TRN-3 %s: told as another file, then followed on', async (_, change, held) => {
    const file = folder.at('s.jsonl');
    writeFileSync(file, `line1\n${LONG}\n`);
    const told = follow(file);
    await told.until(holds('line1', LONG));
    change(file);
    await told.until((chunks) => chunks.some(({ reset }) => reset) && holds(...held)(chunks));
    appendFileSync(file, 'more\n');
    await told.until(holds(...held, 'more'));
    expect(log.lines).toEqual([]);
  });

  test('TRN-3 a deleted file is waited for; nothing is told meanwhile', async () => {
    const file = folder.at('s.jsonl');
    writeFileSync(file, 'line1\n');
    const told = follow(file);
    await told.until(holds('line1'));
    const before = told.items.length;
    unlinkSync(file);
    // Another file of the same folder is seen after the removal was.
    const other = follow(folder.at('other.jsonl'));
    writeFileSync(folder.at('other.jsonl'), 'x\n');
    await other.until(holds('x'));
    expect(told.items.length).toBe(before);
    writeFileSync(file, 'again\n');
    await told.until(holds('again'));
    expect(told.items.at(before)).toMatchObject({ reset: true });
  });

  test('TRN-1 a file whose folder is not there yet is waited for, also when the folder goes and comes again', async () => {
    const quick = createTails(log, { events: createFolderEvents(log, { watchedMs: 60_000, unwatchedMs: 20 }) });
    const file = folder.at('project', 's.jsonl');
    const told = follow(file, 0, quick);
    for (const text of ['first', 'second', 'third']) {
      mkdirSync(folder.at('project'));
      writeFileSync(file, `${text}\n`);
      await told.until(holds(text));
      appendFileSync(file, 'more\n');
      await told.until(holds(text, 'more'));
      rmSync(folder.at('project'), { recursive: true });
    }
    expect(log.lines).toEqual([]);
  });

  onPosix('TRN-3 a pipe, a folder or a link in its place is never opened and holds up nobody', async () => {
    execFileSync('mkfifo', [folder.at('pipe')]);
    mkdirSync(folder.at('folder'));
    writeFileSync(folder.at('real.jsonl'), 'real\n');
    symlinkSync(folder.at('real.jsonl'), folder.at('link'));
    const odd = ['pipe', 'folder', 'link'].map((name) => follow(folder.at(name)));
    const real = follow(folder.at('real.jsonl'));
    await real.until(holds('real'));
    expect(odd.map(({ items }) => items)).toEqual([[], [], []]);
    rmSync(folder.at('pipe'));
    writeFileSync(folder.at('pipe'), 'now a file\n');
    await odd[0]!.until(holds('now a file'));
  });

  onPosix('TRN-1 a linked folder on the way is followed', async () => {
    mkdirSync(folder.at('real'));
    symlinkSync(folder.at('real'), folder.at('link'));
    const told = follow(folder.at('link', 's.jsonl'));
    writeFileSync(folder.at('real', 's.jsonl'), 'a\n');
    await told.until(holds('a'));
    appendFileSync(folder.at('real', 's.jsonl'), 'b\n');
    await told.until(holds('a', 'b'));
  });
});

describe('TRN-1 watching', () => {
  test('TRN-1 where the system has no more watches, looking does, and it is said once', async () => {
    const none = () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    };
    const events = createFolderEvents(log, { watchedMs: 60_000, unwatchedMs: 10 }, none);
    const unwatched = createTails(log, { events });
    mkdirSync(folder.at('other'));
    const files = [folder.at('s.jsonl'), folder.at('other', 's.jsonl')];
    const told = files.map((file) => follow(file, 0, unwatched));
    for (const text of ['a', 'b', 'c']) {
      files.forEach((file) => appendFileSync(file, `${text}\n`));
      await Promise.all(told.map(({ until }) => until((chunks) => linesOf(chunks).at(-1) === text)));
    }
    expect(log.lines).toEqual([
      "warn A folder can't be watched (ENOSPC); such folders are looked at every 10 ms instead.",
    ]);
  });

  test('TRN-1 a watch that breaks, or tells nothing, is made up for by looking', async () => {
    let broken = false;
    const events = createFolderEvents(log, { watchedMs: 10, unwatchedMs: 10 }, (_folder, _onName, onError) => {
      if (!broken) setImmediate(() => onError(Object.assign(new Error('gone'), { code: 'EPERM' })));
      broken = true;
      return { close: () => undefined };
    });
    const file = folder.at('s.jsonl');
    const told = follow(file, 0, createTails(log, { events }));
    for (const text of ['a', 'b', 'c']) {
      appendFileSync(file, `${text}\n`);
      await told.until((chunks) => linesOf(chunks).at(-1) === text);
    }
    expect(log.lines).toHaveLength(1);
  });

  test('TRN-1 follows of one folder share a watch, which ends with the last of them', async () => {
    let open = 0;
    let opened = 0;
    const events = createFolderEvents(log, { watchedMs: 10, unwatchedMs: 10 }, () => {
      open++;
      opened++;
      return { close: () => void open-- };
    });
    const shared = createTails(log, { events });
    const started = ['a', 'b', 'c'].map((name) => {
      writeFileSync(folder.at(name), 'x\n');
      const told = createTold<TailChunk>();
      const request = { path: folder.at(name), from: 0, wants: () => true, onChunk: told.add };
      return { told, following: shared.follow(request) };
    });
    await Promise.all(started.map(({ told }) => told.until(holds('x'))));
    appendFileSync(folder.at('a'), 'y\n');
    await started[0]!.told.until(holds('x', 'y'));
    expect({ open, opened }).toEqual({ open: 1, opened: 1 });
    started.forEach(({ following }) => following.dispose());
    expect(open).toBe(0);
    // Asked for twice, closed once.
    started.forEach(({ following }) => following.dispose());
    expect(open).toBe(0);
  });

  test('TRN-1 after its end a follow tells nothing, also when it ends itself in the middle of a file', async () => {
    const small = createTails(log, { sliceBytes: 100 });
    const file = folder.at('s.jsonl');
    writeFileSync(file, 'line\n'.repeat(1_000));
    const told = createTold<TailChunk>();
    const onChunk = (chunk: TailChunk) => {
      told.add(chunk);
      following.dispose();
    };
    const following = small.follow({ path: file, from: 0, wants: () => true, onChunk });
    await told.until(({ length }) => length > 0);
    // Its place in the lane comes before the other's.
    await follow(file, 0, small).until(atRest);
    expect(told.items.length).toBe(1);
  });

  test('TRN-1 fifty transcripts of 5 MB at once leave the event loop free', async () => {
    const line = JSON.stringify({ type: 'assistant', text: '한글 and more '.repeat(60) });
    const count = Math.ceil((5 * 1024 * 1024) / (Buffer.byteLength(line) + 1));
    writeFileSync(folder.at('0.jsonl'), `${line}\n`.repeat(count));
    const names = Array.from({ length: 50 }, (_, index) => `${index}.jsonl`);
    // Links that the file system makes no difference of: 5 MB of disk are enough.
    names.slice(1).forEach((name) => linkSync(folder.at('0.jsonl'), folder.at(name)));
    let asked = 0;
    const turns = watchTurns(() => asked);
    const told = names.map((name) => follow(folder.at(name), 0, tails, () => (asked++, false)));
    await Promise.all(told.map(({ until }) => until(atRest)));
    const { most, longest } = turns.stop();
    expect(asked).toBe(50 * count);
    // One slice of 256 KB, and what the one before left of a line.
    expect(most).toBeLessThanOrEqual(Math.ceil((256 * 1024) / Buffer.byteLength(line)));
    // A collection of the full heap that all tests share takes five; the files at once take hundreds.
    expect(longest).toBeLessThan(10);
  });
});

describe('TRN-2 the end of a transcript', () => {
  const text = 'first\nsecond 한글\nthird\n';

  test.each([
    [1_000, text, ['first', 'second 한글', 'third']],
    [Buffer.byteLength(text), text, ['first', 'second 한글', 'third']],
    [Buffer.byteLength(text) - 1, text, ['second 한글', 'third']],
    [20, text, ['second 한글', 'third']],
    [19, text, ['third']],
    [6, text, ['third']],
    [5, text, []],
    [0, text, []],
    [-5, text, []],
    [1_000, 'a\nb', ['a', 'b']],
    [1_000, '', []],
  ])('TRN-2 within %d bytes of %j', async (bytes, content, lines) => {
    writeFileSync(folder.at('s.jsonl'), content);
    expect(await tails.tail(folder.at('s.jsonl'), bytes)).toEqual(lines);
  });

  onPosix('TRN-2 is nothing for what is not there or no file', async () => {
    execFileSync('mkfifo', [folder.at('pipe')]);
    const odd = [folder.at('none'), folder.at('pipe'), folder.path].map((file) => tails.tail(file, 100));
    expect(await Promise.all(odd)).toEqual([[], [], []]);
  });
});

describe('CNV-5 skips erased lines', () => {
  const text = 'gone one\ngone two\nnew one\nnew two\n';
  const heldFrom = async (after: number, from = 0) => {
    const file = folder.at(`after-${after}-${from}.jsonl`);
    writeFileSync(file, text);
    const told = createTold<TailChunk>();
    folder.use(tails.follow({ path: file, from, after, wants: () => true, onChunk: told.add }));
    await told.until(atRest);
    appendFileSync(file, 'more\n');
    await told.until((chunks) => linesOf(chunks).at(-1) === 'more');
    return [told.items.some(({ reset }) => reset), ...heldOf(told.items)];
  };

  test('CNV-5 following begins behind them, with the next whole line, or at a later offset', async () => {
    expect(await heldFrom(18)).toEqual([false, 'new one', 'new two', 'more']);
    expect(await heldFrom(12)).toEqual([false, 'new one', 'new two', 'more']);
    expect(await heldFrom(18, 26)).toEqual([false, 'new two', 'more']);
    expect(await heldFrom(18, 9)).toEqual([false, 'new one', 'new two', 'more']);
    expect(await heldFrom(text.length)).toEqual([false, 'more']);
    // A file that is shorter than it was, or whose earlier length is unknown.
    expect(await heldFrom(1_000)).toEqual([false, 'more']);
    expect(await heldFrom(Number.MAX_SAFE_INTEGER)).toEqual([false, 'more']);
  });

  test('CNV-5 skips the whole line that was half written at the erasure, however long it becomes', async () => {
    const small = createTails(log, { sliceBytes: 16 });
    const file = folder.at('s.jsonl');
    writeFileSync(file, `gone\n${'begun '.repeat(30)}`);
    const told = createTold<TailChunk>();
    const request = { path: file, from: 0, after: 40, wants: () => true, onChunk: told.add };
    folder.use(small.follow(request));
    appendFileSync(file, 'ends\nnew\n');
    await told.until((chunks) => linesOf(chunks).length > 0);
    expect(linesOf(told.items)).toEqual(['new']);
  });

  test('CNV-5 skips the first content of a file that was empty at the first look, and follows it from then on', async () => {
    const file = folder.at('s.jsonl');
    writeFileSync(file, '');
    const told = createTold<TailChunk>();
    folder.use(tails.follow({ path: file, from: 0, after: 18, wants: () => true, onChunk: told.add }));
    // The same disk's next turn: the follower has looked by then.
    await tails.tail(file, 1);
    appendFileSync(file, 'gone one\n');
    while (linesOf(told.items).length === 0) {
      appendFileSync(file, 'more\n');
      await tails.tail(file, 1);
    }
    expect([...new Set(linesOf(told.items))]).toEqual(['more']);
  });

  test('CNV-5 the last lines begin behind them, and the file’s present size is known', async () => {
    const file = folder.at('s.jsonl');
    writeFileSync(file, text);
    expect(await tails.tail(file, 1_000, 18)).toEqual(['new one', 'new two']);
    expect(await tails.tail(file, 1_000, 12)).toEqual(['new one', 'new two']);
    expect(await tails.tail(file, 1_000, 1_000)).toEqual([]);
    expect([await tails.size(file), await tails.size(folder.at('none'))]).toEqual([text.length, 0]);
  });
});
