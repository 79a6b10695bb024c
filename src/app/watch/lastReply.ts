import { providerFor } from '../../domain/providers/registry.ts';
import { lastReplyIn } from '../../domain/transcript/lastReply.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable } from '../ports.ts';
import { isHere } from './here.ts';
import { isTranscriptPath } from './ownPath.ts';
import { after, record } from './record.ts';
import type { WatchingParts } from './watchParts.ts';

/** TRN-2. */
const END_BYTES = 256 * 1024;

/** The transcript lags behind the hook that tells of the turn's end. */
const LAG_MS = 1_000;

export interface LastReplies extends Disposable {
  look(state: SessionState): void;
  forget(sessionId: string): void;
}

/** What a turn ended with, for agents whose hook does not say it. */
export function readLastReplies(parts: WatchingParts): LastReplies {
  const asked = new Map<string, { readonly turn: string; readonly timer: Disposable }>();

  function look(state: SessionState): void {
    const { id, transcriptPath } = state.session;
    const turn = state.unsaid;
    const { transcript } = providerFor(state.session.provider);
    if (turn === undefined || transcriptPath === undefined || !transcript || asked.get(id)?.turn === turn) return;
    if (!isHere(state.session, parts.sources.processes) || !isTranscriptPath(transcriptPath)) return;
    asked.get(id)?.timer.dispose();
    asked.set(id, { turn, timer: parts.clock.after(LAG_MS, () => void read(id, turn, transcriptPath)) });
  }

  async function read(id: string, turn: string, path: string): Promise<void> {
    const lines = await parts.sources.tails.tail(path, END_BYTES, parts.erased.bytesOf(id, path)).catch(() => []);
    const state = parts.hub.state(id);
    const { transcript } = providerFor(state?.session.provider ?? '');
    if (!state || !transcript || state.unsaid !== turn) return;
    const message = lastReplyIn(transcript, lines);
    if (message === null) return;
    record(parts, state, [
      {
        key: `reply:${turn}`,
        // Within one moment news stands before the turn's end, which would forget it again.
        ts: after(state, 0),
        source: 'transcript',
        type: 'last_reply_found',
        payload: { message },
        severity: 'debug',
      },
    ]);
  }

  return {
    look,
    forget(sessionId) {
      asked.get(sessionId)?.timer.dispose();
      asked.delete(sessionId);
    },
    dispose() {
      for (const { timer } of asked.values()) timer.dispose();
    },
  };
}
