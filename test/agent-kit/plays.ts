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

/** What a reply may depend on. */
export interface Heard {
  /** Of the calls that failed or were denied, since the last reply. */
  readonly errors: readonly string[];
  /** Of all calls there were, in their order. */
  readonly results: readonly string[];
  /** All other words since the last reply. */
  readonly besides: string;
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

const PATCH = '*** Begin Patch\n*** Add File: patched.txt\n+One line.\n*** End Patch\n';

export const MANY_CALLS = 40;

/** A model that thinks, though far quicker than a real one. */
export const THINKING_MS = 100;

function manyCalls(delayMs: number): readonly Reply[] {
  return Array.from({ length: MANY_CALLS }, (_, index) => ({ delayMs, calls: [shell(`echo call-${index}`)] }));
}

const write = (file: string, content = 'One line.\n'): Call => ({ name: 'Write', input: { file_path: file, content } });

const edit = (file: string, before: string, after: string): Call => ({
  name: 'Edit',
  input: { file_path: file, old_string: before, new_string: after },
});

const read = (file: string): Call => ({ name: 'Read', input: { file_path: file } });

const editNotebook = (line: number): Call => ({
  name: 'NotebookEdit',
  input: { notebook_path: NOTEBOOK, cell_id: 'cell-0', new_source: `print(${line})` },
});

/** The only file and the only notebook that there are before the play of a hundred edits. */
export const [PRESENT, NOTEBOOK] = ['present.md', 'present.ipynb'];

function manyWrites(name: string, count: number): readonly Call[] {
  return Array.from({ length: count }, (_, index) => write(`${name}-${index}.txt`));
}

/** How many there are in `hundred-edits` and in what it starts. */
export const EDITS = 100;

function foreground(play: string, description: string): Call {
  const input = { description, prompt: `play:${play}`, subagent_type: 'general-purpose', run_in_background: false };
  return { name: 'Agent', input };
}

/** Thirty edits of one helper. */
function writer(name: string): readonly Reply[] {
  return [1, 2, 3].map((round) => ({ calls: manyWrites(`${name}-${round}`, 10) }));
}

/** Does what it was told to do: runs the last such command that it heard of. */
function obeying(text: string, command: RegExp) {
  return ({ results }: Heard): Reply => {
    const told = results.flatMap((result) => command.exec(result)?.[1] ?? []).at(-1);
    return told === undefined ? { text: 'Nothing of that kind was said.' } : { text, calls: [shell(told)] };
  };
}

export const plays: Readonly<Record<string, readonly (Reply | ((heard: Heard) => Reply))[]>> = {
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
  note: [{ text: 'A note.', calls: [write('note.txt')] }],
  'tracked-work': [
    { text: 'I begin with the notes.', calls: [write('notes.md', '# Notes\n')] },
    obeying('A work item first, as I was told.', /^ *(mascot work create .* --start)$/m),
    { text: 'The same edit again.', calls: [write('notes.md', '# Notes\n')] },
    {
      text: 'On with them.',
      calls: [edit('notes.md', '# Notes', '# Notes of the week'), write('list.md', '- milk\n')],
    },
    obeying('The work is done.', /(mascot work end \S+)/),
    { text: 'The notes and the list are written.' },
  ],
  'hundred-edits': [
    { text: 'What is there.', calls: [read(PRESENT), read(NOTEBOOK)] },
    {
      text: 'Twenty edits.',
      calls: [
        ...manyWrites('main', 10),
        ...[1, 2, 3, 4, 5].flatMap((line) => [edit(PRESENT, 'Present.', `Line ${line}.`), editNotebook(line)]),
      ],
    },
    { text: 'Sixty by others.', calls: [foreground('writer-one', 'First'), foreground('writer-two', 'Second')] },
    { text: 'Twenty more.', calls: manyWrites('again', 20) },
  ],
  'writer-one': writer('one'),
  'writer-two': writer('two'),
  patch: [{ calls: [{ name: 'apply_patch', input: { patch: PATCH } }] }],
  // Turns whose last message has no words.
  'only-calls': [{ calls: [shell('echo one')] }, {}],
  'words-then-calls': [{ text: 'Words before a call.', calls: [shell('echo two')] }, {}],
  'only-thoughts': [{ thinking: 'Nothing to say.' }],
};
