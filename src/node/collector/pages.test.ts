import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Page, PageRequest } from '../../app/ports.ts';
import { PAGE_MAX_BYTES } from '../../protocol/limits.ts';
import { gather } from './pages.ts';

interface Reads {
  readonly read: (page: PageRequest) => Page<number>;
  /** How many items were asked for, in all. */
  asked(): number;
}

/** The numbers from 0 on; like the store, it may cut a page short before its limit. */
function numbers(count: number, shortenTo = Infinity): Reads {
  let asked = 0;
  return {
    asked: () => asked,
    read({ limit, cursor }) {
      const from = cursor === undefined ? 0 : Number(cursor);
      const end = Math.min(count, from + Math.min(limit, shortenTo));
      asked += end - from;
      return {
        items: Array.from({ length: end - from }, (_, index) => from + index),
        next: end < count ? String(end) : null,
      };
    },
  };
}

const { signal } = new AbortController();

async function allOf(ask: (cursor: string | undefined) => Promise<Page<number>>): Promise<number[][]> {
  const pages: number[][] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    pages.push([...page.items]);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return pages;
}

test('COL-6 whatever is picked from whatever pages, all of it comes once and in order, in pages that are full', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.nat(400),
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      async (count, limit, every, shortenTo, sparse) => {
        const { read } = numbers(count, shortenTo);
        const pick = (item: number) => (item % every === 0 ? item : undefined);
        const pages = await allOf((cursor) =>
          gather({ read, pick, sizeOf: () => 1, sparse, signal }, { limit, cursor }),
        );
        const wanted = Array.from({ length: count }, (_, index) => index).filter((item) => item % every === 0);
        expect(pages.flat()).toEqual(wanted);
        expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      },
    ),
  );
});

test('COL-6 a page ends early once it is large, and goes on where it ended', async () => {
  const { read } = numbers(10);
  const sizes = { read, pick: (item: number) => item, sizeOf: () => PAGE_MAX_BYTES / 2 - 1, signal };
  const pages = await allOf((cursor) => gather(sizes, { limit: 50, cursor }));
  expect(pages).toEqual([[0, 1, 2], [3, 4, 5], [6, 7, 8], [9]]);
});

test('COL-6 a search for what is nowhere ends after a while, with a cursor to go on from', async () => {
  const { read, asked } = numbers(250_000);
  const nowhere = { read, pick: () => undefined, sizeOf: () => 0, sparse: true, signal };
  const first = await gather<number, number>(nowhere, { limit: 5 });
  expect([first, asked()]).toEqual([{ items: [], next: '100000' }, 100_000]);
  expect(await allOf((cursor) => gather<number, number>(nowhere, { limit: 5, cursor }))).toEqual([[], [], []]);
});

test('COL-6 a short page of a list that is not searched reads no more than it gives', async () => {
  const { read, asked } = numbers(1_000);
  await gather({ read, pick: (item) => item, sizeOf: () => 1, signal }, { limit: 3 });
  expect(asked()).toBe(3);
});

test('COL-6 what nobody waits for any more is read no further', async () => {
  const { read, asked } = numbers(100_000);
  const client = new AbortController();
  const leaving = (page: PageRequest) => {
    if (asked() === 100) client.abort();
    return read(page);
  };
  const reading = gather<number, number>(
    { read: leaving, pick: () => undefined, sizeOf: () => 0, sparse: true, signal: client.signal },
    { limit: 5 },
  );
  expect(await reading.catch((error: unknown) => error)).toBe(client.signal.reason);
  expect(asked()).toBe(150);
});
