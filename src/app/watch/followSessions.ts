import { mainIdOf } from '../../domain/agentIds.ts';
import { providerFor } from '../../domain/providers/registry.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable } from '../ports.ts';
import { watchAgentMeta } from './agentMeta.ts';
import { isHere } from './here.ts';
import { isTranscriptPath } from './ownPath.ts';
import { type TranscriptWatch, watchTranscript } from './transcriptWatch.ts';
import type { WatchingParts } from './watchParts.ts';

/** The last lines of a session are written just after its end is told. */
const LINGER_MS = 3_000;

/** Sub-agents of one session that are followed at once: each costs a watched file. */
const AGENTS_MAX = 24;

interface Followed {
  readonly transcripts: Map<string, TranscriptWatch>;
  meta: Disposable | undefined;
  ending: Disposable | undefined;
}

export interface SessionFollower extends Disposable {
  /** Begins, goes on or stops following, as the session's state asks for. */
  look(sessionId: string): void;
  /** CNV-4: drops what was read of an erased session, and stops following it. */
  forget(sessionId: string): void;
}

/** TRN-1: the transcripts of the sessions that live, their sub-agents' included; of no others. */
export function followSessions(parts: WatchingParts): SessionFollower {
  const followed = new Map<string, Followed>();

  function look(sessionId: string): void {
    const state = parts.hub.state(sessionId);
    if (state && lives(state) && isHere(state.session, parts.sources.processes)) follow(state);
    else end(sessionId);
  }

  function follow(state: SessionState): void {
    const { id } = state.session;
    const own = followed.get(id) ?? {
      transcripts: new Map<string, TranscriptWatch>(),
      meta: undefined,
      ending: undefined,
    };
    followed.set(id, own);
    own.ending?.dispose();
    own.ending = undefined;
    const wanted = new Map(transcriptsOf(state));
    for (const [path, watch] of own.transcripts) {
      if (wanted.has(path)) continue;
      watch.flush();
      watch.dispose();
      own.transcripts.delete(path);
    }
    const provider = providerFor(state.session.provider);
    const { transcript } = provider;
    if (!transcript) return;
    for (const [path, agentId] of wanted) {
      if (own.transcripts.has(path)) continue;
      const watched = { sessionId: id, agentId, path, provider: { ...provider, transcript } };
      own.transcripts.set(path, watchTranscript(parts, watched));
    }
    for (const watch of own.transcripts.values()) watch.look();
    if (hasHelpers(state)) own.meta ??= watchAgentMeta(parts, id);
  }

  function end(sessionId: string): void {
    const own = followed.get(sessionId);
    if (!own || own.ending) return;
    own.ending = parts.clock.after(LINGER_MS, () => drop(sessionId, own));
  }

  function drop(sessionId: string, own: Followed, isErased = false): void {
    for (const watch of own.transcripts.values()) {
      if (!isErased) watch.flush();
      watch.dispose();
    }
    own.meta?.dispose();
    own.ending?.dispose();
    followed.delete(sessionId);
  }

  return {
    look,
    forget(sessionId) {
      const own = followed.get(sessionId);
      if (own) drop(sessionId, own, true);
    },
    dispose() {
      for (const [id, own] of [...followed]) drop(id, own);
    },
  };
}

function lives({ session }: SessionState): boolean {
  return session.state === 'active' || session.state === 'idle';
}

function hasHelpers({ agents }: SessionState): boolean {
  return agents.some(({ agent }) => agent.kind !== 'main');
}

/** Each file with the agent that writes it. */
export function transcriptsOf({ session, agents }: SessionState): readonly (readonly [string, string])[] {
  const main = session.transcriptPath;
  if (main === undefined || !isTranscriptPath(main)) return [];
  const { files } = providerFor(session.provider);
  const helpers = agents
    .filter(({ agent }) => agent.kind !== 'main' && agent.present)
    .slice(-AGENTS_MAX)
    .map(({ agent, transcript }) => {
      const own = transcript !== undefined && transcript !== main ? transcript : undefined;
      return [own ?? files?.agentTranscript(main, agent.id.slice(session.id.length + 1)), agent.id] as const;
    })
    .filter((each): each is readonly [string, string] => each[0] !== undefined && isTranscriptPath(each[0]));
  return [[main, mainIdOf(session.id, agents)], ...helpers];
}
