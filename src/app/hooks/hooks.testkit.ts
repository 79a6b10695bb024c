import { hookCommand } from '../../domain/hooks/command.ts';
import type { HookSet } from '../../domain/hooks/hookSet.ts';
import { codexHookSet } from '../../domain/providers/codex/hookSet.ts';
import type {
  FileContent,
  InstalledFile,
  InstallRecord,
  Scope,
  Scopes,
  SettingsFiles,
  SettingsFolders,
  Written,
} from './hookPorts.ts';
import type { ScopeId } from '../../protocol/providers.ts';

const place = { system: 'posix', home: '$HOME/.agent-mascot' } as const;

/** Two events, so that a whole file is short. */
export const smallSet: HookSet = {
  format: { shape: 'grouped', commandKey: 'command' },
  entries: ['SessionStart', 'Stop'].map((event) => ({
    event,
    element: { hooks: [{ type: 'command', command: hookCommand(place, 'claude', event), timeout: 10 }] },
  })),
};

export const stopCommand = hookCommand(place, 'claude', 'Stop');

export function scopeAt(id: ScopeId, changes: Partial<Scope> = {}): Scope {
  const isClaude = id === 'user' || id === 'local' || id === 'project';
  return {
    id,
    provider: isClaude ? 'claude' : id,
    file: `/home/dev/${id}.json`,
    ...(id === 'local' || id === 'project' ? { project: '/home/dev/project' } : {}),
    wanted: id === 'codex' ? codexHookSet({ place, takesNewEvents: false }) : smallSet,
    ...changes,
  };
}

/** Where we installed, when none of the usual scopes is there. */
export function scopeFrom({ scope, file, project }: InstalledFile): Scope {
  return scopeAt(scope, { file, project });
}

export function scopesOf(...scopes: readonly Scope[]): Scopes {
  return { all: () => Promise.resolve(scopes), of: (installed) => Promise.resolve(scopeFrom(installed)) };
}

export interface MemoryFiles extends SettingsFiles {
  readonly texts: Map<string, string>;
  /** What `read` says instead of a text. */
  readonly contents: Map<string, FileContent>;
  /** What the next `replace` answers without writing. */
  answer: Written | undefined;
}

export function memoryFiles(texts: Readonly<Record<string, string>> = {}): MemoryFiles {
  const files: MemoryFiles = {
    texts: new Map(Object.entries(texts)),
    contents: new Map(),
    answer: undefined,
    read(file) {
      const text = files.texts.get(file);
      const content: FileContent = text === undefined ? { kind: 'missing' } : { kind: 'text', text };
      return Promise.resolve(files.contents.get(file) ?? content);
    },
    replace(file, before, after) {
      if (files.answer) return Promise.resolve(files.answer);
      if (files.texts.get(file) !== before) return Promise.resolve({ kind: 'changed' });
      if (after === undefined) files.texts.delete(file);
      else files.texts.set(file, after);
      return Promise.resolve({ kind: 'written', backup: before === undefined ? undefined : `${file}.backup` });
    },
  };
  return files;
}

export interface MemoryFolders extends SettingsFolders {
  readonly gone: Set<string>;
  /** Other names of files. */
  readonly links: Map<string, string>;
  /** Folders that are still to be made. */
  readonly missing: Set<string>;
  readonly removed: string[];
}

export function memoryFolders(): MemoryFolders {
  const folders: MemoryFolders = {
    gone: new Set(),
    links: new Map(),
    missing: new Set(),
    removed: [],
    isThere: (folder) => Promise.resolve(!folders.gone.has(folder)),
    realFile: (file) => Promise.resolve(folders.links.get(file) ?? file),
    missingAbove: (file) => Promise.resolve([...folders.missing].filter((folder) => file.startsWith(`${folder}/`))),
    removeEmpty: (_, emptied) => Promise.resolve(void folders.removed.push(...emptied)),
  };
  return folders;
}

export function memoryRecord(...installed: InstalledFile[]): InstallRecord & { readonly all: InstalledFile[] } {
  return {
    all: installed,
    list: () => Promise.resolve([...installed]),
    add(file) {
      const at = installed.findIndex((each) => each.file === file.file);
      if (at < 0) installed.push(file);
      else installed[at] = file;
      return Promise.resolve();
    },
    quieten(file, quiet) {
      const at = installed.findIndex((each) => each.file === file);
      const found = installed[at];
      if (found) installed[at] = { ...found, quiet };
      return Promise.resolve();
    },
    remove(file) {
      const at = installed.findIndex((each) => each.file === file);
      if (at >= 0) installed.splice(at, 1);
      return Promise.resolve();
    },
  };
}

export function recorded(scope: Scope, made = false): InstalledFile {
  const { id, file, project, wanted } = scope;
  return { scope: id, file, project, made, format: wanted.format, at: '2026-11-18T12:00:00.000Z' };
}
