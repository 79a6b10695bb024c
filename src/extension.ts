import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { type Membership, startMembership } from './app/membership.ts';
import { composeHooks } from './composeHooks.ts';
import { composeOutlets } from './composeOutlets.ts';
import { composeWindow } from './composeWindow.ts';
import { createClaims } from './node/cluster/claim.ts';
import { createOwnerLinks } from './node/cluster/ownerLink.ts';
import { noteEditor } from './node/hooks/editors.ts';
import { keepBinFresh } from './node/machine/binFolder.ts';
import { defaultHome, homeAt, prepareHome } from './node/machine/home.ts';
import { createOwnerWorld, keepHomeSettings } from './node/ownerWorld.ts';
import type { Snapshot } from './protocol/state.ts';
import { createEditorViews } from './vscode/editorViews.ts';
import { createLog } from './vscode/log.ts';
import { createSettings } from './vscode/settings.ts';
import { createTroubles } from './vscode/troubles.ts';

declare const __PRODUCT_VERSION__: string;
const version = __PRODUCT_VERSION__;

// The editor calls deactivate() without the context, so this one thing has to be remembered between the two calls.
// eslint-disable-next-line no-restricted-syntax
let running: Membership | undefined;

/** What tests and benches ask of the running extension. */
export type ExtensionApi = { readonly activationMs: number; snapshot(): Snapshot };

export function activate(context: vscode.ExtensionContext): ExtensionApi {
  const began = performance.now();
  const log = createLog();
  const settings = createSettings(log);
  const home = homeAt(defaultHome(process.env));
  const [app, runtime] = [vscode.env.appName, process.execPath];
  const storage = path.join(context.globalStorageUri.fsPath, 'store');
  const place = { home, storage, assets: path.join(context.extensionPath, 'dist'), app, version, runtime };
  const troubles = createTroubles(log);
  const { outlets, ...offered } = composeOutlets({ ...place, settings, storage: context.secrets, log });
  const membership = startMembership({
    world: createOwnerWorld({ ...place, log, settings: settings.current, ...troubles.ofStore, outlets }),
    claims: createClaims(home, () => prepareHome(home, log)),
    links: createOwnerLinks(home, { app, version }),
    onOwner(owner) {
      log.info(`This window runs the collector at ${owner.url}.`);
      owner.damage.forEach(troubles.repaired);
      void keepBinFresh(home, path.join(place.assets, 'forwarder'), version, log, runtime, membership.holds);
    },
    onFailure: troubles.failed,
  });
  running = membership;
  let activationMs = 0;
  context.subscriptions.push(
    log,
    settings,
    settings.onChange((now) => keepHomeSettings(home, now, membership.holds, log)),
    createEditorViews({
      membership,
      kit: composeHooks({ ...place, env: process.env, log }),
      settings,
      notStoring: troubles.notStoring,
      log,
      version,
      context,
      folders: { person: homedir(), home: home.folder, storage },
      activationMs: () => activationMs,
      ...offered,
      ...composeWindow(home, app, log),
    }),
  );
  noteEditor(home.editors, { app, extension: context.extensionPath, execPath: runtime, version }, vscode.env, log);
  activationMs = performance.now() - began;
  log.info(`Agent Mascot ${version} activated in ${activationMs.toFixed(1)} ms.`);
  return { activationMs, snapshot: membership.snapshot };
}

/** The editor waits a few seconds for this; a kill in the middle is what the journal is for. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}
