import type { AgentEvent } from '../protocol/event.ts';
import type { Session } from '../protocol/state.ts';
import type {
  OwnEvent,
  TrackingRule,
  WorkCreation,
  WorkEnd,
  WorkItem,
  WorkRefusal,
  WorkStart,
} from '../protocol/work.ts';

/** What becomes of the items by one change. */
export interface WorkChange {
  readonly save: readonly WorkItem[];
  /** Keys. */
  readonly remove?: readonly string[];
}

export type MakeWorkChange = (present: readonly WorkItem[]) => WorkChange;

/** What stored events are to the items; of those that are kept alone. */
export type Touching = (events: readonly AgentEvent[]) => MakeWorkChange | undefined;

/** GRD-1: where work items are kept. */
export interface WorkStore {
  items(): readonly WorkItem[];
  /**
   * Makes the change of what is there when its turn has come, so that nothing that was erased meanwhile comes back. Resolves
   * when it is durable.
   */
  change(make: MakeWorkChange): Promise<void>;
}

/** GRD-2: what edits are held to, as it is now. */
export interface TrackingRules {
  /** By the project's own word, else by the person's. */
  of(project: string): TrackingRule;
}

export type WorkOutcome =
  | { readonly kind: 'done'; readonly item: WorkItem; readonly changed: boolean }
  | {
      readonly kind: 'refused';
      readonly reason: WorkRefusal;
      /** What to do about it. */
      readonly error: string;
      readonly needs?: readonly string[];
      /** Another project that has an item of this name. */
      readonly elsewhere?: string;
    };

/** Who asks, and of which project. */
export type Asker = Pick<WorkCreation, 'project' | 'session' | 'processes'>;

/** GRD-1: work items as people and agents make, start and end them. */
export interface WorkItems {
  /** Undefined: of all projects. */
  list(project: string | undefined): readonly WorkItem[];
  one(id: string, asker: Asker): Promise<WorkOutcome>;
  /** `isPerson`: the caller has the person's token. */
  create(creation: WorkCreation, isPerson: boolean): Promise<WorkOutcome>;
  start(id: string, asked: WorkStart, isPerson: boolean): Promise<WorkOutcome>;
  end(id: string, asked: WorkEnd): Promise<WorkOutcome>;
  /** GRD-5: notes that a person has seen these items, by key. Resolves when that is durable. */
  saw(keys: readonly string[]): Promise<void>;
  /** EVT-3: stores the event. Resolves to its session's id; undefined if the session is unknown. */
  log(own: OwnEvent): Promise<string | undefined>;
  /** The session of this id, else the live one that the nearest of these processes runs. */
  sessionOf(asker: Pick<Asker, 'session' | 'processes'>): Session | undefined;
  /** The project of a folder, or of the caller's session; undefined if there is none. */
  projectOf(asker: Asker): Promise<string | undefined>;
}

/** GRD-3. */
export interface GuardGaps {
  /** How many edits of a project went through of late because the guard could not be asked. */
  gaps(project: string): number;
}
