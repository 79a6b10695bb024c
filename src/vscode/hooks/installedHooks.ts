import * as vscode from 'vscode';
import type { HookKit } from '../../app/hooks/hookKit.ts';
import type { Disposable, Log } from '../../app/ports.ts';
import { surveyAll } from './scopePick.ts';
import { hasOurs } from './standings.ts';

/** Whether hooks are installed anywhere, as far as this window has looked: the empty panel offers them, or says what comes next. */
export interface InstalledHooks extends Disposable {
  /** False until it has been looked. */
  current(): boolean;
  look(): void;
  readonly onChange: (listener: (installed: boolean) => void) => Disposable;
}

export function createInstalledHooks(kit: HookKit, log: Log): InstalledHooks {
  const changed = new vscode.EventEmitter<boolean>();
  let installed = false;
  let looking = false;

  async function look(): Promise<void> {
    const found = (await surveyAll(kit)).some(hasOurs);
    if (found === installed) return;
    installed = found;
    changed.fire(found);
  }

  return {
    current: () => installed,
    look() {
      if (looking) return;
      looking = true;
      look()
        .catch((error: unknown) => log.warn(String(error)))
        .finally(() => {
          looking = false;
        });
    },
    onChange: changed.event,
    dispose: () => changed.dispose(),
  };
}
