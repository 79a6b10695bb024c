import { hashHex } from '../../domain/hash.ts';
import { compareKeys, orderKey } from '../../domain/order.ts';
import { isOver } from '../../domain/life.ts';
import { type Row, sessionRow, workRow } from '../../domain/postgres/rows.ts';
import { restoreSession, storedSession } from '../../domain/restore.ts';
import { settleSession } from '../../domain/settle.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { Session } from '../../protocol/state.ts';
import type { OrderKey, SessionState } from '../../protocol/stored.ts';
import type { WorkItem } from '../../protocol/work.ts';
import type { SessionAge } from '../ports.ts';
import type { OutletParts } from '../outletPorts.ts';
import type { Kept, Shelf } from '../shelfPorts.ts';
import { createBacklog } from './backlog.ts';
import { copiedJson, copiedOf, type CopiedTo, unloggedMark } from './copied.ts';
import { createFlusher, type Flusher, type ReadOf } from './flusher.ts';
import { knownDatabase } from './known.ts';
import { begin, copiedTo, furtherBack, goOn, type Progress, readSlice, type Slice } from './sessionCopy.ts';
import type { SinkBacklog, TeamConnection } from './sinkPorts.ts';

export interface PushingParts extends OutletParts {
  readonly shelf: Shelf;
  readonly user: () => string;
  /** Sessions and work items of these folders never leave this machine. */
  readonly excludes: (folder: string) => boolean;
  readonly breathe: () => Promise<void>;
  /** The database has more than before. */
  readonly onPushed: () => void;
  /** Another database may have taken this one's place. */
  readonly isOver: () => boolean;
}

export interface Pushing {
  heard(events: readonly AgentEvent[]): void;
  /** Something of it may be otherwise than before. */
  touch(sessionId: string): void;
  /** Its events are others than those that were pushed. */
  remade(sessionId: string): void;
  hasWork(): boolean;
  backlog(): SinkBacklog;
  /** Finds what changed while nobody listened. Before there was a database nothing waited for it. */
  scan(isFirst: boolean): Promise<void>;
  /** Pushes what there is. What could not be pushed is there for the next time. */
  flush(connection: TeamConnection): Promise<void>;
  /** Nothing of what is known of the database is true any more. */
  forgetAll(): Promise<void>;
  /** Copies these sessions again from their beginning: the database holds nothing of them. */
  copyAgain(sessionIds: readonly string[]): Promise<void>;
  /** Only what is in memory: the rest was erased with them. */
  forgetSessions(ids: readonly string[]): void;
}

const SESSION = 's:';
const WORK = 'w:';
const EXCLUDED = 'x:';
const AT_ONCE = 200;
/** As a count of events: whatever is there counts as come late. */
const NEVER = -1;

interface Counts {
  readonly isOtherwise: boolean;
  readonly beyond: number;
  /** Retention has left nothing of it that could be read. */
  readonly isEmpty: boolean;
}

export function createPushing(parts: PushingParts): Pushing {
  const { store, source, shelf, clock, user, excludes, breathe, log } = parts;
  const known = knownDatabase(shelf);
  /** With the earliest of what came since. */
  const dirty = new Map<string, OrderKey | undefined>();
  const live = new Map<string, Progress>();
  const again = new Set<string>();
  const behind = createBacklog();
  let work: readonly WorkItem[] | undefined;

  function touch(id: string, key?: OrderKey): void {
    behind.came(id, key ? 1 : 0, clock.now());
    dirtied(id, key);
  }

  function dirtied(id: string, key?: OrderKey): void {
    const before = dirty.get(id);
    dirty.set(id, before && key ? (compareKeys(before, key) < 0 ? before : key) : (before ?? key));
  }

  /** Live ones as people see them. */
  function shown(id: string, sessions: ReadonlyMap<string, Session>): [Session, SessionState] | undefined {
    const state = parts.state(id) ?? storedState(id);
    if (!state) return undefined;
    return [sessions.get(id) ?? settleSession(state, clock.now(), { idleMs: Infinity }).session, state];
  }

  function storedState(id: string): SessionState | undefined {
    const row = store.session(id);
    // A row that another version made says as much of who was there; making it anew of all its events takes long.
    return row && (storedSession({ ...row, trimmed: true }) ?? restoreSession(row, () => store.events(id)).state);
  }

  function had(id: string): CopiedTo | undefined {
    return copiedOf(shelf.get(SESSION + id)?.value);
  }

  /** Undefined: there is nothing to read. */
  function progressOf(id: string, state: SessionState, late: OrderKey | undefined): Progress | undefined {
    const progress = live.get(id);
    if (progress) return goOn(progress, state, late);
    const before = had(id);
    const mayHaveTo = known.now()?.isFresh ? undefined : newestKey(id);
    if (!before) return begin(undefined, state, mayHaveTo);
    const { isOtherwise, beyond } = again.delete(id) ? { isOtherwise: true, beyond: 0 } : countsOf(id, before);
    const isSame = before.unlogged === unloggedMark(state.unlogged, before.key);
    if (!isOtherwise && beyond === 0 && isSame && !before.hadTo) return undefined;
    return begin(isOtherwise ? { ...before, quiet: undefined } : before, state, mayHaveTo);
  }

  function newestKey(id: string): OrderKey | undefined {
    const [newest] = store.newestEvents(id, 1);
    return newest && orderKey(newest);
  }

  /** Whether something came late, or retention took some, behind which what came late would not show. */
  function countsOf(id: string, { key, count }: CopiedTo): Counts {
    const [upTo, all] = [store.countEvents(id, key), store.countEvents(id)];
    return { isOtherwise: upTo !== count, beyond: all - upTo, isEmpty: all === 0 };
  }

  function isExcluded({ project, cwd }: Pick<Session, 'project' | 'cwd'>): boolean {
    return excludes(project) || excludes(cwd);
  }

  /** Its state is not read for that. What came since it was left out may be of another folder. */
  function isLeftOut({ id, lastEventAt }: SessionAge): boolean {
    const state = parts.state(id);
    if (state) return isExcluded(state.session);
    const of = shelf.get(EXCLUDED + id)?.value;
    if (!isJsonObject(of) || of['at'] !== lastEventAt) return false;
    return [of['project'], of['cwd']].some((folder) => typeof folder === 'string' && excludes(folder));
  }

  function leaveOut(to: Flusher, id: string, { project, cwd }: Session): void {
    const at = store.session(id)?.lastEventAt;
    const key = EXCLUDED + id;
    const value = { at: at ?? '', project, cwd };
    if (at !== undefined && JSON.stringify(shelf.get(key)?.value) !== JSON.stringify(value)) to.keep(key, id, value);
  }

  /** CNV-4: whether words of it were, and this process or its store ended before that could be noted here. */
  function isTakenBack(id: string, before: CopiedTo): boolean {
    const row = store.session(id);
    // Reading a whole state takes long, and most have no such words.
    if (!row || (before.unlogged === '' && !row.json.includes('"unlogged":['))) return false;
    return unloggedMark(storedState(id)?.unlogged, before.key) !== before.unlogged;
  }

  /** Whether all of it was copied. */
  function look(session: SessionAge, isFirst: boolean): void {
    if (isLeftOut(session)) return;
    const { id } = session;
    const before = had(id);
    const counts = before && countsOf(id, before);
    const beyond = counts?.beyond ?? store.countEvents(id);
    const isSame = counts?.isOtherwise === false && beyond === 0 && !before?.hadTo;
    if (before && (counts?.isEmpty || (isSame && !isTakenBack(id, before)))) {
      // Time alone changed it, while nobody was there to see.
      if (before.isFinal !== true) dirtied(id);
      return;
    }
    const [next] = isFirst ? [] : store.eventsAfter(id, before?.key, 1).events;
    behind.found(id, beyond, next ? Date.parse(next.ts) : clock.now());
    dirtied(id);
  }

  function flusherTo(connection: TeamConnection): Flusher {
    return createFlusher({
      ...{ connection, log, erased: store.erased },
      async commit({ kept, gone, pushes, read }) {
        if (parts.isOver()) return;
        await shelf.put([...kept, known.with({ id: connection.standing.database, pushes })], gone);
        settle(read);
        parts.onPushed();
      },
    });
  }

  function settle(of: readonly ReadOf[]): void {
    for (const { id, events, isAll } of of) {
      behind.arrived(id, events);
      if (isAll) behind.upTo(id, dirty.has(id) ? clock.now() : undefined);
    }
  }

  /** As things are now: who came while a long session is read is somebody, too. */
  function readingOf(id: string, before: SessionState) {
    const { agents } = parts.state(id) ?? before;
    const there = new Set(agents.map(({ agent }) => agent.id));
    const isTrimmed = store.session(id)?.trimmed === true;
    return { store, user: user(), breathe, isTrimmed, isAgent: (agent: string) => there.has(agent) };
  }

  async function addSession(
    to: Flusher,
    id: string,
    late: OrderKey | undefined,
    sessions: ReadonlyMap<string, Session>,
  ) {
    const found = shown(id, sessions);
    if (!found) return to.read(id, 0, true);
    const [session, state] = found;
    if (isExcluded(session)) {
      if (!sessions.has(id)) leaveOut(to, id, session);
      return to.read(id, 0, true);
    }
    const row = sessionRow(session, user());
    const mark = hashHex(JSON.stringify(row));
    const isFinal = isOver(session.state);
    let progress = progressOf(id, state, late);
    if (!progress) {
      const before = had(id);
      if (before && before.row !== mark) addRow(to, id, row, { ...before, row: mark, isFinal });
      to.read(id, 0, true);
      return to.sendIfFull();
    }
    live.set(id, progress);
    let isNews = progress.row !== mark;
    if (isNews) to.packing().add('sessions', row);
    const asOf = store.erased.of(id);
    progress.isWhole = false;
    while (!progress.isWhole) {
      // As it is now, for the events that are read next are.
      const now = parts.state(id);
      if (now) live.set(id, (progress = goOn(progress, now, undefined)));
      [progress.row, progress.isFinal] = [mark, isFinal];
      if (isExcluded(session) || store.erased.of(id) !== asOf) {
        live.delete(id);
        return to.read(id, 0, true);
      }
      const news = dirty.get(id);
      // It is read now; what it makes of the session is to be told all the same.
      if (news && (!progress.key || compareKeys(news, progress.key) > 0)) dirty.set(id, undefined);
      const slice: Slice | string = await readSlice(readingOf(id, state), id, progress);
      if (typeof slice === 'string') {
        live.set(id, (progress = furtherBack(progress, slice)));
        continue;
      }
      for (const name of ['interactions', 'session_events'] as const) {
        for (const each of slice[name]) to.packing().add(name, each);
        to.packing().remove(name, slice.gone[name]);
      }
      isNews ||= slice.events > 0;
      const copied = isNews ? copiedTo(progress) : undefined;
      if (copied) to.keep(SESSION + id, id, copiedJson(copied));
      to.read(id, slice.events, progress.isWhole);
      await to.sendIfFull();
      await breathe();
    }
    progress.reader.letGo();
    if (!sessions.has(id)) live.delete(id);
  }

  function addRow(to: Flusher, id: string, row: Row, copied: CopiedTo): void {
    to.packing().add('sessions', row);
    to.keep(SESSION + id, id, copiedJson(copied));
  }

  async function addWork(to: Flusher): Promise<void> {
    const items = store.work.items();
    const keys = new Set<string>();
    for (const item of items) {
      await breathe();
      const key = WORK + hashHex(item.key);
      keys.add(key);
      if (excludes(item.project)) continue;
      const row = workRow(item, user());
      const mark = hashHex(JSON.stringify(row));
      if (shelf.get(key)?.value === mark) continue;
      to.packing().add('work_items', row);
      to.keep(key, undefined, mark);
      await to.sendIfFull();
    }
    for await (const kept of shelved(WORK)) if (!keys.has(kept.key)) to.drop(kept.key);
    work = items;
  }

  async function* shelved(prefix: string): AsyncGenerator<Kept> {
    for (let after: string | undefined = prefix; after !== undefined;) {
      const page: readonly Kept[] = shelf.after(after, AT_ONCE);
      for (const kept of page) if (kept.key.startsWith(prefix)) yield kept;
      const last = page.at(-1)?.key;
      after = page.length === AT_ONCE && last?.startsWith(prefix) ? last : undefined;
      await breathe();
    }
  }

  return {
    heard(events) {
      for (const event of events) touch(event.session_id, orderKey(event));
    },
    backlog: behind.now,
    touch,
    remade(id) {
      live.delete(id);
      again.add(id);
      touch(id);
      const before = had(id);
      if (!before) return;
      // So that the next start knows it too.
      const kept = { key: SESSION + id, session: id, value: copiedJson({ ...before, count: NEVER }) };
      shelf.put([kept]).catch((error: unknown) => log.warn(`The team's database: ${String(error)}`));
    },
    hasWork: () => dirty.size > 0 || work !== store.work.items(),
    async scan(isFirst) {
      for (const session of source.snapshot().sessions) if (!isExcluded(session)) touch(session.id);
      for (let page = store.oldestSessions(undefined, AT_ONCE); page.length > 0;) {
        for (const session of page) {
          look(session, isFirst);
          await breathe();
        }
        page = store.oldestSessions(page.at(-1), AT_ONCE);
      }
      const over: string[] = [];
      for (const prefix of [SESSION, EXCLUDED])
        for await (const { key, session } of shelved(prefix)) {
          await breathe();
          if (session !== undefined && !store.session(session) && store.countEvents(session) === 0) over.push(key);
        }
      if (over.length > 0) await shelf.put([], over);
    },
    async flush(connection) {
      const taken = new Map(dirty);
      dirty.clear();
      const to = flusherTo(connection);
      try {
        if (work !== store.work.items()) await addWork(to);
        const sessions = new Map(source.snapshot().sessions.map((session) => [session.id, session]));
        for (const [id, late] of taken) {
          await addSession(to, id, late, sessions);
          await breathe();
        }
        settle(await to.end());
      } catch (error) {
        // What was read is read again: only what was committed is known for sure.
        live.clear();
        work = undefined;
        for (const [id, late] of taken) dirtied(id, late);
        throw error;
      }
    },
    async forgetAll() {
      live.clear();
      work = undefined;
      for (let page = shelf.after(undefined, AT_ONCE); page.length > 0; page = shelf.after(undefined, AT_ONCE))
        await shelf.put(
          [],
          page.map(({ key }) => key),
        );
    },
    async copyAgain(ids) {
      for (const id of ids) {
        live.delete(id);
        again.delete(id);
        touch(id);
      }
      if (ids.length > 0)
        await shelf.put(
          [],
          ids.map((id) => SESSION + id),
        );
    },
    forgetSessions(ids) {
      for (const id of ids) {
        live.delete(id);
        dirty.delete(id);
        behind.upTo(id);
      }
    },
  };
}
