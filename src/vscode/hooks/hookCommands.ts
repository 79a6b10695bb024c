import * as vscode from 'vscode';
import type { HookKit } from '../../app/hooks/hookKit.ts';
import type { HookAction } from '../../app/hooks/hookInstaller.ts';
import type { Disposable, Log, StateSource } from '../../app/ports.ts';
import { commandIds } from '../ids.ts';
import { type ChangeParts, changeHooks } from './changeHooks.ts';
import { createDifferenceView } from './differenceView.ts';
import { checkHooks } from './doctorView.ts';
import { excludeProject } from './excludeProject.ts';
import { hookPhrase, tildeFor } from './hookPhrases.ts';
import { removeEverything } from './removeEverything.ts';
import { repairHooks } from './repairHooks.ts';
import { pickScope } from './scopePick.ts';
import { createTopicDocument } from './topicDocument.ts';
import { createVanishNotice, type Owning } from './vanishNotice.ts';

export interface HookCommandParts {
  readonly kit: HookKit;
  readonly membership: Owning & Pick<StateSource, 'onChange'> & { stop(): Promise<void> };
  readonly log: Log;
  readonly version: string;
  /** The person's own folder, the product's home below it, and where conversations are stored. */
  readonly folders: { readonly person: string; readonly home: string; readonly storage: string };
  /** What lets us in elsewhere goes with the rest. */
  forgetSecrets(): Promise<void>;
  /** Says in the panel that nothing runs any more. */
  turnedOff(): void;
  /** Told after each command: what is installed may be other than before. */
  changed(): void;
}

export type HookCommandId =
  | typeof commandIds.installHooks
  | typeof commandIds.uninstallHooks
  | typeof commandIds.checkHooks
  | typeof commandIds.repairHooks
  | typeof commandIds.removeEverything
  | typeof commandIds.excludeProject;

export interface HookCommands extends Disposable {
  readonly table: Readonly<Record<HookCommandId, () => Promise<void>>>;
}

/** All that the editor offers about hooks. Nothing is looked at before a command runs, or this window owns the collector. */
export function createHookCommands(given: HookCommandParts): HookCommands {
  const { kit, log, membership, folders, version } = given;
  const difference = createDifferenceView();
  const topics = createTopicDocument();
  const parts: ChangeParts = {
    kit,
    log,
    tilde: tildeFor(folders.person),
    difference,
    offerMore: () => table[commandIds.installHooks](),
  };
  const notice = createVanishNotice(parts, membership);

  async function change(action: HookAction): Promise<void> {
    const scope = await pickScope(kit, action, parts.tilde);
    if (scope !== undefined) await changeHooks(parts, action, scope);
  }

  async function turnOff(): Promise<void> {
    notice.stop();
    await membership.stop();
    given.turnedOff();
  }

  async function turnOffForGood(): Promise<void> {
    await turnOff();
    await given.forgetSecrets();
  }

  /** The editor would say only that the command failed. */
  function told(run: () => Promise<void>): () => Promise<void> {
    return async () => {
      try {
        await run();
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        log.error(why);
        void vscode.window.showErrorMessage(hookPhrase('trouble.unexpected', { why }));
      }
      given.changed();
    };
  }

  const table: HookCommands['table'] = {
    [commandIds.installHooks]: told(() => change('install')),
    [commandIds.uninstallHooks]: told(() => change('uninstall')),
    [commandIds.checkHooks]: told(() => checkHooks({ ...parts, version, topics })),
    [commandIds.repairHooks]: told(() => repairHooks(parts)),
    [commandIds.removeEverything]: told(() =>
      removeEverything({ ...parts, home: folders.home, storage: folders.storage, turnOff: turnOffForGood }),
    ),
    [commandIds.excludeProject]: told(() => excludeProject(parts)),
  };
  const disposables = vscode.Disposable.from(difference, topics, notice);
  return { table, dispose: () => disposables.dispose() };
}
