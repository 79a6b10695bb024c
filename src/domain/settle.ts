import type { Agent, Mood } from '../protocol/state.ts';

interface Passing {
  readonly ms: number;
  readonly then: Mood;
}

/** AGT-3: moods that pass by themselves. A celebration lasts as long as it takes to be noticed, an arrival as long as its animation. */
const passing: Partial<Record<Mood, Passing>> = {
  arriving: { ms: 3_000, then: 'resting' },
  celebrating: { ms: 4_000, then: 'resting' },
};

/** The agent as it looks at `now`; the same object when nothing has passed. */
export function settle(agent: Agent, now: number): Agent {
  const end = settlesAt(agent);
  const rule = passing[agent.mood];
  if (end === undefined || rule === undefined || now < end) return agent;
  return { ...agent, mood: rule.then, moodSince: new Date(end).toISOString() };
}

/** When its mood passes (ms since the epoch), if it does. */
export function settlesAt(agent: Agent): number | undefined {
  const rule = passing[agent.mood];
  return rule === undefined || !agent.present ? undefined : Date.parse(agent.moodSince) + rule.ms;
}
