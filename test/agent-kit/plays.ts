/** What the scripted model answers. `play:NAME` in a prompt names the play; each assistant message since is one reply of it. */

import { OWN_ALLOWED, OWN_VARIABLE } from './ownSettings.ts';

export interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface Reply {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly Call[];
  /** Waits before the first byte. */
  readonly delayMs?: number;
  /** Waits after each word, as a model that streams. */
  readonly wordMs?: number;
  /** Answers with this HTTP status and no message. */
  readonly status?: number;
}

export const endReply: Reply = { text: 'That is all.' };

/** Lines, as an older version draws nothing before the end of one. */
const manyWords = Array.from({ length: 300 }, (_, index) => `word-${index}${index % 5 === 4 ? '\n\n' : ''}`).join(' ');

function shell(command: string): Call {
  return { name: 'Bash', input: { command, description: 'A command of the test' } };
}

function helper(play: string, description: string): Call {
  const input = { description, prompt: `play:${play}`, subagent_type: 'general-purpose', run_in_background: true };
  return { name: 'Agent', input };
}

const question: Call = {
  name: 'AskUserQuestion',
  input: {
    questions: [
      {
        question: 'Which fruit shall it be?',
        header: 'Fruit',
        multiSelect: false,
        options: [
          { label: 'Apple', description: 'Grows on trees' },
          { label: 'Melon', description: 'Grows on the ground' },
        ],
      },
    ],
  },
};

const writeEnvironment = [
  `printf '%s' "$MASCOT_SESSION_ID" >session-id.txt`,
  'command -v mascot >mascot-at.txt',
  'mascot sessions --json >sessions.json',
  `printf '%s' "$${OWN_VARIABLE.name}" >own-variable.txt`,
].join('; ');

/** A bare `sleep` may be refused by the agent's shell tool; waiting on a file that never grows is not. */
const lasting = (seconds: number) => `timeout ${seconds} tail -f /dev/null; echo over`;

export const MANY_CALLS = 40;

/** A model that thinks, though far quicker than a real one. */
export const THINKING_MS = 100;

function manyCalls(delayMs: number): readonly Reply[] {
  return Array.from({ length: MANY_CALLS }, (_, index) => ({ delayMs, calls: [shell(`echo call-${index}`)] }));
}

export const plays: Readonly<Record<string, readonly Reply[]>> = {
  greeting: [{ text: 'Good day.' }],
  command: [{ text: 'One command.', calls: [shell('echo one')] }],
  'write-planted': [
    {
      text: 'One file.',
      calls: [{ name: 'Write', input: { file_path: 'planted-name.txt', content: 'planted-content' } }],
    },
  ],
  allowed: [{ text: 'A command that the settings allow.', calls: [shell(OWN_ALLOWED)] }],
  // What a command of the agent's finds in its environment goes to a file of the project.
  environment: [{ text: 'The environment.', calls: [shell(writeEnvironment)] }],
  // Long enough that something can happen to the collector in between.
  'two-commands': [
    { text: 'One of two.', calls: [shell('echo one')] },
    { text: 'Two of two.', delayMs: 3_000, calls: [shell('echo two')] },
  ],
  many: manyCalls(0),
  'many-slowly': manyCalls(THINKING_MS),
  stream: [{ text: manyWords, wordMs: 100 }],
  'long-command': [{ text: 'A long command.', calls: [shell(lasting(60))] }],
  // Goes on for a while once it is allowed, so that "busy again" is seen by something else than its result.
  permission: [{ text: 'This has to be allowed.', calls: [shell(`touch allowed.txt; ${lasting(3)}`)] }],
  // The pause makes busy visible between the answer and the end.
  question: [
    { text: 'A question first.', calls: [question] },
    { text: 'Thank you.', delayMs: 2_000 },
  ],
  helpers: [
    { text: 'Two helpers.', calls: [helper('helper-short', 'Short work'), helper('helper-long', 'Long work')] },
    { text: 'Both are at work.' },
  ],
  'helper-short': [{ delayMs: 2_000, calls: [shell(lasting(2))] }, { text: 'The short work is done.' }],
  'helper-long': [{ delayMs: 2_000, calls: [shell(lasting(5))] }, { text: 'The long work is done.' }],
  askers: [
    { text: 'Two helpers that ask.', calls: [helper('asker-one', 'First asker'), helper('asker-two', 'Second asker')] },
    { text: 'Both will ask.' },
  ],
  // Their work lasts until both are answered.
  'asker-one': [
    { delayMs: 2_000, calls: [shell('touch first.txt')] },
    { text: 'First is done.', delayMs: 4_000 },
  ],
  'asker-two': [
    { delayMs: 2_000, calls: [shell('touch second.txt')] },
    { text: 'Second is done.', delayMs: 4_000 },
  ],
  failure: [{ status: 500 }],
  // Turns whose last message has no words.
  'only-calls': [{ calls: [shell('echo one')] }, {}],
  'words-then-calls': [{ text: 'Words before a call.', calls: [shell('echo two')] }, {}],
  'only-thoughts': [{ thinking: 'Nothing to say.' }],
};
