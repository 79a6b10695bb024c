import type { ServerFrame } from '../../src/protocol/wire.ts';
import type { Played } from './model.ts';

/** What the lab tells the process inside the namespaces at its start. */
export interface Setup {
  /** Folder of the built programs. */
  readonly dist: string;
  readonly home: string;
  readonly storage: string;
}

/** Lines into the namespaces. */
export type Order =
  | { readonly do: 'run'; readonly id: number; readonly run: Run }
  | { readonly do: 'get'; readonly id: number; readonly route: string };

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
  | { readonly is: 'ran'; readonly id: number; readonly value: Ran }
  | { readonly is: 'got'; readonly id: number; readonly value: unknown }
  | { readonly is: 'failed'; readonly id: number; readonly error: string }
  | { readonly is: 'log'; readonly text: string };
