import { describe, expect, test } from 'vitest';
import {
  endedItem,
  freedBy,
  itemAt,
  newItem,
  openNeeds,
  startedItem,
  touched,
  withoutSessions,
  workKey,
} from './workItems.ts';

const at = (minute: number) => `2026-01-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
const item = (id: string, dependencies: readonly string[] = [], project = '/w/shop') =>
  newItem({ id, title: id, project, dependencies: [...dependencies], madeBy: 'person' }, at(0));

describe('GRD-1 which item something is done for', () => {
  const till = startedItem(item('till'), at(1), 'a');
  const drawer = startedItem(item('drawer'), at(2), 'b');
  const elsewhere = startedItem(item('house', [], '/w/house'), at(1), 'a');
  const items = [drawer, till, elsewhere, item('later')];
  test.each([
    ['the one that its own session started', 'a', 5, 'till'],
    ['else the one that was started last', 'c', 5, 'drawer'],
    ['of those that ran then', 'c', 1, 'till'],
    ['nothing ran before', 'a', 0, undefined],
  ])('GRD-1 %s', (_name, session, minute, expected) => {
    expect(itemAt(items, { project: '/w/shop', session, at: at(minute) })?.id).toBe(expected);
  });

  test('GRD-1 an ended one up to its end, for what comes late', () => {
    const ended = [endedItem(till, 'done', at(4))];
    const ids = [3, 4, 5].map((minute) => itemAt(ended, { project: '/w/shop', session: 'a', at: at(minute) })?.id);
    expect(ids).toEqual(['till', undefined, undefined]);
  });

  test('GRD-1 another project is another matter, whatever its items are called', () => {
    expect(itemAt(items, { project: '/w/barn', session: 'a', at: at(5) })).toBeUndefined();
    expect(workKey('/w/shop', 'till')).not.toBe(workKey('/w/house', 'till'));
  });
});

describe('GRD-4 needs', () => {
  const first = item('first');
  const second = item('second', ['first', 'gone']);
  test('GRD-4 are open until they are done or given up, and nobody waits for what is not there', () => {
    const done = endedItem(first, 'done', at(3));
    const cancelled = endedItem(first, 'cancelled', at(3));
    expect(
      [first, startedItem(first, at(1)), done, cancelled].map((need) => openNeeds(second, [need, second])),
    ).toEqual([['first'], ['first'], [], []]);
  });

  test('EVT-1 the last of them that ends frees what waited, once', () => {
    const third = item('third', ['first', 'second']);
    const ended = endedItem(first, 'done', at(3));
    expect(freedBy(ended, [ended, second, third]).map(({ id }) => id)).toEqual(['second']);
    const other = item('second', [], '/w/house');
    expect(freedBy(ended, [ended, { ...other, dependencies: ['first'] }])).toEqual([]);
    expect(freedBy(ended, [ended, startedItem(second, at(4))])).toEqual([]);
  });
});

describe('GRD-1 who touched it', () => {
  test('GRD-1 sessions and files, each once, in the order in which they came', () => {
    const one = touched(touched(item('till'), 'a', ['x.ts', 'y.ts', 'x.ts']), 'b', ['x.ts', 'z.ts']);
    expect([one.sessions, one.files]).toEqual([
      ['a', 'b'],
      ['x.ts', 'y.ts', 'z.ts'],
    ]);
    expect(touched(one, 'a', ['y.ts'])).toBe(one);
    expect(touched(one, 'c', []).sessions).toEqual(['a', 'b', 'c']);
  });

  test('GRD-1 it grows for months and stays of a size that travels', () => {
    let one = item('till');
    for (let count = 0; count < 400; count++) one = touched(one, `s${count}`, [`${count}.ts`, `${count}.css`]);
    expect([one.sessions.length, one.files.length, one.sessions[0]]).toEqual([200, 400, 's0']);
    for (let count = 0; count < 400; count++) one = touched(one, 's0', [`more${count}.ts`]);
    expect(one.files.length).toBe(500);
  });

  test('CNV-4 of an erased session nothing is left, and what others touched stays', () => {
    const started = startedItem({ ...item('till'), madeIn: 'a' }, at(1), 'a');
    const one = touched(touched(started, 'a', ['own.ts', 'both.ts']), 'b', ['both.ts']);
    const left = withoutSessions(one, new Set(['a']));
    expect(JSON.stringify(left)).not.toMatch(/"a"|own\.ts/);
    expect([left.sessions, left.files, left.status]).toEqual([['b'], ['both.ts'], 'running']);
    expect(withoutSessions(left, new Set(['a']))).toBe(left);
  });
});

test('GRD-1 an ended item that is started again runs from then on', () => {
  const again = startedItem(endedItem(startedItem(item('till'), at(1), 'a'), 'done', at(2)), at(5));
  expect(again).toMatchObject({ status: 'running', startedAt: at(5) });
  expect([again.finishedAt, again.startedBy]).toEqual([undefined, undefined]);
});
