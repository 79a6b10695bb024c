import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { logLines, type LogLines } from '../../app/testkit/fakes.testkit.ts';
import { createGate, type Gate, SetAside } from './gate.ts';

let log: LogLines;
let gate: Gate;
/** Calls that were begun and not answered yet, by name. */
let pending: Map<string, () => void>;
let outcomes: string[];
beforeEach(() => {
  vi.useFakeTimers();
  log = logLines();
  gate = createGate(log);
  pending = new Map();
  outcomes = [];
});
afterEach(() => void vi.useRealTimers());

const settled = () => vi.advanceTimersByTimeAsync(0);
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const begun = () => [...pending.keys()];

function ask(folder: string, name = folder): void {
  const call = () =>
    new Promise<void>((resolve) =>
      pending.set(name, () => {
        pending.delete(name);
        resolve();
      }),
    );
  const discard = () => void outcomes.push(`${name} discarded`);
  gate.run(folder, call, discard).then(
    () => outcomes.push(`${name} answered`),
    (error: unknown) => outcomes.push(`${name} ${error instanceof SetAside ? 'set aside' : String(error)}`),
  );
}

async function answer(...names: string[]): Promise<void> {
  for (const name of names) {
    pending.get(name)!();
    await settled();
  }
}

async function know(...folders: string[]): Promise<void> {
  folders.forEach((folder) => ask(folder));
  await answer(...folders);
  outcomes = [];
}

test('TRN-1 calls go one at a time, in the order they were asked for', async () => {
  await know('/a', '/b');
  ['/b', '/a', '/c'].forEach((folder) => ask(folder));
  await settled();
  expect(begun()).toEqual(['/b']);
  await answer('/b');
  expect(begun()).toEqual(['/a']);
  await answer('/a', '/c');
  expect(outcomes).toEqual(['/b answered', '/a answered', '/c answered']);
});

test('TRN-1 beside a slow call goes one for a folder that is known to answer, never two', async () => {
  await know('/a', '/b', '/slow');
  ['/slow', '/slow/below', '/new', '/a', '/b', '/a/x/y'].forEach((folder) => ask(folder));
  await pass(99);
  expect(begun()).toEqual(['/slow']);
  await pass(1);
  expect(begun()).toEqual(['/slow', '/a']);
  await answer('/a', '/b');
  expect(begun()).toEqual(['/slow', '/a/x/y']);
  await answer('/a/x/y', '/slow', '/slow/below', '/new');
  expect(outcomes.filter((outcome) => !outcome.endsWith('answered'))).toEqual([]);
});

test('TRN-1 a call that hangs is set aside, with all that may be on its disk, until it returns', async () => {
  await know('/a', '/b');
  let back = 0;
  gate.onBack(() => back++);
  ask('/hang');
  ask('/hang', 'again');
  ask('/new');
  await pass(1_999);
  expect(outcomes).toEqual([]);
  await pass(1);
  expect(outcomes).toEqual(['/hang set aside', 'again set aside', '/new set aside']);
  ask('/hang/below');
  ask('/hang', 'third');
  ask('/a');
  ask('/hangar');
  ask('/b');
  await settled();
  expect(begun()).toEqual(['/hang', '/a']);
  await answer('/a', '/b');
  expect(outcomes.slice(3)).toEqual([
    '/hang/below set aside',
    'third set aside',
    '/hangar set aside',
    '/a answered',
    '/b answered',
  ]);
  expect(back).toBe(0);
  await answer('/hang');
  expect([back, outcomes.at(-1)]).toEqual([1, '/hang discarded']);
  await know('/hang', '/hang/below', '/new');
  expect([begun(), log.lines]).toEqual([[], []]);
});

test('TRN-1 when two calls hang nothing is read until one returns, which is said once', async () => {
  await know('/a', '/b', '/c');
  for (let round = 0; round < 2; round++) {
    outcomes = [];
    ask('/a');
    ask('/b');
    ask('/c');
    await pass(100);
    expect(begun()).toEqual(['/a', '/b']);
    await pass(2_000);
    expect(outcomes).toEqual(['/a set aside', '/b set aside', '/c set aside']);
    ask('/c');
    await pass(60_000);
    expect([begun(), outcomes.at(-1)]).toEqual([['/a', '/b'], '/c set aside']);
    await answer('/a');
    await know('/c');
    await answer('/b');
  }
  expect(log.lines).toEqual([
    'warn The disk does not answer (/a, /b); transcripts and status files are not read until it does.',
  ]);
});

test('TRN-1 a call that fails has answered; its own error is told, and the next one goes', async () => {
  const failing = gate.run('/a', () => Promise.reject(new Error('ENOENT')));
  await expect(failing).rejects.toThrow('ENOENT');
  ask('/hang');
  await pass(100);
  ask('/a');
  expect(begun()).toEqual(['/hang', '/a']);
});
