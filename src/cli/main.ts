import { agentAround } from './agentAround.ts';
import { readArguments } from './arguments.ts';
import type { Command, MascotWorld } from './command.ts';
import { doctorCommand } from './doctorCommand.ts';
import { eventCommand } from './eventCommand.ts';
import { excludeCommand, excludedCommand, includeCommand } from './excludeCommands.ts';
import { type ExitCode, exitCodes, MascotError, needsPerson, wrongUsage } from './failure.ts';
import { commandHelp, help } from './help.ts';
import { installCommand, repairCommand, standingCommand, uninstallCommand } from './hookCommands.ts';
import { sessionsCommand, statusCommand } from './readCommands.ts';
import { removeCommand } from './removeCommand.ts';
import { reportCommand } from './reportCommand.ts';
import { searchCommand } from './searchCommand.ts';
import { tailCommand } from './tailCommand.ts';
import { printable } from './text.ts';
import {
  workCreateCommand,
  workEndCommand,
  workListCommand,
  workShowCommand,
  workStartCommand,
} from './workCommands.ts';

const commands: Readonly<Record<string, Command>> = {
  status: statusCommand,
  sessions: sessionsCommand,
  search: searchCommand,
  tail: tailCommand,
  'work create': workCreateCommand,
  'work start': workStartCommand,
  'work end': workEndCommand,
  'work list': workListCommand,
  'work show': workShowCommand,
  event: eventCommand,
  report: reportCommand,
  'hooks install': installCommand,
  'hooks uninstall': uninstallCommand,
  'hooks status': standingCommand,
  'hooks doctor': doctorCommand,
  'hooks repair': repairCommand,
  'hooks exclude': excludeCommand,
  'hooks include': includeCommand,
  'hooks excluded': excludedCommand,
  'remove-everything': removeCommand,
};

const jsonOption = { json: { words: 'print JSON instead of text' } } as const;

export async function runMascot(args: readonly string[], world: MascotWorld): Promise<ExitCode> {
  try {
    return await run(args, world);
  } catch (error) {
    world.terminal.complain(`mascot: ${error instanceof Error ? error.message : String(error)}`);
    return error instanceof MascotError ? error.exitCode : exitCodes.failed;
  }
}

async function run(args: readonly string[], world: MascotWorld): Promise<ExitCode> {
  const { name, rest } = commandNamed(args);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const asked = beforeWords(args);
  if (asked.some((argument) => argument === '--help' || argument === '-h') || name === 'help') {
    world.terminal.out(command ? commandHelp(name, command) : help(commands));
    return exitCodes.ok;
  }
  if (asked.includes('--version')) {
    world.terminal.out(world.version);
    return exitCodes.ok;
  }
  if (name === '') throw new MascotError(exitCodes.wrongUsage, `say what to do\n\n${help(commands)}`);
  if (!command) throw unknownCommand(name);
  const above = await world.processesAbove();
  const agent = agentAround(world.env, above, world.cwd);
  if (agent && command.needsPerson) throw needsPerson(`mascot ${name}`, agent);
  const read = readArguments(rest, { ...command.options, ...jsonOption }, command.words, name);
  return command.run({ args: read, json: read.has('json'), world, above: above.map(({ pid }) => pid), agent });
}

function unknownCommand(name: string): MascotError {
  const [group = ''] = name.split(' ');
  const second = Object.keys(commands).flatMap((each) =>
    each.startsWith(`${group} `) ? [each.slice(group.length + 1)] : [],
  );
  if (second.length === 0) return wrongUsage(`there is no command "${printable(name)}"`);
  return wrongUsage(`"mascot ${printable(group)}" takes one of ${second.join(', ')}`);
}

/** Some commands have two words. */
function commandNamed(args: readonly string[]): { readonly name: string; readonly rest: readonly string[] } {
  const [first = '', second = ''] = args;
  if (first.startsWith('-')) return { name: '', rest: args };
  const isPair =
    Object.keys(commands).some((name) => name.startsWith(`${first} `)) && second !== '' && !second.startsWith('-');
  return isPair ? { name: `${first} ${second}`, rest: args.slice(2) } : { name: first, rest: args.slice(1) };
}

function beforeWords(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end < 0 ? args : args.slice(0, end);
}
