import type { TableName } from '../../domain/postgres/tables.ts';
import type { SinkTroubleKind } from '../../domain/postgres/trouble.ts';

/** What goes to the team's database in one transaction. */
export interface SinkBatch {
  /** Each as JSON, by the names of its columns; none twice. */
  readonly rows: Readonly<Partial<Record<TableName, readonly string[]>>>;
  /** Events that no row of this table is made of any more. */
  readonly gone: Readonly<Partial<Record<TableName, readonly string[]>>>;
}

/** One connection, as this machine. Every call rejects with a `SinkTrouble`. */
export interface TeamConnection {
  /** Which database this is, and how many pushes of this machine it has seen. */
  readonly standing: { readonly database: string; readonly pushes: number | undefined };
  /** Makes this machine's row, without which no push is taken; from then on no earlier connection of this machine writes. */
  join(): Promise<void>;
  /** Resolves after the COMMIT, to how many pushes there were. Rejects where somebody else pushed as this machine. */
  push(batch: SinkBatch): Promise<number>;
  /** Ids of this machine's sessions, as they are there, that are not known to be over; so many of those after this one. */
  openSessionsAfter(id: string, limit: number): Promise<readonly string[]>;
  /** Deletes these sessions, or all of them and all work items. Counts as a push. */
  erase(sessions: readonly string[] | 'all'): Promise<number>;
  /** Takes all that this machine has there. */
  removeMachine(): Promise<void>;
  /** Never rejects, and takes no longer than some hundred milliseconds. */
  close(): Promise<void>;
}

export interface TeamCounts {
  /** When this machine pushed last. */
  readonly seenAt: string | undefined;
  readonly machines: number;
  readonly sessions: number;
  readonly interactions: number;
  readonly sessionEvents: number;
  readonly workItems: number;
}

export interface TeamDatabase {
  /** Brings its schema up to date. */
  connect(): Promise<TeamConnection>;
}

/** Where it lies, without the password. */
export interface TeamAddress {
  readonly url: string;
  readonly caFile: string;
}

export class SinkTrouble extends Error {
  /** By its form: what talks to PostgreSQL is a bundle of its own, and has a class of its own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'SinkTrouble' && 'kind' in value;
  }

  override readonly name = 'SinkTrouble';
  readonly kind: SinkTroubleKind;

  constructor(kind: SinkTroubleKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** What is stored here and not there yet. */
export interface SinkBacklog {
  /** About so many. */
  readonly events: number;
  /** Since when something waits; in milliseconds, as `Date.now`. */
  readonly since: number | undefined;
}

/** How the copying stands, for the person. */
export type SinkStanding =
  | { readonly kind: 'off' }
  | { readonly kind: 'copying'; readonly behind: SinkBacklog }
  | { readonly kind: 'upToDate'; readonly at: number }
  | {
      readonly kind: 'trouble';
      readonly trouble: SinkTroubleKind;
      /** In the words of the server or the system; never with a password. */
      readonly detail: string;
      readonly since: number;
      readonly behind: SinkBacklog;
    };

/** What the person sees of it and does with it, in whatever window. */
export interface TeamDatabaseControl {
  /** Whether the copies could be made there, and what is there. Nothing is changed. */
  look(url: string): Promise<TeamCounts>;
  /** Takes this machine's rows away. */
  removeRows(url: string): Promise<void>;
  /** How it names itself in a text for people: no password. */
  describe(url: string): string;
}
