import { mainIdOf } from '../../domain/agentIds.ts';
import { maskText } from '../../domain/mask/mask.ts';
import { answerTo, type Correction, correctionsOf } from '../../domain/transcript/corrections.ts';
import { factsInLine } from '../../domain/transcript/read.ts';
import { measure, type Measuring, nothingMeasured, withPrivateTurn } from '../../domain/transcript/measure.ts';
import type { Provider } from '../../domain/providers/provider.ts';
import type { TranscriptFact, TranscriptFormat } from '../../domain/providers/transcript.ts';
import { surfaceOf } from '../../domain/surface.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable } from '../ports.ts';
import type { TailChunk } from '../sourcePorts.ts';
import { findSayings } from './foundSayings.ts';
import { record } from './record.ts';
import type { WatchingParts } from './watchParts.ts';

/** What a transcript tells of the time before we looked is history, unless we go on where we stopped. */
const HISTORY_MS = 30_000;

/** The hook of a call may come after the transcript's word on its end, but not by more. */
const HOOK_LATE_MS = 10_000;

/** Of one piece of a file; more at once is a flood, of which the end matters. */
const CORRECTIONS_MAX = 200;

/** Totals are stored when a file has been quiet for so long, for the time after a restart. */
const QUIET_MS = 3_000;

/** While a turn goes on they are stored now and then, for the time after a crash. */
const MEANWHILE_MS = 120_000;

/** Messages that a later reader may meet again: those whose lines were being written. */
const COUNTED_STORED = 4;

const TOOLS_KEPT = 256;

/** More than any bubble holds. */
const WORDS_MAX = 2_000;
const MODEL_MAX = 100;

export interface Watched {
  readonly sessionId: string;
  readonly agentId: string;
  readonly path: string;
  readonly provider: Provider & { readonly transcript: TranscriptFormat };
}

export interface TranscriptWatch extends Disposable {
  /** Its session has changed: a turn may have ended since the last line. */
  look(): void;
  /** Stores what was measured and not stored yet. */
  flush(): void;
}

/** TRN-1: follows one transcript, of a session's main agent or of a sub-agent. */
export function watchTranscript(parts: WatchingParts, watched: Watched): TranscriptWatch {
  const { hub, clock } = parts;
  const { sessionId, agentId, path, provider } = watched;
  const isMain = agentId === mainIdOf(sessionId, hub.state(sessionId)?.agents ?? []);
  const before = isMain ? readBefore(hub.state(sessionId), path) : undefined;
  const after = parts.erased.bytesOf(sessionId, path);
  // Lines behind the erased ones are news.
  const goesOn = before !== undefined || after > 0;
  /** The file was rewritten: it repeats erased lines, and nothing shows where they end. */
  let isRetold = false;
  const began = clock.now();
  const tools = new Map<string, string>();
  let measuring: Measuring = before?.measuring ?? nothingMeasured;
  let stored = measuring;
  let storedAt = began;
  let offset = before?.offset ?? 0;
  let spokeAt: string | undefined;
  const endedAt = new Map<string, string>();
  let anew = false;
  let privateSince: string | undefined;
  let inCopy = false;
  let surfaceTold = false;
  const sayings = isMain && provider.transcriptTells === true ? findSayings(parts, sessionId) : undefined;
  let quiet: Disposable | undefined;

  if (before) hub.sight({ sessionId, measures: before.measuring.measures });
  const follow = parts.sources.tails.follow({
    path,
    from: offset,
    after,
    wants: provider.transcript.mayMatter,
    onChunk: take,
  });

  function take(chunk: TailChunk): void {
    if (chunk.reset) {
      measuring = nothingMeasured;
      anew = true;
    }
    offset = chunk.offset;
    isRetold ||= chunk.reset && after > 0;
    if (isRetold) {
      isRetold = !chunk.caughtUp;
      return;
    }
    const facts = chunk.lines.flatMap((line) => factsInLine(provider.transcript, line));
    const corrections = facts.flatMap(takeFact).slice(-CORRECTIONS_MAX);
    const open = facts.filter(isOfOpenTurn);
    const state = hub.state(sessionId);
    if (state) recordAll(state, corrections);
    hub.sight({
      sessionId,
      signAt: chunk.modifiedAt,
      ...(isMain ? {} : { agentId }),
      ...(isMain && measuring !== nothingMeasured ? { measures: measuring.measures } : {}),
      says: saysIn(open, agentId),
    });
    tellSurface(facts);
    if (chunk.caughtUp) sayings?.caughtUp();
    if (isMain && chunk.caughtUp) storeSoon();
  }

  function takeFact(fact: TranscriptFact): readonly Correction[] {
    if (fact.kind === 'prompt' && parts.isMarked?.(fact.text)) measuring = withPrivateTurn(measuring);
    if ('ts' in fact && measuring.measures.began === undefined)
      measuring = { ...measuring, measures: { ...measuring.measures, began: fact.ts } };
    if (isCopied(fact)) return [];
    const newMessage = isNewMessage(fact);
    note(masked(fact), newMessage);
    const news = isNews(fact);
    sayings?.take(fact, news);
    return news ? correct(fact, newMessage) : [];
  }

  /** A fork begins with its parent's lines: they were counted there, and what they tell was over before. */
  function isCopied(fact: TranscriptFact): boolean {
    const session = hub.state(sessionId)?.session;
    // A title bears no moment: it stands among those lines that do.
    if ('ts' in fact) inCopy = session?.source === 'fork' && fact.ts < session.startedAt;
    return inCopy;
  }

  function isOfOpenTurn(fact: TranscriptFact): boolean {
    if (fact.kind === 'prompt' && !fact.synthetic) privateSince = parts.isMarked?.(fact.text) ? fact.ts : undefined;
    const since = privateSince;
    if (since === undefined || !('ts' in fact)) return true;
    // Not every prompt stands in the file; a hook may tell that the turn is over.
    const spans = hub.state(sessionId)?.unlogged ?? [];
    return spans.some(({ to }) => to !== undefined && to > since && to <= fact.ts);
  }

  function isNewMessage(fact: TranscriptFact): boolean {
    if (fact.kind !== 'reply' && fact.kind !== 'usage') return false;
    return !measuring.counted.some(({ id }) => id === fact.messageId);
  }

  function note(fact: TranscriptFact, newMessage: boolean): void {
    measuring = measure(measuring, fact);
    if (newMessage && 'ts' in fact) spokeAt = fact.ts;
    if (fact.kind === 'toolEnded') endedAt.set(fact.toolUseId, fact.ts);
    if (endedAt.size > TOOLS_KEPT) endedAt.delete(endedAt.keys().next().value ?? '');
    if (fact.kind !== 'toolStarted') return;
    tools.set(fact.toolUseId, fact.tool);
    const oldest = tools.size > TOOLS_KEPT ? tools.keys().next().value : undefined;
    if (oldest !== undefined) tools.delete(oldest);
  }

  function isNews(fact: TranscriptFact): boolean {
    if (goesOn || !('ts' in fact)) return true;
    // What happened while nobody looked counts as far as the session is known: its hooks of then wait in the spool.
    const known = hub.state(sessionId)?.session.startedAt;
    return Date.parse(fact.ts) > began - HISTORY_MS || (known !== undefined && fact.ts >= known);
  }

  function correct(fact: TranscriptFact, newMessage: boolean): readonly Correction[] {
    return correctionsOf(fact, {
      state: hub.state(sessionId),
      agentId,
      newMessage,
      isMain,
      toolOf: (id) => tools.get(id),
      failsSilently: provider.failsSilently ?? false,
      fresh: !('ts' in fact) || Date.parse(fact.ts) > clock.now() - HOOK_LATE_MS,
    });
  }

  /** The hook that asks may come after the line that shows it answered. */
  function answerLate(): void {
    const state = hub.state(sessionId);
    const wait = state?.agents.find(({ agent }) => agent.id === agentId)?.agent.wait;
    const at = wait?.toolUseId === undefined ? spokeAt : (endedAt.get(wait.toolUseId) ?? spokeAt);
    if (state && wait && at !== undefined) recordAll(state, answerTo(wait, agentId, at));
  }

  function recordAll(state: SessionState, corrections: readonly Correction[]): void {
    record(
      parts,
      state,
      corrections.map((each) => ({ ...each, source: 'transcript', agentId })),
    );
  }

  function tellSurface(facts: readonly TranscriptFact[]): void {
    const state = hub.state(sessionId);
    const told = facts.findLast((fact) => fact.kind === 'session' && fact.entrypoint !== undefined);
    const surface = told?.kind === 'session' ? surfaceOf(told.entrypoint) : undefined;
    if (surfaceTold || !state || surface === undefined || state.session.surface === surface) return;
    surfaceTold = true;
    record(parts, state, [
      {
        key: `surface:${surface}`,
        ts: state.last.ts,
        source: 'transcript',
        type: 'surface_detected',
        payload: { surface },
        severity: 'debug',
      },
    ]);
  }

  function storeSoon(): void {
    quiet?.dispose();
    const busy = hub.state(sessionId)?.main.phase === 'busy';
    quiet = clock.after(busy ? Math.max(QUIET_MS, storedAt + MEANWHILE_MS - clock.now()) : QUIET_MS, flush);
  }

  function flush(): void {
    quiet?.dispose();
    const state = hub.state(sessionId);
    if (measuring === stored || !isMain || !state) return;
    stored = measuring;
    storedAt = clock.now();
    record(parts, state, [usageEvent(state, measuring, { path, offset, anew })]);
    anew = false;
  }

  return {
    look() {
      answerLate();
      if (isMain && measuring !== stored) storeSoon();
    },
    flush() {
      sayings?.flush();
      flush();
    },
    dispose() {
      quiet?.dispose();
      sayings?.dispose();
      follow.dispose();
    },
  };
}

function readBefore(state: SessionState | undefined, path: string) {
  const read = state?.read;
  if (!state || read?.path !== path) return undefined;
  const { tokensIn, tokensOut, tokensCached, counted, offset } = read;
  const { usage, model } = state.session;
  const measures = {
    tokensIn,
    tokensOut,
    tokensCached,
    contextUsed: usage?.contextUsed ?? 0,
    contextWindow: usage?.contextWindow ?? null,
    prompts: read.prompts,
    firstPrompt: read.firstPrompt,
    titleByPerson: read.titleByPerson,
    began: read.began,
    privateTurns: read.privateTurns,
    ...(read.title === undefined ? {} : { title: read.title }),
    ...(model === '' ? {} : { model }),
  };
  return { measuring: { measures, counted }, offset };
}

function usageEvent(
  state: SessionState,
  { measures, counted }: Measuring,
  { path, offset, anew }: { readonly path: string; readonly offset: number; readonly anew: boolean },
) {
  return {
    key: `usage:${path}:${offset}:${measures.tokensIn}:${measures.tokensOut}`,
    ts: state.last.ts,
    source: 'transcript',
    type: 'usage_reported',
    severity: 'debug',
    payload: {
      path,
      offset,
      ...(anew ? { anew } : {}),
      counted: counted.slice(-COUNTED_STORED).map(({ id, output }) => ({ id, output })),
      tokens_in: measures.tokensIn,
      tokens_out: measures.tokensOut,
      tokens_cached: measures.tokensCached,
      context_used: measures.contextUsed,
      ...(measures.contextWindow === null ? {} : { context_window: measures.contextWindow }),
      ...(measures.model === undefined ? {} : { model: measures.model }),
      prompts: measures.prompts,
      ...(measures.title === undefined ? {} : { title_told: measures.title }),
      ...(measures.titleByPerson ? { title_by_person: true } : {}),
      ...(measures.began === undefined ? {} : { began: measures.began }),
      ...(measures.privateTurns ? { private_turns: true } : {}),
      ...(measures.firstPrompt === undefined ? {} : { first_prompt: measures.firstPrompt }),
    },
  } as const;
}

/** MSK-1: these are shown without going through the pipeline. */
function masked(fact: TranscriptFact): TranscriptFact {
  if (fact.kind === 'usage')
    return fact.model === undefined ? fact : { ...fact, model: maskText(fact.model.slice(0, MODEL_MAX)) };
  if (fact.kind !== 'title' && fact.kind !== 'prompt') return fact;
  return { ...fact, text: maskText(fact.text.slice(0, WORDS_MAX)) };
}

function saysIn(facts: readonly TranscriptFact[], agentId: string) {
  const words = facts.findLast((fact) => fact.kind === 'thinking' || fact.kind === 'reply');
  // MSK-1: what is only shown and never stored goes past the pipeline's first step.
  return words && words.text.trim() !== ''
    ? { agentId, text: maskText(words.text.slice(0, WORDS_MAX)), at: words.ts }
    : undefined;
}
