import * as vscode from 'vscode';
import type { VanishWatch } from '../../app/hooks/hookKit.ts';
import type { InstalledFile } from '../../app/hooks/hookPorts.ts';
import type { Disposable, StateSource } from '../../app/ports.ts';
import { type ChangeParts, changeHooks, putBack } from './changeHooks.ts';
import { hookPhrase } from './hookPhrases.ts';

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
    watch?.onVanished((installed) => {
      told(parts, installed).catch((error: unknown) => parts.log.warn(String(error)));
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

async function told(parts: ChangeParts, installed: InstalledFile): Promise<void> {
  const file = parts.tilde(installed.file);
  const [back, not, show] = [hookPhrase('button.putBack'), hookPhrase('button.notNeeded'), hookPhrase('button.show')];
  const choice = await vscode.window.showWarningMessage(hookPhrase('vanished.told', { file }), back, not, show);
  if (choice === not) return await parts.kit.forget(installed);
  if (choice !== back && choice !== show) return;
  const scope = await parts.kit.scopeOf(installed);
  if (scope === undefined) return;
  if (choice === show) await changeHooks(parts, 'install', scope);
  else if ((await putBack(parts, scope)) !== 'left') {
    void vscode.window.showInformationMessage(hookPhrase('vanished.back', { file }));
  }
}
