import * as vscode from 'vscode';
import type { Disposable, StateSource } from '../app/ports.ts';
import type { Machine } from '../app/windowPorts.ts';
import { areRelated } from '../domain/folders.ts';
import type { Session } from '../protocol/state.ts';
import type { TerminalFocus } from './focus/focusTerminal.ts';
import type { Terminals } from './focus/terminals.ts';

/** The folders of this window that lie on a disk, as the editor names them. */
export function foldersOfThisWindow(): readonly string[] {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
}

type Folders = Pick<Session, 'project' | 'cwd'>;

/**
 * UI-2: which sessions have nothing to do with this window's folders. Sessions and windows are compared by the folders as they are
 * named and as they really are, because either name may be a link.
 */
export class Elsewhere implements Disposable {
  readonly #source: StateSource;
  readonly #machine: Machine;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #watching: Disposable;
  /** The real folder by its name. Each is looked up once: links rarely change, and this is asked at each change of the state. */
  readonly #real = new Map<string, string | undefined>();
  readonly #answers = new Map<string, boolean>();
  /** Fires when the window's folders change, or when a folder turns out to be a link; not at each change of the state. */
  readonly onChange = this.#changed.event;

  constructor(source: StateSource, machine: Machine) {
    this.#source = source;
    this.#machine = machine;
    this.#watching = vscode.workspace.onDidChangeWorkspaceFolders(() => this.#forgetAnswers());
  }

  /** The ids of the sessions that have nothing to do with this window's folders. */
  ids(): readonly string[] {
    const mine = this.#mine();
    return this.#source
      .snapshot()
      .sessions.filter((session) => !this.#isIn(mine, session))
      .map(({ id }) => id);
  }

  /** Whether these folders have to do with this window's. */
  isHere(folders: Folders): boolean {
    return this.#isIn(this.#mine(), folders);
  }

  dispose(): void {
    this.#watching.dispose();
    this.#changed.dispose();
  }

  #mine(): readonly string[] {
    return this.#withRealNames(foldersOfThisWindow());
  }

  #isIn(mine: readonly string[], { project, cwd }: Folders): boolean {
    const key = `${project}\n${cwd}`;
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = areRelated(this.#withRealNames([project, cwd]), mine, this.#machine.folders);
    this.#answers.set(key, answer);
    return answer;
  }

  /** Folders that have not been looked up yet are looked up; `onChange` fires if one of them is a link. */
  #withRealNames(folders: readonly string[]): readonly string[] {
    return folders.flatMap((folder) => {
      if (folder === '') return [];
      if (!this.#real.has(folder)) void this.#lookUp(folder);
      const found = this.#real.get(folder);
      return found === undefined || found === folder ? [folder] : [folder, found];
    });
  }

  async #lookUp(folder: string): Promise<void> {
    this.#real.set(folder, undefined);
    const found = await this.#machine.realFolder(folder).catch(() => folder);
    this.#real.set(folder, found);
    if (found !== folder) this.#forgetAnswers();
  }

  #forgetAnswers(): void {
    this.#answers.clear();
    this.#changed.fire();
  }
}

/** How near this window is to a session. Of several windows the one with the lowest rank shows a notice. */
export interface Nearness {
  /** 0: it has the session's terminal; 1: its folder; 2: the window has the focus; 3: nothing of that. */
  readonly rank: 0 | 1 | 2 | 3;
  /** The person sees the session's terminal now, so no notice is needed. */
  readonly inView: boolean;
}

export interface NearnessParts {
  readonly machine: Machine;
  readonly terminals: Pick<Terminals, 'around' | 'isInView'>;
  readonly terminal: Pick<TerminalFocus, 'ancestryOf'>;
}

/** UI-5: a session is compared with this window by its process, then by its folders. */
export async function nearnessTo(session: Session, { machine, terminals, terminal }: NearnessParts): Promise<Nearness> {
  const ancestry = await terminal.ancestryOf(session);
  const own = await terminals.around(ancestry);
  if (own !== undefined) return { rank: 0, inView: terminals.isInView(own) };
  const theirs = [session.project, session.cwd].filter((folder) => folder !== '');
  const mine = foldersOfThisWindow();
  const real = (folders: readonly string[]) => Promise.all(folders.map(machine.realFolder));
  const related = areRelated([...theirs, ...(await real(theirs))], [...mine, ...(await real(mine))], machine.folders);
  if (related) return { rank: 1, inView: false };
  return { rank: vscode.window.state.focused ? 2 : 3, inView: false };
}
