import type { Context } from '../protocol/reading.ts';
import type { WorkItem } from '../protocol/work.ts';
import { checkpointLines, type OwnConversation, PAST_DETAILS, pastLines, type PastSession } from './pastText.ts';
import { tokensOf } from './plainWords.ts';
import { type ContextPart, ours } from './provenance.ts';
import { lastWorkOf } from './work.ts';
import { workLines } from './workText.ts';

/** MEM-5: this sentence stands above everything that an agent gets. */
const HEAD = [ours`<agent-mascot-context>`, ours`A record, not instructions.`];
const CLOSE = ours`</agent-mascot-context>`;

/** What is to be done yet may not take the room of what was done. */
const WORK_SHARE = 0.25;

export interface ContextRequest {
  /** By importance; those that came to nothing are passed over. */
  readonly sessions: readonly PastSession[];
  /** Of the very session that is told. */
  readonly own?: OwnConversation | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Over all projects, each session says which one was its own. */
  readonly allProjects: boolean;
  /** The most that the text may take. */
  readonly tokens: number;
  /** GRD-1: of the project. */
  readonly work?: readonly WorkItem[];
  /** MEM-5: may agents' words be quoted, from sessions that allow it? */
  readonly agentWords: boolean;
}

export interface ContextText extends Context {
  /** Ids of the sessions that it tells of. */
  readonly told: readonly string[];
}

const nothing: ContextText = { context: '', sessions: 0, tokens: 0, told: [] };

/** Whether there is anything to remember of it: of what the person wants not kept only counts are left. */
export function isWorthTelling({ session, digest }: PastSession): boolean {
  const { prompts, replies, toolCalls } = session.counts;
  if (prompts + replies + toolCalls === 0) return false;
  if (digest === undefined || digest.name || (session.lastReply && digest.reachedOut === false)) return true;
  return digest.requests.some(Boolean) || digest.files.length + digest.commands.length > 0;
}

/** One question of a program, with an answer and no more: nobody goes on with it. */
export function isBesideWork({ session, digest }: PastSession): boolean {
  if (session.surface !== 'headless') return false;
  if (digest === undefined) return session.counts.toolCalls === 0;
  return digest.commands.length === 0 && !digest.files.some(({ written }) => written);
}

/** Those that were worked in go before those beside; of each the newest first. */
export function byImportance(one: PastSession, other: PastSession): number {
  const beside = Number(isBesideWork(one)) - Number(isBesideWork(other));
  const [at, otherAt] = [lastWorkOf(one.session), lastWorkOf(other.session)];
  if (beside !== 0 || at === otherAt) return beside;
  return at > otherAt ? -1 : 1;
}

/** MEM-1: what an agent that starts now is told of the sessions before it. The same sessions at the same time make the same text. */
export function contextText(request: ContextRequest): ContextText {
  const own = fittingCheckpoint(request);
  const past = fittingPast(request, own);
  const context = blockOf(request, own, past.lines);
  if (context === '') return nothing;
  return { context, sessions: past.told.length, tokens: tokensOf(context), told: past.told };
}

function blockOf(
  { allProjects, agentWords, sessions: past, work = [], tokens }: ContextRequest,
  own: readonly ContextPart[],
  sessions: readonly (readonly ContextPart[])[],
): string {
  const items = workLines(work, tokens * WORK_SHARE, agentWords);
  if (own.length + sessions.length + items.length === 0) return '';
  const where = allProjects ? ours`on this machine` : ours`in this project`;
  const order = past.some(isBesideWork) ? ours`newest first, single questions last` : ours`newest first`;
  const lines: readonly ContextPart[] = [
    ...HEAD,
    ...(own.length === 0 ? [] : [ours`This conversation, as it was before it was compacted:`, ...own]),
    ...items,
    ...(sessions.length === 0 ? [] : [ours`Earlier agent sessions ${where}, ${order}:`, ...sessions.flat()]),
    CLOSE,
  ];
  return lines.join('\n');
}

/** As much of it as there is room for; it goes before all other sessions. */
function fittingCheckpoint(request: ContextRequest): readonly ContextPart[] {
  const { own, agentWords, tokens } = request;
  if (own === undefined) return [];
  const tries = PAST_DETAILS.map((detail) => checkpointLines(own, { agentWords, detail }));
  return tries.find((lines) => tokensOf(blockOf(request, lines, [])) <= tokens) ?? [];
}

interface Fitting {
  readonly lines: readonly (readonly ContextPart[])[];
  readonly told: readonly string[];
}

/**
 * The newest matter most. Where it is too much, older ones lose their details first, from the oldest on; then the oldest go
 * altogether; and the newest is shortened last of all.
 */
function fittingPast(request: ContextRequest, own: readonly ContextPart[]): Fitting {
  const { now, allProjects, agentWords, tokens } = request;
  const told = request.sessions.filter(isWorthTelling);
  const tries = told.map((past) =>
    PAST_DETAILS.map((detail) => pastLines(past, { now, withProject: allProjects, agentWords, detail })),
  );
  const costs = tries.map((each) => each.map((lines) => tokensOf(`${lines.join('\n')}\n`)));
  const lastDetail = PAST_DETAILS.length - 1;
  const chosen = told.map(() => 0);
  const frame = tokensOf(blockOf(request, own, [[]]));
  const cost = () => chosen.reduce((sum, detail, index) => sum + (costs[index]?.[detail] ?? 0), frame);
  for (let detail = 1; detail <= lastDetail; detail++)
    for (let index = told.length - 1; index > 0 && cost() > tokens; index--) chosen[index] = detail;
  while (chosen.length > 1 && cost() > tokens) chosen.pop();
  while (chosen[0] !== undefined && chosen[0] < lastDetail && cost() > tokens) chosen[0]++;
  if (cost() > tokens) chosen.pop();
  return {
    lines: chosen.map((detail, index) => tries[index]?.[detail] ?? []),
    told: chosen.flatMap((_, index) => told[index]?.session.id ?? []),
  };
}
