import { hashHex } from '../../domain/hash.ts';
import { grouped } from '../../domain/grouped.ts';
import { idHere, idThere, type Row, sessionRow, workRow } from '../../domain/postgres/rows.ts';
import { tables, type TableName } from '../../domain/postgres/tables.ts';
import { reduceAll } from '../../domain/reduce.ts';
import { restoreSession, storedSession } from '../../domain/restore.ts';
import { settleSession } from '../../domain/settle.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Session } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Change } from '../changePorts.ts';
import type { OutletParts } from '../outletPorts.ts';
import type { Kept, Shelf } from '../shelfPorts.ts';
import { Outgoing } from './outgoing.ts';
import { SessionRows } from './sessionRows.ts';
import type { SinkBacklog, TeamConnection } from './sinkPorts.ts';

export interface CopierParts extends OutletParts {
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

/** How far the database that was copied to last has come. */
interface Standing {
  readonly id: string;
  /** How many pushes of this machine it has seen, at least. */
  readonly pushes: number;
  /** Everything in the store up to this number is there. */
  readonly seq: number;
  /** The database may have rows of what came up to this number, though nobody here knows. */
  readonly mayHaveTo: number;
  /** When the copying was at the end of the store last, that was this number: whatever had come was told then. */
  readonly endedAt: number;
}

type EventChange = Extract<Change, { kind: 'event' }>;

const tablesOfEvents = ['interactions', 'session_events'] as const;

const STANDING = 'database';
/** With the folders for which a session was left out. */
const LEFT_OUT = 'x:';
const AT_ONCE = 200;
/** What moved on without a push is noted this seldom: a start reads no more than so many records a second time. */
const NOTED_EVERY = 1_000;
/** Pieces of the store in which nothing is to be told, each a look at the disk. */
const PASSED_AT_ONCE = 10;
/** Of rows as they were pushed last. */
const MARKS_KEPT = 10_000;

/** Brings the team's database up to the store, from the number on which it stands. */
export class Copier {
  readonly #parts: CopierParts;
  readonly #rows: SessionRows;
  /** Sessions whose own row may be otherwise than it was. */
  readonly #touched = new Set<string>();
  /** Those of them whose rows are not known to be there yet. */
  readonly #underWay = new Set<string>();
  readonly #marks = new Map<string, string>();
  #standing: Standing | undefined;
  #seq: number;
  #isWorkNew = true;
  #isFirst = true;
  #behindSince: number | undefined;

  constructor(parts: CopierParts) {
    this.#parts = parts;
    this.#rows = new SessionRows(parts);
    this.#standing = standingIn(parts.shelf.get(STANDING)?.value);
    this.#seq = this.#standing?.seq ?? 0;
    const next = this.#standing && parts.store.changes.after(this.#seq).changes.find(({ kind }) => kind === 'event');
    if (next?.kind === 'event') this.#behindSince = Date.parse(next.event.ts);
  }

  /** The row of this session may be otherwise than before. */
  touch(session: string): void {
    this.#touched.add(session);
    this.#behindSince ??= this.#parts.clock.now();
  }

  hasWork(): boolean {
    const { changes } = this.#parts.store;
    // Notes of others and the like: nobody need connect for them. A long way of it is gone in turns, by `flush`.
    for (let pages = 0; pages < PASSED_AT_ONCE && this.#seq < changes.lastSeq(); pages++) {
      const page = changes.after(this.#seq);
      if (page.changes.length > 0) break;
      this.#seq = page.upTo;
    }
    return this.#touched.size > 0 || this.#isWorkNew || this.#seq < changes.lastSeq();
  }

  backlog(): SinkBacklog {
    const events = this.#parts.store.changes.countAfter(this.#seq);
    if (events > 0) this.#behindSince ??= this.#parts.clock.now();
    return { events, since: this.#behindSince };
  }

  /**
   * Finds out where this database stands. It is durable before anything is written there: whoever is the owner no more can't write
   * here either, and learns it in time.
   */
  async begin({ standing }: Pick<TeamConnection, 'standing'>): Promise<void> {
    const before = this.#standing;
    const { database: id, pushes = 0 } = standing;
    const isSame = before?.id === id && pushes >= before.pushes;
    const isEmpty = standing.pushes === undefined;
    if (!isSame) await this.#forgetAll();
    // Where it has more than was heard of, a push was committed and its answer lost.
    const isKnown = isSame ? pushes === before.pushes : isEmpty;
    const mayHaveTo = isKnown ? (isSame ? before.mayHaveTo : 0) : this.#parts.store.changes.lastSeq();
    const place = isSame ? { seq: before.seq, endedAt: before.endedAt } : { seq: 0, endedAt: 0 };
    await this.#note({ id, pushes, ...place, mayHaveTo });
  }

  /** Pushes all that there is. What could not be pushed is there for the next time. Resolves to whether anything was. */
  async flush(connection: TeamConnection): Promise<boolean> {
    const to = new Outgoing(connection, this.#parts.log);
    try {
      if (this.#isFirst) await this.#lookAtAll(connection, to);
      await this.#addSessions([...this.#touched], to);
      let hasRead = false;
      for (let from = -1; from < this.#seq && !this.#parts.isOver();) {
        from = this.#seq;
        await this.#parts.breathe();
        const page = this.#parts.store.changes.after(from);
        hasRead ||= page.changes.length > 0;
        await this.#addChanges(page.changes, page.upTo, to);
        await this.#noteTo(from, to);
        this.#seq = page.upTo;
      }
      if (this.#isWorkNew) await this.#addWork(to);
      await to.send();
      await this.#noteTo(this.#seq, to, hasRead);
      this.#isFirst = false;
      this.#underWay.clear();
      this.#behindSince = undefined;
      return to.pushes !== undefined;
    } catch (error) {
      this.#goBack();
      throw error;
    }
  }

  /** Only what was committed is known for sure: the rest is read again. */
  #goBack(): void {
    this.#rows.forgetAll();
    this.#marks.clear();
    this.#isWorkNew = true;
    this.#seq = Math.min(this.#seq, this.#standing?.seq ?? 0);
    for (const id of this.#underWay) this.#touched.add(id);
    this.#underWay.clear();
  }

  /** Everything up to this number was sent, or waits to be: then it is noted with the push that takes the rest there. */
  async #noteTo(seq: number, to: Outgoing, isAtEnd = false): Promise<void> {
    const standing = this.#standing;
    if (!standing || this.#parts.isOver()) return;
    const pushes = to.pushes ?? standing.pushes;
    const hasPushed = pushes !== standing.pushes;
    const isWorthIt = hasPushed || isAtEnd || (to.isEmpty && seq - standing.seq >= NOTED_EVERY);
    if (!isWorthIt) return;
    await this.#note({ ...standing, pushes, seq, endedAt: isAtEnd ? seq : standing.endedAt });
    if (hasPushed) this.#parts.onPushed();
  }

  async #note(standing: Standing): Promise<void> {
    const value: JsonObject = { ...standing };
    await this.#parts.shelf.put([{ key: STANDING, value }]);
    this.#standing = standing;
  }

  /** Another database, or an earlier state of it: nothing of what is known of it is true. */
  async #forgetAll(): Promise<void> {
    const { shelf, clock } = this.#parts;
    this.#standing = undefined;
    this.#goBack();
    this.#isFirst = true;
    this.#behindSince = clock.now();
    for (let page = shelf.after(undefined, AT_ONCE); page.length > 0; page = shelf.after(undefined, AT_ONCE))
      await shelf.put(
        [],
        page.map(({ key }) => key),
      );
  }

  /** Sessions that time alone may have changed since, and those of folders that were let in again. */
  async #lookAtAll(connection: TeamConnection, to: Outgoing): Promise<void> {
    const { store, breathe } = this.#parts;
    // Retention may have left nothing of them but their rows.
    if (this.#standing?.seq === 0)
      for (let page = store.oldestSessions(undefined, AT_ONCE); page.length > 0;) {
        for (const { id } of page) this.#touched.add(id);
        page = store.oldestSessions(page.at(-1), AT_ONCE);
        await breathe();
      }
    let page = await connection.openSessionsAfter('', AT_ONCE);
    while (page.length > 0) {
      for (const there of page) {
        if (store.session(idHere(there))) this.#touched.add(idHere(there));
        await breathe();
      }
      page = await connection.openSessionsAfter(page.at(-1) ?? '', AT_ONCE);
    }
    for await (const { key, session, value } of this.#leftOut()) {
      const { project = '', cwd = '' } = isJsonObject(value) ? value : {};
      const isLetIn = !this.#isExcluded({ project: String(project), cwd: String(cwd) });
      // After a start without its index a session has no row yet.
      const isThere = (id: string) => store.session(id) !== undefined || store.newestEvents(id, 1).length > 0;
      if (session === undefined || !isThere(session)) await this.#parts.shelf.put([], [key]);
      else if (isLetIn) await this.#addWhole(session, to);
    }
  }

  async *#leftOut(): AsyncGenerator<Kept> {
    const { shelf, breathe } = this.#parts;
    for (let page = shelf.after(LEFT_OUT, AT_ONCE); page.length > 0;) {
      for (const kept of page) if (kept.key.startsWith(LEFT_OUT)) yield kept;
      page = shelf.after(page.at(-1)?.key, AT_ONCE);
      await breathe();
    }
  }

  async #addChanges(changes: readonly Change[], upTo: number, to: Outgoing): Promise<void> {
    // No event is given that was erased after it: what is told of such a session came after its erasure.
    for (const change of changes) {
      if (change.kind === 'erased') await this.#erase(change.sessions, to);
      if (change.kind === 'takenBack') for (const name of tablesOfEvents) to.remove(name, change.ids);
      if (change.kind !== 'event') this.#isWorkNew = true;
    }
    const events = changes.filter((change): change is EventChange => change.kind === 'event' && this.#isNews(change));
    for (const [id, own] of grouped(events, ({ event }) => event.session_id)) await this.#addEvents(id, own, upTo, to);
  }

  /** An event that was changed here without being taken back, by retention or because others forgot it, says there what it said before. */
  #isNews({ event, was }: EventChange): boolean {
    const { endedAt = 0 } = this.#standing ?? {};
    return was === undefined || was === 0 || was > endedAt || event.payload.unlogged === true;
  }

  async #erase(sessions: readonly string[] | 'all', to: Outgoing): Promise<void> {
    await to.erase(sessions === 'all' ? 'all' : sessions.map(idThere));
    this.#marks.clear();
    if (sessions === 'all') this.#rows.forgetAll();
    else for (const id of sessions) this.#rows.forget(id);
    this.#parts.onPushed();
  }

  async #addEvents(id: string, changes: readonly EventChange[], upTo: number, to: Outgoing): Promise<void> {
    const state = await this.#addSession(id, to);
    if (!state) return;
    if (this.#parts.shelf.get(LEFT_OUT + id)) return this.#addWhole(id, to);
    const numbers = new Map(changes.map(({ event, seq }) => [event.id, seq]));
    const mayHaveTo = this.#standing?.mayHaveTo ?? 0;
    const mayBeThere = (event: AgentEvent) => (numbers.get(event.id) ?? 0) <= mayHaveTo;
    const events = changes.map(({ event }) => event);
    const asking = this.#asking(id, state);
    await this.#rows.add({ ...asking, events, upTo, mayBeThere }, to);
    if (asking.isExcluded()) await this.#leaveOut((this.#state(id) ?? state).session);
    await to.sendIfFull();
  }

  /** A session that was left out, from its beginning. */
  async #addWhole(id: string, to: Outgoing): Promise<void> {
    const { store, shelf } = this.#parts;
    const state = await this.#addSession(id, to);
    if (!state) return;
    const asking = this.#asking(id, state);
    await this.#rows.addWhole({ ...asking, upTo: store.changes.lastSeq(), mayBeThere: () => true }, to);
    if (asking.isExcluded()) return;
    await to.send();
    await shelf.put([], [LEFT_OUT + id]);
  }

  /** What is asked of a session while it is read, which may take long: its state may be another by then. */
  #asking(session: string, before: SessionState) {
    const now = () => this.#parts.state(session) ?? before;
    return {
      session,
      isAgent: (agent: string) => now().agents.some((each) => each.agent.id === agent),
      isExcluded: () => this.#isExcluded(now().session),
    };
  }

  async #addSessions(ids: readonly string[], to: Outgoing): Promise<void> {
    for (const id of ids) {
      await this.#addSession(id, to);
      await to.sendIfFull();
    }
  }

  /** Adds its row. Undefined: the session is gone, or may not leave this machine. */
  async #addSession(id: string, to: Outgoing): Promise<SessionState | undefined> {
    const { breathe, source, clock, user } = this.#parts;
    await breathe();
    this.#touched.delete(id);
    this.#underWay.add(id);
    const state = this.#state(id);
    if (!state) return undefined;
    if (this.#isExcluded(state.session)) {
      await this.#leaveOut(state.session);
      return undefined;
    }
    // Live ones as people see them.
    const shown =
      source.snapshot().sessions.find((session) => session.id === id) ??
      settleSession(state, clock.now(), { idleMs: Infinity }).session;
    this.#addIfNew('sessions', sessionRow(shown, user()), to);
    return state;
  }

  async #leaveOut({ id, project, cwd }: Session): Promise<void> {
    const { shelf } = this.#parts;
    const key = LEFT_OUT + id;
    if (!shelf.get(key)) await shelf.put([{ key, session: id, value: { project, cwd } }]);
  }

  async #addWork(to: Outgoing): Promise<void> {
    const { store, user, breathe, excludes } = this.#parts;
    this.#isWorkNew = false;
    for (const item of store.work.items()) {
      await breathe();
      if (!excludes(item.project)) this.#addIfNew('work_items', workRow(item, user()), to);
      await to.sendIfFull();
    }
  }

  /** A row that was pushed as it is, by this process, is not pushed again. */
  #addIfNew(table: TableName, row: Row, to: Outgoing): void {
    const key = `${table} ${String(row[tables[table].key])}`;
    const mark = hashHex(JSON.stringify(row));
    if (this.#marks.get(key) === mark) return;
    if (this.#marks.size >= MARKS_KEPT) this.#marks.clear();
    this.#marks.set(key, mark);
    to.add(table, row);
  }

  #state(id: string): SessionState | undefined {
    const { store, state } = this.#parts;
    const live = state(id);
    if (live) return live;
    const row = store.session(id);
    // After a start without its index the rows of older sessions are made one by one.
    if (!row) return reduceAll(store.events(id));
    // A row that another version made says as much of who was there; making it anew of all its events takes long.
    return storedSession({ ...row, trimmed: true }) ?? restoreSession(row, () => store.events(id)).state;
  }

  #isExcluded({ project, cwd }: Pick<Session, 'project' | 'cwd'>): boolean {
    return this.#parts.excludes(project) || this.#parts.excludes(cwd);
  }
}

/** Earlier releases noted no number: then everything is pushed again, which changes nothing there. */
function standingIn(value: Json | undefined): Standing | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, pushes, seq, mayHaveTo, endedAt } = value;
  if (typeof id !== 'string' || typeof seq !== 'number') return undefined;
  return { id, pushes: Number(pushes ?? 0), seq, mayHaveTo: Number(mayHaveTo ?? 0), endedAt: Number(endedAt ?? 0) };
}
