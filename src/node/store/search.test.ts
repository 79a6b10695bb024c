import { describe, expect, it, test } from 'vitest';
import type { EventRecord, EventStore, SayingSearch } from '../../app/ports.ts';
import { interactionOf, searchable } from '../../domain/interactions.ts';
import { openIn, record, snapshotOf, temporaryFolder, unsyncedFileSystem } from './store.testkit.ts';
import type { JsonObject } from '../../protocol/json.ts';

/** The same numbers in every run. */
function createRandom(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const oneOf = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  return { below, oneOf };
}

type Random = ReturnType<typeof createRandom>;

const scripts: readonly (readonly string[])[] = [
  [...'abcdeETX ._-(){}"\\\n'],
  [...'로그인화면을고쳐줘 검색회의'],
  // The same in single letters, as macOS writes file names.
  [...'로그인 화면 검색'.normalize('NFD')],
  [...'日本語の検索テスト。索引カナ'],
  [...'搜索会话记录的文本，在里面'],
  [...'ＡｂＣ１２ｶﾞﬁ㎏'],
  [...'ÉéßİıΣσςЖж'],
  ['😀', '👩‍👩‍👧', '🇰🇷', '\ud83d', '\ude00', '\0', '\x01'],
];

function textOf({ below, oneOf }: Random, longest: number): string {
  const parts = Array.from({ length: 1 + below(3) }, () => oneOf(scripts));
  return Array.from({ length: 1 + below(longest) }, () => oneOf(oneOf(parts))).join('');
}

function saying(number: number, text: string, session = `s${number % 5}`): EventRecord {
  const isPrompt = number % 2 === 0;
  const payload: JsonObject = isPrompt ? { prompt: text } : { reason: 'completed', message: text };
  return record(number, { type: isPrompt ? 'user_prompt' : 'turn_ended', session, payload });
}

function sayings(random: Random, count: number, from = 0): EventRecord[] {
  return Array.from({ length: count }, (_, index) => saying(from + index, textOf(random, 60)));
}

/** What is looked for: parts of what was said, the same in another spelling, and what nobody said. */
function wantedTexts(random: Random, told: readonly EventRecord[], count: number): string[] {
  const { below, oneOf } = random;
  const spellings = [
    (text: string) => text,
    (text: string) => text.normalize('NFD'),
    (text: string) => text.normalize('NFC').toUpperCase(),
  ];
  return Array.from({ length: count }, () => {
    const text = interactionOf(oneOf(told).event)?.content ?? '';
    const start = below(text.length);
    const cut = [text.slice(start, start + 1 + below(12)), text, `${text}x`, textOf(random, 5)][below(4)] ?? '';
    return oneOf(spellings)(cut === '' ? 'a' : cut);
  });
}

function everyHit(store: EventStore, search: SayingSearch, limit = 500): string[] {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = store.searchSayings(search, { limit, cursor });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return ids;
}

function naive(told: readonly EventRecord[], { text, role, from, to, isOfSession }: SayingSearch): string[] {
  return told
    .toSorted((a, b) => (a.event.ts < b.event.ts ? 1 : -1))
    .filter(({ event }) => {
      const said = interactionOf(event);
      return (
        said &&
        searchable(said.content).includes(searchable(text)) &&
        (role ?? said.role) === said.role &&
        said.ts >= (from ?? '') &&
        said.ts < (to ?? '9') &&
        (isOfSession?.(said.sessionId) ?? true)
      );
    })
    .map(({ event }) => event.id);
}

function expectAll(store: EventStore, told: readonly EventRecord[], random: Random, count = 40): void {
  const moment = () => random.oneOf(told).event.ts;
  for (const text of wantedTexts(random, told, count)) {
    const filters: readonly Omit<SayingSearch, 'text'>[] = [
      {},
      { role: random.oneOf(['user', 'assistant'] as const) },
      { from: moment() },
      { to: moment(), from: moment() },
      { isOfSession: (id) => id === 's1' || id === 's3' },
    ];
    const search = { text, ...random.oneOf(filters) };
    expect(everyHit(store, search, 1 + random.below(20)), JSON.stringify(search)).toEqual(naive(told, search));
  }
}

describe('CNV-3 the search finds what a walk through everything finds', () => {
  test.each([
    [1, 4_000_000],
    [2, 4_000],
    [3, 4_000],
    [4, 1_000],
  ])(
    'CNV-3 in texts of many scripts, before and after they change (seed %i, sealed after %i bytes)',
    async (seed, sealAfterBytes) => {
      const random = createRandom(seed);
      await using folder = await temporaryFolder();
      await using killed = await temporaryFolder();
      const { store } = await openIn(folder.path, { fs: unsyncedFileSystem, sealAfterBytes });
      let told = sayings(random, 150);
      await store.append(told);
      expectAll(store, told, random);

      // Newer ones and older ones come, and some of both go.
      const more = sayings(random, 60, 200);
      const late = sayings(random, 40, 150).map((each, index) => ({
        ...each,
        event: { ...each.event, ts: `2025-12-0${1 + (index % 9)}T00:00:00.${String(index).padStart(3, '0')}Z` },
      }));
      await store.append(late);
      await store.append(more);
      told = [...told, ...late, ...more];
      expectAll(store, told, random);
      const gone = new Set(told.filter(() => random.below(4) === 0).map(({ event }) => event.id));
      for (const sessionId of ['s0', 's1', 's2', 's3', 's4']) await store.trim({ sessionId, remove: [...gone] });
      told = told.filter(({ event }) => !gone.has(event.id));
      expectAll(store, told, random);

      // As after a SIGKILL, and then as after a close.
      await store.checkpoint();
      await snapshotOf(folder.path, killed.path);
      await store.close();
      for (const place of [killed.path, folder.path]) {
        const again = await openIn(place, { generation: 2 });
        expectAll(again.store, told, random);
        await again.store.close();
      }
    },
  );

  it('CNV-3 finds a part of every length of one text, up to all of it, and nothing that is longer', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path);
    const text = 'Ｆix 로그인 in createLiveStore()😀 検索を、搜索';
    const whole = saying(1, text);
    await store.append([whole, saying(2, 'hay')]);
    for (let from = 0; from < text.length; from++) {
      for (let to = from + 1; to <= text.length; to++) {
        const part = { text: text.slice(from, to) };
        expect(everyHit(store, part), JSON.stringify(part)).toEqual(naive([whole, saying(2, 'hay')], part));
      }
    }
    expect(everyHit(store, { text: `${text}!` })).toEqual([]);
    await store.close();
  });
});

describe('CNV-3 the work of a search', () => {
  it('CNV-3 a page ends after some work though nothing was found, and the next goes on behind it', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem, sealAfterBytes: 1 });
    for (let from = 0; from < 60; from += 2) {
      await store.append([saying(from, `hay ${from}`), saying(from + 1, `hay ${from + 1}`)]);
      await store.checkpoint();
    }
    const first = store.searchSayings({ text: 'needle' }, { limit: 5 });
    expect([first.items, typeof first.next]).toEqual([[], 'string']);
    expect(everyHit(store, { text: 'needle' })).toEqual([]);
    const told = Array.from({ length: 60 }, (_, number) => saying(number, `hay ${number}`));
    expect(everyHit(store, { text: 'hay 2' }, 7)).toEqual(naive(told, { text: 'hay 2' }));
    await store.close();
  });

  it('CNV-3 a search that reads sessions to know whose words they are ends its page for that too', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem });
    await store.append(Array.from({ length: 40 }, (_, index) => saying(index, 'needle', `s${index}`)));
    const asked: string[] = [];
    const isOfSession: NonNullable<SayingSearch['isOfSession']> = (id, read) => {
      asked.push(id);
      read?.(50_000);
      return false;
    };
    const { next } = store.searchSayings({ text: '', isOfSession }, { limit: 10 });
    expect([asked.slice(0, 1), asked.length < 5, next === null]).toEqual([['s39'], true, false]);
    await store.close();
  });

  it('CNV-3 a cursor leads on in a store that was opened anew', async () => {
    await using folder = await temporaryFolder();
    const told = Array.from({ length: 300 }, (_, number) => saying(number, `needle ${number}`));
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem });
    await store.append(told);
    const first = store.searchSayings({ text: 'needle' }, { limit: 200 });
    await store.close();
    const again = await openIn(folder.path, { generation: 2 });
    const second = again.store.searchSayings({ text: 'needle' }, { limit: 200, cursor: first.next ?? '' });
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    expect(ids).toEqual(naive(told, { text: 'needle' }).slice(0, ids.length));
    expect(second.items.length).toBeGreaterThan(0);
    await again.store.close();
  });
});
