/** Runs whose hooks are counted: what our collector got of each, and what the person saw of it. */
import { ownHooksRan } from './ownSettings.ts';
import type { Lab } from './lab.ts';
import type { LabAgent } from './terminal.ts';
import type { AgentVersion } from './program.mjs';

export const runKinds = ['headless', 'failing', 'interactive'] as const;
export type RunKind = (typeof runKinds)[number];

/** What was seen of one run from outside. */
export interface Seen {
  readonly project: string;
  readonly code: number | null;
  /** Everything that a person could read: both outputs, or the screen. */
  readonly shown: string;
}

export interface RunOptions {
  /** Another person's HOME; no collector hears of it. */
  readonly home?: string;
  readonly project?: string;
}

const always = ['SessionStart', 'UserPromptSubmit'] as const;
const whole = [...always, 'PreToolUse', 'PostToolUse', 'Stop', 'SessionEnd'] as const;

/** What a failed request fires differs: a newer agent has a name of its own for it, which only the larger set listens to. */
const failed: Readonly<Record<AgentVersion, readonly string[]>> = {
  latest: [...always, 'StopFailure', 'SessionEnd'],
  '2.1.100': [...always, 'SessionEnd'],
  '2.0.77': [...always, 'Stop', 'SessionEnd'],
};

export function expectedHooks(version: AgentVersion, kind: RunKind): readonly string[] {
  return (kind === 'failing' ? failed[version] : whole).toSorted();
}

export async function runOnce(lab: Lab, kind: RunKind, options: RunOptions = {}): Promise<Seen> {
  if (kind === 'interactive') return atTerminal(lab, options);
  const env = { CLAUDE_CODE_MAX_RETRIES: '0' };
  // The tool is allowed by the person's own settings alone.
  const play = kind === 'failing' ? 'failure' : 'allowed';
  const { project, ran } = await lab.print(`play:${play} please`, { ...options, env, allow: [] });
  return { project, code: ran.code, shown: `${ran.stdout}\n---\n${ran.stderr}` };
}

async function atTerminal(lab: Lab, options: RunOptions): Promise<Seen> {
  const heard = options.home === undefined;
  const agent = await lab.start({ ...options, allow: ['Bash'], heard });
  try {
    if (!heard) await agent.until('their own hook', () => ownHooksRan(agent.project).includes('SessionStart'));
    const said = await agent.say('play:command please');
    await insist(agent, (withinMs) => lab.watch.seePlayed('command', 0, said, withinMs));
    await agent.screenShows(/That is all/);
    await agent.say('/exit');
    await insist(agent, (withinMs) => agent.over(withinMs));
    return { project: agent.project, code: 0, shown: await agent.everythingShown() };
  } finally {
    await agent.close();
  }
}

/** On a busy machine an old version misses an Enter now and then. */
async function insist(agent: LabAgent, sign: (withinMs: number) => Promise<unknown>): Promise<void> {
  const taken = await sign(5_000).then(
    () => true,
    () => false,
  );
  if (taken) return;
  await agent.press('Enter');
  await sign(15_000);
}

interface Page {
  readonly items: readonly {
    readonly source: string;
    readonly session_id: string;
    readonly raw: { readonly hook_event_name?: string };
  }[];
  readonly next: string | null;
}

const LATE_MS = 10_000;

/** Names of the hooks of a project's sessions that the collector took in, in its order; waits for the end of the last session. */
export async function arrivedHooks(lab: Lab, project: string): Promise<readonly string[]> {
  const is = ({ sessions }: { sessions: readonly { state: string }[] }) =>
    sessions.length > 0 && sessions.every(({ state }) => state === 'completed');
  // A session whose last hook was lost never ends so: what is there after a while is counted all the same.
  await lab.watch.see({ project, what: 'the end', after: 0, withinMs: LATE_MS, is }).catch(() => undefined);
  return hooksSoFar(lab, project);
}

export async function hooksSoFar(lab: Lab, project: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const id of lab.watch.sessionsOf(project)) {
    let next: string | null = '';
    while (next !== null) {
      const cursor: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
      const page = (await lab.get(`/api/sessions/${id}/events?limit=500${cursor}`)) as Page;
      for (const { source, raw } of page.items) if (source === 'hook') names.push(raw.hook_event_name ?? '?');
      ({ next } = page);
    }
  }
  return names;
}

/** Old versions start helpers of their own at every start, whose hooks may be cut off by the agent's end. */
export function ofMainAgent(names: readonly string[]): readonly string[] {
  return names.filter((name) => !name.startsWith('Subagent'));
}

export interface Count {
  readonly version: AgentVersion;
  readonly kind: RunKind;
  readonly arrived: readonly string[];
  readonly own: readonly string[];
  readonly seen: Seen;
}

/** One run with our hooks, from its start to what came of it. */
export async function countedRun(lab: Lab, version: AgentVersion, kind: RunKind): Promise<Count> {
  const seen = await runOnce(lab, kind);
  const arrived = (await arrivedHooks(lab, seen.project)).toSorted();
  return { version, kind, arrived, own: ownHooksRan(seen.project).toSorted(), seen };
}

/** What no screen may show: a hook's failure, a command of ours, a path of ours. */
export function tracesOn(shown: string): readonly string[] {
  const lines = shown.split('\n').filter((line) => /\bhooks?\b|\.agent-mascot|#agent-mascot/i.test(line));
  // While hooks run, whosever they are, an older version counts them beside its spinner, and may leave the line there.
  return lines.filter((line) => !/\brunning \w+ hooks?…/i.test(line));
}
