import * as vscode from 'vscode';
import type { StateSource } from '../../app/ports.ts';
import { agentToShow, byUrgency } from '../../domain/selectors.ts';
import type { Agent, Session } from '../../protocol/state.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import { icons, projectOf, standingParts, toldOf } from '../sessionWords.ts';

export interface Mascot {
  readonly agent: Agent;
  readonly session: Session;
}

/** Ids as menus, links, views and key bindings hand them over. */
export interface MascotIds {
  readonly sessionId: string;
  readonly agentId?: string | undefined;
}

/** From a menu of the panel the editor hands over the context of what was clicked, from a key binding its arguments. */
export function idsIn(argument: unknown): MascotIds | undefined {
  if (typeof argument === 'string') return { sessionId: argument };
  if (typeof argument !== 'object' || argument === null || !('sessionId' in argument)) return undefined;
  const { sessionId } = argument;
  if (typeof sessionId !== 'string') return undefined;
  const agentId = 'agentId' in argument && typeof argument.agentId === 'string' ? argument.agentId : undefined;
  return { sessionId, agentId };
}

/** Undefined: it is not there any more. */
export function findMascot(source: StateSource, { sessionId, agentId }: MascotIds): Mascot | undefined {
  const state = source.snapshot();
  const session = state.sessions.find(({ id }) => id === sessionId);
  if (session === undefined) return undefined;
  const mine = state.agents.filter((agent) => agent.sessionId === sessionId);
  const wanted = agentId ?? agentToShow(state, session);
  // Whoever a session that is over is shown by has left.
  const agent = mine.find(({ id, kind }) => (wanted === undefined ? kind === 'main' : id === wanted));
  return agent && { agent, session };
}

const none: Partial<Record<PhraseKey, PhraseKey>> = { 'pick.unpin': 'pick.noPinned', 'pick.unhide': 'pick.noHidden' };

interface MascotItem extends vscode.QuickPickItem {
  readonly mascot: Mascot;
}

/** Lets the person choose a mascot among those wanted, the most urgent session first. Undefined: none was chosen, or there is none. */
export async function pickMascot(
  source: StateSource,
  title: PhraseKey,
  wanted: (agent: Agent) => boolean,
): Promise<Mascot | undefined> {
  const { sessions, agents } = source.snapshot();
  const items = byUrgency({ sessions }).flatMap((session) =>
    agents
      .filter((agent) => agent.sessionId === session.id && agent.present && wanted(agent))
      .map((agent) => itemOf({ agent, session })),
  );
  if (items.length === 0) {
    void vscode.window.showInformationMessage(phraseFor(none[title] ?? 'pick.noMascot'));
    return undefined;
  }
  const options = { title: phraseFor(title), placeHolder: phraseFor('pick.whichMascot') };
  const chosen = await vscode.window.showQuickPick(items, {
    ...options,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.mascot;
}

function itemOf({ agent, session }: Mascot): MascotItem {
  const parts = [projectOf(session), agentText(agent.type), ...standingParts(session)].filter((part) => part !== '');
  return {
    label: `${icons[toldOf(session)]} ${withoutIcons(agentText(agent.name))}`,
    description: withoutIcons(parts.join(' · ')),
    detail: withoutIcons(agentText(agent.task ?? session.title)),
    mascot: { agent, session },
  };
}
