import * as vscode from 'vscode';
import type { Loss, VanishWatch } from '../../app/hooks/hookKit.ts';
import type { InstalledFile } from '../../app/hooks/hookPorts.ts';
import type { Disposable, StateSource } from '../../app/ports.ts';
import { descriptors } from '../../protocol/providers.ts';
import { type ChangeParts, changeHooks, putBack } from './changeHooks.ts';
import { hookPhrase } from './hookPhrases.ts';
import { showFile } from './showFile.ts';

export interface Owning {
  owns(): boolean;
}

export interface VanishNotice extends Disposable {
  /** No longer looks: what goes from now on goes because the person wants it. */
  stop(): void;
}

/** HKI-5: the one window that owns the collector watches, so that the person is told once. */
export function createVanishNotice(
  parts: ChangeParts,
  membership: Owning & Pick<StateSource, 'onChange'>,
): VanishNotice {
  let watch: VanishWatch | undefined;
  let stopped = false;

  function follow(): void {
    const wanted = !stopped && membership.owns();
    if (wanted === (watch !== undefined)) return;
    watch?.dispose();
    watch = wanted ? parts.kit.watchVanishing() : undefined;
    watch?.onVanished((installed, loss) => {
      (loss === 'broken' ? toldBroken(parts, installed) : told(parts, installed, loss)).catch((error: unknown) =>
        parts.log.warn(String(error)),
      );
    });
  }

  const changes = membership.onChange((change) => {
    if (change.type === 'reset') follow();
  });
  const stop = () => {
    stopped = true;
    follow();
  };
  follow();
  return {
    stop,
    dispose() {
      changes.dispose();
      stop();
    },
  };
}

async function told(parts: ChangeParts, installed: InstalledFile, loss: Exclude<Loss, 'broken'>): Promise<void> {
  const file = parts.tilde(installed.file);
  const [back, not, show] = [hookPhrase('button.putBack'), hookPhrase('button.notNeeded'), hookPhrase('button.show')];
  const text = hookPhrase(loss === 'missing' ? 'vanished.missing' : 'vanished.told', { file });
  const choice = await vscode.window.showWarningMessage(text, back, not, show);
  if (choice === not) return await parts.kit.quieten(installed);
  if (choice !== back && choice !== show) return;
  const scope = await parts.kit.scopeOf(installed);
  if (scope === undefined) return;
  if (choice === show) await changeHooks(parts, 'install', scope);
  else if ((await putBack(parts, scope)) !== 'left') {
    void vscode.window.showInformationMessage(hookPhrase('vanished.back', { file }));
  }
}

/** Nothing can be put back before the person has mended it. */
async function toldBroken({ kit, tilde }: ChangeParts, installed: InstalledFile): Promise<void> {
  const scope = await kit.scopeOf(installed);
  if (scope === undefined) return;
  const [open, not] = [hookPhrase('button.openFile'), hookPhrase('button.notNeeded')];
  const agent = descriptors[scope.provider].name;
  const text = hookPhrase('vanished.broken', { file: tilde(scope.file), agent });
  const choice = await vscode.window.showWarningMessage(text, open, not);
  if (choice === not) await kit.quieten(installed);
  if (choice !== open) return;
  const plan = await kit.installer.plan('install', scope);
  await showFile(scope.file, plan.kind === 'refused' ? plan.refusal : undefined);
}
