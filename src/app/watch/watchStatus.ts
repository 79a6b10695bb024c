import { mainIdOf } from '../../domain/agentIds.ts';
import { isOver } from '../../domain/life.ts';
import { maskText } from '../../domain/mask/mask.ts';
import { boundedId } from '../../domain/normalize.ts';
import type { StatusFile } from '../../domain/providers/provider.ts';
import { providerFor } from '../../domain/providers/registry.ts';
import { correctionByStatus, STANDS_MS } from '../../domain/statusFusion.ts';
import { surfaceOf } from '../../domain/surface.ts';
import type { Disposable } from '../ports.ts';
import { isHere } from './here.ts';
import { isTranscriptPath } from './ownPath.ts';
import { after, record } from './record.ts';
import type { WatchingParts } from './watchParts.ts';

/** A status passes by between two dialogs, and hooks of the same moment are still on their way: only what stays counts. */
const STAYS_MS = 400;

const HOOKS_FIRST_MS = 3_000;
const CLOCK_SKEW_MS = 60_000;

/** A status is written last thing before the end, too. */
const AFTER_END_MS = 1_000;

/** `waiting` keeps its stamp while the next dialog takes the place of an answered one; `busy` comes once, after the last. */
const NEXT_IN_LINE_MS = 10_000;

/** Far below any idle time that can be set. */
const VOUCH_EVERY_MS = 20_000;

/** One a running session; files of sessions that nobody knows are no reason to grow. */
const REMEMBERED_MAX = 500;

/** A machine has one folder an agent program, or a few where people move them. */
const FOLDERS_MAX = 8;

export interface StatusWatch extends Disposable {
  /** Begins to watch the folder that this session's agent writes its status to. */
  look(sessionId: string): void;
  /** Its process lives: that it works, if its status says so, is a sign of life. */
  vouch(sessionId: string): void;
  forget(sessionId: string): void;
  /** The same for a folder of transcripts, whose sessions may not be known yet. */
  watchRoot(provider: string, folder: string): void;
}

/** SES-5: what an agent writes about its own sessions, as a third source. */
export function watchStatus(parts: WatchingParts, onStatus: (file: StatusFile) => void): StatusWatch {
  const folders = new Map<string, Disposable>();
  const latest = new Map<string, StatusFile>();
  const pending = new Map<string, Disposable>();
  /** The stamp of the status that has been taken as an answer. */
  const answeredBy = new Map<string, number>();
  const vouchedAt = new Map<string, number>();
  const providerByFile = new Map<string, string>();

  function watchFolder(provider: string, folder: string): void {
    const { files } = providerFor(provider);
    if (!files || folders.has(folder) || folders.size >= FOLDERS_MAX) return;
    folders.set(
      folder,
      parts.sources.folders.watch(folder, files.isStatusFile, (_name, text) => {
        const status = text === undefined ? undefined : files.readStatus(text);
        if (!status || isOutdated(status, latest.get(status.sessionId))) return;
        remember(status);
        providerByFile.set(status.sessionId, provider);
        onStatus(status);
        // The hooks of a session that nobody knows yet are on their way.
        settleLater(status.sessionId, parts.hub.state(status.sessionId) ? STAYS_MS : HOOKS_FIRST_MS);
      }),
    );
  }

  function forget(sessionId: string): void {
    for (const each of [latest, answeredBy, vouchedAt, providerByFile]) each.delete(sessionId);
    pending.get(sessionId)?.dispose();
    pending.delete(sessionId);
  }

  function remember(status: StatusFile): void {
    latest.delete(status.sessionId);
    latest.set(status.sessionId, status);
    const oldest = latest.size > REMEMBERED_MAX ? latest.keys().next().value : undefined;
    if (oldest !== undefined) forget(oldest);
  }

  function settleLater(sessionId: string, ms = STAYS_MS): void {
    pending.get(sessionId)?.dispose();
    pending.set(
      sessionId,
      parts.clock.after(ms, () => {
        pending.delete(sessionId);
        try {
          compare(sessionId);
        } catch (error) {
          parts.log.error(`An agent’s status could not be compared: ${String(error)}`);
        }
      }),
    );
  }

  function compare(sessionId: string): void {
    const file = latest.get(sessionId);
    const state = parts.hub.state(sessionId);
    if (file?.status === undefined || file.statusUpdatedAt === undefined) return;
    const { status, waitingFor, statusUpdatedAt: at } = file;
    // A clock that was set back, or a file that was made up: it would be fresher than every hook to come.
    if (at > parts.clock.now() + CLOCK_SKEW_MS) return;
    if (!state || isOver(state.session.state)) return void revive(file, at);
    const now = parts.clock.now();
    const correction = correctionByStatus(state, { status, waitingFor, at }, now);
    if (!correction) {
      // What is as old as a hook may be right all the same, if it stands.
      if (now - at < STANDS_MS) settleLater(sessionId, at + STANDS_MS - now);
      return;
    }
    // One answer to one request; what still waits when it has been busy for long was answered before.
    if (correction.type === 'agent_unblocked') {
      const next = at + NEXT_IN_LINE_MS - now;
      if (answeredBy.get(sessionId) === at && next > 0) return settleLater(sessionId, next);
      answeredBy.set(sessionId, at);
    }
    const written = new Date(at).toISOString();
    record(parts, state, [
      {
        key: `status:${correction.type}:${status}:${at}:${correction.agentId ?? ''}`,
        ts: written > state.last.ts ? written : after(state, 0),
        source: 'synthetic',
        ...correction,
      },
    ]);
  }

  /** TRN-4, SES-3: a session that nobody knows, or that was thought to be over, writes its status, and its process lives. */
  async function revive(file: StatusFile, at: number): Promise<void> {
    const known = parts.hub.state(file.sessionId);
    const over = known && Date.parse(known.session.endedAt ?? known.last.ts);
    if (over !== undefined && at <= over + AFTER_END_MS) return;
    const { pid, startTicks, cwd } = file;
    if (file.pidNamespace !== parts.sources.processes.pidNamespace) return;
    const [gone = true] = await parts.sources.processes.gone([{ pid, startTicks }]);
    const provider = providerByFile.get(file.sessionId);
    if (gone || provider === undefined) return;
    const surface = surfaceOf(file.entrypoint);
    const sessionId = known?.session.id ?? boundedId(maskText(file.sessionId));
    parts.outbox.send([
      {
        key: `${sessionId}:lives:${pid}:${over ?? ''}`,
        ts: new Date(at).toISOString(),
        provider,
        sessionId,
        agentId: mainIdOf(sessionId, known?.agents ?? []),
        source: 'synthetic',
        type: 'session_started',
        folder: cwd,
        payload: {
          source: 'seen',
          by: 'status_file',
          ...(cwd === undefined ? {} : { cwd }),
          ...(surface === undefined ? {} : { surface }),
        },
      },
    ]);
  }

  function vouch(sessionId: string): void {
    const now = parts.clock.now();
    if (now - (vouchedAt.get(sessionId) ?? 0) < VOUCH_EVERY_MS) return;
    vouchedAt.set(sessionId, now);
    const works = latest.get(sessionId)?.status === 'busy';
    parts.hub.sight({ sessionId, aliveAt: now, ...(works ? { signAt: now } : {}) });
  }

  return {
    vouch,
    watchRoot(provider, folder) {
      const own = providerFor(provider).files?.statusFolderBeside(folder);
      if (own !== undefined) watchFolder(provider, own);
    },
    look(sessionId) {
      const session = parts.hub.state(sessionId)?.session;
      if (!session || !isHere(session, parts.sources.processes)) return;
      const { transcriptPath: path, provider } = session;
      const mine = path !== undefined && isTranscriptPath(path) ? path : undefined;
      const folder = mine === undefined ? undefined : providerFor(provider).files?.statusFolder(mine);
      if (folder !== undefined) watchFolder(provider, folder);
      // A hook may have come for a session whose file changed just before.
      if (latest.has(sessionId) && !pending.has(sessionId)) settleLater(sessionId);
    },
    forget,
    dispose() {
      for (const each of [...folders.values(), ...pending.values()]) each.dispose();
    },
  };
}

/** A kill leaves its file behind; the session may go on in another process, with a file of its own. */
function isOutdated(file: StatusFile, known: StatusFile | undefined): boolean {
  return known !== undefined && known.pid !== file.pid && (known.statusUpdatedAt ?? 0) > (file.statusUpdatedAt ?? 0);
}
