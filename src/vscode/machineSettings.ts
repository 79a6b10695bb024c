import * as vscode from 'vscode';
import { configSection } from './ids.ts';

/** Opens the settings whose names begin with `name`. In a remote window the machine's settings are only found on a tab of their own. */
export async function openMachineSettings(name: string): Promise<void> {
  const query = `${configSection}.${name}`;
  if (vscode.env.remoteName === undefined) await vscode.commands.executeCommand('workbench.action.openSettings', query);
  else await vscode.commands.executeCommand('workbench.action.openRemoteSettings', { query });
}
