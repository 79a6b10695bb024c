import type { JsonObject } from '../../protocol/json.ts';

/** One thing that a transcript's line says. `ts` is the line's own time, in UTC with milliseconds; `id` names the line. */
export type TranscriptFact =
  /** What the file says of itself: whose it is, where and how it runs. */
  | {
      readonly kind: 'session';
      readonly ts: string;
      readonly sessionId?: string | undefined;
      readonly cwd?: string | undefined;
      /** The program's own word for how it was started: cli, sdk-cli, claude-vscode, exec… */
      readonly entrypoint?: string | undefined;
      readonly permissionMode?: string | undefined;
    }
  /** A prompt; `synthetic` when nobody typed it. */
  | {
      readonly kind: 'prompt';
      readonly ts: string;
      readonly id: string;
      readonly text: string;
      readonly synthetic: boolean;
      /** The agent's own id of the turn, the same that its hooks tell. */
      readonly turn?: string | undefined;
    }
  | { readonly kind: 'thinking'; readonly ts: string; readonly text: string }
  /** Text that the model wrote; of one message there may be several, all with its `messageId`. */
  | {
      readonly kind: 'reply';
      readonly ts: string;
      readonly messageId: string;
      readonly text: string;
      /** Whether the turn ends with this message, where the line says so. */
      readonly ends?: boolean | undefined;
    }
  | {
      readonly kind: 'usage';
      readonly ts: string;
      /** Counted once per message, however often it is told (TRN-5). */
      readonly messageId: string;
      readonly model?: string | undefined;
      /** Tokens of this message alone; input without what came from the cache. */
      readonly input: number;
      readonly output: number;
      readonly cached: number;
      /** What the context held at this call; the model's limit where it is told. */
      readonly context: number;
      readonly window?: number | undefined;
    }
  | {
      readonly kind: 'toolStarted';
      readonly ts: string;
      readonly toolUseId: string;
      readonly tool: string;
    }
  /** `denied`: it never ran (by the person, a rule, a hook, or because there is no such tool) and no hook says so. */
  | {
      readonly kind: 'toolEnded';
      readonly ts: string;
      readonly toolUseId: string;
      readonly outcome: 'succeeded' | 'failed' | 'denied';
      readonly exitCode?: number | undefined;
      readonly message?: string | undefined;
      /** What a shell was given, where the call failed. */
      readonly command?: string | undefined;
    }
  /** The person ended the turn (Esc, Ctrl-C, or No at a prompt). */
  | { readonly kind: 'interrupted'; readonly ts: string; readonly id: string }
  | {
      readonly kind: 'turnFailed';
      readonly ts: string;
      readonly id: string;
      readonly error: string;
      readonly message?: string | undefined;
    }
  | { readonly kind: 'turnEnded'; readonly ts: string; readonly id: string; readonly message?: string | undefined }
  | { readonly kind: 'title'; readonly text: string; readonly byPerson?: boolean };

/** How one agent program writes its transcript. Pure: reading the file is somebody else's work. */
export interface TranscriptFormat {
  /** A cheap look at a line before it is parsed: false only when nothing in it can matter. */
  mayMatter(line: string): boolean;
  /** Total: a line of another shape says nothing. */
  facts(entry: JsonObject): readonly TranscriptFact[];
  /** TRN-2: the model's last words in these lines, oldest first; where the facts alone do not tell. */
  lastReply?(lines: readonly string[]): string | null;
}
