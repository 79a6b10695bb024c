import * as vscode from 'vscode';
import type { Disposable, StateSource } from '../../app/ports.ts';
import type { Machine } from '../../app/windowPorts.ts';
import { areRelated } from '../../domain/folders.ts';
import type { Session } from '../../protocol/state.ts';
import { foldersOfThisWindow } from '../focus/ownWindow.ts';

export interface Elsewhere extends Disposable {
  /** Sessions that have nothing to do with this window's folders. */
  ids(): readonly string[];
  /** Whether somebody in these folders has to do with this window's. */
  isHere(place: Pick<Session, 'project' | 'cwd'>): boolean;
  /** Called when folders of this window, or what is known of folders, may have changed the answer; not for each change of the state. */
  readonly onChange: (listener: () => void) => Disposable;
}

/** UI-2: sessions and windows are compared by the folders as they are named and as they really are, for either may come by a link. */
export function createElsewhere(source: StateSource, machine: Machine): Elsewhere {
  const changed = new vscode.EventEmitter<void>();
  /** Each folder is looked up once: links that are changed meanwhile are rare, and a look-up for each patch is not free. */
  const real = new Map<string, string | undefined>();
  /** By what a session says of its folders; asked for all sessions at each change of the state. */
  const answers = new Map<string, boolean>();

  function forget(): void {
    answers.clear();
    changed.fire();
  }

  async function lookUp(folder: string): Promise<void> {
    real.set(folder, undefined);
    const found = await machine.realFolder(folder).catch(() => folder);
    real.set(folder, found);
    if (found !== folder) forget();
  }

  function bothWays(folders: readonly string[]): readonly string[] {
    return folders.flatMap((folder) => {
      if (folder === '') return [];
      if (!real.has(folder)) void lookUp(folder);
      const found = real.get(folder);
      return found === undefined || found === folder ? [folder] : [folder, found];
    });
  }

  function isIn(mine: readonly string[], { project, cwd }: Pick<Session, 'project' | 'cwd'>): boolean {
    const key = `${project}\n${cwd}`;
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = areRelated(bothWays([project, cwd]), mine, machine.folders);
    answers.set(key, answer);
    return answer;
  }

  const mine = () => bothWays(foldersOfThisWindow());
  const watching = vscode.workspace.onDidChangeWorkspaceFolders(forget);
  return {
    ids() {
      const folders = mine();
      return source
        .snapshot()
        .sessions.filter((session) => !isIn(folders, session))
        .map(({ id }) => id);
    },
    isHere: (place) => isIn(mine(), place),
    onChange: changed.event,
    dispose() {
      watching.dispose();
      changed.dispose();
    },
  };
}
