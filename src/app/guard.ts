import { isGuarded } from '../domain/edits.ts';
import { callWords, given } from '../domain/eventWords.ts';
import { guardWords } from '../domain/guard.ts';
import type { EventContent, Observation } from '../domain/observed.ts';
import { providerFor } from '../domain/providers/registry.ts';
import { shortText } from '../domain/text.ts';
import { itemAt } from '../domain/workItems.ts';
import type { AgentEvent } from '../protocol/event.ts';
import { GUARD_DEADLINE_MS } from '../protocol/limits.ts';
import type { GuardGap } from '../protocol/state.ts';
import type { TrackingMode } from '../protocol/work.ts';
import type { Hub } from './hub.ts';
import type { Clock, EventStore, Log, Pipeline } from './ports.ts';
import { projectOf } from './tracking.ts';
import type { GuardGaps, TrackingRules } from './workPorts.ts';

/** Who was told at length lately is told in one line from then on. */
const TOLD_MAX = 1_000;
const GAP_SHOWN_MS = 86_400_000;
/** Later there is nobody who would hear it: the hook has said by then that nobody answered. What is left is for the way back. */
const HEARD_WITHIN_MS = GUARD_DEADLINE_MS - 250;

export interface Guard extends GuardGaps {
  /** Undefined: nothing is to be said, so the edit is decided as if nobody had asked. */
  judge(event: AgentEvent): Verdict | undefined;
  /** GRD-3: nobody answered in time, and the edit went through. */
  missed(event: AgentEvent): void;
}

export interface Verdict {
  readonly mode: Exclude<TrackingMode, 'off'>;
  readonly text: string;
  /** What would begin an item, the likeliest first. */
  readonly commands: readonly string[];
}

export interface GuardParts {
  readonly store: Pick<EventStore, 'work'>;
  readonly hub: Pick<Hub, 'state' | 'showGaps'>;
  readonly rules: TrackingRules;
  /** MEM-5: the setting `memory.agentWords`. */
  readonly agentWords: () => boolean;
  readonly pipeline: Pick<Pipeline, 'record'>;
  /** Where the command line tool lies, as a shell reads it. */
  readonly mascot: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** GRD-2: whether an edit belongs to a piece of work, and what becomes of one that doesn't. */
export function createGuard({ store, hub, rules, agentWords, pipeline, mascot, clock, log }: GuardParts): Guard {
  const told = new Set<string>();
  /** Those that were answered in time, or told as missed: another hook may ask for the same one. */
  const seenCalls = new Set<string>();
  let gaps: readonly GuardGap[] = [];

  /** Of one that is judged it counts what runs now as well; of one that nobody judged only what ran then. */
  function untracked(event: AgentEvent, isJudged: boolean) {
    if (event.event_type !== 'tool_started' || !isGuarded(event) || event.payload.own_note === true) return undefined;
    const project = projectOf(event, hub.state(event.session_id));
    const rule = rules.of(project);
    if (rule.mode === 'off') return undefined;
    const all = store.work.items();
    // The project of this edit is unknown: any running item allows it, and none is named.
    if (project === '' && (!isJudged || all.some(({ status }) => status === 'running'))) return undefined;
    const items = all.filter((item) => item.project === project);
    const session = event.session_id;
    // By its status too: a clock that was set back would have it begin in the future.
    const runs = isJudged && items.some(({ status }) => status === 'running');
    if (runs || itemAt(items, { project, session, at: event.ts })) return undefined;
    return { rule, mode: rule.mode, project, items };
  }

  function judge(event: AgentEvent): Verdict | undefined {
    // GRD-3: a collector that hung finds the question when it goes on, long after the edit was made.
    if (clock.now() - Date.parse(event.ts) > HEARD_WITHIN_MS) {
      missed(event);
      return undefined;
    }
    const found = untracked(event, true);
    if (!found) return undefined;
    see(callKey(event));
    const { mode, ...rest } = found;
    const decision = mode === 'strict' ? 'denied' : 'warned';
    note(event, { type: 'untracked_edit', payload: { ...editWords(event), decision } });
    const isNamed = providerFor(event.provider).replies.knowsMascot;
    const { text, commands } = guardWords({
      event,
      ...rest,
      agentWords: agentWords(),
      mascot: isNamed ? 'mascot' : mascot,
    });
    const knows = isTold(event, mode);
    return { mode, commands, text: knows ? again : text };
  }

  function see(key: string): void {
    if (seenCalls.size >= TOLD_MAX) seenCalls.clear();
    seenCalls.add(key);
  }

  /** A model that has read it in this conversation needs no more than a word; one that was denied has to act on it. */
  function isTold({ agent_id: id }: AgentEvent, mode: TrackingMode): boolean {
    if (mode === 'strict') return false;
    if (told.has(id)) return true;
    if (told.size >= TOLD_MAX) told.clear();
    told.add(id);
    return false;
  }

  function note(event: AgentEvent, content: GuardContent): void {
    pipeline
      .record([noteOf(event, content)])
      .catch((error: unknown) => log.warn(`What the guard saw is not kept: ${String(error)}`));
  }

  function missed(event: AgentEvent): void {
    const found = untracked(event, false);
    const key = callKey(event);
    // By the hook that asked in vain, and by the question that came late.
    if (!found || seenCalls.has(key)) return;
    see(key);
    note(event, { type: 'guard_gap', payload: editWords(event) });
    const before = gaps.find(({ project }) => project === found.project);
    const gap = { project: found.project, count: (before?.count ?? 0) + 1, lastAt: event.ts };
    gaps = [...recent().filter((each) => each.project !== found.project), gap];
    log.warn(`The guard could not be asked for an edit in ${found.project}; it went through.`);
    hub.showGaps(gaps);
  }

  function recent(): readonly GuardGap[] {
    return gaps.filter(({ lastAt }) => clock.now() - Date.parse(lastAt) < GAP_SHOWN_MS);
  }

  return {
    judge,
    missed,
    gaps: (project) => recent().find((gap) => gap.project === project)?.count ?? 0,
  };
}

/** GRD-3: what a hook left behind that asked in vain. */
export function noticingGaps(pipeline: Pipeline, guard: Pick<Guard, 'missed'>): Pipeline {
  return {
    ...pipeline,
    async ingest(hook, isLive, asOf) {
      const ingested = await pipeline.ingest(hook, isLive, asOf);
      if (hook.meta.guard === 'asks' && ingested.event) guard.missed(ingested.event);
      return ingested;
    },
  };
}

const again = 'Agent Mascot: still no work item runs in this project; this edit is noted as untracked too.';

/** Told twice, of one call: by both hooks that are run for it. */
function callKey(event: AgentEvent): string {
  return `${event.session_id}/${callWords(event).tool_use_id ?? event.id}`;
}

function noteOf(event: AgentEvent, content: GuardContent): Observation {
  return {
    key: `${content.type}/${callKey(event)}`,
    ts: event.ts,
    provider: event.provider,
    sessionId: event.session_id,
    agentId: event.agent_id,
    source: 'synthetic',
    severity: 'warn',
    ...content,
  };
}

type GuardContent = Extract<EventContent, { readonly type: 'untracked_edit' | 'guard_gap' }>;

/** Which edit it was, and where. */
function editWords(event: AgentEvent): GuardContent['payload'] {
  const { tool_name, target, tool_use_id } = callWords(event);
  return given({
    cwd: event.payload.cwd,
    tool_name: shortText(tool_name),
    target: shortText(target),
    tool_use_id: shortText(tool_use_id),
  });
}
