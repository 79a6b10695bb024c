import * as vscode from 'vscode';
import type { Disposable } from '../app/ports.ts';
import { type ViewFilter, viewFilters } from '../protocol/view.ts';
import { commandIds, configSection, contextKeys, extensionId, memoryKeys, walkthroughId } from './ids.ts';

type ChoiceCommandId =
  | typeof commandIds.showAllAgents
  | typeof commandIds.showThisWindowsAgents
  | typeof commandIds.showHiddenMascots
  | typeof commandIds.hideHiddenMascots
  | typeof commandIds.turnDoNotDisturbOn
  | typeof commandIds.turnDoNotDisturbOff
  | typeof commandIds.openWalkthrough
  | typeof commandIds.openSettings;

/** What the person chose to see. The filter and the hidden mascots are remembered for the workspace, the rest for the person. */
export class ViewChoices implements Disposable {
  readonly #memory: vscode.Memento;
  readonly #workspaceMemory: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onChange = this.#changed.event;
  readonly commands: Readonly<Record<ChoiceCommandId, () => unknown>> = {
    [commandIds.showAllAgents]: () => this.chooseFilter('all'),
    [commandIds.showThisWindowsAgents]: () => this.chooseFilter('here'),
    [commandIds.showHiddenMascots]: () => this.chooseHidden(true),
    [commandIds.hideHiddenMascots]: () => this.chooseHidden(false),
    [commandIds.turnDoNotDisturbOn]: () => setDoNotDisturb(true),
    [commandIds.turnDoNotDisturbOff]: () => setDoNotDisturb(false),
    [commandIds.openWalkthrough]: () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extensionId}#${walkthroughId}`, false),
    [commandIds.openSettings]: () =>
      vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extensionId}`),
  };

  constructor(memory: vscode.Memento, workspaceMemory: vscode.Memento) {
    this.#memory = memory;
    this.#workspaceMemory = workspaceMemory;
    this.#updateMenus();
  }

  filter(): ViewFilter {
    return viewFilters.find((known) => known === this.#workspaceMemory.get(memoryKeys.filter)) ?? 'all';
  }

  showHidden(): boolean {
    return this.#workspaceMemory.get(memoryKeys.showHidden) === true;
  }

  /** Whether the person has read the introduction of the first mascot. */
  met(): boolean {
    return this.#memory.get(memoryKeys.met) === true;
  }

  chooseFilter(filter: ViewFilter): void {
    this.#remember(this.#workspaceMemory, memoryKeys.filter, filter);
  }

  chooseHidden(show: boolean): void {
    this.#remember(this.#workspaceMemory, memoryKeys.showHidden, show);
  }

  /** The person has read the introduction. */
  meet(): void {
    this.#remember(this.#memory, memoryKeys.met, true);
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #remember(memory: vscode.Memento, key: string, value: unknown): void {
    if (memory.get(key) === value) return;
    // The memory has the value at once. Whether it is kept for the next start changes nothing now.
    void memory.update(key, value);
    this.#updateMenus();
    this.#changed.fire();
  }

  #updateMenus(): void {
    void vscode.commands.executeCommand('setContext', contextKeys.filter, this.filter());
    void vscode.commands.executeCommand('setContext', contextKeys.showHidden, this.showHidden());
  }
}

/** Sets Do Not Disturb for every window. */
export function setDoNotDisturb(on: boolean): Thenable<void> {
  return vscode.workspace.getConfiguration(configSection).update('doNotDisturb', on, vscode.ConfigurationTarget.Global);
}
