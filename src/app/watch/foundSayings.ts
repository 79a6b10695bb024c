import { endHeard, promptHeard, promptMark } from '../../domain/heard.ts';
import { maskPayload } from '../../domain/mask/mask.ts';
import type { TranscriptFact } from '../../domain/providers/transcript.ts';
import { type FoundSaying, noTurns, overdue, stepTurns } from '../../domain/transcript/turns.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { Disposable } from '../ports.ts';
import { type Found, record } from './record.ts';
import type { WatchingParts } from './watchParts.ts';

/** CNV-1: of a session without our hooks, so many turns are told that were over when somebody began to look. */
const HISTORY_TURNS = 10;

/** The hook of a prompt or of a turn's end may come later than its line, but hardly by more. */
const HOOK_LATE_MS = 10_000;

/** Without hooks nobody has to be waited for, but the other texts of a message. */
const WHOLE_MS = 1_000;

/** What waits to be told by a hook; more at once is a flood, of which the end matters. */
const WAITING_MAX = 200;

interface Waiting {
  readonly saying: FoundSaying;
  readonly due: number;
}

export interface FoundSayings extends Disposable {
  /** `isNews`: not of the time before anybody looked. */
  take(fact: TranscriptFact, isNews: boolean): void;
  /** All that the file held has been taken. */
  caughtUp(): void;
  /** The session is over: what nobody has told by now nobody will. */
  flush(): void;
}

/** CNV-1: what was typed and answered while no hook told of it; hooks are the authority. */
export function findSayings(parts: WatchingParts, sessionId: string): FoundSayings {
  const waiting = new Map<string, Waiting>();
  let history: readonly FoundSaying[] = [];
  let turns = noTurns;
  let timer: Disposable | undefined;
  /** When the last prompt was told by a hook that has been found as well. */
  let after: string | undefined;

  function expect(saying: FoundSaying): void {
    const hookless = isHookless(parts.hub.state(sessionId));
    waiting.set(saying.key, { saying, due: parts.clock.now() + (hookless ? WHOLE_MS : HOOK_LATE_MS) });
    const oldest = waiting.size > WAITING_MAX ? waiting.keys().next().value : undefined;
    if (oldest !== undefined) waiting.delete(oldest);
    timer ??= parts.clock.after(hookless ? WHOLE_MS : HOOK_LATE_MS, settle);
  }

  function settle(): void {
    timer = undefined;
    const now = parts.clock.now();
    tell([...waiting.values()].filter(({ due }) => due <= now));
    const next = Math.min(...[...waiting.values()].map(({ due }) => due));
    if (waiting.size > 0) timer = parts.clock.after(Math.max(0, next - now), settle);
  }

  function tell(due: readonly Waiting[]): void {
    for (const { saying } of due) waiting.delete(saying.key);
    const state = parts.hub.state(sessionId);
    if (state)
      record(
        parts,
        state,
        due.flatMap(({ saying }) => untold(state, saying) ?? []),
      );
  }

  function untold(state: SessionState, saying: FoundSaying): Found | undefined {
    const { kind, key, ts, turn } = saying;
    const told = { key, ts, source: 'transcript', severity: 'debug' } as const;
    if (kind === 'reply') {
      // Where hooks tell, a prompt may come in the middle of a turn.
      if (endHeard(state.heard, ts) || (saying.unsure && !isHookless(state))) return undefined;
      return { ...told, type: 'reply_found', payload: { message: saying.text } };
    }
    // As it is compared, and as it will be stored.
    const prompt = String(maskPayload({ prompt: saying.text })['prompt']);
    const heard = promptHeard(state.heard, { ts, mark: promptMark(prompt), turn, after });
    if (heard) {
      after = heard.ts;
      return undefined;
    }
    const payload = { prompt, ...(turn === undefined ? {} : { turn }), ...(after === undefined ? {} : { after }) };
    return { ...told, type: 'prompt_found', payload };
  }

  return {
    take(fact, isNews) {
      const step = stepTurns(turns, fact);
      turns = step.turns;
      if (isNews) step.said.forEach(expect);
      else history = lastTurns([...history, ...step.said]);
    },
    caughtUp() {
      // With hooks, what was before them is nobody's to tell.
      if (isHookless(parts.hub.state(sessionId))) history.forEach(expect);
      history = [];
    },
    flush() {
      overdue(turns).forEach(expect);
      turns = noTurns;
      tell([...waiting.values()]);
    },
    dispose: () => timer?.dispose(),
  };
}

function isHookless(state: SessionState | undefined): boolean {
  return state?.session.seenIn === 'transcript';
}

function lastTurns(said: readonly FoundSaying[]): readonly FoundSaying[] {
  const begins = said.flatMap(({ kind }, place) => (kind === 'prompt' ? [place] : []));
  return said.slice(begins.length > HISTORY_TURNS ? begins.at(-HISTORY_TURNS) : 0);
}
