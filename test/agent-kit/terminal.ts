/** An agent at a terminal of its own: keys, screen, end. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Sighting, View, Watch } from './watch.ts';
import type { Ran } from './words.ts';

const SCREEN_POLL_MS = 50;
/** A dialog drops keys that come too soon after it was drawn, and nothing tells when it starts to listen. */
const DIALOG_DEAF_MS = 1_000;
/** For so long after the last letter an old version takes Enter for a part of pasted text. */
const PASTE_MS = 150;
/** A program that is just drawing a call passes over Esc. A person who sees no effect presses it again. */
const ESC_AGAIN_MS = 3_000;
const INTERRUPTED = /Interrupted/i;
/** A dialog has its first choice marked. */
const DIALOG = /[❯›] 1\./;
const PATIENCE_MS = 15_000;

export interface LabAgent {
  readonly project: string;
  /** Types a line and sends it; gives the time of the key that sent it. */
  say(line: string): Promise<number>;
  /** Keys as tmux calls them; gives the time of the press. */
  press(...keys: string[]): Promise<number>;
  /** Ends the turn with Esc; gives the time of the press that the program took. */
  interrupt(): Promise<number>;
  screen(): Promise<string>;
  /** The same with everything that scrolled away. */
  everythingShown(): Promise<string>;
  screenShows(text: RegExp): Promise<string>;
  /** Waits for a dialog that takes keys, and gives the screen. */
  dialog(): Promise<string>;
  /** Ends it without a chance to say so. */
  kill(): Promise<number>;
  /** Waits for something outside the screen that nobody announces. */
  until(what: string, is: () => boolean): Promise<void>;
  /** Waits until it ended by itself. */
  over(withinMs?: number): Promise<void>;
  see(what: string, after: number, is: (view: View) => boolean, withinMs?: number): Promise<Sighting>;
  stories(): string[][];
  close(): Promise<void>;
}

export interface TerminalParts {
  readonly name: string;
  readonly project: string;
  readonly watch: Watch;
  tmux(...args: string[]): Promise<Ran>;
  run(words: readonly string[]): Promise<Ran>;
}

export function labAgent({ name, project, watch, tmux, run }: TerminalParts): LabAgent {
  const press = async (...keys: string[]) => (await tmux('send-keys', '-t', name, ...keys)).at;
  const panePid = async () => (await tmux('list-panes', '-t', name, '-F', '#{pane_pid}')).stdout.trim();
  const screen = async () => (await tmux('capture-pane', '-p', '-t', name)).stdout;
  // A terminal tells nobody when it is drawn, nor that its program ended.
  const eventually = async <T>(
    look: () => Promise<T | undefined>,
    otherwise: () => Promise<string>,
    withinMs = PATIENCE_MS,
  ): Promise<T> => {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(await otherwise());
      await pause(SCREEN_POLL_MS);
    }
  };
  const screenShows = (text: RegExp, withinMs = PATIENCE_MS) =>
    eventually(
      async () => {
        const now = await screen();
        return text.test(now) ? now : undefined;
      },
      async () => `the screen never showed ${String(text)}:\n${await screen()}`,
      withinMs,
    );
  async function interrupt(): Promise<number> {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const at = await press('Escape');
      try {
        await screenShows(INTERRUPTED, ESC_AGAIN_MS);
        return at;
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
    }
  }
  return {
    project,
    press,
    interrupt,
    screen,
    screenShows: (text) => screenShows(text),
    everythingShown: async () => (await tmux('capture-pane', '-p', '-S', '-', '-t', name)).stdout,
    async dialog() {
      const shown = await screenShows(DIALOG);
      await pause(DIALOG_DEAF_MS);
      return shown;
    },
    async say(line) {
      await press('-l', line);
      // Keys that come at once count as pasted text, and Enter as a part of it.
      await screenShows(new RegExp(line.replace(/[^\w]/g, '.')));
      await pause(PASTE_MS);
      return press('Enter');
    },
    async kill() {
      return (await tmux('run-shell', `kill -9 ${await panePid()}`)).at;
    },
    async until(what, is) {
      await eventually(
        () => Promise.resolve(is() || undefined),
        async () => `${what}: never; the screen:\n${await screen()}`,
      );
    },
    async over(withinMs) {
      const pid = await panePid();
      await eventually(
        async () => {
          const { stdout } = await run(['ps', '-o', 'stat=', '-p', pid]);
          // tmux does not always bury its dead.
          return stdout.trim() === '' || stdout.startsWith('Z') || undefined;
        },
        async () => `the agent never ended:\n${await screen()}`,
        withinMs,
      );
    },
    see: (what, after, is, withinMs = 10_000) => watch.see({ project, what, after, withinMs, is }),
    stories: () => watch.stories(project),
    async close() {
      await tmux('kill-session', '-t', name);
    },
  };
}
