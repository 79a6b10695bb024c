import type { Options } from './arguments.ts';
import { type Call, type Command, noWords, printJson } from './command.ts';
import { type ExitCode, exitCodes, MascotError } from './failure.ts';
import { folderAt, projectAround } from './places.ts';
import { printable } from './text.ts';

const options: Options = { yes: { words: 'change it without asking' } };
const folderWord = { name: 'the folder', atLeast: 0, atMost: 1 } as const;

/** A hook hands over without knowing the list: the collector alone does. */
const WAITING =
  'Its hooks keep nothing. If a link leads to the folder, what they keep while no editor is open is deleted when one opens.';

export const excludeCommand: Command = {
  summary: 'neither show nor log the sessions of a project (default: the one around you), though its hooks fire',
  options,
  words: folderWord,
  needsPerson: true,
  async run(call) {
    const project = folderOf(call);
    const name = printable(project);
    const kit = await call.world.kit();
    const intent = [`Sessions in ${name} are then neither shown nor logged.`, WAITING];
    const answer = await consent(call, intent, `Exclude ${name}?`);
    if (answer !== 'yes') return leftAsItIs(call, project, answer);
    await kit.excluded.add(project);
    const done = `Sessions in ${name} are neither shown nor logged from now on.`;
    // Who was asked has just read the rest.
    return said(call, { excluded: project }, call.args.has('yes') ? `${done}\n${WAITING}` : done);
  },
};

export const includeCommand: Command = {
  summary: 'show and log the sessions of an excluded project again',
  options,
  words: folderWord,
  needsPerson: true,
  async run(call) {
    // A folder that is gone can still be taken off the list.
    const given = call.args.words[0];
    const kit = await call.world.kit();
    const listed = (await kit.excluded.list()).find((folder) => folder === given);
    const project = listed ?? folderOf(call);
    const name = printable(project);
    const answer = await consent(call, [`Sessions in ${name} are then shown and logged again.`], `Include ${name}?`);
    if (answer !== 'yes') return leftAsItIs(call, project, answer);
    if (!(await kit.excluded.remove(project))) {
      throw new MascotError(exitCodes.failed, `${name} is not excluded; "mascot hooks excluded" lists what is`);
    }
    return said(call, { included: project }, `Sessions in ${name} are shown and logged again.`);
  },
};

export const excludedCommand: Command = {
  summary: 'the projects whose sessions are neither shown nor logged',
  options: {},
  words: noWords,
  async run(call) {
    const project = projectAround(call);
    const all = await (await call.world.kit()).excluded.list();
    const excluded = call.agent ? all.filter((folder) => folder === project) : all;
    return said(
      call,
      { excluded },
      excluded.length === 0
        ? call.agent
          ? 'This project is not excluded.'
          : 'No project is excluded.'
        : excluded.map(printable).join('\n'),
    );
  },
};

type Answer = 'yes' | 'declined' | 'not-confirmed';

/** HKI-9: as before every other writing. */
async function consent(call: Call, intent: readonly string[], question: string): Promise<Answer> {
  const { terminal } = call.world;
  if (call.args.has('yes')) return 'yes';
  if (call.json) return 'not-confirmed';
  terminal.out(intent.join('\n'));
  if (!terminal.isInteractive) return 'not-confirmed';
  return /^\s*y(es)?\s*$/i.test((await terminal.ask(`${question} [y/N] `)) ?? '') ? 'yes' : 'declined';
}

function leftAsItIs(call: Call, project: string, outcome: Exclude<Answer, 'yes'>): ExitCode {
  const why = outcome === 'declined' ? '' : ': give --yes to change it';
  if (call.json) printJson(call, { project, outcome });
  else call.world.terminal.complain(`Nothing was changed${why}.`);
  return exitCodes.failed;
}

function folderOf(call: Call): string {
  const [given] = call.args.words;
  return given === undefined ? (projectAround(call) ?? call.world.cwd) : folderAt(call.world.cwd, given);
}

function said(call: Call, value: object, text: string): typeof exitCodes.ok {
  if (call.json) printJson(call, value);
  else call.world.terminal.out(text);
  return exitCodes.ok;
}
