import type { Agent, Mood, Session, Snapshot } from '../../src/protocol/state.ts';
import { moods } from '../../src/protocol/state.ts';
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
    startedAt: minutesAgo(30),
    lastEventAt: minutesAgo(0),
    counts: { prompts: 1, replies: 0, toolCalls: 0, failures: 0, subagents: 0, tokensIn: 0, tokensOut: 0 },
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
    startedAt: minutesAgo(30),
    ...changes,
  };
}

export function aSnapshot(sessions: readonly Session[], agents: readonly Agent[], revision = 1): Snapshot {
  return { revision, owner: null, sessions: [...sessions], agents: [...agents], workItems: [] };
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
    aSession({ id: 's1', title: 'Make the tide table load twice as fast', startedAt: minutesAgo(50) }),
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
