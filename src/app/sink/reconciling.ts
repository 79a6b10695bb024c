import { idHere, idThere } from '../../domain/postgres/rows.ts';
import { storedSession } from '../../domain/restore.ts';
import type { EventStore } from '../ports.ts';
import type { ErasedTo } from './known.ts';
import type { ErasedThere, TeamConnection } from './sinkPorts.ts';

const AT_ONCE = 500;

type Stored = Pick<EventStore, 'session' | 'erasedAt' | 'countEvents' | 'work'>;

/** An event may bear a time of a clock that went before ours, or of before ours was set back. */
const ODD_CLOCK_MS = 24 * 3_600_000;
const EVER = '9999-12-31T23:59:59.999Z';

/** Stands for all sessions, in the store's list of what was erased. */
const ALL = '';

export interface Reconciling {
  readonly connection: TeamConnection;
  readonly store: Stored;
  /** What has been carried out there already. */
  readonly before: ErasedTo | undefined;
  /** Sessions whose erasure was told since, whatever the clock said then. */
  readonly told: ReadonlySet<string>;
  /** Whether others have been told meanwhile: of sessions, perhaps, that were passed by then. */
  readonly isNews: () => boolean;
  readonly breathe: () => Promise<void>;
}

export interface Reconciled {
  readonly erased: ErasedTo | undefined;
  /** Undefined: nothing had to be done there. */
  readonly pushes: number | undefined;
}

/**
 * CNV-4: what was erased here goes there too, also what was erased while nobody could be told. What retention took is no
 * erasure: the team's database keeps it for as long as the team wants.
 */
export async function eraseThere(parts: Reconciling): Promise<Reconciled> {
  const { connection, store, before, told, breathe } = parts;
  const all = store.erasedAt(ALL);
  let isUnderWay = false;
  let upTo = before?.upTo ?? '';
  let pushes: number | undefined;

  function isDone(id: string, at: string): boolean {
    return at === all ? at === before?.all : at <= (before?.upTo ?? '') && !told.has(id);
  }

  for (let page = await connection.sessionsAfter('', AT_ONCE); page.length > 0;) {
    const erased: ErasedThere[] = [];
    for (const { id: there, startedAt, lastEventAt } of page) {
      await breathe();
      const id = idHere(there);
      const at = store.erasedAt(id);
      // What came since is another matter: retention may take it away here, and only here.
      if (at === undefined || isDone(id, at)) continue;
      if (at > upTo) upTo = at;
      isUnderWay ||= isStillHere(store, id, at);
      const isGone = store.session(id) === undefined && store.countEvents(id) === 0;
      if (isGone && (startedAt === undefined || Date.parse(startedAt) - Date.parse(at) < ODD_CLOCK_MS)) {
        erased.push({ id: there, upTo: EVER, isWhole: true });
        continue;
      }
      const isWhole = store.session(id) === undefined && (lastEventAt === undefined || lastEventAt <= at);
      erased.push({ id: there, upTo: at, isWhole });
    }
    if (erased.length > 0) pushes = await connection.erase(erased, []);
    page = await connection.sessionsAfter(page.at(-1)?.id ?? '', AT_ONCE);
  }
  if (all !== undefined && all !== before?.all) pushes = (await eraseWork(connection, store, all)) ?? pushes;
  // As if nothing had been carried out: the next start does it once more, whatever becomes of this one.
  if (isUnderWay || parts.isNews()) return { erased: before, pushes };
  return { erased: upTo === '' && all === undefined ? undefined : { upTo, all }, pushes };
}

/** An erasure is noted before it is made. One that goes on after its erasure has begun anew. */
function isStillHere(store: Stored, id: string, at: string): boolean {
  const row = store.session(id);
  const state = row && storedSession({ ...row, trimmed: true });
  const began = state ? state.session.startedAt : row?.lastEventAt;
  if (began !== undefined && began <= at) return true;
  return store.countEvents(id, { ts: at, rank: Number.MAX_SAFE_INTEGER, id: '' }) > 0;
}

async function eraseWork(connection: TeamConnection, store: Stored, allAt: string): Promise<number | undefined> {
  const here = new Set(store.work.items().map(({ key }) => idThere(key)));
  let pushes: number | undefined;
  for (let page = await connection.workAfter('', AT_ONCE); page.length > 0;) {
    const gone = page.filter(({ key, createdAt }) => !here.has(key) && createdAt <= allAt).map(({ key }) => key);
    if (gone.length > 0) pushes = await connection.erase([], gone);
    page = await connection.workAfter(page.at(-1)?.key ?? '', AT_ONCE);
  }
  return pushes;
}
