import * as vscode from 'vscode';
import { configSection } from './ids.ts';

/** Opens the settings whose names begin so. In a remote window those of its machine stand on a tab of their own, and are not found elsewhere. */
export async function openMachineSettings(name: string): Promise<void> {
  const query = `${configSection}.${name}`;
  if (vscode.env.remoteName === undefined) await vscode.commands.executeCommand('workbench.action.openSettings', query);
  else await vscode.commands.executeCommand('workbench.action.openRemoteSettings', { query });
}
