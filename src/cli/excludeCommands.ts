import { type Call, type Command, noWords, printJson } from './command.ts';
import { exitCodes, MascotError } from './failure.ts';
import { folderAt, projectAround } from './places.ts';
import { printable } from './text.ts';

const folderWord = { name: 'the folder', atLeast: 0, atMost: 1 } as const;

export const excludeCommand: Command = {
  summary: 'neither show nor log the sessions of a project (default: the one around you), though its hooks fire',
  options: {},
  words: folderWord,
  async run(call) {
    const project = folderOf(call);
    const kit = await call.world.kit();
    await kit.excluded.add(project);
    return said(
      call,
      { excluded: project },
      `Sessions in ${printable(project)} are neither shown nor logged from now on.`,
    );
  },
};

export const includeCommand: Command = {
  summary: 'show and log the sessions of an excluded project again',
  options: {},
  words: folderWord,
  async run(call) {
    // A folder that is gone can still be taken off the list.
    const given = call.args.words[0];
    const kit = await call.world.kit();
    const listed = (await kit.excluded.list()).find((folder) => folder === given);
    const project = listed ?? folderOf(call);
    if (!(await kit.excluded.remove(project))) {
      throw new MascotError(
        exitCodes.failed,
        `${printable(project)} is not excluded; "mascot hooks excluded" lists what is`,
      );
    }
    return said(call, { included: project }, `Sessions in ${printable(project)} are shown and logged again.`);
  },
};

export const excludedCommand: Command = {
  summary: 'the projects whose sessions are neither shown nor logged',
  options: {},
  words: noWords,
  async run(call) {
    const excluded = await (await call.world.kit()).excluded.list();
    return said(
      call,
      { excluded },
      excluded.length === 0 ? 'No project is excluded.' : excluded.map(printable).join('\n'),
    );
  },
};

function folderOf(call: Call): string {
  const [given] = call.args.words;
  return given === undefined ? (projectAround(call) ?? call.world.cwd) : folderAt(call.world.cwd, given);
}

function said(call: Call, value: object, text: string): typeof exitCodes.ok {
  if (call.json) printJson(call, value);
  else call.world.terminal.out(text);
  return exitCodes.ok;
}
