import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Scope, Scopes } from '../../app/hooks/hookPorts.ts';
import { homeInCommand } from '../../domain/hooks/agentPath.ts';
import { takesNewEvents } from '../../domain/hooks/claudeVersions.ts';
import type { CommandPlace } from '../../domain/hooks/command.ts';
import type { HookSet, HookSetRequest } from '../../domain/hooks/hookSet.ts';
import { claudeHookSet } from '../../domain/providers/claude/hookSet.ts';
import { codexHookSet } from '../../domain/providers/codex/hookSet.ts';
import { copilotHookSet } from '../../domain/providers/copilot/hookSet.ts';
import { geminiHookSet } from '../../domain/providers/gemini/hookSet.ts';
import { HOME_FOLDER_NAME } from '../../protocol/discovery.ts';
import type { ProviderId } from '../../protocol/hook.ts';
import type { AgentPlaces } from './agentPlaces.ts';
import type { FoundProgram } from './claudePrograms.ts';

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

export function createScopes({ home, places, platform, programs, now = Date.now }: ScopesParts): Scopes {
  const system: CommandPlace['system'] = platform === 'win32' ? 'windows' : 'posix';
  const place: CommandPlace = { system, home: homeInCommand(home, places.person, system) };
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

  return {
    async all(project) {
      const ownRequest: HookSetRequest = { place, takesNewEvents: await allTakeNewEvents() };
      const claude = claudeHookSet(ownRequest);
      const scopes: Scope[] = [
        { id: 'user', provider: 'claude', file: path.join(places.claude, 'settings.json'), wanted: claude },
      ];
      if (project !== undefined) {
        const inProject = (name: string) => path.join(project, '.claude', name);
        scopes.push(
          { id: 'local', provider: 'claude', file: inProject('settings.local.json'), project, wanted: claude },
          {
            id: 'project',
            provider: 'claude',
            file: inProject('settings.json'),
            project,
            wanted: claudeHookSet(sharedRequest),
          },
        );
      }
      const others: HookSetRequest = { place, takesNewEvents: true };
      scopes.push(
        { id: 'codex', provider: 'codex', file: path.join(places.codex, 'hooks.json'), wanted: codexHookSet(others) },
        {
          id: 'gemini',
          provider: 'gemini',
          file: path.join(places.gemini, 'settings.json'),
          wanted: geminiHookSet(others),
        },
        {
          id: 'copilot',
          provider: 'copilot',
          file: path.join(places.copilot, 'hooks', 'agent-mascot.json'),
          wanted: copilotHookSet(others),
        },
      );
      return scopes;
    },
  };
}

/** What may stand in the file of a scope, the larger first: which Claude Codes there are changes what is wanted, not what was written. */
export function setsFor(scope: Scope | undefined): readonly HookSet[] {
  if (!scope) return [];
  if (scope.provider !== 'claude') return [scope.wanted];
  const known = new Set(claudeHookSet(sharedRequest).entries.map(({ event }) => event));
  const entries = scope.wanted.entries.filter(({ event }) => known.has(event));
  return entries.length < scope.wanted.entries.length ? [scope.wanted, { ...scope.wanted, entries }] : [scope.wanted];
}

/** Agents that were used here: their folder of settings is there. */
export async function agentsHere(places: AgentPlaces): Promise<ReadonlySet<ProviderId>> {
  const all = (['claude', 'codex', 'gemini', 'copilot'] as const).map(async (agent) => {
    const isThere = await stat(places[agent]).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    return isThere ? [agent] : [];
  });
  return new Set((await Promise.all(all)).flat());
}
