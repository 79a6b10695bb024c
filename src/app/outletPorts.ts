import type { SessionState } from '../protocol/stored.ts';
import type { Clock, Disposable, EventStore, Log, SessionEventSource, StateSource } from './ports.ts';

export interface CommittedSource {
  /**
   * Called when the state tells of everything up to the store's `changes.lastSeq()`, after those who sent it were answered. What it
   * was is read from `changes`.
   */
  onCommitted(listener: () => void): Disposable;
}

/** RLY-2: whether it was said in the thread of this session. */
export type SayNote = (sessionId: string, text: string) => Promise<boolean>;

/** Where scripts of the person leave what is to be said; nobody says it where no outlet took it upon itself. */
export interface Notes {
  readonly say: SayNote;
  /** Whether there is an outlet that sends, or would. */
  isTaken(): boolean;
  take(say: SayNote): Disposable;
}

/** What an outlet is given of the owner, for as long as it is one. */
export interface OutletParts {
  readonly store: EventStore;
  readonly source: StateSource & SessionEventSource & CommittedSource;
  /** The session as the reducer keeps it, while it is live. */
  readonly state: (sessionId: string) => SessionState | undefined;
  /** Absent: nobody leaves any. */
  readonly notes?: Pick<Notes, 'take'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Something that leaves this machine by the person's wish. Nobody who hands in an event ever waits for it. */
export type OpenOutlet = (parts: OutletParts) => { close(): Promise<void> };

/** All that an outlet may need to be let in somewhere. */
export const secretNames = [
  'relay.discordToken',
  'relay.discordForumUrl',
  'relay.webhookUrl',
  'relay.webhookSecret',
  'postgres.url',
] as const;
export type SecretName = (typeof secretNames)[number];

/** What the editor keeps for the person: in no setting, and never in a log, an error or a diagnostic. */
export interface Secrets {
  get(name: SecretName): Promise<string | undefined>;
  set(name: SecretName, value: string): Promise<void>;
  delete(name: SecretName): Promise<void>;
  /** Also when another window changed it. */
  onChange(listener: (name: SecretName) => void): Disposable;
}
