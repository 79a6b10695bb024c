import * as vscode from 'vscode';
import type { HookKit } from '../app/hooks/hookKit.ts';
import type { Disposable, Explainer, StateSource } from '../app/ports.ts';
import type { Collector, Machine, Windows } from '../app/windowPorts.ts';
import { registerCommands } from './commands.ts';
import { diagnosticsText } from './diagnostics.ts';
import { createExplanationDocument } from './explanationDocument.ts';
import { createHookCommands, type HookCommandParts } from './hooks/hookCommands.ts';
import { createInstalledHooks } from './hooks/installedHooks.ts';
import type { EditorLog } from './log.ts';
import { createPanelView } from './panelView.ts';
import type { EditorSettings } from './settings.ts';
import { createStatusBar } from './statusBar.ts';
import type { NotStoring } from './troubles.ts';
import { createViewedSource } from './viewedSource.ts';

export interface EditorViewParts {
  readonly membership: StateSource & Explainer & HookCommandParts['membership'];
  readonly kit: HookKit;
  readonly settings: EditorSettings;
  readonly notStoring: NotStoring;
  readonly log: EditorLog;
  readonly version: string;
  /** Where the extension lies, and what it remembers of this person and of this workspace. */
  readonly context: Pick<vscode.ExtensionContext, 'extensionUri' | 'globalState' | 'workspaceState'>;
  readonly folders: HookCommandParts['folders'];
  readonly activationMs: () => number;
  readonly collector: Collector;
  readonly windows: Windows;
  readonly machine: Machine;
}

/** All that the editor shows and offers. */
export function createEditorViews(parts: EditorViewParts): Disposable {
  const { membership, kit, settings, log, version, context, folders, activationMs } = parts;
  const source = createViewedSource(membership);
  const installed = createInstalledHooks(kit, log);
  const panel = createPanelView({ source, settings, log, extensionUri: context.extensionUri, installed });
  const explanation = createExplanationDocument(membership);
  const hooks = createHookCommands({
    kit,
    membership,
    log,
    version,
    folders,
    turnedOff: source.turnOff,
    changed: installed.look,
  });
  const diagnostics = () =>
    diagnosticsText({ source, owns: membership.owns, settings: settings.current, version, activationMs });
  return vscode.Disposable.from(
    source,
    installed,
    panel,
    explanation,
    hooks,
    createStatusBar(source, membership.owns, parts.notStoring),
    registerCommands({ source, panel, log, hooks, explanation, diagnostics }),
  );
}
