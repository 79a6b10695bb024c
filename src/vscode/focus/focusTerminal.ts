import * as vscode from 'vscode';
import type { Machine, WindowInfo, Windows } from '../../app/windowPorts.ts';
import { nearestAncestor, type Near, type Whereabouts, whereaboutsOf } from '../../domain/whereabouts.ts';
import type { Session } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { withoutLinks } from '../noticeText.ts';
import { phraseFor } from '../phrases.ts';
import type { Terminals } from './terminals.ts';

export interface FocusParts {
  readonly windows: Windows;
  readonly machine: Machine;
  readonly terminals: Pick<Terminals, 'around'>;
}

interface Found {
  readonly where: Whereabouts;
  readonly ancestry: readonly number[];
}

/** UI-3: finds a session's terminal by the ancestors of its process: the exact one or none. Sub-agents run in their session's process. */
export class TerminalFocus {
  readonly #windows: Windows;
  readonly #machine: Machine;
  readonly #terminals: Pick<Terminals, 'around'>;

  constructor({ windows, machine, terminals }: FocusParts) {
    this.#windows = windows;
    this.#machine = machine;
    this.#terminals = terminals;
  }

  /**
   * Shows the terminal in which the session runs, in whichever window it is. False if it was not shown; then a message says what is
   * known of where the session runs.
   */
  async focus(session: Session): Promise<boolean> {
    const { where, ancestry } = await this.#find(session);
    const terminal = await this.#terminals.around(ancestry);
    terminal?.show(false);
    if (terminal !== undefined || (ancestry.length > 0 && (await this.#showInOtherWindow(ancestry)))) return true;
    void vscode.window.showInformationMessage(withoutLinks(whereText(session, where, ancestry.length > 0)));
    return false;
  }

  /** The pids of a session's process and its ancestors, the process itself first; empty if they can't be found out. */
  async ancestryOf(session: Session): Promise<readonly number[]> {
    return (await this.#find(session)).ancestry;
  }

  async #find(session: Session): Promise<Found> {
    const where = whereaboutsOf(session, this.#machine);
    const near = where.place === 'near' ? where : where.place === 'far' ? where.unless : undefined;
    if (near === undefined) return { where, ancestry: [] };
    const ancestry = await this.#machine.ancestry.of(near.pid, near.startedAt);
    return { where: ancestry.length > 0 ? near : where, ancestry };
  }

  async #showInOtherWindow(ancestry: readonly number[]): Promise<boolean> {
    const others = (await this.#windows.all()).filter(({ id }) => id !== this.#windows.id);
    const shells = others.flatMap((window) => window.terminals.map((terminal) => ({ window, terminal })));
    const index = nearestAncestor(
      ancestry,
      shells.map(({ terminal }) => terminal),
    );
    const found = index === undefined ? undefined : shells[index];
    if (found === undefined) return false;
    const { window, terminal } = found;
    const shown = await this.#windows.ask(window.id, { what: 'showTerminal', terminal });
    if (!shown || !(await raiseWindow(window))) showWhichWindow(window, shown);
    return true;
  }
}

function showWhichWindow({ name, app }: WindowInfo, shown: boolean): void {
  const sentence = phraseFor(shown ? 'focus.otherWindow' : 'focus.deafWindow', {
    name: agentText(name),
    app: agentText(app),
  });
  void vscode.window.showInformationMessage(withoutLinks(sentence));
}

/**
 * Brings another window to the front; false if that is not possible. No extension can raise a window, but an editor that is asked to
 * open a folder goes to the window that has it open. `forceNewWindow`, because that window may have closed a moment ago, and then the
 * folder must not replace what is open here. Only for windows of this program on this machine: any other program would open the
 * folder a second time.
 */
async function raiseWindow({ app, opens }: WindowInfo): Promise<boolean> {
  const local = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (!local || opens === undefined || app !== vscode.env.appName) return false;
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.parse(opens), { forceNewWindow: true });
  return true;
}

/** Says where a session runs that is in none of the editor's terminals. `found`: its process was found. */
function whereText(session: Session, where: Whereabouts, found: boolean): string {
  switch (where.place) {
    case 'over':
      return phraseFor('focus.over');
    case 'far':
      return phraseFor('focus.far', { host: agentText(where.host) });
    case 'container':
      return phraseFor('focus.container');
    case 'unknown':
      return surfaceText(session) ?? phraseFor('focus.unknown');
    case 'near':
      return surfaceText(session) ?? outsideText(session, where, found);
  }
}

function surfaceText({ surface }: Session): string | undefined {
  if (surface === 'panel') return phraseFor('focus.panel');
  return surface === 'headless' ? phraseFor('focus.headless') : undefined;
}

function outsideText({ tty }: Session, { pid, startedAt }: Near, found: boolean): string {
  // Another process may have that pid by now, so nothing is said of where it runs.
  if (!found && startedAt !== undefined) return phraseFor('focus.lost', { pid: String(pid) });
  return tty === undefined || tty === ''
    ? phraseFor('focus.outside', { pid: String(pid) })
    : phraseFor('focus.outsideTty', { pid: String(pid), tty: agentText(tty) });
}
