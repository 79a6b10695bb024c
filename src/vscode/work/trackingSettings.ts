import * as vscode from 'vscode';
import type { Disposable, Log } from '../../app/ports.ts';
import type { TrackingNotes } from '../../app/windowPorts.ts';
import { trackingModes, type TrackingRule } from '../../protocol/work.ts';
import { configSection } from '../ids.ts';
import { foldersOfThisWindow } from '../thisWindow.ts';

export interface TrackingSettingsParts {
  readonly notes: TrackingNotes;
  readonly log: Pick<Log, 'warn'>;
  /** Called after each note. */
  readonly onNoted: () => void;
}

/**
 * GRD-2: notes for the collector what the settings of this window's folders say about tracking, so that it holds for their projects
 * in whichever window the collector runs, and when no window shows them. Settings of a workspace that the person does not trust don't
 * count.
 */
export class TrackingSettings implements Disposable {
  readonly #parts: TrackingSettingsParts;
  /** By folder: what was noted last. */
  readonly #noted = new Map<string, string>();
  readonly #watching: Disposable;
  #noting: Promise<void> = Promise.resolve();

  constructor(parts: TrackingSettingsParts) {
    this.#parts = parts;
    this.#follow();
    this.#watching = vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#follow()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#follow()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${configSection}.tracking`)) this.#follow();
      }),
    );
  }

  dispose(): void {
    this.#watching.dispose();
  }

  /** One after the other, so that the newest settings are noted last. */
  #follow(): void {
    const { log } = this.#parts;
    this.#noting = this.#noting.then(() => this.#note()).catch((error: unknown) => log.warn(String(error)));
  }

  async #note(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    for (const folder of foldersOfThisWindow()) {
      const rule = ruleOf(folder);
      const words = JSON.stringify(rule ?? null);
      if (this.#noted.get(folder) === words) continue;
      await this.#parts.notes.note(folder, rule);
      this.#noted.set(folder, words);
      this.#parts.onNoted();
    }
  }
}

/** The folder's own rule; `undefined` if its settings have none that can be used. */
function ruleOf(folder: string): Partial<TrackingRule> | undefined {
  const section = vscode.workspace.getConfiguration(configSection, vscode.Uri.file(folder));
  const [modeHere, createHere] = ['tracking.mode', 'tracking.autoCreate'].map((name) => {
    const { workspaceFolderValue, workspaceValue } = section.inspect(name) ?? {};
    return workspaceFolderValue ?? workspaceValue;
  });
  const mode = trackingModes.find((known) => known === modeHere);
  const autoCreate = typeof createHere === 'boolean' ? createHere : undefined;
  if (mode === undefined && autoCreate === undefined) return undefined;
  return { ...(mode === undefined ? {} : { mode }), ...(autoCreate === undefined ? {} : { autoCreate }) };
}
