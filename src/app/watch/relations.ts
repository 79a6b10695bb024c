import type { StatusFile } from '../../domain/providers/provider.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable } from '../ports.ts';
import { continuation } from './kinship.ts';
import { after, type Found, record } from './record.ts';
import { ended, replacedBy } from './replaced.ts';
import type { WatchingParts } from './watchParts.ts';

/** A hook that ends a session may come this much later than the one that begins the next. */
const LATE_MS = 2_000;

export interface Relations extends Disposable {
  look(state: SessionState): void;
  /** This process writes the status of this session; `others` are those that it was known to run before. */
  leave(file: StatusFile, others: readonly string[]): void;
}

/** One process runs one session after the other: which one ended with the next, and which one goes on in it. */
export function watchRelations(parts: WatchingParts): Relations {
  const { hub, clock } = parts;
  const ending = new Map<string, Disposable>();

  function look(state: SessionState): void {
    if (isLive(state)) relate(state);
    const { endReason } = state.session;
    if (endReason !== 'clear' && endReason !== 'replaced') return;
    for (const other of othersOf(state)) if (isLive(other) && other.session.source === 'clear') relate(other);
  }

  function relate(state: SessionState): void {
    const { session } = state;
    if (session.agentPid === undefined && session.source !== 'clear') return;
    const others = othersOf(state);
    for (const other of others) {
      // Late hooks: the one that came before may be the one that is looked at.
      if (replacedBy(state, other)) endLater(session.id, (now) => replacedBy(now, other));
      if (isLive(other) && replacedBy(other, state)) endLater(other.session.id, (now) => replacedBy(now, state));
    }
    const found = continuation(state, others);
    if (found) record(parts, state, [found]);
  }

  function leave(file: StatusFile, others: readonly string[]): void {
    const since = clock.now();
    for (const id of others) {
      endLater(id, (state) =>
        Date.parse(state.last.ts) > since
          ? undefined
          : ended(file.sessionId, after(state, since), { by: 'status_file' }),
      );
    }
  }

  /** The hook that says so itself is on its way, if it comes at all. */
  function endLater(id: string, endOf: (state: SessionState) => Found | undefined): void {
    if (ending.has(id)) return;
    ending.set(
      id,
      clock.after(LATE_MS, () => {
        ending.delete(id);
        const state = hub.state(id);
        const end = state && isLive(state) ? endOf(state) : undefined;
        if (state && end) record(parts, state, [end]);
      }),
    );
  }

  function othersOf({ session }: SessionState): readonly SessionState[] {
    return hub.sessionIds().flatMap((id) => (id === session.id ? [] : (hub.state(id) ?? [])));
  }

  return {
    look,
    leave,
    dispose() {
      for (const each of ending.values()) each.dispose();
    },
  };
}

function isLive({ session }: SessionState): boolean {
  return session.state === 'active' || session.state === 'idle';
}
