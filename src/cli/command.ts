import type { Process } from '../../forwarder/processes.ts';
import type { HookKit } from '../app/hooks/hookKit.ts';
import type { AgentAround } from './agentAround.ts';
import type { Arguments, Options, WordRule } from './arguments.ts';
import type { ExitCode } from './failure.ts';

/** Where the command speaks and listens. */
export interface Terminal {
  /** Ends each with a line break. */
  out(text: string): void;
  complain(text: string): void;
  /** Aborted when nobody reads any more what is put out. */
  readonly closed: AbortSignal;
  /** A person sits at both ends. */
  readonly isInteractive: boolean;
  /** The answer; undefined: there was none (end of input, Ctrl+C). */
  ask(question: string): Promise<string | undefined>;
}

/** What the root hands in. */
export interface MascotWorld {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The person's own folder. */
  readonly personHome: string;
  readonly terminal: Terminal;
  now(): number;
  /** Loaded only by commands that need it. */
  kit(): Promise<HookKit>;
  /** Ancestors, nearest first; empty if unknown. */
  processesAbove(): Promise<readonly Process[]>;
  /** From this call on Ctrl+C no longer ends the process, but aborts this. */
  untilEnded(): AbortSignal;
}

export interface Call {
  readonly args: Arguments;
  readonly json: boolean;
  readonly world: MascotWorld;
  /** Pids of ancestors, nearest first; empty if unknown. */
  readonly above: readonly number[];
  /** Undefined if a person runs this. */
  readonly agent: AgentAround | undefined;
}

export interface Command {
  readonly summary: string;
  /** Beside `--json` and `--help`. */
  readonly options: Options;
  readonly words: WordRule;
  /** SEC-7: refused inside an agent, whatever the options. */
  readonly needsPerson?: true;
  run(call: Call): Promise<ExitCode>;
}

export const noWords: WordRule = { name: '', atLeast: 0, atMost: 0 };

export function printJson({ world }: Call, value: unknown): void {
  world.terminal.out(JSON.stringify(value, undefined, 2));
}
