import type { Agent, Snapshot } from '../../src/protocol/state.ts';
import type { Story, StoryStep } from '../../src/protocol/story.ts';
import type { HostMessage } from '../../src/protocol/view.ts';
import { aSession, aSnapshot, anAgent, minutesAgo, scenes } from './fixtures.ts';

/** What the host sends for one picture of the panel, after its configuration. */
export interface Scene {
  readonly state: Snapshot;
  readonly after: readonly HostMessage[];
  /** Whose card is opened by hand. */
  readonly opens?: string;
}

function aStep(id: number, changes: Partial<StoryStep>): StoryStep {
  return { id: String(id), ts: minutesAgo(id), agentId: 's1/main', kind: 'tool', ...changes };
}

const tides = '/home/sam/code/harbour/src/tides';

/** The story of `s1` in the scene of five agents: every kind of step that its card tells, newest first. */
export function aStory(): Story {
  const steps: readonly StoryStep[] = [
    aStep(0, { tool: 'Edit', mood: 'writing', target: `${tides}/table.ts` }),
    aStep(1, { kind: 'tool_failed', tool: 'Bash', mood: 'running', target: 'npm test', text: 'Exit code 1: 2 failed' }),
    aStep(2, { kind: 'answered' }),
    aStep(3, { kind: 'waits', tool: 'Bash', mood: 'waiting', target: 'rm -rf build' }),
    aStep(4, { agentId: 's1/a', tool: 'Grep', mood: 'searching', target: 'parseTable\\(' }),
    aStep(5, { agentId: 's1/b', tool: 'Read', mood: 'reading', target: `${tides}/parse.ts` }),
    aStep(6, { agentId: 's1/b', kind: 'agent_started', text: 'Measure the parser' }),
    aStep(7, { tool: 'Agent', mood: 'delegating', target: 'Measure the parser' }),
    aStep(8, { tool: 'WebFetch', mood: 'browsing', target: 'https://www.example.org/tides' }),
    aStep(9, { tool: 'Bash', mood: 'running', target: 'npm test' }),
    aStep(12, { kind: 'prompt', text: 'Make the tide table load **twice** as fast' }),
    aStep(30, { kind: 'session_started' }),
  ];
  const files = ['table.ts', 'parse.ts', 'format.ts', 'rows.ts', 'view.ts', 'cache.ts', 'index.css', 'table.test.ts'];
  return {
    sessionId: 's1',
    steps: [...steps],
    files: files.map((name, index) => ({
      path: `${tides}/${name}`,
      change: index % 3 === 0 ? 'written' : 'read',
      at: minutesAgo(index),
      agentId: index === 1 ? 's1/b' : 's1/main',
    })),
  };
}

/** The five agents, with the transcript's place known. */
export function cardState(): Snapshot {
  const state = scenes[5]();
  const transcriptPath = '/home/sam/.claude/projects/harbour/s1.jsonl';
  return { ...state, sessions: state.sessions.map((one) => (one.id === 's1' ? { ...one, transcriptPath } : one)) };
}

/** A lead and two team-mates, one of whom has just written to the other. */
export function teamState(writtenAt = minutesAgo(0)): Snapshot {
  const mate = (id: string, changes: Partial<Agent>): Agent =>
    anAgent({ id: `t/${id}`, sessionId: 't', parentId: 't/main', kind: 'teammate', team: 'harbour crew', ...changes });
  return aSnapshot(
    [aSession({ id: 't', title: 'Review the tide table together' })],
    [
      anAgent({ id: 't/main', sessionId: 't', name: 'Juno', mood: 'thinking' }),
      mate('ada', {
        name: 'ada',
        type: 'builder',
        mood: 'writing',
        activity: { tool: 'Edit', mood: 'writing', target: `${tides}/table.ts`, since: minutesAgo(2) },
        says: 'I **keep** the parsed rows in `rows.ts`; please look at [the diff](https://example.org/1).',
        talksTo: { id: 't/rex', at: writtenAt },
        startedAt: minutesAgo(20),
      }),
      mate('rex', { name: 'rex', type: 'reviewer', mood: 'reading', startedAt: minutesAgo(19) }),
    ],
  );
}

/** A pinned mascot with a name of the person's, and two that are hidden. */
export function castState(): Snapshot {
  const state = scenes[5]();
  const changes: Readonly<Record<string, Partial<Agent>>> = {
    's3/main': { name: 'Captain', ownName: 'Clover', pinnedAt: minutesAgo(60), employmentType: 'employee' },
    's1/b': { pinnedAt: minutesAgo(50), employmentType: 'employee' },
    's1/a': { hidden: true },
    's2/main': { hidden: true },
  };
  return { ...state, agents: state.agents.map((agent) => ({ ...agent, ...changes[agent.id] })) };
}

/** The panels with what a person opened, chose or left out; the configuration of each is in `castConfigs`. */
export const castScenes = {
  card: (): Scene => ({
    state: cardState(),
    after: [{ type: 'story', sessionId: 's1', story: aStory() }],
    opens: 's1/main',
  }),
  team: (): Scene => ({ state: teamState(), after: [] }),
  cast: (): Scene => ({ state: castState(), after: [] }),
  elsewhere: (): Scene => ({ state: scenes[5](), after: [{ type: 'elsewhere', sessionIds: ['s2', 's3'] }] }),
  away: (): Scene => ({ state: scenes[5](), after: [{ type: 'elsewhere', sessionIds: ['s1', 's2', 's3'] }] }),
  veiled: (): Scene => {
    const state = scenes[1]();
    return { state: { ...state, agents: state.agents.map((agent) => ({ ...agent, hidden: true })) }, after: [] };
  },
} as const;
