import type { StatusFile } from '../../domain/providers/provider.ts';
import type { Disposable, StateChange } from '../ports.ts';
import { discover } from './discover.ts';
import { followSessions } from './followSessions.ts';
import { readLastReplies } from './lastReply.ts';
import { createOutbox } from './outbox.ts';
import { record } from './record.ts';
import { watchRelations } from './relations.ts';
import { createResolutions } from './resolutions.ts';
import { watchLife } from './watchLife.ts';
import type { WatchParts } from './watchParts.ts';
import { watchStatus } from './watchStatus.ts';

export interface Watching extends Disposable {
  /** After a restart: resolves when the sessions whose process is gone are known. */
  readonly firstLook: Promise<void>;
}

/** Everything beside the hooks that knows something of the sessions; hooks are the authority, these correct them. */
export function startWatching(given: WatchParts): Watching {
  const { hub } = given;
  const outbox = createOutbox(given);
  const parts = { ...given, outbox };
  const follower = followSessions(parts);
  const relations = watchRelations(parts);
  const life = watchLife(parts, (sessionId) => status.vouch(sessionId));
  const status = watchStatus(parts, learn);
  const resolutions = createResolutions();
  const replies = readLastReplies(parts);
  const discovery = discover(parts);
  for (const { provider, folder } of parts.sources.roots) status.watchRoot(provider, folder);
  const changes = hub.onChange((change) => {
    for (const id of touched(change)) look(id);
  });

  /** SES-4: a pid means something only where it was given; older versions do not say where, but a hook may have. */
  function learn(file: StatusFile): void {
    const sameTable = file.pidNamespace === parts.sources.processes.pidNamespace;
    if (!sameTable && hub.state(file.sessionId)?.session.agentPid !== file.pid) return;
    const process = { pid: file.pid, startTicks: file.startTicks };
    const others = life.runBy(process).filter((id) => id !== file.sessionId);
    life.learn(file.sessionId, process);
    const left = others.filter((id) => !life.runsElsewhere(id, file.pid));
    relations.leave(file, left);
  }

  function touched(change: StateChange): readonly string[] {
    if (change.type === 'reset') return hub.sessionIds();
    const { sessions, removedSessions, agents } = change.patch;
    const ids = [...sessions.map(({ id }) => id), ...agents.map(({ sessionId }) => sessionId), ...removedSessions];
    return [...new Set(ids)];
  }

  function look(sessionId: string): void {
    follower.look(sessionId);
    status.look(sessionId);
    const state = hub.state(sessionId);
    if (!state) return forget(sessionId);
    replies.look(state);
    record(parts, state, resolutions.ended(state));
    relations.look(state);
  }

  const erasures = hub.onErased((erased) => {
    for (const id of erased) {
      follower.forget(id);
      forget(id);
    }
  });

  function forget(sessionId: string): void {
    for (const each of [resolutions, replies, status, life]) each.forget(sessionId);
  }

  for (const id of hub.sessionIds()) look(id);
  return {
    firstLook: life.check(),
    dispose() {
      for (const each of [changes, erasures, discovery, replies, relations, status, life, follower, outbox])
        each.dispose();
    },
  };
}
