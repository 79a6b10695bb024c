import type { Hub } from './hub.ts';
import type { Clock, Disposable, Exclusions, Place } from './ports.ts';

/** A session that was left out is known by its id for as long as this many others were not. */
const REMEMBERED_MAX = 1_000;

/** Somebody has just excluded a project and looks whether it goes. */
const SWEEP_MS = 1_000;

export interface Told {
  readonly sessionId: string;
  /** Of the session, where it is known already. */
  readonly project?: string | undefined;
  /** Where it takes place: the agent's own folder first, then where it has gone. None: what tells does not say it. */
  readonly places: readonly Place[];
}

/** HKI-9: which sessions do not exist for us, though their hooks fire and their files are there. */
export interface LeftOut {
  /**
   * Why this event must not be kept, if it must not; also removes its session from view. `folder`: not the project is excluded, only a
   * folder that the hook comes from or names. Undefined: the event is kept.
   */
  leavesOut(told: Told): 'project' | 'folder' | undefined;
  /** Lets go of the sessions whose projects have been excluded since. */
  sweep(): void;
}

export interface LeftOutParts {
  readonly exclusions: Exclusions;
  readonly hub: Pick<Hub, 'state' | 'sessionIds' | 'leave'>;
}

interface Remembered {
  readonly folder: string;
  /** Its project is excluded; else it has gone to a folder that is, and may come back. */
  readonly whole: boolean;
}

export function createLeftOut({ exclusions, hub }: LeftOutParts): LeftOut {
  const left = new Map<string, Remembered>();
  const excluded = (folder: string | undefined): folder is string =>
    folder !== undefined && folder !== '' && exclusions.excludes(folder);

  function leave(id: string, why: Remembered): void {
    // Who does not say its session shares an id with everybody who doesn't.
    if (!id.startsWith('unknown:')) {
      left.delete(id);
      left.set(id, why);
      const oldest = left.size > REMEMBERED_MAX ? left.keys().next().value : undefined;
      if (oldest !== undefined) left.delete(oldest);
    }
    if (hub.state(id)) hub.leave([id]);
  }

  return {
    leavesOut({ sessionId, project, places }) {
      // An agent can name any folder to its hooks (CLAUDE_PROJECT_DIR): it counts as the project only of a session without one.
      const whole = [project || places[0]?.path].find(excluded);
      const folder = whole ?? places.flatMap((place) => [place.path, place.folder]).find(excluded);
      if (folder !== undefined) {
        leave(sessionId, { folder, whole: whole !== undefined });
        return whole === undefined ? 'folder' : 'project';
      }
      const known = left.get(sessionId);
      if (!known) return undefined;
      const isStill = excluded(known.folder) && (known.whole || places.length === 0);
      if (isStill) return known.whole ? 'project' : 'folder';
      left.delete(sessionId);
      return undefined;
    },
    sweep() {
      for (const id of hub.sessionIds()) {
        const session = hub.state(id)?.session;
        const folder = [session?.project, session?.cwd].find(excluded);
        if (folder !== undefined) leave(id, { folder, whole: folder === session?.project });
      }
    },
  };
}

/** What is excluded is said in a file and in the settings; neither tells us when it changes. */
export function sweepNowAndThen(leftOut: LeftOut, clock: Clock): Disposable {
  let timer = clock.after(SWEEP_MS, again);
  function again(): void {
    leftOut.sweep();
    timer = clock.after(SWEEP_MS, again);
  }
  return { dispose: () => timer.dispose() };
}
