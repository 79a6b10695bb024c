import type { Agent } from '../../src/protocol/state.ts';

type Agents = ReadonlyMap<string, Agent>;

/** Who has left between two states and is to be seen going: `going` so far, without those that came back. */
export function departing(going: Agents, before: Agents, after: Agents): Agents {
  const next = new Map([...going].filter(([id]) => after.get(id)?.present !== true));
  for (const [id, agent] of before) {
    if (agent.present && after.get(id)?.present !== true) next.set(id, { ...(after.get(id) ?? agent), present: false });
  }
  return next;
}

/** Who has come between two states: `coming` so far, without those that left at once. */
export function arriving(coming: ReadonlySet<string>, before: Agents, after: Agents): ReadonlySet<string> {
  const next = new Set([...coming].filter((id) => after.get(id)?.present === true));
  if (after === before) return next;
  for (const [id, agent] of after) if (agent.present && before.get(id)?.present !== true) next.add(id);
  return next;
}
