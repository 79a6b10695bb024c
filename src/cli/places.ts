import { existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { readVariables } from '../../forwarder/environment.ts';
import { homeFolder } from '../../forwarder/home.ts';
import type { ScopeStanding } from '../app/hooks/hookInstaller.ts';
import type { Scope } from '../app/hooks/hookPorts.ts';
import { projectScopeIds, type ScopeId, scopeIds } from '../protocol/providers.ts';
import type { HookKit } from '../app/hooks/hookKit.ts';
import type { Options } from './arguments.ts';
import type { Call, MascotWorld } from './command.ts';
import { exitCodes, MascotError, wrongUsage } from './failure.ts';
import { printable, shellWord } from './text.ts';

export const placeOptions: Options = {
  scope: {
    takes: `one of ${scopeIds.join(', ')}, all`,
    repeats: true,
    words: 'where: may be given more than once',
  },
  project: { takes: 'a folder', words: 'the project of the scopes local and project (default: the one around you)' },
};

export interface Places {
  readonly scopes: readonly Scope[];
  /** Undefined: none is meant, and there is none around. */
  readonly project: string | undefined;
}

/** The scopes that a command is about. */
export async function placesOf(call: Call, kit: HookKit, usual: readonly ScopeId[]): Promise<Places> {
  const wanted = scopesNamed(call, usual);
  const project = projectAround(call);
  const scopes = (await kit.scopes.all(project)).filter(({ id }) => wanted.includes(id));
  const missing = call.args.values('scope').find((id) => isScopeId(id) && !scopes.some((scope) => scope.id === id));
  if (missing !== undefined) {
    throw missingScope(missing as ScopeId, project);
  }
  return { scopes, project };
}

function missingScope(id: ScopeId, project: string | undefined): MascotError {
  if (!projectScopeIds.includes(id))
    return new MascotError(exitCodes.failed, `the scope ${id} is not there on this machine`);
  return project === undefined
    ? wrongUsage(`--scope ${id} needs a project: give --project DIR, or run it inside one`)
    : wrongUsage(`in ${printable(project)} the file of --scope ${id} is your own: give --scope user`);
}

/** How those scopes stand, with every other file of theirs that the record names; of other projects only where none is meant. */
export async function standingsOf(
  call: Call,
  kit: HookKit,
  usual: readonly ScopeId[],
): Promise<readonly ScopeStanding[]> {
  const { project } = await placesOf(call, kit, usual);
  const wanted = scopesNamed(call, usual);
  const given = call.args.values('scope');
  const isEverywhere =
    !call.agent && call.args.value('project') === undefined && (given.length === 0 || given.includes('all'));
  return (await kit.installer.survey(project)).filter(
    ({ scope }) =>
      wanted.includes(scope.id) && (scope.project === undefined || scope.project === project || isEverywhere),
  );
}

function scopesNamed({ args }: Call, usual: readonly ScopeId[]): readonly ScopeId[] {
  const given = args.values('scope');
  for (const id of given) {
    if (!isScopeId(id) && id !== 'all') {
      throw wrongUsage(`--scope takes ${placeOptions['scope']?.takes ?? ''}, not "${printable(id)}"`);
    }
  }
  if (given.length === 0) return usual;
  return given.includes('all') ? scopeIds : given.filter(isScopeId);
}

function isScopeId(text: string): text is ScopeId {
  return (scopeIds as readonly string[]).includes(text);
}

/** `--project`, else the top of the repository around, else the folder itself. The person's own folder is no project. */
export function projectAround({ args, world }: Call): string | undefined {
  const given = args.value('project');
  if (given !== undefined) return folderAt(world.cwd, given);
  const folder = repositoryAround(world.cwd) ?? world.cwd;
  return isSameFolder(folder, world.personHome) ? undefined : folder;
}

function isSameFolder(one: string, other: string): boolean {
  if (one === other) return true;
  return existsSync(other) && realpathSync(one) === realpathSync(other);
}

export function folderAt(cwd: string, text: string): string {
  const folder = resolve(cwd, text);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw wrongUsage(`there is no folder ${printable(folder)}`);
  }
  return folder;
}

function repositoryAround(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** What a shell finds this command by: of the agents' shells only Claude Code's have it on their PATH (OUT-2). */
export function commandName(env: MascotWorld['env']): string {
  const bin = join(homeFolder(readVariables(env)), 'bin');
  const installed = join(bin, 'mascot');
  const isFound = (env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'mascot')));
  return isFound || !existsSync(installed) ? 'mascot' : shellWord(installed);
}
