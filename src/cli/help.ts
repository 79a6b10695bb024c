import type { Options } from './arguments.ts';
import type { Command } from './command.ts';
import { table } from './text.ts';

const endings = 'Exit codes: 0 done, 1 failed or refused, 2 wrong usage, 3 no collector is running.';

export function help(commands: Readonly<Record<string, Command>>): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [`  ${name}`, summary]);
  return [
    'Usage: mascot <command> [options]',
    '',
    'Commands:',
    ...table(rows),
    '',
    'Options:',
    '  --json     print JSON instead of text',
    '  --help     print this, or what a command takes',
    '  --version  print the version',
    '',
    endings,
    'Run by an agent, mascot reaches only the agent’s own session and project. Installing, excluding and removing need a',
    'person, in the editor or in a terminal without an agent.',
  ].join('\n');
}

export function commandHelp(name: string, { summary, options, words, needsPerson }: Command): string {
  const word = words.atMost === 0 ? '' : words.atLeast === 0 ? ` [${words.name}]` : ` <${words.name}>`;
  const all: Options = { ...options, json: { words: 'print JSON instead of text' } };
  const rows = Object.entries(all).map(([option, { takes, words: meaning }]) => [
    `  --${option}${takes === undefined ? '' : ' …'}`,
    takes === undefined ? meaning : `${meaning} (${takes})`,
  ]);
  return [
    `Usage: mascot ${name}${word} [options]`,
    '',
    sentence(summary),
    ...(needsPerson ? ['Not available to agents.'] : []),
    '',
    'Options:',
    ...table(rows),
    '',
    endings,
  ].join('\n');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
