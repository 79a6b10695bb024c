import type { Disposable, StateChange } from '../ports.ts';
import { discover } from './discover.ts';
import { followSessions } from './followSessions.ts';
import { continuation } from './kinship.ts';
import { createOutbox } from './outbox.ts';
import { readLastReplies } from './lastReply.ts';
import { record } from './record.ts';
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
  const life = watchLife(parts);
  const { pidNamespace } = parts.sources.processes;
  const status = watchStatus(parts, (file) => {
    // SES-4: a pid means something only where it was given; older versions do not say where, but a hook may have.
    const here = file.pidNamespace === pidNamespace || hub.state(file.sessionId)?.session.agentPid === file.pid;
    if (here) life.learn(file.sessionId, { pid: file.pid, startTicks: file.startTicks });
  });
  const resolutions = createResolutions();
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
    if (state.session.source !== 'clear' && state.session.endReason !== 'clear') return;
    const all = hub.sessionIds().flatMap((id) => hub.state(id) ?? []);
    for (const each of all) {
      const found = continuation(each, all);
      if (found) record(parts, each, [found]);
    }
  }

  function forget(sessionId: string): void {
    for (const each of [resolutions, replies, status, life]) each.forget(sessionId);
  }

  for (const id of hub.sessionIds()) look(id);
  return {
    firstLook: life.check(),
    dispose() {
      for (const each of [changes, discovery, replies, status, life, follower, outbox]) each.dispose();
    },
  };
}
