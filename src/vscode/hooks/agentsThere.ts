import * as vscode from 'vscode';
import type { Scope } from '../../app/hooks/hookPorts.ts';
import type { ScopeId } from '../../domain/hooks/hookSet.ts';

/** How far above the file an agent's own folder is, which the agent makes when it first runs. */
const levels: Readonly<Record<ScopeId, readonly string[]>> = {
  user: ['..'],
  local: ['..', '..'],
  project: ['..', '..'],
  codex: ['..'],
  gemini: ['..'],
  copilot: ['..', '..'],
};

/** Those whose agent has run here, as far as its folder tells. */
export async function foundScopes(scopes: readonly Scope[]): Promise<readonly Scope[]> {
  const found = await Promise.all(scopes.map(isFound));
  return scopes.filter((_, at) => found[at]);
}

async function isFound({ id, file }: Scope): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(vscode.Uri.joinPath(vscode.Uri.file(file), ...levels[id]));
    return true;
  } catch {
    return false;
  }
}
