import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent } from '../protocol/event.ts';
import type { SessionState } from '../protocol/stored.ts';
import { reduceSession } from './reduce.ts';
import { type Recording, recordingsFolder } from './recordings.testkit.ts';

/** What a person expects of one session of a recording, as written beside it. */
export interface ExpectedSession {
  readonly id: string;
  /** `time life phase words`, where one of them changes. */
  readonly timeline: readonly string[];
  /** `time:number` of visible agents, where it changes. */
  readonly present: readonly string[];
  /** The tree of all agents that were ever there, one a line, indented by two. */
  readonly agents: readonly string[];
  readonly counts: string;
  readonly tasks: readonly string[];
}

export function expectedFile({ name }: Recording): string {
  return path.join(recordingsFolder, name.replace(/\.jsonl$/, '.expected.txt'));
}

/** Undefined where nobody has written it yet. */
export function expectationsOf(recording: Recording): readonly ExpectedSession[] | undefined {
  const file = expectedFile(recording);
  return existsSync(file) ? parsed(readFileSync(file, 'utf8')) : undefined;
}

function parsed(text: string): readonly ExpectedSession[] {
  const sessions: {
    id: string;
    timeline: string[];
    present: string[];
    agents: string[];
    counts: string;
    tasks: string[];
  }[] = [];
  let into: string[] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const word = line.split(/\s+/, 1)[0] ?? '';
    const rest = line.replace(/^\S+\s+\S+\s*/, '');
    const current = sessions.at(-1);
    if (line.startsWith(' ')) into.push(line);
    else if (word === 'session') {
      into = [];
      sessions.push({ id: rest.trim(), timeline: into, present: [], agents: [], counts: '', tasks: [] });
    } else if (word === 'present' && current) current.present = rest.trim().split(/\s+/);
    else if (word === 'agents' && current) into = current.agents;
    else if (word === 'tasks' && current) into = current.tasks;
    else if (word === 'counts' && current) current.counts = rest.trim().replace(/\s+/g, ' ');
  }
  return sessions.map((each) => ({
    ...each,
    timeline: each.timeline.map((line) => line.trim().replace(/\s+/g, ' ')),
    agents: each.agents.map((line) => line.slice(2).trimEnd()),
    tasks: each.tasks.map((line) => line.trim()),
  }));
}

/** What the product makes of the same hooks, in the same form. */
export function replayed(
  hooks: readonly { readonly atMs: number; readonly events: readonly AgentEvent[] }[],
): readonly ExpectedSession[] {
  const seen = new Map<string, Watched>();
  for (const { atMs, events } of hooks) {
    for (const event of events) {
      const watched: Watched = seen.get(event.session_id) ?? newlyWatched();
      watched.state = reduceSession(watched.state, event);
      seen.set(event.session_id, watched);
    }
    for (const id of new Set(events.map((event) => event.session_id))) note(seen.get(id), atMs);
  }
  return [...seen].map(([id, watched]) => ({
    id: id.slice(0, 8),
    timeline: watched.timeline,
    present: watched.present,
    agents: treeOf(watched),
    counts: countsOf(watched),
    tasks: (watched.state?.session.tasks ?? []).map((task) => `${task.status} ${task.title}`),
  }));
}

interface Watched {
  state: SessionState | undefined;
  timeline: string[];
  present: string[];
  /** Parent and words of every agent that was ever there. */
  ever: Map<string, { parent: string | null; words: string }>;
}

function newlyWatched(): Watched {
  return { state: undefined, timeline: [], present: [], ever: new Map() };
}

function note(watched: Watched | undefined, atMs: number): void {
  if (!watched?.state) return;
  const standing = standingOf(watched.state);
  if (watched.timeline.at(-1)?.replace(/^\d+ /, '') !== standing) watched.timeline.push(`${atMs} ${standing}`);
  const here = watched.state.agents.filter(({ agent }) => agent.present);
  if (watched.present.at(-1)?.replace(/^\d+:/, '') !== String(here.length))
    watched.present.push(`${atMs}:${here.length}`);
  for (const { agent } of watched.state.agents) {
    if (!agent.present && !watched.ever.has(agent.id)) continue;
    const before = watched.ever.get(agent.id)?.words ?? '';
    const background = agent.kind === 'subagent' && (agent.background || before.includes('background'));
    const words = [
      agent.kind === 'main' ? 'main' : agent.type,
      background ? 'background' : '',
      agent.kind === 'teammate' ? 'teammate' : '',
    ];
    watched.ever.set(agent.id, { parent: agent.parentId, words: words.filter(Boolean).join(' ') });
  }
}

export function standingOf({ session }: SessionState): string {
  const { state, phase, phaseBecause: because } = session;
  const failed =
    because?.failure === undefined ? '' : session.provider === 'claude' ? `failed ${because.failure}` : 'failed';
  const words: Record<string, string> = {
    waiting_permission: because?.tool ?? '?',
    waiting_question: because?.detail === 'idle' ? `idle ${failed}` : (because?.tool ?? '?'),
    interactable: failed || (because?.detail === 'interrupted' ? 'interrupted' : ''),
  };
  return [state, phase ?? '-', phase === null ? '' : (words[phase] ?? '')].join(' ').trim();
}

function treeOf({ ever }: Watched): readonly string[] {
  const lines: string[] = [];
  const walk = (parent: string | null, depth: number) => {
    for (const [id, agent] of ever) {
      const isChild = agent.parent === parent || (parent === null && agent.parent !== null && !ever.has(agent.parent));
      if (!isChild || depth > ever.size) continue;
      lines.push(`${'  '.repeat(depth)}${agent.words}`);
      walk(id, depth + 1);
    }
  };
  walk(null, 0);
  return lines;
}

function countsOf({ state }: Watched): string {
  if (!state) return '';
  const { prompts, replies, toolCalls, failures, subagents } = state.session.counts;
  return `prompts ${prompts} replies ${replies} tools ${toolCalls} failures ${failures} subagents ${subagents}`;
}
