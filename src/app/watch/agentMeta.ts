import { providerFor } from '../../domain/providers/registry.ts';
import type { Disposable } from '../ports.ts';
import { isTranscriptPath } from './ownPath.ts';
import { record } from './record.ts';
import type { WatchingParts } from './watchParts.ts';

/** NRM-11: whose child a sub-agent is and what for stands in a small file that appears just after its start. */
export function watchAgentMeta(parts: WatchingParts, sessionId: string): Disposable | undefined {
  const state = parts.hub.state(sessionId);
  const transcript = state?.session.transcriptPath;
  const files = state && providerFor(state.session.provider).files;
  const mine = transcript !== undefined && isTranscriptPath(transcript) ? transcript : undefined;
  const folder = mine === undefined ? undefined : files?.agentMetaFolder(mine);
  if (!files || folder === undefined) return undefined;
  return parts.sources.folders.watch(
    folder,
    (name) => name.endsWith('.meta.json'),
    (name, text) => {
      const now = parts.hub.state(sessionId);
      const meta = text === undefined ? undefined : files.readAgentMeta(name, text);
      if (!now || !meta) return;
      const { agentId, parentId, task, name: called, team } = meta;
      const payload = {
        agent: agentId,
        parent: parentId ?? 'main',
        ...(task === undefined ? {} : { task }),
        ...(called === undefined ? {} : { name: called }),
        ...(team === undefined ? {} : { team }),
      };
      record(parts, now, [
        {
          // Part of the event's id since the first release: the same file must give the same event.
          key: `meta:${agentId}:${JSON.stringify({ notification_type: 'agent_meta', ...payload })}`,
          ts: now.last.ts,
          source: 'transcript',
          type: 'agent_described',
          payload,
          severity: 'debug',
        },
      ]);
    },
  );
}
