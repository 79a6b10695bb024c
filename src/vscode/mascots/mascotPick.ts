import * as vscode from 'vscode';
import type { StateSource } from '../../app/ports.ts';
import { agentToShow, byUrgency } from '../../domain/selectors.ts';
import type { Agent, Session } from '../../protocol/state.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import { icons, projectOf, stateParts, shownAs } from '../sessionWords.ts';

export interface Mascot {
  readonly agent: Agent;
  readonly session: Session;
}

/** A session, or one of its agents, as menus, links, views and key bindings name it. */
export interface MascotIds {
  readonly sessionId: string;
  readonly agentId?: string | undefined;
}

/**
 * The ids in a command's argument; `undefined` if it has none. The argument is the context of what was clicked in the panel, a line of
 * a tree, or what a key binding passes.
 */
export function idsIn(argument: unknown): MascotIds | undefined {
  if (typeof argument === 'string') return { sessionId: argument };
  if (typeof argument !== 'object' || argument === null || !('sessionId' in argument)) return undefined;
  const { sessionId } = argument;
  if (typeof sessionId !== 'string') return undefined;
  const agentId = 'agentId' in argument && typeof argument.agentId === 'string' ? argument.agentId : undefined;
  return { sessionId, agentId };
}

/** The mascot of these ids, by default the one that the session is shown by; `undefined` if it is not there any more. */
export function findMascot(source: StateSource, { sessionId, agentId }: MascotIds): Mascot | undefined {
  const state = source.snapshot();
  const session = state.sessions.find(({ id }) => id === sessionId);
  if (session === undefined) return undefined;
  const mine = state.agents.filter((agent) => agent.sessionId === sessionId);
  const wanted = agentId ?? agentToShow(state, session);
  // The agent by which a session is shown has left once the session is over; then the main agent stands for it.
  const agent = mine.find(({ id, kind }) => (wanted === undefined ? kind === 'main' : id === wanted));
  return agent && { agent, session };
}

/** What is said if there is no mascot to choose from, by the title of the question. */
const noneMessages: Partial<Record<PhraseKey, PhraseKey>> = {
  'pick.unpin': 'pick.noPinned',
  'pick.unhide': 'pick.noHidden',
};

interface MascotItem extends vscode.QuickPickItem {
  readonly mascot: Mascot;
}

/** Lets the person choose among the wanted mascots, the most urgent session first; `undefined` if none was chosen or there is none. */
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
    void vscode.window.showInformationMessage(phraseFor(noneMessages[title] ?? 'pick.noMascot'));
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
  const parts = [projectOf(session), agentText(agent.type), ...stateParts(session)].filter((part) => part !== '');
  return {
    label: `${icons[shownAs(session)]} ${withoutIcons(agentText(agent.name))}`,
    description: withoutIcons(parts.join(' · ')),
    detail: withoutIcons(agentText(agent.task ?? session.title)),
    mascot: { agent, session },
  };
}
