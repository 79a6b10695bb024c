import * as vscode from 'vscode';
import type { Machine } from '../../app/windowPorts.ts';
import { areRelated } from '../../domain/folders.ts';
import type { Session } from '../../protocol/state.ts';
import type { TerminalFocus } from '../focus/focusTerminal.ts';
import { foldersOfThisWindow } from '../focus/ownWindow.ts';
import type { Terminals } from '../focus/terminals.ts';

export interface StandingParts {
  readonly machine: Machine;
  readonly terminals: Terminals;
  readonly terminal: Pick<TerminalFocus, 'ancestryOf'>;
}

/** How near this window is to a session: it has its terminal, its folder, the person's eyes, or nothing of it. */
export type Rank = 0 | 1 | 2 | 3;

export interface Standing {
  readonly rank: Rank;
  /** The person looks at the session itself. */
  readonly inView: boolean;
}

/** UI-5: the nearer window tells; `inView` where nobody has to be told. */
export async function standingTo(session: Session, { machine, terminals, terminal }: StandingParts): Promise<Standing> {
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
