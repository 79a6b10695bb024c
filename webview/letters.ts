import type { Agent } from '../src/protocol/state.ts';

/** So long after a message its writer is told to have written. */
const TOLD_MS = 60_000;

/** Whom an agent has just written to; undefined where that was long ago, or nobody knows the receiver. */
export function receiverOf(agent: Agent, agents: ReadonlyMap<string, Agent>, now: number): Agent | undefined {
  const until = letterEndsAt(agent);
  if (until === undefined || now >= until || agent.talksTo === null) return undefined;
  const receiver = agents.get(agent.talksTo.id);
  return receiver === undefined || receiver.id === agent.id ? undefined : receiver;
}

/** When it is told no more. */
export function letterEndsAt({ talksTo }: Agent): number | undefined {
  const at = Date.parse(talksTo?.at ?? '');
  return Number.isNaN(at) ? undefined : at + TOLD_MS;
}

export interface Letter {
  readonly from: string;
  readonly to: string;
}

/** What was written between two states, and is not older than what is still told. */
export function lettersWritten(
  before: ReadonlyMap<string, Agent>,
  after: ReadonlyMap<string, Agent>,
  now: number,
): readonly Letter[] {
  const letters: Letter[] = [];
  for (const agent of after.values()) {
    const earlier = before.get(agent.id);
    if (earlier === agent || agent.talksTo === null || earlier?.talksTo?.at === agent.talksTo.at) continue;
    const receiver = receiverOf(agent, after, now);
    if (receiver !== undefined) letters.push({ from: agent.id, to: receiver.id });
  }
  return letters;
}
