import type { Agent, Session } from '../../src/protocol/state.ts';
import type { ServerFrame } from '../../src/protocol/wire.ts';
import type { Played } from './model.ts';

/** The sessions of one project, oldest first, and their agents. */
export interface View {
  readonly sessions: readonly Session[];
  readonly agents: readonly Agent[];
}

export interface Sighting {
  /** When the frame arrived that first showed it. */
  readonly at: number;
  readonly view: View;
}

export interface Look {
  readonly project: string;
  readonly what: string;
  /** Only what arrived later than this counts, and it must not have been so before. */
  readonly after: number;
  readonly withinMs: number;
  is(view: View): boolean;
}

interface Moment {
  readonly at: number;
  readonly sessions: ReadonlyMap<string, Session>;
  readonly agents: ReadonlyMap<string, Agent>;
}

/** Everything that `/ws` said, with its time of arrival, and questions about it. */
export interface Watch {
  frame(at: number, frame: ServerFrame): void;
  played(what: Played): void;
  see(look: Look): Promise<Sighting>;
  /** When this reply of the scripted model was sent; the first one since `after`. */
  seePlayed(play: string, step: number, after: number, withinMs?: number): Promise<number>;
  /** All replies since then, in order. */
  playedSince(after: number): readonly Played[];
  /** Ids of the project's sessions as they were last, oldest first. */
  sessionsOf(project: string): readonly string[];
  /** For each session of the project what it went through: its phases, and its state where it has no phase. */
  stories(project: string): string[][];
}

export function createWatch(): Watch {
  const moments: Moment[] = [{ at: 0, sessions: new Map(), agents: new Map() }];
  const plays: Played[] = [];
  const listeners = new Set<() => void>();

  const changed = () => {
    for (const listener of listeners) listener();
  };

  /** Resolves with the first answer that is not undefined: now, or after some later change. */
  function eventually<T>(answer: () => T | undefined, withinMs: number, otherwise: () => string): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(new Error(otherwise()))), withinMs);
      const look = () => {
        const found = answer();
        if (found !== undefined) settle(() => resolve(found));
      };
      const settle = (end: () => void) => {
        clearTimeout(timer);
        listeners.delete(look);
        end();
      };
      listeners.add(look);
      look();
    });
  }

  return {
    frame(at, frame) {
      moments.push(afterFrame(moments.at(-1)!, at, frame));
      changed();
    },
    played(what) {
      plays.push(what);
      changed();
    },
    async see({ project, what, after, withinMs, is }) {
      const before = moments.findLast(({ at }) => at <= after);
      if (before && is(viewOf(before, project))) throw new Error(`${what}: it was so already`);
      const seconds = withinMs / 1_000;
      return eventually(
        () => {
          const moment = moments.find((each) => each.at > after && is(viewOf(each, project)));
          return moment && { at: moment.at, view: viewOf(moment, project) };
        },
        withinMs,
        () => `${what}: not within ${seconds} s; it went ${JSON.stringify(storiesOf(moments, project))}`,
      );
    },
    async seePlayed(play, step, after, withinMs = 20_000) {
      const played = () => plays.find((each) => each.play === play && each.step === step && each.at > after)?.at;
      return eventually(played, withinMs, () => `the model was not asked for reply ${step} of "${play}"`);
    },
    playedSince: (after) => plays.filter(({ at }) => at > after),
    sessionsOf: (project) => viewOf(moments.at(-1)!, project).sessions.map(({ id }) => id),
    stories: (project) => storiesOf(moments, project),
  };
}

function afterFrame(last: Moment, at: number, frame: ServerFrame): Moment {
  if (frame.type === 'snapshot') return { at, sessions: byId(frame.state.sessions), agents: byId(frame.state.agents) };
  return {
    at,
    sessions: replaced(last.sessions, frame.sessions, frame.removedSessions),
    agents: replaced(last.agents, frame.agents, frame.removedAgents),
  };
}

function byId<T extends { readonly id: string }>(all: readonly T[]): Map<string, T> {
  return new Map(all.map((entity) => [entity.id, entity]));
}

function replaced<T extends { readonly id: string }>(
  old: ReadonlyMap<string, T>,
  changed: readonly T[],
  removed: readonly string[],
): Map<string, T> {
  const next = new Map([...old, ...byId(changed)]);
  for (const id of removed) next.delete(id);
  return next;
}

function viewOf({ sessions, agents }: Moment, project: string): View {
  const here = [...sessions.values()].filter((session) => session.project === project);
  const ids = new Set(here.map(({ id }) => id));
  return {
    sessions: here.toSorted((a, b) => a.startedAt.localeCompare(b.startedAt)),
    agents: [...agents.values()].filter(({ sessionId }) => ids.has(sessionId)),
  };
}

function storiesOf(moments: readonly Moment[], project: string): string[][] {
  const stories = new Map<string, string[]>();
  for (const moment of moments)
    for (const { id, phase, state } of viewOf(moment, project).sessions) {
      const story = stories.get(id) ?? [];
      stories.set(id, story);
      const step = phase ?? state;
      if (story.at(-1) !== step) story.push(step);
    }
  return [...stories.values()];
}
