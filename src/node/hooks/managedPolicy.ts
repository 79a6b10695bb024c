import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';

const LARGEST_BYTES = 1024 * 1024;
const FILES_MAX = 100;

/** Where Claude Code reads what an administrator decides. */
export function policyFolders(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'darwin') return ['/Library/Application Support/ClaudeCode'];
  if (platform === 'win32') return ['C:\\Program Files\\ClaudeCode', 'C:\\ProgramData\\ClaudeCode'];
  return ['/etc/claude-code'];
}

/** Files of this machine's policies that keep hooks such as ours from running. */
export async function findManagedPolicies(folders: readonly string[]): Promise<readonly string[]> {
  const files = await Promise.all(folders.map(policyFiles));
  const found = await Promise.all(files.flat().map(async (file) => ((await forbidsHooks(file)) ? [file] : [])));
  return found.flat();
}

async function policyFiles(folder: string): Promise<readonly string[]> {
  const parts = path.join(folder, 'managed-settings.d');
  const names = await readdir(parts).catch((): string[] => []);
  const dropIns = names.filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
  return [
    path.join(folder, 'managed-settings.json'),
    ...dropIns.slice(0, FILES_MAX).map((name) => path.join(parts, name)),
  ];
}

async function forbidsHooks(file: string): Promise<boolean> {
  try {
    const stats = await stat(file);
    if (!stats.isFile() || stats.size > LARGEST_BYTES) return false;
    const settings: unknown = JSON.parse((await readFile(file, 'utf8')).replace(/^\uFEFF/, ''));
    if (typeof settings !== 'object' || settings === null) return false;
    const { allowManagedHooksOnly, disableAllHooks } = settings as Readonly<Record<string, unknown>>;
    return allowManagedHooksOnly === true || disableAllHooks === true;
  } catch {
    return false;
  }
}
