import type { StatusFile } from '../../domain/providers/provider.ts';
import { providerFor } from '../../domain/providers/registry.ts';
import { correctionByStatus } from '../../domain/statusFusion.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable } from '../ports.ts';
import { after, record } from './record.ts';
import type { WatchParts } from './watchParts.ts';

/** A status passes by between two dialogs, and hooks of the same moment are still on their way: only what stays counts. */
const STAYS_MS = 400;

/** Between two dialogs that stand in line the status is busy for a moment: the answer to the first is none to the second. */
const STAYS_IN_LINE_MS = 1_500;

export interface StatusWatch extends Disposable {
  /** Begins to watch the folder that this session's agent writes its status to. */
  look(sessionId: string): void;
  /** The same for a folder of transcripts, whose sessions may not be known yet. */
  watchRoot(provider: string, folder: string): void;
}

/** SES-5: what an agent writes about its own sessions, as a third source. */
export function watchStatus(parts: WatchParts, onStatus: (file: StatusFile) => void): StatusWatch {
  const folders = new Map<string, Disposable>();
  const latest = new Map<string, StatusFile>();
  const pending = new Map<string, Disposable>();

  function watchFolder(provider: string, folder: string): void {
    const { files } = providerFor(provider);
    if (!files || folders.has(folder)) return;
    folders.set(
      folder,
      parts.sources.folders.watch(folder, files.isStatusFile, (_name, text) => {
        const status = text === undefined ? undefined : files.readStatus(text);
        if (!status || isOutdated(status, latest.get(status.sessionId))) return;
        latest.set(status.sessionId, status);
        onStatus(status);
        settleLater(status.sessionId);
      }),
    );
  }

  function settleLater(sessionId: string, ms = STAYS_MS): void {
    pending.get(sessionId)?.dispose();
    pending.set(
      sessionId,
      parts.clock.after(ms, () => {
        pending.delete(sessionId);
        compare(sessionId);
      }),
    );
  }

  function compare(sessionId: string): void {
    const file = latest.get(sessionId);
    const state = parts.hub.state(sessionId);
    if (!state || file?.status === undefined || file.statusUpdatedAt === undefined) return;
    const { status, waitingFor, statusUpdatedAt: at } = file;
    const correction = correctionByStatus(state, { status, waitingFor, at });
    if (!correction) return;
    const due = at + STAYS_IN_LINE_MS - parts.clock.now();
    if (correction.type === 'agent_unblocked' && waitsOf(state) > 1 && due > 0) return settleLater(sessionId, due);
    const written = new Date(at).toISOString();
    record(parts, state, [
      {
        key: `status:${status}:${at}`,
        ts: written > state.last.ts ? written : after(state, 0),
        source: 'synthetic',
        ...correction,
      },
    ]);
  }

  return {
    watchRoot(provider, folder) {
      const own = providerFor(provider).files?.statusFolderBeside(folder);
      if (own !== undefined) watchFolder(provider, own);
    },
    look(sessionId) {
      const session = parts.hub.state(sessionId)?.session;
      const folder =
        session?.transcriptPath && providerFor(session.provider).files?.statusFolder(session.transcriptPath);
      if (session && folder) watchFolder(session.provider, folder);
      // A hook may have come for a session whose file changed just before.
      if (latest.has(sessionId) && !pending.has(sessionId)) settleLater(sessionId);
    },
    dispose() {
      for (const each of [...folders.values(), ...pending.values()]) each.dispose();
    },
  };
}

function waitsOf({ agents }: SessionState): number {
  return agents.filter(({ agent }) => agent.present && agent.wait !== null).length;
}

/** A kill leaves its file behind; the session may go on in another process, with a file of its own. */
function isOutdated(file: StatusFile, known: StatusFile | undefined): boolean {
  return known !== undefined && known.pid !== file.pid && (known.statusUpdatedAt ?? 0) > (file.statusUpdatedAt ?? 0);
}
