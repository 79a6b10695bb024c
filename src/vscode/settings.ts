import * as vscode from 'vscode';
import type { Disposable, Log } from '../app/ports.ts';
import { readSettings, type SettingName, settingNames, type Settings } from '../protocol/settings.ts';
import { configSection } from './ids.ts';

export interface EditorSettings extends Disposable {
  current(): Settings;
  onChange(listener: (settings: Settings) => void): Disposable;
}

/** Our settings, checked when they change. For a value that can't be used the default holds, and the log says so. */
export function createSettings(log: Log): EditorSettings {
  const changed = new vscode.EventEmitter<Settings>();
  let current = read(log);
  const watching = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration(configSection)) return;
    current = read(log);
    changed.fire(current);
  });
  return {
    current: () => current,
    onChange: changed.event,
    dispose() {
      watching.dispose();
      changed.dispose();
    },
  };
}

function read(log: Log): Settings {
  const section = vscode.workspace.getConfiguration(configSection);
  const { settings, rejected, capped } = readSettings(
    Object.fromEntries(settingNames.map((name) => [name, valueOf(section, name)])),
  );
  for (const sentence of rejected) log.warn(`A setting can't be used, its default is in force. ${sentence}`);
  for (const sentence of capped) log.warn(sentence);
  return settings;
}

/**
 * GRD-2: these hold for every project that has none of its own, so only the person's own value counts. The value of a workspace
 * holds for its folders alone; `work/trackingSettings.ts` reads it.
 */
const personal: readonly SettingName[] = ['tracking.mode', 'tracking.autoCreate'];

function valueOf(section: vscode.WorkspaceConfiguration, name: SettingName): unknown {
  if (!personal.includes(name)) return section.get(name);
  const { globalValue, defaultValue } = section.inspect(name) ?? {};
  return globalValue ?? defaultValue;
}
