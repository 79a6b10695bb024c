import type { HookedId } from '../../protocol/providers.ts';
import type { Storing } from '../../protocol/reading.ts';
import type { Scope } from './hookPorts.ts';

/** The entry in `<home>/bin`, beside the one that this release was built with. */
export interface EntryState {
  readonly state: 'good' | 'missing' | 'newer';
  readonly folder: string;
  readonly bytes: number;
  readonly version: string;
}

export type RuntimeState =
  | { readonly kind: 'node'; readonly version: string; readonly file: string }
  | { readonly kind: 'editor'; readonly file: string }
  | { readonly kind: 'none' };

export type CollectorState =
  /** `storing`: absent where it is of an older version. */
  | { readonly kind: 'live'; readonly url: string; readonly storing?: Storing | undefined }
  | { readonly kind: 'none' }
  | { readonly kind: 'dead'; readonly why: string };

export interface SpoolState {
  readonly folder: string;
  readonly count: number;
  readonly kilobytes: number;
  /** Events that were ever lost, if some were in the last days. */
  readonly dropped: number;
  /** The day of the last one. */
  readonly droppedOn?: string | undefined;
  /** Above this much the oldest are dropped. */
  readonly megabytesMax: number;
  /** Why nothing can be written there. */
  readonly blocked?: string | undefined;
}

/** One run of an installed command, as an agent runs it. */
export interface TrialRun {
  /** Null: it never came within `seconds`. */
  readonly arrivedMs: number | null;
  readonly seconds: number;
  /** Exit code, or the name of the signal. */
  readonly code: number | string;
  /** What it printed, standard output and error, cut. */
  readonly said: string;
}

/** Milliseconds, of our installed command and of one that does nothing. */
export interface Cost {
  readonly p50: number;
  readonly p95: number;
  readonly nothing: number;
}

export type CodexTrust =
  /** How many of our hooks Codex trusts, has never been told to trust, and saw changed since. */
  | { readonly kind: 'known'; readonly trusted: number; readonly untrusted: number; readonly changed: number }
  | { readonly kind: 'unknown'; readonly why: string };

export interface FoundProgram {
  readonly file: string;
  readonly version?: string | undefined;
}

/** What the doctor looks at beside the settings files. Each look answers whatever is wrong, and never throws. */
export interface DoctorWorld {
  entry(): Promise<EntryState>;
  runtime(): Promise<RuntimeState>;
  collector(): Promise<CollectorState>;
  spool(): Promise<SpoolState>;
  /** Runs the command with a payload that the collector tells of and keeps nowhere. */
  trial(command: string): Promise<TrialRun>;
  cost(command: string): Promise<Cost>;
  /** Undefined: they said nothing. */
  logLines(): Promise<{ readonly file: string; readonly count: number; readonly newest: string } | undefined>;
  /** Files of this machine's policies that forbid the hooks of others. */
  managedPolicies(): Promise<readonly string[]>;
  claudePrograms(): Promise<readonly FoundProgram[]>;
  codexTrust(scope: Scope, commands: readonly string[]): Promise<CodexTrust>;
  /** The file of Codex's settings that holds hooks of its own. */
  codexInline(scope: Scope): Promise<string | undefined>;
  /** Agents that were used here. */
  agentsHere(): Promise<ReadonlySet<HookedId>>;
}
