import type * as vscode from 'vscode';
import type { ExtensionApi, StartedWindow } from './startWindow.ts';

/** The editor measures loading this file and calling `activate`, so this file loads nothing else. */
const loadedAt = performance.now();

// The editor calls deactivate() without the context, so this one thing has to be remembered between the two calls.
// eslint-disable-next-line no-restricted-syntax
let starting: Promise<StartedWindow> | undefined;

/** Returns at once. The editor holds back our commands and views until the promise resolves. */
export function activate(context: vscode.ExtensionContext): Promise<ExtensionApi> {
  starting = start(context, () => activationMs);
  starting.catch(showFailure);
  const activationMs = performance.now() - loadedAt;
  return starting.then(({ api }) => api);
}

/** The editor waits a few seconds for this; a kill in the middle is what the journal is for. */
export async function deactivate(): Promise<void> {
  // If loading failed, there is nothing to stop.
  const started = await starting?.catch(() => undefined);
  await started?.stop();
}

/** Shows why activation failed: the editor only logs it, and the views would stay empty. */
async function showFailure(error: unknown): Promise<void> {
  const { l10n, window } = await import('vscode');
  const [reason = ''] = String(error).split('\n');
  await window.showErrorMessage(l10n.t('Agent Mascot can’t run in this window: {reason}', { reason }));
}

/**
 * Loads what `startWindow` needs in steps, because each step blocks the extension host for all extensions. Node's compile cache
 * would save a quarter of the time, but it can only be turned on for the whole process, so it would also store other extensions' code.
 */
const steps: readonly (() => Promise<unknown>)[] = [
  () => import('./domain/normalize.ts'),
  () => import('./app/membership.ts'),
  () => import('./node/ownerWorld.ts'),
  () => import('./vscode/editorViews.ts'),
  () => import('./startWindow.ts'),
];

async function start(context: vscode.ExtensionContext, activationMs: () => number): Promise<StartedWindow> {
  let longestMs = 0;
  for (const load of steps) {
    await new Promise(setImmediate);
    const began = performance.now();
    await load();
    longestMs = Math.max(longestMs, performance.now() - began);
  }
  await new Promise(setImmediate);
  const { startWindow } = await import('./startWindow.ts');
  return startWindow(context, { activationMs: activationMs(), loadMs: performance.now() - loadedAt, longestMs });
}
