import * as vscode from 'vscode';
import type { Disposable, Log } from '../../app/ports.ts';
import type { TrackingNotes } from '../../app/windowPorts.ts';
import { trackingModes, type TrackingRule } from '../../protocol/work.ts';
import { foldersOfThisWindow } from '../thisWindow.ts';
import { configSection } from '../ids.ts';

export interface TrackingSettingsParts {
  readonly notes: TrackingNotes;
  readonly log: Pick<Log, 'warn'>;
  /** Something was told. */
  readonly noted: () => void;
}

/**
 * GRD-2: tells what the folders of this window have of their own, so that their projects are held to it whichever window judges,
 * and when none shows them. What a workspace says that the person does not trust counts for nothing.
 */
export function startTrackingSettings({ notes, log, noted }: TrackingSettingsParts): Disposable {
  /** What was told last of each folder. */
  const told = new Map<string, string>();
  let telling: Promise<void> = Promise.resolve();

  async function tell(): Promise<void> {
    if (!vscode.workspace.isTrusted) return;
    for (const folder of foldersOfThisWindow()) {
      const rule = ruleOf(folder);
      const words = JSON.stringify(rule ?? null);
      if (told.get(folder) === words) continue;
      await notes.note(folder, rule);
      told.set(folder, words);
      noted();
    }
  }

  /** One after the other: the last word is the newest. */
  function soon(): void {
    telling = telling.then(tell).catch((error: unknown) => log.warn(String(error)));
  }

  soon();
  return vscode.Disposable.from(
    vscode.workspace.onDidGrantWorkspaceTrust(soon),
    vscode.workspace.onDidChangeWorkspaceFolders(soon),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${configSection}.tracking`)) soon();
    }),
  );
}

/** Undefined: it has nothing of its own that could be used. */
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
