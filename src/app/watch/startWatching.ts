import type { StatusFile } from '../../domain/providers/provider.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable, StateChange } from '../ports.ts';
import { discover } from './discover.ts';
import { followSessions } from './followSessions.ts';
import { continuation } from './kinship.ts';
import { createOutbox } from './outbox.ts';
import { readLastReplies } from './lastReply.ts';
import { after, type Found, record } from './record.ts';
import { ended, replacedBy } from './replaced.ts';
import { createResolutions } from './resolutions.ts';
import { watchLife } from './watchLife.ts';
import type { WatchParts } from './watchParts.ts';
import { watchStatus } from './watchStatus.ts';

export interface Watching extends Disposable {
  /** After a restart: resolves when the sessions whose process is gone are known. */
  readonly firstLook: Promise<void>;
}

function isLive({ session }: SessionState): boolean {
  return session.state === 'active' || session.state === 'idle';
}

/** A hook that ends a session may come this much later than the one that begins the next. */
const LATE_MS = 2_000;

/** Everything beside the hooks that knows something of the sessions; hooks are the authority, these correct them. */
export function startWatching(given: WatchParts): Watching {
  const { hub } = given;
  const outbox = createOutbox(given);
  const parts = { ...given, outbox };
  const follower = followSessions(parts);
  const life = watchLife(parts, (sessionId) => status.vouch(sessionId));
  const { pidNamespace } = parts.sources.processes;
  const status = watchStatus(parts, (file) => {
    // SES-4: a pid means something only where it was given; older versions do not say where, but a hook may have.
    const here = file.pidNamespace === pidNamespace || hub.state(file.sessionId)?.session.agentPid === file.pid;
    if (!here) return;
    life.learn(file.sessionId, { pid: file.pid, startTicks: file.startTicks });
    leaveOthers(file);
  });
  /** The hook that ends the other session is on its way, if it comes at all. */
  function leaveOthers(file: StatusFile): void {
    const others = life.runBy({ pid: file.pid, startTicks: file.startTicks }).filter((id) => id !== file.sessionId);
    if (others.length === 0) return;
    const since = parts.clock.now();
    parts.clock.after(LATE_MS, () => {
      for (const id of others) {
        const state = hub.state(id);
        if (!state || !isLive(state) || Date.parse(state.last.ts) > since) continue;
        record(parts, state, [ended(file.sessionId, after(state, since), { by: 'status_file' })]);
      }
    });
  }

  const resolutions = createResolutions();
  const ending = new Map<string, Disposable>();
  const replies = readLastReplies(parts);
  const discovery = discover(parts);
  for (const { provider, folder } of parts.sources.roots) status.watchRoot(provider, folder);
  const changes = hub.onChange((change) => {
    for (const id of touched(change)) look(id);
  });

  function touched(change: StateChange): readonly string[] {
    if (change.type === 'reset') return hub.sessionIds();
    const { sessions, removedSessions, agents } = change.patch;
    return [
      ...new Set([...sessions.map(({ id }) => id), ...agents.map(({ sessionId }) => sessionId), ...removedSessions]),
    ];
  }

  function look(sessionId: string): void {
    follower.look(sessionId);
    status.look(sessionId);
    const state = hub.state(sessionId);
    if (!state) return forget(sessionId);
    replies.look(state);
    record(parts, state, resolutions.ended(state));
    if (isLive(state)) relate(state);
    if (state.session.endReason === 'clear' || state.session.endReason === 'replaced') relateAll();
  }

  function relate(state: SessionState): void {
    if (state.session.agentPid === undefined && state.session.source !== 'clear') return;
    for (const other of others(state)) {
      const end = isLive(other) ? replacedBy(other, state) : undefined;
      if (end) endLater(other.session.id, end);
    }
    const found = continuation(state, others(state));
    if (found) record(parts, state, [found]);
  }

  function endLater(id: string, end: Found): void {
    if (ending.has(id)) return;
    ending.set(
      id,
      parts.clock.after(LATE_MS, () => {
        ending.delete(id);
        const state = hub.state(id);
        if (state && isLive(state)) record(parts, state, [end]);
      }),
    );
  }

  function relateAll(): void {
    for (const id of hub.sessionIds()) {
      const state = hub.state(id);
      if (state && isLive(state) && state.session.source === 'clear') relate(state);
    }
  }

  function others({ session }: SessionState): readonly SessionState[] {
    return hub.sessionIds().flatMap((id) => (id === session.id ? [] : (hub.state(id) ?? [])));
  }

  function forget(sessionId: string): void {
    for (const each of [resolutions, replies, status, life]) each.forget(sessionId);
  }

  for (const id of hub.sessionIds()) look(id);
  return {
    firstLook: life.check(),
    dispose() {
      for (const each of [changes, ...ending.values(), discovery, replies, status, life, follower, outbox])
        each.dispose();
    },
  };
}
