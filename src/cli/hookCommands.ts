import type { ScopeStanding } from '../app/hooks/hookInstaller.ts';
import { scopeIds } from '../protocol/providers.ts';
import type { Options } from './arguments.ts';
import { changeFiles, entryReady } from './changeFiles.ts';
import { type Command, noWords, printJson } from './command.ts';
import { exitCodes } from './failure.ts';
import { standingLines, stateOf } from './hookTexts.ts';
import { placeOptions, placesOf, standingsOf } from './places.ts';

const writingOptions: Options = {
  ...placeOptions,
  yes: { words: 'write without asking' },
};

export const installCommand: Command = {
  summary: 'add the hooks to an agent’s settings, after showing what changes (default: --scope user)',
  options: writingOptions,
  words: noWords,
  needsPerson: true,
  async run(call) {
    const kit = await call.world.kit();
    const { scopes } = await placesOf(call, kit, ['user']);
    return changeFiles(call, kit, 'install', scopes);
  },
};

export const uninstallCommand: Command = {
  summary: 'take the hooks out again (default: --scope user)',
  options: writingOptions,
  words: noWords,
  needsPerson: true,
  async run(call) {
    const kit = await call.world.kit();
    const standings = await standingsOf(call, kit, ['user']);
    return changeFiles(
      call,
      kit,
      'uninstall',
      standings.map(({ scope }) => scope),
    );
  },
};

export const repairCommand: Command = {
  summary: 'put back what is missing or older, wherever hooks are installed',
  options: writingOptions,
  words: noWords,
  needsPerson: true,
  async run(call) {
    const kit = await call.world.kit();
    const harmed = (await standingsOf(call, kit, scopeIds)).filter(needsRepair);
    await entryReady(kit)();
    if (harmed.length === 0 && !call.json) call.world.terminal.out('Nothing to repair: what is installed is whole.');
    return changeFiles(
      call,
      kit,
      'install',
      harmed.map(({ scope }) => scope),
    );
  },
};

export const standingCommand: Command = {
  summary: 'where the hooks are installed, and whether they are whole',
  options: placeOptions,
  words: noWords,
  async run(call) {
    const kit = await call.world.kit();
    const standings = await standingsOf(call, kit, scopeIds);
    if (call.json) printJson(call, { scopes: standings.map(jsonOf) });
    else call.world.terminal.out(standingLines(standings).join('\n'));
    return exitCodes.ok;
  },
};

/** A file that can't be read, or is broken, is the person's to mend: installing again tells them where. */
function needsRepair({ standing, recorded }: ScopeStanding): boolean {
  if (standing === undefined || 'reason' in standing) return recorded;
  return standing.state === 'absent' ? recorded : standing.state !== 'whole';
}

function jsonOf(standing: ScopeStanding): object {
  const { scope, why, linkTarget, recorded, standing: found } = standing;
  return {
    scope: scope.id,
    file: scope.file,
    ...(scope.project === undefined ? {} : { project: scope.project }),
    state: stateWord(standing),
    recorded,
    ...(why === undefined ? {} : { why }),
    ...(linkTarget === undefined ? {} : { linkTarget }),
    ...(found && 'reason' in found ? { refusal: found } : {}),
    ...(found && !('reason' in found)
      ? { missing: found.missing, outdated: found.outdated, disabled: found.disabled }
      : {}),
  };
}

/** Without the switch, which `disabled` tells. */
function stateWord(standing: ScopeStanding): string {
  const found = standing.standing;
  return found && !('reason' in found) && found.state !== 'absent'
    ? found.state
    : stateOf(standing).replace('no file', 'absent');
}
