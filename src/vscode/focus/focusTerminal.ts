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
  readonly terminals: Terminals;
}

export interface TerminalFocus {
  /** Shows the terminal that the session runs in, in whatever window it is; else says what is known of where it is. False: not shown. */
  focus(session: Session): Promise<boolean>;
  /** Who started its process, itself first; empty where that can't be told. */
  ancestryOf(session: Session): Promise<readonly number[]>;
}

interface Found {
  readonly where: Whereabouts;
  readonly ancestry: readonly number[];
}

/** UI-3: by process ancestry, exact or not at all. Sub-agents run in their session's process. */
export function createTerminalFocus({ windows, machine, terminals }: FocusParts): TerminalFocus {
  async function find(session: Session): Promise<Found> {
    const where = whereaboutsOf(session, machine);
    const near = where.place === 'near' ? where : where.place === 'far' ? where.unless : undefined;
    if (near === undefined) return { where, ancestry: [] };
    const ancestry = await machine.ancestry.of(near.pid, near.startedAt);
    return { where: ancestry.length > 0 ? near : where, ancestry };
  }

  async function inOtherWindow(ancestry: readonly number[]): Promise<boolean> {
    const others = (await windows.all()).filter(({ id }) => id !== windows.id);
    const shells = others.flatMap((window) => window.terminals.map((terminal) => ({ window, terminal })));
    const index = nearestAncestor(
      ancestry,
      shells.map(({ terminal }) => terminal),
    );
    const found = index === undefined ? undefined : shells[index];
    if (found === undefined) return false;
    const { window, terminal } = found;
    const shown = await windows.ask(window.id, { what: 'showTerminal', terminal });
    if (!shown || !(await bringForward(window))) tellOf(window, shown);
    return true;
  }

  return {
    async focus(session) {
      const { where, ancestry } = await find(session);
      const terminal = await terminals.around(ancestry);
      terminal?.show(false);
      if (terminal !== undefined || (ancestry.length > 0 && (await inOtherWindow(ancestry)))) return true;
      void vscode.window.showInformationMessage(withoutLinks(whereabouts(session, where, ancestry.length > 0)));
      return false;
    },
    ancestryOf: async (session) => (await find(session)).ancestry,
  };
}

function tellOf({ name, app }: WindowInfo, shown: boolean): void {
  const sentence = phraseFor(shown ? 'focus.otherWindow' : 'focus.deafWindow', {
    name: agentText(name),
    app: agentText(app),
  });
  void vscode.window.showInformationMessage(withoutLinks(sentence));
}

/**
 * No extension can raise a window, but an editor that is told to open a folder goes to the window that has it open. Asked for a new
 * window, for that window may have closed a moment ago, and then the folder must not take the place of what is open here. Only for
 * windows of this very program on this machine: another one would open the folder a second time.
 */
async function bringForward({ app, opens }: WindowInfo): Promise<boolean> {
  const local = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  if (!local || opens === undefined || app !== vscode.env.appName) return false;
  await vscode.commands.executeCommand('vscode.openFolder', vscode.Uri.parse(opens), { forceNewWindow: true });
  return true;
}

/** What is known of where a session is that is in none of the editor's terminals. */
function whereabouts(session: Session, where: Whereabouts, found: boolean): string {
  switch (where.place) {
    case 'over':
      return phraseFor('focus.over');
    case 'far':
      return phraseFor('focus.far', { host: agentText(where.host) });
    case 'container':
      return phraseFor('focus.container');
    case 'unknown':
      return ofSurface(session) ?? phraseFor('focus.unknown');
    case 'near':
      return ofSurface(session) ?? outside(session, where, found);
  }
}

function ofSurface({ surface }: Session): string | undefined {
  if (surface === 'panel') return phraseFor('focus.panel');
  return surface === 'headless' ? phraseFor('focus.headless') : undefined;
}

function outside({ tty }: Session, { pid, startedAt }: Near, found: boolean): string {
  // Its number may be another's by now: nothing is said of that one.
  if (!found && startedAt !== undefined) return phraseFor('focus.lost', { pid: String(pid) });
  return tty === undefined || tty === ''
    ? phraseFor('focus.outside', { pid: String(pid) })
    : phraseFor('focus.outsideTty', { pid: String(pid), tty: agentText(tty) });
}
