import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import type { EventRecord, EventStore, SayingSearch } from '../../app/ports.ts';
import { interactionOf, searchable } from '../../domain/interactions.ts';
import { loadSqlite, openDatabase, type EventKey } from './database.ts';
import { createSearchIndex, type SearchRows } from './searchIndex.ts';
import { createSigner, mayContain, probesOf } from './signature.ts';
import { createStamper } from './stamp.ts';
import {
  beside,
  filesIn,
  openIn,
  record,
  snapshotOf,
  temporaryFolder,
  unsyncedFileSystem,
  wasm,
} from './store.testkit.ts';
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
  test.each([1, 2, 3, 4])('CNV-3 in texts of many scripts, before and after they change (%i)', async (seed) => {
    const random = createRandom(seed);
    await using folder = await temporaryFolder();
    await using killed = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem });
    let told = sayings(random, 150);
    await store.append(told);
    expectAll(store, told, random);

    // Newer ones and older ones come, and some of both go, while the signatures are in memory.
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
    await store.trim({ sessionId: 's', remove: [...gone] });
    told = told.filter(({ event }) => !gone.has(event.id));
    expectAll(store, told, random);

    // From the journal alone, as after a SIGKILL; then from an image.
    await snapshotOf(folder.path, killed.path);
    await store.close();
    for (const place of [killed.path, folder.path]) {
      const again = await openIn(place, { generation: 2 });
      expectAll(again.store, told, random);
      await again.store.close();
    }
  });

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

  it('CNV-3 a store of the version before is searched whole at once, and its rows are filled in a few at a time', async () => {
    const random = createRandom(9);
    const told = sayings(random, 120);
    const sqlite = await loadSqlite(await wasm);
    const old = await bytesWithoutSignatures(told);
    const database = openDatabase(sqlite, { bytes: old, verified: true });
    try {
      database.stampMissing(20);
      const found = database.search({ text: interactionOf(told[0]!.event)!.content }, undefined, 500);
      expect(found.events.map(({ id }) => id)).toContain('evt-0');
      const image = new sqlite.Database(database.exportImage(new Map()));
      expect(image.exec('SELECT count(*) FROM sayings WHERE signature IS NULL')[0]?.values).toEqual([[0]]);
      image.close();
    } finally {
      database.close();
    }
    const filled = openDatabase(sqlite, { bytes: await bytesWithoutSignatures(told), verified: true });
    filled.stampMissing(20);
    const image = new sqlite.Database(filled.exportImage(new Map()));
    const newest = told.slice(-20).map(({ event }) => event.id);
    expect(
      image.exec('SELECT id FROM sayings WHERE signature IS NOT NULL ORDER BY ts')[0]?.values.map(([id]) => id),
    ).toEqual(newest);
    image.close();
    filled.close();
  });

  it('CNV-3 the thread that makes large images gives old rows what the search needs', async () => {
    await using folder = await temporaryFolder();
    const random = createRandom(5);
    const old = path.join(folder.path, 'agent-mascot-1-000001.sqlite');
    await writeFile(old, await bytesWithoutSignatures(sayings(random, 80)));
    const { store } = await openIn(folder.path, { generation: 2, ...(await beside()) });
    await store.append(sayings(random, 1, 900));
    await store.checkpoint();
    await store.close();
    const [, newest = ''] = await filesIn(folder.path, /sqlite$/);
    const sqlite = await loadSqlite(await wasm);
    const image = new sqlite.Database(await readFile(path.join(folder.path, newest)));
    expect(image.exec('SELECT count(*), count(signature) FROM sayings')[0]?.values).toEqual([[81, 81]]);
    image.close();
  });

  it('CNV-3 a search that reads sessions to know whose words they are ends its slice for that too', async () => {
    const database = openDatabase(await loadSqlite(await wasm), undefined);
    const told = Array.from({ length: 40 }, (_, index) =>
      record(index, { session: `s${index}`, type: 'user_prompt', payload: { prompt: 'needle' } }),
    );
    database.insert(told);
    const asked: string[] = [];
    const isOfSession: NonNullable<SayingSearch['isOfSession']> = (id, read) => {
      asked.push(id);
      read?.(50_000);
      return false;
    };
    const { lookedTo } = database.search({ text: '', isOfSession }, undefined, 10);
    expect([asked.slice(0, 1), asked.length < 5, lookedTo === undefined]).toEqual([['s39'], true, false]);
    database.close();
  });

  it('CNV-3 nothing of what is trimmed stays in an image, its signature neither', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem });
    const secret = saying(
      1,
      '지워야 할 대화: 붉은 여우가 담을 넘었다. The quick red fox jumped over the wall.'.repeat(3),
    );
    await store.append([secret, saying(2, 'kept')]);
    expect(everyHit(store, { text: '붉은 여우' })).toEqual(['evt-1']);
    const signature = createSigner().signatureOf(searchable(interactionOf(secret.event)!.content));
    const bytes = Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength);
    await store.checkpoint();
    const images = async () =>
      Promise.all((await filesIn(folder.path, /sqlite$/)).map((name) => readFile(path.join(folder.path, name))));
    expect((await images()).every((image) => image.includes(bytes) && image.includes('붉은 여우'))).toBe(true);
    await store.trim({ sessionId: 's', remove: ['evt-1'] });
    for (const number of [3, 4, 5]) {
      await store.append([saying(number, 'more')]);
      await store.checkpoint();
    }
    const left = await images();
    expect(left.map((image) => [image.includes(bytes), image.includes('붉은 여우')])).toEqual(
      left.map(() => [false, false]),
    );
    expect(everyHit(store, { text: '붉은 여우' })).toEqual([]);
    await store.close();
  });
});

describe('CNV-3 the work of a search', () => {
  it('CNV-3 signatures keep nearly all texts from being read that do not contain what is looked for', () => {
    const random = createRandom(3);
    const words = Array.from({ length: 2_000 }, () =>
      Array.from({ length: 2 + random.below(2) }, () => String.fromCharCode(0xac00 + random.below(2_000))).join(''),
    );
    const texts = Array.from({ length: 400 }, () => Array.from({ length: 150 }, () => random.oneOf(words)).join(' '));
    const signer = createSigner();
    const signatures = texts.map((text) => signer.signatureOf(text));
    let inVain = 0;
    for (const word of words.slice(0, 100)) {
      const probes = probesOf(word);
      for (const [index, signature] of signatures.entries()) {
        const may = mayContain(signature, 0, signature.length, probes);
        if (texts[index]!.includes(word)) expect(may).toBe(true);
        else if (may) inVain++;
      }
    }
    expect(inVain / (texts.length * 100)).toBeLessThan(0.02);
  });

  it.each([500, 5_000])('CNV-3 of %i sayings it reads those that it gives, and hardly another', (count) => {
    const { oneOf, below } = createRandom(7);
    const words = Array.from(
      { length: 2_000 },
      () => `${String.fromCharCode(0xac00 + below(9_000))}${oneOf(['는', '가'])}`,
    );
    const planted = new Set([10, count / 2, count - 5]);
    const told = Array.from({ length: count }, (_, number) => {
      const text = Array.from({ length: 40 }, () => oneOf(words)).join(' ');
      return saying(number, `the ${text}${planted.has(number) ? ' createLiveStore' : ''}`);
    });
    const stamper = createStamper();
    const newestFirst = told.toReversed().map(({ event, rank }) => {
      const key = [event.ts, rank, event.id] as const;
      return { key, sessionId: event.session_id, stamp: stamper.stampOf(event) };
    });
    const jsons = new Map(told.map(({ event }) => [event.id, JSON.stringify(event)]));
    let [loaded, read] = [0, 0];
    const rows: SearchRows = {
      before(key, limit) {
        const from = newestFirst.findIndex((row) => row.key === key) + 1;
        loaded += Math.min(limit, count - from);
        return newestFirst.slice(from, from + limit);
      },
      json(id) {
        read++;
        return jsons.get(id);
      },
      keep: () => expect.fail('all of them are stamped'),
    };
    const index = createSearchIndex(rows, stamper);
    while (index.warm());
    const lookFor = (text: string) => {
      read = 0;
      let found = 0;
      let after: EventKey | undefined;
      do {
        const { events, lookedTo } = index.search({ text }, after, 50 - found);
        found += events.length;
        after = lookedTo;
      } while (after !== undefined && found < 50);
      return { found, inVain: read - found };
    };
    expect(lookFor('the')).toEqual({ found: 50, inVain: 0 });
    for (const [text, found] of Object.entries({ createLiveStore: 3, createDeadStore: 0 })) {
      const looked = lookFor(text);
      expect(looked.found).toBe(found);
      expect(looked.inVain).toBeLessThan(count / 50);
    }
    expect(loaded).toBe(count);
  });

  it('CNV-3 a page ends after some work though nothing was found, and the next goes on behind it', async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem });
    const told = Array.from({ length: 3_000 }, (_, number) => saying(number, `hay ${number}`));
    await store.append([saying(9_000, 'hay'), ...told.slice(1)]);
    const first = store.searchSayings({ text: 'needle' }, { limit: 5 });
    expect([first.items, typeof first.next]).toEqual([[], 'string']);
    expect(everyHit(store, { text: 'needle' })).toEqual([]);
    // In memory they are now, and a few thousand take one page.
    expect(store.searchSayings({ text: 'needle' }, { limit: 5 })).toEqual({ items: [], next: null });
    expect(everyHit(store, { text: 'hay 2' }, 7)).toEqual(naive(told, { text: 'hay 2' }));
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

/** An image as the version before wrote it. */
async function bytesWithoutSignatures(told: readonly EventRecord[]): Promise<Uint8Array> {
  const sqlite = await loadSqlite(await wasm);
  const now = openDatabase(sqlite, undefined);
  now.insert(told);
  const database = new sqlite.Database(now.exportImage(new Map()));
  now.close();
  database.run('ALTER TABLE sayings DROP COLUMN signature; PRAGMA user_version = 4');
  database.run(
    'DROP TABLE IF EXISTS erased; DROP TABLE IF EXISTS erasures; DROP TABLE IF EXISTS tellings; DROP TABLE IF EXISTS work_items; DROP TABLE IF EXISTS shelves; DROP INDEX sessions_by_fingerprint',
  );
  for (const name of ['tty', 'parent_pid', 'fingerprint']) database.run(`ALTER TABLE sessions DROP COLUMN ${name}`);
  const bytes = database.export();
  database.close();
  return bytes;
}
