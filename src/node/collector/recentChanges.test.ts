import { describe, expect, test } from 'vitest';
import { createRecentChanges } from './recentChanges.ts';

const recentOf = (instance = '12345678-abcd', generation = 3) =>
  createRecentChanges(
    () => ({ instance, generation }),
    () => 5,
  );
const texts = (buffers: readonly Buffer[] | undefined) => buffers?.map(String);

describe('COL-7 what is kept for readers that come again', () => {
  test('COL-7 an id names owner, revision and change, and leads to what came after it', () => {
    const recent = recentOf();
    const before = recent.id();
    recent.add((id) => `one ${id}`, 7);
    const between = recent.id();
    recent.add((id) => `two ${id}`, 7);
    expect([before, between, recent.id()]).toEqual(['3-0-0-12345678-5', '3-7-1-12345678-5', '3-7-2-12345678-5']);
    expect([before, between, recent.id()].map((id) => texts(recent.since(id)))).toEqual([
      ['one 3-7-1-12345678-5', 'two 3-7-2-12345678-5'],
      ['two 3-7-2-12345678-5'],
      [],
    ]);
  });

  test('COL-7 another owner’s id leads nowhere, be it of the same generation', () => {
    const recent = recentOf();
    for (const other of [recentOf('87654321'), recentOf('12345678', 4)])
      expect(recent.since(other.id())).toBeUndefined();
  });

  test('COL-7 no more than a thousand are kept', () => {
    const recent = recentOf();
    const ids = [recent.id()];
    for (let i = 0; i < 1_001; i++) {
      recent.add(String, i);
      ids.push(recent.id());
    }
    expect([ids[0], ids[1]].map((id) => recent.since(id ?? '')?.length)).toEqual([undefined, 1_000]);
  });

  test('COL-7 nor more than eight megabytes', () => {
    const recent = recentOf();
    const ids = [recent.id()];
    for (let i = 0; i < 9; i++) {
      recent.add(() => 'x'.repeat(1024 * 1024), i);
      ids.push(recent.id());
    }
    expect([ids[0], ids[1]].map((id) => recent.since(id ?? '')?.length)).toEqual([undefined, 8]);
    recent.add(() => 'x'.repeat(9 * 1024 * 1024), 10);
    expect([ids[9], recent.id()].map((id) => recent.since(id ?? '')?.length)).toEqual([undefined, 0]);
  });

  test('COL-7 after a forgetting no id so far leads anywhere, the next does', () => {
    const recent = recentOf();
    recent.add(String, 1);
    const old = recent.id();
    recent.forget();
    expect([recent.since(old), recent.since(recent.id())]).toEqual([undefined, []]);
  });
});
