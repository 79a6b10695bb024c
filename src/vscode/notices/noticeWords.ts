import * as vscode from 'vscode';
import { agentToShow } from '../../domain/selectors.ts';
import type { Notice } from '../../domain/notices.ts';
import type { Agent, Session, Snapshot } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { withoutLinks } from '../noticeText.ts';
import { errorWords } from '../panelWords.ts';
import { phraseFor } from '../phrases.ts';
import { mascotName, projectOf } from '../sessionWords.ts';

/** What it is to do stands after it. */
const TOOL_MAX = 60;

/** UI-5: one plain sentence. What agents say in it can be no link and takes no second line. */
export function noticeText({ kind }: Notice, session: Session, state: Pick<Snapshot, 'agents'>): string {
  const places = { name: nameOf(session, state), project: projectOf(session), what: whatOf(kind, session, state) };
  const key = places.what === '' ? (`notice.${kind}Any` as const) : (`notice.${kind}` as const);
  return withoutLinks(phraseFor(key, places));
}

/** The one whose sign is up, and whose work it is for. */
export function nameOf(session: Session, state: Pick<Snapshot, 'agents'>): string {
  const main = mascotName(session, state) ?? phraseFor('status.name');
  const waiting = waitingIn(session, state);
  return waiting === undefined || waiting.kind === 'main'
    ? main
    : phraseFor('notice.forMain', { name: agentText(waiting.name), main });
}

function waitingIn({ id }: Session, { agents }: Pick<Snapshot, 'agents'>): Agent | undefined {
  const waiting = agents.filter(({ sessionId, wait }) => sessionId === id && wait !== null);
  return waiting.find(({ wait }) => wait?.kind === 'permission') ?? waiting[0];
}

function whatOf(kind: Notice['kind'], session: Session, state: Pick<Snapshot, 'agents'>): string {
  const { phaseBecause: because, lastReply } = session;
  const { target = '', detail = '' } = because ?? {};
  const tool = agentText(because?.tool ?? '', TOOL_MAX);
  switch (kind) {
    case 'permission':
      return target === '' ? tool : `${tool} \`${agentText(target)}\``.trim();
    case 'question': {
      const { message, target: asked } = waitingIn(session, state)?.wait ?? {};
      return agentText(plain(message ?? asked ?? detail));
    }
    case 'turnEnded':
      return agentText(plain(lastReply ?? ''));
    case 'failed': {
      const reason = errorWords(because?.failure ?? '');
      return reason === undefined ? '' : agentText(vscode.l10n.t(reason));
    }
  }
}

/** Agents write Markdown; a notice draws none. */
function plain(text: string): string {
  return text
    .slice(0, 1_000)
    .replace(/\*\*|__|`+|^ {0,3}(?:#{1,6}|>) /gm, '')
    .replace(/\*(\S[^*\n]*)\*/g, '$1');
}

/** Whose mascot is meant: the one that waits, else the main one. */
export function mascotOf(sessionId: string, state: Snapshot): string | undefined {
  const session = state.sessions.find(({ id }) => id === sessionId);
  return session && agentToShow(state, session);
}
