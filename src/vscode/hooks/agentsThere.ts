import * as vscode from 'vscode';
import type { Scope } from '../../app/hooks/hookPorts.ts';
import { hookScopes } from '../../protocol/providers.ts';

/** Those whose agent has run here, as far as its folder tells. */
export async function foundScopes(scopes: readonly Scope[]): Promise<readonly Scope[]> {
  const found = await Promise.all(scopes.map(isFound));
  return scopes.filter((_, at) => found[at]);
}

async function isFound({ id, file }: Scope): Promise<boolean> {
  try {
    // The agent makes its own folder when it first runs.
    const up = hookScopes[id].file.split('/').map(() => '..');
    await vscode.workspace.fs.stat(vscode.Uri.joinPath(vscode.Uri.file(file), ...up));
    return true;
  } catch {
    return false;
  }
}
