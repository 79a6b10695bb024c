import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { InstalledFile, Scope, Scopes } from '../../app/hooks/hookPorts.ts';
import { homeBelowPerson, homeInCommand } from '../../domain/hooks/agentPath.ts';
import { takesNewEvents } from '../../domain/hooks/claudeVersions.ts';
import type { CommandPlace } from '../../domain/hooks/command.ts';
import type { HookSet, HookSetRequest } from '../../domain/hooks/hookSet.ts';
import { hookSets } from '../../domain/providers/hookSets.ts';
import { HOME_FOLDER_NAME } from '../../protocol/discovery.ts';
import { descriptors, type HookedId, hookedIds, hookScopes, type ScopeId, scopeIds } from '../../protocol/providers.ts';
import type { AgentPlaces } from './agentPlaces.ts';
import type { FoundProgram } from './claudePrograms.ts';
import { settingsFolders } from './settingsFolders.ts';

/** An agent is not updated so often that each look at the list of scopes must search the disk for it. */
const PROGRAMS_VALID_MS = 30_000;

export interface ScopesParts {
  /** The home's folder. */
  readonly home: string;
  readonly places: AgentPlaces;
  readonly platform: NodeJS.Platform;
  readonly programs: () => Promise<readonly FoundProgram[]>;
  readonly now?: () => number;
}

/** For colleagues: whatever this machine is and wherever its home lies, they read `$HOME` as theirs. */
const sharedRequest: HookSetRequest = {
  place: { system: 'posix', home: `$HOME/${HOME_FOLDER_NAME}` },
  takesNewEvents: false,
};

/** The scopes of an installation. */
export interface OwnScopes extends Scopes {
  /** The spellings of the home in commands of the person's own files, now and in earlier releases. */
  readonly homesInCommands: readonly string[];
}

export function createScopes({ home, places, platform, programs, now = Date.now }: ScopesParts): OwnScopes {
  const system: CommandPlace['system'] = platform === 'win32' ? 'windows' : 'posix';
  const place: CommandPlace = { system, home: homeInCommand(home, system) };
  // HKI-8: a hook that is trusted by its text keeps the text of the first release. `$HOME` is safe there: no file of a
  // repository can set variables for Codex, unlike Claude Code's settings and Gemini's .env.
  const firstPlace: CommandPlace = { system, home: homeBelowPerson(home, places.person, system) };
  let known: { readonly at: number; readonly takes: Promise<boolean> } | undefined;

  /** HKI-7 */
  function allTakeNewEvents(): Promise<boolean> {
    if (known && now() - known.at < PROGRAMS_VALID_MS) return known.takes;
    const takes = programs().then(
      (found) => takesNewEvents(found.map(({ version }) => version)),
      () => false,
    );
    known = { at: now(), takes };
    return takes;
  }

  async function wantedAt(id: ScopeId): Promise<HookSet> {
    const { provider, isShared } = hookScopes[id];
    if (isShared) return hookSets[provider](sharedRequest);
    return hookSets[provider]({
      place: descriptors[provider].hooks.trustsByText ? firstPlace : place,
      takesNewEvents: provider !== 'claude' || (await allTakeNewEvents()),
    });
  }

  async function scopeAt(id: ScopeId, file: string, project?: string): Promise<Scope> {
    const wanted = await wantedAt(id);
    return { id, provider: hookScopes[id].provider, file, ...(project === undefined ? {} : { project }), wanted };
  }

  return {
    homesInCommands: [place.home, firstPlace.home],
    of: ({ scope, file, project }: InstalledFile) => scopeAt(scope, file, project),
    async all(project) {
      const scopes = scopeIds.map(async (id) => {
        if (!hookScopes[id].inProject) return scopeAt(id, ownFile(id));
        const file = project === undefined ? undefined : await fileInProject(id, project);
        return file === undefined ? undefined : scopeAt(id, file, project);
      });
      return (await Promise.all(scopes)).filter((scope) => scope !== undefined);
    },
  };

  function ownFile(id: ScopeId): string {
    const { provider, file } = hookScopes[id];
    return path.join(places[provider], ...file.split('/'));
  }

  /** Undefined in the person's own folder, where the project's file is the user's: two scopes would take turns in writing it. */
  async function fileInProject(id: ScopeId, project: string): Promise<string | undefined> {
    const { provider, file } = hookScopes[id];
    const inProject = path.join(project, ...file.split('/'));
    const own = scopeIds.filter((each) => hookScopes[each].provider === provider && !hookScopes[each].inProject);
    const owned = await Promise.all(own.map((each) => settingsFolders.realFile(ownFile(each))));
    return owned.includes(await settingsFolders.realFile(inProject)) ? undefined : inProject;
  }
}

/** What may stand in the file of a scope, the larger first: which Claude Codes there are changes what is wanted, not what was written. */
export function setsFor(scope: Scope): readonly HookSet[] {
  const known = new Set(hookSets[scope.provider](sharedRequest).entries.map(({ event }) => event));
  const entries = scope.wanted.entries.filter(({ event }) => known.has(event));
  return entries.length < scope.wanted.entries.length ? [scope.wanted, { ...scope.wanted, entries }] : [scope.wanted];
}

/** Agents that were used here: their folder of settings is there. */
export async function agentsHere(places: AgentPlaces): Promise<ReadonlySet<HookedId>> {
  const all = hookedIds.map(async (agent) => {
    const isThere = await stat(places[agent]).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    return isThere ? [agent] : [];
  });
  return new Set((await Promise.all(all)).flat());
}
