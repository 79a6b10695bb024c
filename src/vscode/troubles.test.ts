import { beforeEach, expect, test, vi } from 'vitest';
import type { Storing } from '../protocol/reading.ts';
import { clearEditor, editor } from './hooks/editor.testkit.ts';
import { Troubles } from './troubles.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const none = () => undefined;
const log = { debug: none, info: none, warn: none, error: none };
const refusing = (code: string): Storing => ({ ok: false, code, folder: '/store', since: '', refused: 1 });

test('STO-3 UI-4 shows one message for each reason why nothing is stored, and keeps the text while it lasts', () => {
  let now = 0;
  const troubles = new Troubles(log, () => now);
  const changes: (string | undefined)[] = [];
  troubles.notStoring.onChange(() => changes.push(troubles.notStoring.text()));
  // At its limit a disk is full and has room by turns.
  const steps: readonly Storing[] = [refusing('ENOSPC'), { ok: true }, refusing('ENOSPC'), refusing('EROFS')];
  for (const storing of steps) troubles.ofStore.onStoring(storing);
  const full =
    'Agent Mascot stores nothing now: the disk of /store is full (ENOSPC). Make room; what waits is taken in then.';
  const readOnly =
    'Agent Mascot stores nothing now: /store can’t be written (EROFS). Make it writable; what waits is taken in then.';
  expect([editor.shown, changes, troubles.notStoring.text()]).toEqual([
    [`error: ${full}`, `error: ${readOnly}`],
    [full, undefined, full, readOnly],
    readOnly,
  ]);
  now += 60 * 60_000;
  troubles.ofStore.onStoring(refusing('ENOSPC'));
  troubles.ofStore.onStoring({ ok: true });
  expect([editor.shown.length, troubles.notStoring.text()]).toEqual([3, undefined]);
});

test('STO-3 shows a repeated failure once, even if the file’s name in it is random', () => {
  const troubles = new Troubles(log);
  const reasons = ['owner.json.00e5dae4-26c4-4a9b-8f7e-0123456789ab', 'generation.0123456789ab.tmp'];
  for (const reason of reasons)
    for (const digit of ['1', '2', '3'])
      troubles.failed(new Error(`EROFS: open '/home/${reason.replaceAll('0', digit)}'`));
  expect(editor.shown.length).toBe(reasons.length);
});

test('STO-3 shows a lasting failure once, and shows it again after an hour without it', () => {
  let now = 0;
  const troubles = new Troubles(log, () => now);
  const minute = 60_000;
  const fails = (reason: string, minutes: number) => {
    for (let past = 0; past < minutes; past++, now += minute) troubles.failed(new Error(reason));
    return editor.shown.length;
  };
  const told = [fails('full', 600), fails('read-only', 1), fails('full', 1)];
  now += 58 * minute;
  told.push(fails('full', 1));
  now += 24 * 60 * minute;
  told.push(fails('full', 1), fails('full', 600));
  expect(told).toEqual([1, 2, 2, 2, 3, 3]);
});
