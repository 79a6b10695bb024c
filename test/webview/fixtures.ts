import type { Agent, Mood, Session, Snapshot } from '../../src/protocol/state.ts';
import { moods } from '../../src/protocol/state.ts';
import type { WorkItem } from '../../src/protocol/work.ts';
import type { ViewConfig } from '../../src/protocol/view.ts';
import { panelWords } from '../../src/vscode/panelWords.ts';

const MINUTE = 60_000;

export const englishConfig: ViewConfig = { motion: 'auto', locale: 'en', strings: panelWords };

export function minutesAgo(minutes: number): string {
  return new Date(Date.now() - minutes * MINUTE).toISOString();
}

export function aSession(changes: Partial<Session> & Pick<Session, 'id'>): Session {
  return {
    provider: 'claude',
    state: 'active',
    phase: 'busy',
    phaseBecause: { event: 'user_prompt', source: 'hook' },
    phaseSince: minutesAgo(2),
    cwd: '/home/sam/code/harbour',
    project: '/home/sam/code/harbour',
    workspace: 'harbour',
    title: '',
    model: '',
    permissionMode: 'default',
    source: 'startup',
    surface: 'terminal',
    seenIn: 'hooks',
    startedAt: minutesAgo(30),
    lastEventAt: minutesAgo(0),
    counts: { prompts: 1, replies: 0, toolCalls: 0, failures: 0, subagents: 0, tokensIn: 0, tokensOut: 0 },
    usage: null,
    tasks: [],
    background: 0,
    lastReply: null,
    ...changes,
  };
}

export function anAgent(changes: Partial<Agent> & Pick<Agent, 'id' | 'sessionId'>): Agent {
  return {
    parentId: null,
    kind: 'main',
    name: 'Pico',
    type: '',
    mood: 'thinking',
    moodSince: minutesAgo(1),
    present: true,
    avatarSeed: seedOf(changes.id),
    employmentType: 'contractor',
    source: 'runtime_agent',
    wait: null,
    activity: null,
    says: null,
    task: null,
    team: null,
    background: false,
    talksTo: null,
    startedAt: minutesAgo(30),
    ...changes,
  };
}

/** One that runs. */
export function aWorkItem(changes: Partial<WorkItem> & Pick<WorkItem, 'id'>): WorkItem {
  const project = '/home/sam/code/harbour';
  return {
    ...{ key: `harbour/${changes.id}`, title: `Do ${changes.id}`, status: 'running', dependencies: [], project },
    ...{ createdAt: minutesAgo(20), startedAt: minutesAgo(10), workers: [], sessions: [], files: [], touches: [] },
    ...changes,
  };
}

export function aSnapshot(sessions: readonly Session[], agents: readonly Agent[], revision = 1): Snapshot {
  return { revision, owner: null, sessions: [...sessions], agents: [...agents], workItems: [], guardGaps: [] };
}

function seedOf(text: string): number {
  let hash = 2166136261;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
  return hash >>> 0;
}

/** The panels that the pictures show, by the number of agents in them. */
export const scenes = {
  0: () => aSnapshot([], []),
  1: oneAgent,
  5: fiveAgents,
  40: fortyAgents,
} as const;

/** Every state that a session's head can show, and a team with a nested sub-agent. */
export function allStates(): Snapshot {
  const at = (id: string, changes: Partial<Session>): Session =>
    aSession({ id, project: `/home/sam/code/${id}`, cwd: `/home/sam/code/${id}`, ...changes });
  const mate = (id: string, changes: Partial<Agent>): Agent =>
    anAgent({ id: `team/${id}`, sessionId: 'team', parentId: 'team/main', kind: 'subagent', ...changes });
  const sessions = [
    at('team', {
      phase: 'interactable',
      phaseBecause: { event: 'turn_ended', source: 'hook' },
      background: 2,
      model: 'sonnet-5',
      usage: { tokensCached: 0, contextUsed: 182_000, contextWindow: 200_000 },
    }),
    at('stopped', {
      phase: 'interactable',
      phaseBecause: { event: 'turn_ended', source: 'transcript', detail: 'interrupted' },
    }),
    at('corrected', {
      phase: 'waiting_permission',
      phaseBecause: { event: 'agent_blocked', source: 'synthetic', by: 'status_file' },
      surface: 'panel',
    }),
    at('limited', {
      phase: 'interactable',
      phaseBecause: { event: 'turn_ended', source: 'hook', detail: 'rate_limit', failure: 'rate_limit' },
    }),
    at('sleeper', {
      state: 'idle',
      phase: null,
      phaseBecause: { event: 'idle', source: 'synthetic', by: 'silence' },
      phaseSince: minutesAgo(20),
      usage: { tokensCached: 0, contextUsed: 45_200, contextWindow: null },
    }),
    at('killed', {
      state: 'stale',
      phase: null,
      phaseBecause: { event: 'agent_stopped', source: 'synthetic', by: 'process' },
      phaseSince: minutesAgo(1),
      endReason: 'process_gone',
      endedAt: minutesAgo(1),
    }),
    at('unconnected', { phase: null, phaseBecause: null, phaseSince: null, seenIn: 'transcript', surface: 'unknown' }),
    at('overheard', {
      phaseBecause: { event: 'notification', source: 'synthetic', by: 'status_file' },
      seenIn: 'transcript',
    }),
    at('robot', { surface: 'headless' }),
  ];
  const agents = [
    anAgent({ id: 'team/main', sessionId: 'team', name: 'Juno', mood: 'resting' }),
    mate('lead', { name: 'Waffle', type: 'Plan', task: 'Split the work', background: true, startedAt: minutesAgo(20) }),
    mate('deep', {
      name: 'Nori',
      parentId: 'team/lead',
      task: 'Fake sub job',
      mood: 'reading',
      startedAt: minutesAgo(19),
    }),
    mate('deeper', { name: 'Mochi', parentId: 'team/deep', type: 'Explore', startedAt: minutesAgo(18) }),
    mate('deep2', { name: 'Pepper', parentId: 'team/lead', mood: 'running', startedAt: minutesAgo(17) }),
    mate('rex', { name: 'rex', kind: 'teammate', team: 'harbour crew', type: 'reviewer', startedAt: minutesAgo(16) }),
    ...sessions.slice(1).flatMap(({ id }) =>
      id === 'killed'
        ? []
        : [
            anAgent({
              id: `${id}/main`,
              sessionId: id,
              name: id.slice(0, 5),
              mood: id === 'sleeper' ? 'sleeping' : id === 'corrected' ? 'waiting' : 'resting',
              wait: id === 'corrected' ? { kind: 'permission', since: minutesAgo(2), inferred: true } : null,
            }),
          ],
    ),
  ];
  return aSnapshot(sessions, agents);
}

/** One session with that many agents, every fourth below the one before it. */
export function crowded(count: number): Snapshot {
  const agents = Array.from({ length: count }, (_, index) =>
    anAgent({
      id: `s/${index}`,
      sessionId: 's',
      kind: index === 0 ? 'main' : 'subagent',
      parentId: index === 0 ? null : index % 4 === 3 ? `s/${index - 1}` : 's/0',
      name: `Pico ${index}`,
      type: index === 0 ? '' : 'Explore',
      mood: moods[index % 9] ?? 'thinking',
      startedAt: new Date(Date.UTC(2026, 0, 1) + index).toISOString(),
    }),
  );
  return aSnapshot([aSession({ id: 's', title: 'A long day' })], agents);
}

function oneAgent(): Snapshot {
  return aSnapshot(
    [aSession({ id: 's1', title: 'Make the tide table load twice as fast', phaseSince: minutesAgo(4) })],
    [
      anAgent({
        id: 's1/main',
        sessionId: 's1',
        name: 'Juno',
        mood: 'writing',
        activity: {
          tool: 'Edit',
          mood: 'writing',
          target: '/home/sam/code/harbour/src/tides/table.ts',
          since: minutesAgo(1),
        },
        says: 'The table is parsed again on every scroll. I will keep the parsed rows and only format what is in view.',
      }),
    ],
  );
}

function fiveAgents(): Snapshot {
  const orchard = { cwd: '/home/sam/code/orchard', project: '/home/sam/code/orchard', workspace: 'orchard' };
  const sessions = [
    aSession({
      id: 's1',
      title: 'Make the tide table load twice as fast',
      startedAt: minutesAgo(50),
      model: 'opus-5',
      usage: { tokensCached: 61_000, contextUsed: 84_000, contextWindow: 200_000 },
      counts: { prompts: 3, replies: 2, toolCalls: 41, failures: 1, subagents: 2, tokensIn: 91_400, tokensOut: 12_300 },
      tasks: [
        { id: '1', title: 'Measure the parser', status: 'completed' },
        { id: '2', title: 'Keep the parsed rows', status: 'completed' },
        { id: '3', title: 'Format only what is in view', status: 'in_progress' },
        { id: '4', title: 'Write the test', status: 'pending' },
        { id: '5', title: 'Ask for the old browsers', status: 'failed' },
      ],
    }),
    aSession({
      ...orchard,
      id: 's2',
      worktree: 'fix-login',
      title: 'Find out why the login test is flaky',
      phase: 'waiting_permission',
      phaseBecause: { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'npm test -- --grep login' },
      phaseSince: minutesAgo(3),
      startedAt: minutesAgo(40),
    }),
    aSession({
      id: 's3',
      cwd: '/home/sam/code/quiet-notes',
      project: '/home/sam/code/quiet-notes',
      title: 'Write the release notes',
      phase: 'interactable',
      phaseBecause: { event: 'turn_ended', source: 'hook' },
      phaseSince: minutesAgo(75),
      startedAt: minutesAgo(90),
    }),
  ];
  const agents = [
    anAgent({
      id: 's1/main',
      sessionId: 's1',
      name: 'Juno',
      mood: 'delegating',
      activity: { tool: 'Agent', mood: 'delegating', target: 'Measure the parser', since: minutesAgo(1) },
      says: 'Two of us look at it: one measures, one reads.',
    }),
    anAgent({
      id: 's1/a',
      sessionId: 's1',
      parentId: 's1/main',
      kind: 'subagent',
      name: 'Waffle',
      type: 'Explore',
      task: 'Find who parses the table',
      mood: 'searching',
      activity: { tool: 'Grep', mood: 'searching', target: 'parseTable\\(', since: minutesAgo(1) },
    }),
    anAgent({
      id: 's1/b',
      sessionId: 's1',
      parentId: 's1/main',
      kind: 'subagent',
      name: 'Truffle',
      type: 'general-purpose',
      task: 'Measure the parser',
      background: true,
      mood: 'reading',
      activity: {
        tool: 'Read',
        mood: 'reading',
        target: '/home/sam/code/harbour/src/tides/parse.ts',
        since: minutesAgo(1),
      },
      startedAt: minutesAgo(20),
    }),
    anAgent({
      id: 's2/main',
      sessionId: 's2',
      name: 'Biscuit',
      mood: 'waiting',
      wait: { kind: 'permission', since: minutesAgo(3), tool: 'Bash', target: 'npm test -- --grep login' },
    }),
    anAgent({
      id: 's3/main',
      sessionId: 's3',
      name: 'Clover',
      mood: 'resting',
      says: 'The notes are in CHANGELOG.md, grouped by what people will notice first.',
    }),
  ];
  return aSnapshot(sessions, agents);
}

function fortyAgents(): Snapshot {
  const names = [
    'Pico',
    'Mochi',
    'Tango',
    'Juno',
    'Biscuit',
    'Nori',
    'Waffle',
    'Pepper',
    'Sunny',
    'Clover',
    'Maple',
    'Ziggy',
  ];
  const projects = [
    'harbour',
    'orchard',
    'quiet-notes',
    'lighthouse',
    'meadow-api',
    'tiny-compiler',
    'atlas',
    'bakery',
    'comet',
    'dune',
  ];
  const phases = [
    'waiting_permission',
    'busy',
    'busy',
    'interactable',
    'waiting_question',
    'busy',
    'busy',
    'interactable',
    'busy',
    null,
  ] as const;
  const targets: Partial<Record<Mood, string>> = {
    reading: '/home/sam/code/x/src/server/routes.ts',
    writing: '/home/sam/code/x/src/app/session.ts',
    running: 'npm run build && npm test',
    searching: 'createServer',
    browsing: 'https://developer.mozilla.org/docs/Web/CSS/color-mix',
    delegating: 'Check the migrations',
  };
  const sessions: Session[] = [];
  const agents: Agent[] = [];
  projects.forEach((project, index) => {
    const id = `s${index}`;
    const phase = phases[index] ?? null;
    const folder = `/home/sam/code/${project}`;
    sessions.push(
      aSession({
        id,
        cwd: folder,
        project: folder,
        phase,
        state: phase === null ? 'idle' : 'active',
        title: `Task number ${index + 1}`,
        phaseSince: phase === null ? null : minutesAgo(index * 7),
        startedAt: minutesAgo(200 - index),
      }),
    );
    for (let place = 0; place < 4; place += 1) {
      const waiting = place === 0 && (phase === 'waiting_permission' || phase === 'waiting_question');
      const mood: Mood = waiting
        ? phase === 'waiting_permission'
          ? 'waiting'
          : 'asking'
        : phase === null
          ? 'sleeping'
          : (moods[(index * 4 + place) % 9] ?? 'thinking');
      const target = targets[mood];
      agents.push(
        anAgent({
          id: `${id}/${place}`,
          sessionId: id,
          parentId: place === 0 ? null : `${id}/0`,
          kind: place === 0 ? 'main' : 'subagent',
          type: place === 0 ? '' : 'Explore',
          name: names[(index * 5 + place * 3) % names.length] ?? 'Pico',
          mood,
          activity: target === undefined ? null : { tool: 'Tool', mood, target, since: minutesAgo(1) },
          wait: waiting
            ? { kind: mood === 'asking' ? 'question' : 'permission', since: minutesAgo(3), tool: 'Bash' }
            : null,
          startedAt: minutesAgo(100 - place),
        }),
      );
    }
  });
  return aSnapshot(sessions, agents);
}
