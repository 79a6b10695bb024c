import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { InstalledFile, Scope, Scopes } from '../../app/hooks/hookPorts.ts';
import { homeBelowPerson, homeInCommand } from '../../domain/hooks/agentPath.ts';
import { takesNewEvents } from '../../domain/hooks/claudeVersions.ts';
import type { CommandPlace } from '../../domain/hooks/command.ts';
import type { HookSet, HookSetRequest, ScopeId } from '../../domain/hooks/hookSet.ts';
import { claudeHookSet } from '../../domain/providers/claude/hookSet.ts';
import { codexHookSet } from '../../domain/providers/codex/hookSet.ts';
import { copilotHookSet } from '../../domain/providers/copilot/hookSet.ts';
import { geminiHookSet } from '../../domain/providers/gemini/hookSet.ts';
import { HOME_FOLDER_NAME } from '../../protocol/discovery.ts';
import type { HookedId } from '../../protocol/hook.ts';
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

const providers: Readonly<Record<ScopeId, HookedId>> = {
  user: 'claude',
  local: 'claude',
  project: 'claude',
  codex: 'codex',
  gemini: 'gemini',
  copilot: 'copilot',
};

export function createScopes({ home, places, platform, programs, now = Date.now }: ScopesParts): OwnScopes {
  const system: CommandPlace['system'] = platform === 'win32' ? 'windows' : 'posix';
  const place: CommandPlace = { system, home: homeInCommand(home, system) };
  // HKI-8: Codex trusts a hook by its text, so the text stays that of the first release. `$HOME` is safe there: no file of a
  // repository can set variables for Codex, unlike Claude Code's settings and Gemini's .env.
  const codexPlace: CommandPlace = { system, home: homeBelowPerson(home, places.person, system) };
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
    const others: HookSetRequest = { place, takesNewEvents: true };
    switch (id) {
      case 'user':
      case 'local':
        return claudeHookSet({ place, takesNewEvents: await allTakeNewEvents() });
      case 'project':
        return claudeHookSet(sharedRequest);
      case 'codex':
        return codexHookSet({ ...others, place: codexPlace });
      case 'gemini':
        return geminiHookSet(others);
      case 'copilot':
        return copilotHookSet(others);
    }
  }

  async function scopeAt(id: ScopeId, file: string, project?: string): Promise<Scope> {
    const wanted = await wantedAt(id);
    return { id, provider: providers[id], file, ...(project === undefined ? {} : { project }), wanted };
  }

  return {
    homesInCommands: [place.home, codexPlace.home],
    of: ({ scope, file, project }: InstalledFile) => scopeAt(scope, file, project),
    async all(project) {
      const user = path.join(places.claude, 'settings.json');
      return Promise.all([
        scopeAt('user', user),
        ...(project === undefined ? [] : await inProject(project, user)),
        scopeAt('codex', path.join(places.codex, 'hooks.json')),
        scopeAt('gemini', path.join(places.gemini, 'settings.json')),
        scopeAt('copilot', path.join(places.copilot, 'hooks', 'agent-mascot.json')),
      ]);
    },
  };

  /** In the person's own folder the project's file is the user's: two scopes would take turns in writing it. */
  async function inProject(project: string, user: string): Promise<readonly Promise<Scope>[]> {
    const files = [
      ['local', path.join(project, '.claude', 'settings.local.json')],
      ['project', path.join(project, '.claude', 'settings.json')],
    ] as const;
    const users = await settingsFolders.realFile(user);
    const real = await Promise.all(files.map(([, file]) => settingsFolders.realFile(file)));
    return files.filter((_, index) => real[index] !== users).map(([id, file]) => scopeAt(id, file, project));
  }
}

/** What may stand in the file of a scope, the larger first: which Claude Codes there are changes what is wanted, not what was written. */
export function setsFor(scope: Scope): readonly HookSet[] {
  if (scope.provider !== 'claude') return [scope.wanted];
  const known = new Set(claudeHookSet(sharedRequest).entries.map(({ event }) => event));
  const entries = scope.wanted.entries.filter(({ event }) => known.has(event));
  return entries.length < scope.wanted.entries.length ? [scope.wanted, { ...scope.wanted, entries }] : [scope.wanted];
}

/** Agents that were used here: their folder of settings is there. */
export async function agentsHere(places: AgentPlaces): Promise<ReadonlySet<HookedId>> {
  const all = (['claude', 'codex', 'gemini', 'copilot'] as const).map(async (agent) => {
    const isThere = await stat(places[agent]).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    return isThere ? [agent] : [];
  });
  return new Set((await Promise.all(all)).flat());
}
