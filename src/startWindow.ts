import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { startMembership } from './app/membership.ts';
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
import { type LoadTimes, loadTimesText } from './vscode/diagnostics.ts';
import { createEditorViews } from './vscode/editorViews.ts';
import { createLog } from './vscode/log.ts';
import { createSettings } from './vscode/settings.ts';
import { Troubles } from './vscode/troubles.ts';

declare const __PRODUCT_VERSION__: string;
const version = __PRODUCT_VERSION__;

/** What tests and benchmarks read from the running extension. */
export interface ExtensionApi {
  /** See `LoadTimes`. */
  readonly activationMs: number;
  snapshot(): Snapshot;
}

export interface StartedWindow {
  readonly api: ExtensionApi;
  stop(): Promise<void>;
}

/** Starts this window: its views, and the collector if this window becomes the owner. */
export function startWindow(context: vscode.ExtensionContext, loadTimes: LoadTimes): StartedWindow {
  const began = performance.now();
  const log = createLog();
  const settings = createSettings(log);
  const home = homeAt(defaultHome(process.env));
  const [app, runtime] = [vscode.env.appName, process.execPath];
  const storage = path.join(context.globalStorageUri.fsPath, 'store');
  const place = { home, storage, assets: path.join(context.extensionPath, 'dist'), app, version, runtime };
  const troubles = new Troubles(log);
  const { outlets, ...offered } = composeOutlets({ ...place, settings, storage: context.secrets, log });
  const membership = startMembership({
    world: createOwnerWorld({ ...place, log, settings: settings.current, ...troubles.ofStore, outlets }),
    claims: createClaims(home, () => prepareHome(home, log)),
    links: createOwnerLinks(home, { app, version }),
    onOwner(owner) {
      log.info(`This window runs the collector at ${owner.url}.`);
      owner.damage.forEach((sentence) => troubles.repaired(sentence));
      void keepBinFresh(home, path.join(place.assets, 'forwarder'), version, log, runtime, membership.holds);
    },
    onFailure: (error) => troubles.failed(error),
  });
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
      loadTimes,
      ...offered,
      ...composeWindow(home, app, log),
    }),
  );
  noteEditor(home.editors, { app, extension: context.extensionPath, execPath: runtime, version }, vscode.env, log);
  const startMs = performance.now() - began;
  log.info(`Agent Mascot ${version}: ${loadTimesText(loadTimes)}; started in ${startMs.toFixed(1)} ms.`);
  return { api: { activationMs: loadTimes.activationMs, snapshot: membership.snapshot }, stop: membership.stop };
}
