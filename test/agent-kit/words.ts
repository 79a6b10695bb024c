import type { ServerFrame } from '../../src/protocol/wire.ts';
import type { Played } from './model.ts';

/** What the lab tells the process inside the namespaces at its start. */
export interface Setup {
  /** Folder of the built programs. */
  readonly dist: string;
  readonly home: string;
  readonly storage: string;
}

/** The editor's settings, by their whole names. */
export type Settings = Readonly<Record<string, unknown>>;

/** Lines into the namespaces; each is answered once, by its id. */
export type Order =
  | { readonly do: 'run'; readonly id: number; readonly run: Run }
  | { readonly do: 'get'; readonly id: number; readonly route: string }
  | { readonly do: 'collect'; readonly id: number; readonly settings?: Settings | undefined }
  /** Ends the collector, and answers when it is gone. */
  | { readonly do: 'stop'; readonly id: number; readonly signal: 'SIGTERM' | 'SIGKILL' }
  /** The collector takes connections and answers nobody, until it goes on. */
  | { readonly do: 'hang'; readonly id: number; readonly on: boolean }
  /** Follows `/ws`, or leaves it. */
  | { readonly do: 'listen'; readonly id: number; readonly on: boolean }
  /** Milliseconds of CPU that the collector took so far. */
  | { readonly do: 'cpu'; readonly id: number };

export interface Run {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface Ran {
  /** Just before the program was started; the namespaces share the machine's clock. */
  readonly at: number;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Lines out of the namespaces. */
export type Report =
  | { readonly is: 'ready'; readonly model: string }
  | { readonly is: 'frame'; readonly at: number; readonly frame: ServerFrame }
  | { readonly is: 'played'; readonly played: Played }
  | { readonly is: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly is: 'failed'; readonly id: number; readonly error: string }
  | { readonly is: 'log'; readonly text: string };
