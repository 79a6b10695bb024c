import fc from 'fast-check';
import type { EventRecord, EventStore } from '../../app/ports.ts';
import { record, sessionRow } from './store.testkit.ts';

/** The sessions that steps are about. */
export const sessions = ['a', 'b', 'c'];
const words = ['login', '로그인', 'x', '화면을', 'nothing'];
const types = ['user_prompt', 'turn_ended', 'tool_started', 'context_loaded'] as const;

/** Events of a session: some said, some with a raw payload, some that tell of another session. */
function eventOf(number: number, session: string, type: (typeof types)[number], word: string): EventRecord {
  const payload = {
    prompt: `${word} ${number}`,
    message: `${word} ${number}`,
    reason: 'completed',
    text: word,
    told: session === 'a' ? ['b'] : ['a'],
  };
  // Late ones among them: the order of arrival is not that of time.
  const ts = new Date(Date.UTC(2026, 0, 1) + ((number * 7_919) % 1_000) * 1_000 + number).toISOString();
  const made = record(number, { session, type, payload, ts });
  const event = { ...made.event, raw: number % 2 === 0 ? { output: `${word} ${number}` } : {} };
  return { ...made, event, keys: [`d:${number}`, `f:${number}`] };
}

/** Something that is done to a store. */
export type Step =
  | {
      readonly what: 'append';
      readonly session: number;
      readonly type: number;
      readonly word: number;
      readonly count: number;
    }
  | {
      readonly what: 'again' | 'strip' | 'thin' | 'drop' | 'rewrite' | 'erase' | 'row' | 'note';
      readonly session: number;
    }
  | {
      readonly what: 'erase all' | 'work' | 'wipe' | 'checkpoint' | 'reopen' | 'crash' | 'lose index' | 'damage index';
    };

const small = fc.nat({ max: 2 });
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      what: fc.constant('append' as const),
      session: small,
      type: fc.nat({ max: types.length - 1 }),
      word: fc.nat({ max: 3 }),
      count: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      what: fc.constantFrom('again', 'strip', 'thin', 'drop', 'rewrite', 'erase', 'row', 'row', 'note'),
      session: small,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constantFrom(
        'erase all',
        'work',
        'work',
        'wipe',
        'checkpoint',
        'checkpoint',
        'reopen',
        'crash',
        'lose index',
        'damage index',
      ),
    }),
  },
);

function pages<T>(
  ask: (cursor: string | undefined) => { readonly items: readonly T[]; readonly next: string | null },
): T[] {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = ask(cursor);
    items.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** Everything that can be read of a store. */
export function contentOf(store: EventStore) {
  return {
    count: store.eventCount(),
    sessions: pages((cursor) => store.sessions({ limit: 2, cursor })),
    of: sessions.map((id) => ({
      events: store.events(id),
      pages: pages((cursor) => store.eventsPage(id, { limit: 3, cursor })).map((event) => event.id),
      said: pages((cursor) => store.sayings(id, { limit: 2, cursor })).map((event) => event.id),
      newest: store.newestEvents(id, 4).map((event) => event.id),
      counted: store.events(id).length,
      hadErasure: store.erased.had(id),
    })),
    found: words.map((text) =>
      pages((cursor) => store.searchSayings({ text }, { limit: 2, cursor })).map(({ id }) => id),
    ),
    bySpeaker: pages((cursor) => store.searchSayings({ text: 'login', role: 'assistant' }, { limit: 3, cursor }))
      .length,
    notes: store.shelf('notes').after(undefined, 99),
    work: store.work.items(),
  };
}

const item = (number: number) => ({
  ...{ key: `k${number}`, id: `k${number}`, title: 't', status: 'active', project: '/p' },
  createdAt: `2026-01-01T00:00:0${number % 10}.000Z`,
  ...{ dependencies: [], sessions: [sessions[number % 3]], files: ['f'], workers: [] },
  touches: [{ session: sessions[number % 3], files: ['f'] }],
});

/** Makes a change, to any store in the same way. Steps that only disturb a store change nothing. */
export async function change(
  store: EventStore,
  made: Step,
  number: number,
  all: readonly EventRecord[],
): Promise<void> {
  const id = 'session' in made ? (sessions[made.session] ?? 'a') : 'a';
  const own = () => store.events(id);
  switch (made.what) {
    case 'append':
      return store.append(
        Array.from({ length: made.count }, (_, index) =>
          eventOf(number + index, id, types[made.type] ?? 'tool_started', words[made.word] ?? ''),
        ),
      );
    case 'again': {
      const there = new Set(own().map((event) => event.id));
      return store.append(all.filter(({ event }) => there.has(event.id)).slice(0, 3));
    }
    case 'strip':
      return store.trim({ sessionId: id, strip: store.eventIds(id, { kind: 'raw', before: '2026-01-01T00:10' }, 3) });
    case 'thin':
      return store.trim({
        sessionId: id,
        remove: store.eventIds(id, { kind: 'unsaid', upTo: '2027' }, 3),
        keepRow: true,
      });
    case 'drop':
      return store.trim({ sessionId: id, remove: own().map((event) => event.id), forget: true });
    case 'rewrite': {
      const [first] = own();
      const events = first ? [{ ...first, payload: { unlogged: true }, raw: {} } as typeof first] : [];
      return store.rewrite({ events, rows: first ? [sessionRow(id, `2026-${number}`)] : [] });
    }
    case 'row':
      // A row is made of events: without any it could not be made again.
      return own().length > 0 ? store.saveSessions([sessionRow(id, `2026-01-01T${number}`)]) : undefined;
    case 'note':
      return store
        .shelf('notes')
        .put([{ key: `n${number % 4}`, session: id, value: { number } }], [`n${(number + 1) % 4}`]);
    case 'work':
      return store.work.change(() => ({ save: [item(number % 5)], remove: [`k${(number + 2) % 5}`] }) as never);
    case 'erase':
    case 'erase all':
      await store.erase({ sessions: made.what === 'erase' ? [id] : 'all' });
      return undefined;
    default:
      return undefined;
  }
}
