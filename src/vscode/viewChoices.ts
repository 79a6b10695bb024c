import * as vscode from 'vscode';
import type { Disposable } from '../app/ports.ts';
import { type ViewFilter, viewFilters } from '../protocol/view.ts';
import { commandIds, configSection, contextKeys, extensionId, memoryKeys, walkthroughId } from './ids.ts';

export interface ViewChoices extends Disposable {
  filter(): ViewFilter;
  showHidden(): boolean;
  /** Whether the introduction of the first mascot has been read. */
  met(): boolean;
  chooseFilter(filter: ViewFilter): void;
  chooseHidden(show: boolean): void;
  meet(): void;
  readonly onChange: (listener: () => void) => Disposable;
  readonly table: Readonly<Record<ChoiceCommandId, () => unknown>>;
}

export type ChoiceCommandId =
  | typeof commandIds.showAllAgents
  | typeof commandIds.showThisWindowsAgents
  | typeof commandIds.showHiddenMascots
  | typeof commandIds.hideHiddenMascots
  | typeof commandIds.turnDoNotDisturbOn
  | typeof commandIds.turnDoNotDisturbOff
  | typeof commandIds.openWalkthrough
  | typeof commandIds.openSettings;

/** What the person chose to see: the filter and the hidden ones for each workspace, the rest for good. */
export function createViewChoices(memory: vscode.Memento, workspaceMemory: vscode.Memento): ViewChoices {
  const changed = new vscode.EventEmitter<void>();
  const filter = () => viewFilters.find((known) => known === workspaceMemory.get(memoryKeys.filter)) ?? 'all';
  const showHidden = () => workspaceMemory.get(memoryKeys.showHidden) === true;

  function showInMenus(): void {
    void vscode.commands.executeCommand('setContext', contextKeys.filter, filter());
    void vscode.commands.executeCommand('setContext', contextKeys.showHidden, showHidden());
  }

  function remember(where: vscode.Memento, key: string, value: unknown): void {
    if (where.get(key) === value) return;
    // The value counts from now on, whether or not it can be kept for the next time.
    void where.update(key, value);
    showInMenus();
    changed.fire();
  }

  const chooseFilter = (value: ViewFilter) => remember(workspaceMemory, memoryKeys.filter, value);
  const chooseHidden = (show: boolean) => remember(workspaceMemory, memoryKeys.showHidden, show);
  showInMenus();
  return {
    filter,
    showHidden,
    met: () => memory.get(memoryKeys.met) === true,
    chooseFilter,
    chooseHidden,
    meet: () => remember(memory, memoryKeys.met, true),
    onChange: changed.event,
    table: {
      [commandIds.showAllAgents]: () => chooseFilter('all'),
      [commandIds.showThisWindowsAgents]: () => chooseFilter('here'),
      [commandIds.showHiddenMascots]: () => chooseHidden(true),
      [commandIds.hideHiddenMascots]: () => chooseHidden(false),
      [commandIds.turnDoNotDisturbOn]: () => setDoNotDisturb(true),
      [commandIds.turnDoNotDisturbOff]: () => setDoNotDisturb(false),
      [commandIds.openWalkthrough]: () =>
        vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#${walkthroughId}`, false),
      [commandIds.openSettings]: () =>
        vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extensionId}`),
    },
    dispose: () => changed.dispose(),
  };
}

/** For every window: who does not want to be disturbed means all of them. */
export function setDoNotDisturb(on: boolean): Thenable<void> {
  return vscode.workspace.getConfiguration(configSection).update('doNotDisturb', on, vscode.ConfigurationTarget.Global);
}
