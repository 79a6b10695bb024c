import { isGuardCommand } from '../../domain/hooks/command.ts';
import { type Finding, skipWords } from '../../domain/hooks/findings.ts';
import { hookScopes, type ScopeId } from '../../protocol/providers.ts';
import type { CollectorState, DoctorWorld } from './doctorPorts.ts';
import type { Doctor } from './hookKit.ts';
import type { HookInstaller, ScopeStanding } from './hookInstaller.ts';
import type { Scope, SettingsFiles } from './hookPorts.ts';
import { commandsOf, listHooks } from './listedHooks.ts';
import { agentFindings, scopeFindings } from './scopeFindings.ts';
import {
  collectorFindings,
  entryFinding,
  isRefusing,
  logFindings,
  runtimeFinding,
  spoolFindings,
  trialFindings,
} from './machineFindings.ts';

export interface DoctorParts {
  readonly world: DoctorWorld;
  readonly installer: Pick<HookInstaller, 'survey'>;
  readonly files: Pick<SettingsFiles, 'read'>;
}

/** A settings file that our hooks are in, with the commands that stand there. */
interface Installed {
  readonly scope: Scope;
  readonly commands: readonly string[];
  /**
   * The one that a test event goes through: it tells, and neither asks nor guards. It is run here, so it must be to the letter
   * what we would write ourselves: a file of a project is anybody's, and a form alone can be imitated.
   */
  readonly telling: string | undefined;
}

/** HKI-5. First where the hooks stand, then what they run, then whether an event arrives. */
export function createDoctor(parts: DoctorParts): Doctor {
  return {
    async examine(project, isAlone = false) {
      const { world } = parts;
      const isWanted = ({ scope }: ScopeStanding) => !isAlone || [undefined, project].includes(scope.project);
      const standings = (await parts.installer.survey(project)).filter(isWanted);
      const installed = await installedIn(parts, standings);
      const isInstalled = installed.length > 0;
      const collector = await world.collector();
      return [
        ...(await aboutScopes(world, standings, installed)),
        ...(await aboutAgents(world, standings, installed)),
        entryFinding(await world.entry(), isInstalled),
        runtimeFinding(await world.runtime()),
        ...collectorFindings(collector),
        ...spoolFindings(await world.spool(), collector),
        ...(await aboutTrials(world, installed, collector)),
        ...logFindings(await world.logLines()),
      ];
    },
  };
}

async function installedIn({ files }: DoctorParts, standings: readonly ScopeStanding[]): Promise<readonly Installed[]> {
  const all = await Promise.all(
    standings.map(async ({ scope }): Promise<Installed> => {
      const content = await files.read(scope.file);
      const text = content.kind === 'text' ? content.text : undefined;
      const ours = listHooks(text, scope.wanted.format).filter((hook) => hook.ours);
      const wanted = new Set(commandsOf(scope.wanted));
      return {
        scope,
        commands: ours.map(({ command }) => command),
        telling: ours.find(
          ({ event, command }) => wanted.has(command) && !/^sessionstart$/i.test(event) && !isGuardCommand(command),
        )?.command,
      };
    }),
  );
  return all.filter(({ commands }) => commands.length > 0);
}

async function aboutScopes(
  world: DoctorWorld,
  standings: readonly ScopeStanding[],
  installed: readonly Installed[],
): Promise<readonly Finding[]> {
  const claudeInstalled = installed.some(({ scope }) => scope.provider === 'claude');
  const here = await world.agentsHere();
  return standings.flatMap((standing) =>
    scopeFindings(standing, { isHere: here.has(standing.scope.provider), claudeInstalled }),
  );
}

async function aboutAgents(
  world: DoctorWorld,
  standings: readonly ScopeStanding[],
  installed: readonly Installed[],
): Promise<readonly Finding[]> {
  const claude = standings.find(({ scope }) => scope.id === 'user');
  const claudeFile = installed.find(({ scope }) => scope.provider === 'claude');
  const codex = installed.find(({ scope }) => scope.id === 'codex');
  return agentFindings({
    policies: claudeFile ? await world.managedPolicies() : [],
    claude: claude && claudeFile ? { scope: claude.scope, programs: await world.claudePrograms() } : undefined,
    codex: codex && {
      scope: codex.scope,
      count: codex.commands.length,
      trust: await world.codexTrust(codex.scope, codex.commands),
      inline: await world.codexInline(codex.scope),
    },
  });
}

async function aboutTrials(
  world: DoctorWorld,
  installed: readonly Installed[],
  collector: CollectorState,
): Promise<readonly Finding[]> {
  const byCommand = new Map<string, ScopeId>();
  for (const { scope, telling } of installed) {
    // One text in several scopes is one hook to its agent.
    if (telling !== undefined && !byCommand.has(telling)) byCommand.set(telling, scope.id);
  }
  if (byCommand.size === 0) {
    const why = skipWords[installed.length > 0 ? 'not-current' : 'no-hooks'];
    return [{ code: 'trial.skipped', level: 'note', values: { why } }];
  }
  const findings: Finding[] = [];
  // Behind what can't be stored a test event waits too, and would be called lost.
  const skip = collector.kind !== 'live' ? 'no-collector' : isRefusing(collector) ? 'not-storing' : undefined;
  if (skip !== undefined) findings.push({ code: 'trial.skipped', level: 'note', values: { why: skipWords[skip] } });
  for (const [command, scope] of skip === undefined ? byCommand : []) {
    findings.push(...trialFindings(hookScopes[scope].name, await world.trial(command)));
  }
  const [first] = byCommand.keys();
  if (skip === undefined && first !== undefined) {
    const { p50, p95, nothing } = await world.cost(first);
    findings.push({ code: 'cost.hooks', level: 'good', values: { p50, p95, nothing } });
  }
  return findings;
}
