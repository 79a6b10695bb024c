import type { EventStore } from '../ports.ts';
import type { ErasedThere, TeamConnection } from './sinkPorts.ts';

const AT_ONCE = 500;

type Known = Pick<EventStore, 'session' | 'erasedAt' | 'countEvents' | 'work'>;

/** An event may bear a time of a clock that went before ours, or of before ours was set back. */
const ODD_CLOCK_MS = 24 * 3_600_000;
const EVER = '9999-12-31T23:59:59.999Z';

/** Stands for all sessions, in the store's list of what was erased. */
const ALL = '';

/**
 * CNV-4: what was erased here goes there too, also what was erased while nobody could be told. What retention took is no
 * erasure: the team's database keeps it for as long as the team wants.
 */
export async function eraseThere(
  connection: TeamConnection,
  store: Known,
  breathe: () => Promise<void>,
): Promise<void> {
  for (let page = await connection.sessionsAfter('', AT_ONCE); page.length > 0;) {
    const erased: ErasedThere[] = [];
    for (const { id, startedAt, lastEventAt } of page) {
      const upTo = store.erasedAt(id);
      if (upTo === undefined) continue;
      const isGone = store.session(id) === undefined && store.countEvents(id) === 0;
      if (isGone && (startedAt === undefined || Date.parse(startedAt) - Date.parse(upTo) < ODD_CLOCK_MS)) {
        erased.push({ id, upTo: EVER, isWhole: true });
        continue;
      }
      if (startedAt !== undefined && startedAt > upTo) continue;
      const isWhole = store.session(id) === undefined && (lastEventAt === undefined || lastEventAt <= upTo);
      erased.push({ id, upTo, isWhole });
      await breathe();
    }
    if (erased.length > 0) await connection.erase(erased, []);
    page = await connection.sessionsAfter(page.at(-1)?.id ?? '', AT_ONCE);
  }
  const allAt = store.erasedAt(ALL);
  if (allAt === undefined) return;
  const here = new Set(store.work.items().map(({ key }) => key));
  for (let page = await connection.workAfter('', AT_ONCE); page.length > 0;) {
    const gone = page.filter(({ key, createdAt }) => !here.has(key) && createdAt <= allAt).map(({ key }) => key);
    if (gone.length > 0) await connection.erase([], gone);
    page = await connection.workAfter(page.at(-1)?.key ?? '', AT_ONCE);
  }
}
