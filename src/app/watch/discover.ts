import { maskText } from '../../domain/mask/mask.ts';
import { boundedId } from '../../domain/normalize.ts';
import { providerFor } from '../../domain/providers/registry.ts';
import type { Observation } from '../../domain/observed.ts';
import type { TranscriptFact } from '../../domain/providers/transcript.ts';
import { surfaceOf } from '../../domain/surface.ts';
import { factsInLine } from '../../domain/transcript/read.ts';
import type { Surface } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable } from '../ports.ts';
import type { FoundFile } from '../sourcePorts.ts';
import type { WatchingParts } from './watchParts.ts';

/** Enough lines to say whose file it is and when it was last written to. */
const END_BYTES = 128 * 1024;

/** A copied or synchronised file is as new as its copying; its lines are not. */
const FRESH_MS = 10 * 60_000;

/** The session's own hooks are on their way for so long after its file appeared. */
const HOOKS_FIRST_MS = 3_000;

/** Each is looked up on the disk. */
const FOLDERS_MAX = 20;

/** TRN-4: sessions that run without our hooks are seen by their transcripts. */
export function discover(parts: WatchingParts): Disposable {
  const { hub, clock, sources } = parts;
  const waiting = new Map<string, Disposable>();
  let turn = Promise.resolve();
  const watches = sources.roots.map(({ provider, ...root }) =>
    sources.sessionFiles.watch(root, (found) => {
      waiting.get(found.path)?.dispose();
      waiting.set(
        found.path,
        clock.after(HOOKS_FIRST_MS, () => {
          waiting.delete(found.path);
          // One at a time: a restored backup brings thousands at once, and those that live are followed meanwhile.
          turn = turn
            .then(() => lookInto(provider, found))
            .catch((error: unknown) => parts.log.debug(`A transcript could not be looked into: ${String(error)}`));
        }),
      );
    }),
  );

  async function lookInto(providerId: string, found: FoundFile): Promise<void> {
    const { transcript } = providerFor(providerId);
    if (!transcript) return;
    const asOf = parts.pipeline.erasures();
    const lines = await sources.tails.tail(found.path, END_BYTES);
    const after = parts.erased.bytesOf('', found.path);
    // CNV-5: skips an erased transcript unless lines were added since.
    if (after > 0 && (await sources.tails.tail(found.path, END_BYTES, after)).length === 0) return;
    const facts = lines.flatMap((line) => factsInLine(transcript, line));
    const self = facts.findLast((fact) => fact.kind === 'session' && fact.sessionId !== undefined);
    if (self?.kind !== 'session' || self.sessionId === undefined) return;
    const sessionId = boundedId(maskText(self.sessionId));
    const written = latest(facts);
    if (written === undefined || Math.abs(Date.parse(written) - clock.now()) > FRESH_MS) return;
    if (!isNews(hub.state(sessionId), written)) return;
    const seen: Observation = {
      key: `${sessionId}:seen:${written}`,
      ts: written,
      provider: providerId,
      sessionId,
      agentId: `${sessionId}/main`,
      source: 'transcript',
      type: 'session_started',
      folder: self.cwd,
      wasIn: foldersIn(facts),
      payload: {
        source: 'seen',
        transcript_path: found.path,
        ...(self.cwd === undefined ? {} : { cwd: self.cwd }),
        ...surface(self.entrypoint),
      },
    };
    await parts.pipeline.record([seen], asOf);
  }

  return {
    dispose() {
      for (const each of [...watches, ...waiting.values()]) each.dispose();
    },
  };
}

/** Unknown, or given up and written to again. */
function isNews(known: SessionState | undefined, written: string): boolean {
  if (!known) return true;
  const { session } = known;
  // Its status file was there first, and does not say where it writes.
  if (session.seenIn === 'transcript' && session.transcriptPath === undefined) return true;
  return session.seenIn === 'transcript' && session.state === 'stale' && written > session.lastEventAt;
}

function surface(entrypoint: string | undefined): { surface?: Surface } {
  const known = surfaceOf(entrypoint);
  return known === undefined ? {} : { surface: known };
}

/** HKI-9: an agent may have left the folder that it was started in. */
function foldersIn(facts: readonly TranscriptFact[]): readonly string[] {
  const folders = facts.flatMap((fact) => (fact.kind === 'session' && fact.cwd !== undefined ? [fact.cwd] : []));
  return [...new Set(folders)].slice(0, FOLDERS_MAX);
}

function latest(facts: readonly TranscriptFact[]): string | undefined {
  const moments = facts.flatMap((fact) => ('ts' in fact ? [fact.ts] : []));
  return moments.toSorted().at(-1);
}
