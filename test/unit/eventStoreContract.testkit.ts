import { describe, expect, it } from 'vitest';
import type { EventStore, Page, PageRequest } from '../../src/app/ports.ts';
import type { AgentEvent } from '../../src/protocol/event.ts';
import { record, records, sessionRow } from '../../src/node/store/store.testkit.ts';

/** All that is told to who follows the store from this number on. */
function told(store: EventStore, seq: number): readonly string[] {
  const { changes, upTo } = store.changes.after(seq);
  const words = changes.map((change) => {
    if (change.kind === 'event') return change.event.id;
    if (change.kind === 'takenBack') return `takenBack ${String(change.ids)}`;
    return change.kind === 'work' ? 'work' : `erased ${String(change.sessions)}`;
  });
  return upTo === seq ? words : [...words, ...told(store, upTo)];
}

const idsAfter = (store: EventStore, seq: number) => told(store, seq).filter((each) => each.startsWith('evt-'));

/** What every EventStore does, run on the real one and on the fake. */
export function eventStoreContract(
  name: string,
  withStore: (use: (store: EventStore) => Promise<void>) => Promise<void>,
): void {
  function rule(title: string, use: (store: EventStore) => Promise<void>): void {
    it(title, () => withStore(use));
  }

  describe(`STO-1 ${name} keeps the contract`, () => {
    rule('STO-1 an empty store answers every question', async (store) => {
      expect({
        lookup: store.lookup('k', 's'),
        session: store.session('s'),
        sessions: store.sessions({ limit: 5 }),
        events: store.events('s'),
        page: store.eventsPage('s', { limit: 5 }),
        sayings: store.sayings('s', { limit: 5 }),
        count: store.eventCount(),
      }).toEqual({
        lookup: undefined,
        session: undefined,
        sessions: { items: [], next: null },
        events: [],
        page: { items: [], next: null },
        sayings: { items: [], next: null },
        count: 0,
      });
    });

    rule('STO-1 the newest events of a session come in its order, whatever came when', async (store) => {
      await store.append([record(3), record(1), record(5, { session: 'x' }), record(2), record(4)]);
      const newest = (limit: number) => store.newestEvents('s', limit).map(({ id }) => id);
      expect([newest(2), newest(10), store.newestEvents('none', 2)]).toEqual([
        ['evt-3', 'evt-4'],
        ['evt-1', 'evt-2', 'evt-3', 'evt-4'],
        [],
      ]);
      const large = record(6);
      await store.append([{ ...large, event: { ...large.event, raw: { output: 'x'.repeat(2_000_000) } } }, record(7)]);
      expect(store.newestEvents('s', 3).map(({ id, raw }) => [id, raw])).toEqual([
        ['evt-4', {}],
        ['evt-6', {}],
        ['evt-7', {}],
      ]);
      expect(() => store.newestEvents('s', 0)).toThrow(/limit/);
    });

    rule('SNK-1 a session is read from any place on, whatever came when', async (store) => {
      await store.append([record(3), record(1), record(5, { session: 'x' }), record(2), record(4)]);
      const first = store.eventsAfter('s', undefined, 2);
      const rest = store.eventsAfter('s', first.key, 9);
      const idsIn = ({ events, more }: typeof first) => [events.map(({ id }) => id), more];
      expect([idsIn(first), idsIn(rest), store.eventsAfter('s', rest.key, 1)]).toEqual([
        [['evt-1', 'evt-2'], true],
        [['evt-3', 'evt-4'], false],
        { events: [], key: undefined, more: false },
      ]);
      expect(() => store.eventsAfter('s', undefined, 0)).toThrow(/limit/);
    });

    rule('SNK-1 RLY-2 who follows the store is told of each event in the order in which it came', async (store) => {
      await store.append([record(3), record(1)]);
      const before = store.changes.lastSeq();
      await store.append([record(2), record(3)]);
      expect([idsAfter(store, 0), idsAfter(store, before), idsAfter(store, store.changes.lastSeq())]).toEqual([
        ['evt-3', 'evt-1', 'evt-2'],
        ['evt-2'],
        [],
      ]);
      expect([store.changes.countAfter(0), store.changes.countAfter(before)]).toEqual([3, 1]);
      const early = store.eventsAfter('s', undefined, 9, before).events;
      expect(early.map(({ id }) => id)).toEqual(['evt-1', 'evt-3']);
    });

    rule('CNV-4 STO-4 what is told otherwise is told anew to who follows, what is gone not at all', async (store) => {
      await store.append([record(1), record(2), record(3), record(4)]);
      const before = store.changes.lastSeq();
      await store.rewrite({ events: [{ ...record(2).event, raw: { is: 'other' } }], rows: [] });
      await store.trim({ sessionId: 's', remove: ['evt-1'], strip: ['evt-3'] });
      expect([idsAfter(store, 0), idsAfter(store, before)]).toEqual([
        ['evt-4', 'evt-2', 'evt-3'],
        ['evt-2', 'evt-3'],
      ]);
    });

    rule(
      'CNV-4 what was taken back is told before it is told anew, and stays told when retention takes it',
      async (store) => {
        await store.append([record(1), record(2)]);
        const before = store.changes.lastSeq();
        const { event } = record(2);
        await store.rewrite({ events: [{ ...event, payload: { unlogged: true }, raw: {} } as AgentEvent], rows: [] });
        expect(told(store, before)).toEqual(['takenBack evt-2', 'evt-2']);
        const again = store.changes.after(before).changes.find(({ kind }) => kind === 'event');
        expect(again).toMatchObject({ was: before });
        await store.trim({ sessionId: 's', remove: ['evt-1', 'evt-2'], forget: true });
        expect(told(store, 0)).toEqual(['takenBack evt-2']);
      },
    );

    rule('CNV-4 who follows is told of an erasure, and of a session that goes on after it', async (store) => {
      await store.append([record(1), record(2, { session: 'x' })]);
      await store.erase({ sessions: ['s'] });
      await store.append([record(3)]);
      expect(told(store, 0).filter((each) => each !== 'work')).toEqual(['evt-2', 'erased s', 'evt-3']);
      await store.erase({ sessions: 'all' });
      expect(told(store, 0).filter((each) => each !== 'work')).toEqual(['erased s', 'erased all']);
    });

    rule('STO-1 an appended event comes back as it was, under each of its keys', async (store) => {
      const added = record(1, { text: 'quotes " \' \\ NUL \0 half \ud800 emoji 😀 newline \n' });
      await store.append([added]);
      expect(store.events('s')).toEqual([added.event]);
      expect(added.keys.map((key) => store.lookup(key, 's'))).toEqual(['evt-1', 'evt-1']);
    });

    rule(
      'STO-4 what is trimmed is gone, with its keys and its place among the sayings; the rest is as it was',
      async (store) => {
        const said = record(2, { type: 'user_prompt' });
        await store.append([
          record(1),
          { ...said, event: { ...said.event, raw: { a: 1 } } },
          record(3),
          record(4, { session: 'x' }),
        ]);
        store.saveSessions([sessionRow('s', '2'), sessionRow('x', '1')]);
        await store.trim({ sessionId: 's', remove: ['evt-3', 'none'], strip: ['evt-2', 'none'], forget: true });
        await store.trim({ sessionId: 'x', remove: ['evt-4'], forget: true });
        await store.trim({ sessionId: 'none', remove: ['none'], forget: true });
        await store.append([record(3)]);
        store.saveSessions([sessionRow('s', '2')]);
        expect({
          events: store.events('s'),
          other: store.events('x'),
          keys: [store.lookup('delivery/3', 's'), store.lookup('delivery/4', 'x')],
          sayings: ['s', 'x'].flatMap((id) => store.sayings(id, { limit: 5 }).items.map((event) => event.id)),
          rows: [store.session('s'), store.session('x')],
        }).toEqual({
          events: [record(1).event, { ...said.event, raw: {}, raw_removed: true }, record(3).event],
          other: [],
          keys: ['evt-3', undefined],
          sayings: ['evt-2'],
          rows: [{ ...sessionRow('s', '2'), trimmed: true }, undefined],
        });
      },
    );

    rule('CNV-4 what is rewritten is as it was given, and found no more where it says nothing', async (store) => {
      const said = (number: number) => {
        const made = record(number, { type: 'user_prompt', payload: { prompt: `words ${number}` } });
        return { ...made, event: { ...made.event, raw: { a: 1 } } };
      };
      await store.append([said(1), said(2), record(3)]);
      store.saveSessions([sessionRow('s', '1')]);
      const found = () => store.searchSayings({ text: 'words' }, { limit: 9 }).items.map(({ id }) => id);
      expect(found()).toEqual(['evt-2', 'evt-1']);
      const silent = { ...said(2).event, payload: { unlogged: true }, raw: {} };
      const none = { ...record(9).event, payload: { unlogged: true } };
      await store.rewrite({ events: [silent, none], rows: [sessionRow('s', '7')] });
      expect({
        events: store.events('s'),
        sayings: [found(), store.sayings('s', { limit: 9 }).items.map(({ id }) => id)],
        key: store.lookup('delivery/2', 's'),
        row: store.session('s'),
        count: store.eventCount(),
      }).toEqual({
        events: [said(1).event, silent, record(3).event],
        sayings: [['evt-1'], ['evt-1']],
        key: 'evt-2',
        row: sessionRow('s', '7'),
        count: 3,
      });
    });

    rule('STO-4 retention asks for the oldest sessions, and for events by what they hold', async (store) => {
      const withRaw = (number: number) => ({ ...record(number), event: { ...record(number).event, raw: { a: 1 } } });
      await store.append([withRaw(1), record(2), record(3, { type: 'turn_ended' }), withRaw(4)]);
      store.saveSessions([sessionRow('b', '1'), sessionRow('a', '2'), sessionRow('c', '1')]);
      const first = store.oldestSessions(undefined, 2);
      expect({
        first: first.map(({ id }) => id),
        then: store.oldestSessions(first.at(-1), 2).map(({ id }) => id),
        raw: store.eventIds('s', { kind: 'raw', before: withRaw(4).event.ts }, 9),
        unsaid: store.eventIds('s', { kind: 'unsaid', upTo: record(4).event.ts }, 2),
        all: [record(4), record(2)].map(
          ({ event: { ts: upTo } }) => store.eventIds('s', { kind: 'all', upTo }, 9).length,
        ),
      }).toEqual({ first: ['b', 'c'], then: ['a'], raw: ['evt-1'], unsaid: ['evt-1', 'evt-2'], all: [4, 2] });
    });

    rule('STO-1 an empty batch is nothing', async (store) => {
      await store.append([]);
      expect(store.events('s')).toEqual([]);
    });

    rule('STO-2 an event that comes twice is there once, as it was first', async (store) => {
      await store.append([record(1, { text: 'first' }), record(1, { text: 'again in the batch' })]);
      await store.append([{ ...record(1, { text: 'again' }), keys: ['another key'] }]);
      expect(store.events('s')).toEqual([record(1, { text: 'first' }).event]);
      expect(store.lookup('another key', 's')).toBe('evt-1');
    });

    rule('STO-2 a key belongs to the event that brought it first', async (store) => {
      await store.append([{ ...record(1), keys: ['k'] }]);
      await store.append([{ ...record(2), keys: ['k'] }]);
      expect(store.lookup('k', 's')).toBe('evt-1');
    });

    rule('COL-8 events are in the order of ts, rank, id, however they came', async (store) => {
      const [early, late] = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'];
      const inOrder = [
        record(5, { ts: early, rank: -1 }),
        record(1, { ts: early, rank: 2 }),
        record(2, { ts: early, rank: 2 }),
        record(4, { ts: early, rank: 10 }),
        record(3, { ts: late, rank: 0 }),
      ];
      for (const index of [3, 0, 4, 2, 1]) await store.append(inOrder.slice(index, index + 1));
      expect(store.events('s').map((event) => event.id)).toEqual(['evt-5', 'evt-1', 'evt-2', 'evt-4', 'evt-3']);
      expect(allPages((page) => store.eventsPage('s', page), 2)).toEqual(inOrder.map(({ event }) => event));
    });

    rule('STO-1 sessions do not see each other, whatever they are called', async (store) => {
      const names = ['s', 'S', '', 's\0', 's\0t', '\ud800', '\udfff', '\x01"s"', "s' OR 1=1 --", '😀', '日本語'];
      await store.append(names.map((session, index) => record(index, { session })));
      store.saveSessions(names.map((session) => sessionRow(session, '2026')));
      expect(names.map((session) => store.events(session).map((event) => event.id))).toEqual(
        names.map((_, index) => [`evt-${index}`]),
      );
      expect(names.map((session) => store.session(session))).toEqual(names.map((id) => sessionRow(id, '2026')));
    });

    rule('COL-6 sessions are paged newest first, without gap or repetition', async (store) => {
      const rows = Array.from({ length: 7 }, (_, index) =>
        sessionRow(`s${index}`, `2026-01-0${1 + Math.floor(index / 2)}`),
      );
      store.saveSessions(rows);
      for (const limit of [1, 2, 3, 6, 7, 8]) {
        expect(allPages((page) => store.sessions(page), limit)).toEqual(rows.toReversed());
      }
    });

    rule('COL-6 a saved session replaces the one before', async (store) => {
      store.saveSessions([sessionRow('a', '2026-01-01'), sessionRow('b', '2026-01-02')]);
      store.saveSessions([{ ...sessionRow('a', '2026-01-03'), reducer: 2, json: '{"new":true}' }]);
      expect(store.sessions({ limit: 5 })).toEqual({
        items: [
          { id: 'a', lastEventAt: '2026-01-03', reducer: 2, json: '{"new":true}' },
          sessionRow('b', '2026-01-02'),
        ],
        next: null,
      });
    });

    rule('COL-6 the last page says that it is the last, also when it is full', async (store) => {
      await store.append(records(1, 4));
      const first = store.eventsPage('s', { limit: 2 });
      const second = store.eventsPage('s', { limit: 2, cursor: first.next ?? undefined });
      expect([first.items.length, typeof first.next, second.items.length, second.next]).toEqual([2, 'string', 2, null]);
    });

    rule('COL-6 a page begun before a later event came goes on behind it', async (store) => {
      await store.append(records(1, 3));
      const first = store.eventsPage('s', { limit: 2 });
      await store.append([record(9, { ts: '2020-01-01T00:00:00.000Z' }), record(4)]);
      const rest = store.eventsPage('s', { limit: 9, cursor: first.next ?? undefined });
      expect(rest.items.map((event) => event.id)).toEqual(['evt-3', 'evt-4']);
    });

    rule('COL-6 what was said is found by its type, in a session oldest first', async (store) => {
      const types = ['user_prompt', 'tool_started', 'agent_stopped', 'notification', 'turn_ended'] as const;
      const said = Array.from({ length: 20 }, (_, index) =>
        record(index, {
          session: ['s', 't\0'][index % 2] ?? '',
          type: types[index % types.length] ?? 'heartbeat',
          ts: `2026-01-0${1 + (index % 3)}`,
          rank: index % 4,
        }),
      );
      for (const batch of [said.slice(7), said.slice(0, 9)]) await store.append(batch);
      const wanted = said.filter(({ event }) => !['tool_started', 'notification'].includes(event.event_type));
      const ordered = wanted
        .toSorted(
          (a, b) => compareTexts(a.event.ts, b.event.ts) || a.rank - b.rank || compareTexts(a.event.id, b.event.id),
        )
        .map(({ event }) => event);
      for (const limit of [1, 3, 50]) {
        expect({
          s: allPages((page) => store.sayings('s', page), limit),
          t: allPages((page) => store.sayings('t\0', page), limit),
        }).toEqual({
          s: ordered.filter((event) => event.session_id === 's'),
          t: ordered.filter((event) => event.session_id === 't\0'),
        });
      }
      expect(store.eventCount()).toBe(20);
    });

    rule('CNV-1 a last reply that a transcript told is said too, and one that a hook claims is not', async (store) => {
      const message = 'done';
      await store.append([
        record(0, { type: 'last_reply_found', payload: { message } }),
        record(1, { type: 'notification', payload: { notification_type: 'last_reply', message } }),
        record(2, { type: 'usage_reported', payload: { message } }),
      ]);
      const ids = ({ items }: Page<AgentEvent>) => items.map(({ id }) => id);
      expect(ids(store.sayings('s', { limit: 9 }))).toEqual(['evt-0']);
    });

    rule('CNV-3 what is looked for is found newest first, by role, time and session', async (store) => {
      const said = (number: number, payload: Record<string, string>, changes: Parameters<typeof record>[1]) =>
        record(number, { ...changes, payload });
      await store.append([
        said(1, { prompt: '로그인 화면을 고쳐 줘' }, { type: 'user_prompt' }),
        said(2, { message: '로그인 화면을 고쳤습니다', reason: 'completed' }, { type: 'turn_ended', session: 'other' }),
        said(3, { message: 'LOGIN 화면을 고쳤습니다', reason: 'failed' }, { type: 'turn_ended' }),
        said(4, { prompt: 'the Ｌｏｇｉｎ form' }, { type: 'user_prompt', session: 'other' }),
        said(5, { tool_name: '화면' }, {}),
      ]);
      const found = (search: Parameters<EventStore['searchSayings']>[0]) =>
        allPages((page) => store.searchSayings(search, page), 1).map(({ id }) => id);
      const ts = (number: number) => record(number).event.ts;
      expect({
        all: found({ text: '화면을' }),
        nfd: found({ text: '화면'.normalize('NFD') }),
        wide: found({ text: 'LOGIN' }),
        user: found({ text: '화면', role: 'user' }),
        assistant: found({ text: '화면', role: 'assistant' }),
        from: found({ text: '화면', from: ts(2) }),
        to: found({ text: '화면', to: ts(2) }),
        session: found({ text: 'o', isOfSession: (id) => id === 'other' }),
        none: found({ text: '화면 을' }),
      }).toEqual({
        all: ['evt-2', 'evt-1'],
        nfd: ['evt-2', 'evt-1'],
        wide: ['evt-4'],
        user: ['evt-1'],
        assistant: ['evt-2'],
        from: ['evt-2'],
        to: ['evt-1'],
        session: ['evt-4'],
        none: [],
      });
      await store.trim({ sessionId: 'other', remove: ['evt-2'] });
      await store.append([said(6, { prompt: '화면' }, { type: 'user_prompt' })]);
      expect(found({ text: '화면' })).toEqual(['evt-6', 'evt-1']);
    });

    rule('COL-6 what was said and comes twice is there once, where it was first', async (store) => {
      const said = record(1, { type: 'user_prompt', ts: '2026-01-01' });
      await store.append([said, record(1, { type: 'user_prompt', ts: '2026-01-02' })]);
      await store.append([record(1, { type: 'turn_ended' })]);
      expect(['s', 'other'].map((id) => store.sayings(id, { limit: 5 }).items)).toEqual([[said.event], []]);
    });

    rule('COL-6 a cursor that is not of this list is refused', async (store) => {
      await store.append([...records(1, 3), record(11, { session: 'other' }), record(12, { session: 'other' })]);
      store.saveSessions([sessionRow('a', '1'), sessionRow('b', '2')]);
      const ofEvents = store.eventsPage('s', { limit: 1 }).next ?? '';
      const ofOther = store.eventsPage('other', { limit: 1 }).next ?? '';
      const ofSessions = store.sessions({ limit: 1 }).next ?? '';
      const made = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
      const strange = [
        '',
        '!',
        'null',
        made(null),
        made([]),
        made({ list: 'sessions' }),
        made({ list: 'sessions', key: [1, 2] }),
      ];
      const tooLong = made({ list: 'events/s', key: ['t', 0, 'i', 'more'] });
      for (const cursor of [...strange, ofEvents, ofOther]) {
        expect(() => store.sessions({ limit: 1, cursor }), cursor).toThrow(
          expect.objectContaining({ name: 'BadCursorError' }),
        );
      }
      for (const cursor of [...strange, tooLong, ofSessions, ofOther]) {
        const asks = [
          () => store.eventsPage('s', { limit: 1, cursor }),
          () => store.sayings('s', { limit: 1, cursor }),
          () => store.searchSayings({ text: 'x' }, { limit: 1, cursor }),
        ];
        for (const ask of asks) expect(ask, cursor).toThrow(expect.objectContaining({ name: 'BadCursorError' }));
      }
    });

    rule('COL-6 a limit must be a whole number from 1', async (store) => {
      for (const limit of [0, -1, 1.5, Number.NaN]) {
        expect(() => store.sessions({ limit }), String(limit)).toThrow(RangeError);
        expect(() => store.eventsPage('s', { limit }), String(limit)).toThrow(RangeError);
        expect(() => store.sayings('s', { limit }), String(limit)).toThrow(RangeError);
        expect(() => store.searchSayings({ text: 'x' }, { limit }), String(limit)).toThrow(RangeError);
      }
    });

    rule('STO-2 a checkpoint changes nothing that can be read', async (store) => {
      await store.append(records(1, 3));
      store.saveSessions([sessionRow('s', '2026')]);
      const read = (): unknown => [store.events('s'), store.sessions({ limit: 9 }), store.lookup('delivery/2', 's')];
      const before = read();
      await Promise.all([store.checkpoint(), store.checkpoint()]);
      expect(read()).toEqual(before);
    });

    rule('STO-2 a closed store says so, and may be closed again', async (store) => {
      await store.append(records(1, 1));
      await store.close();
      await store.close();
      const closed = expect.objectContaining({ name: 'StoreClosedError' });
      await expect(store.append(records(2, 1))).rejects.toThrow(closed);
      await expect(store.checkpoint()).rejects.toThrow(closed);
      expect(() => store.lookup('k', 's')).toThrow(closed);
      expect(() => store.events('s')).toThrow(closed);
      expect(() => store.searchSayings({ text: 'x' }, { limit: 1 })).toThrow(closed);
      expect(() => store.eventCount()).toThrow(closed);
    });
  });
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function allPages<T>(ask: (page: PageRequest) => Page<T>, limit: number): T[] {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = ask({ limit, cursor });
    items.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
}
