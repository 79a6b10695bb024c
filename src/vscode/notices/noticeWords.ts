import * as vscode from 'vscode';
import { agentToShow } from '../../domain/selectors.ts';
import type { Notice } from '../../domain/notices.ts';
import type { Session, Snapshot } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { withoutLinks } from '../noticeText.ts';
import { errorWords } from '../panelWords.ts';
import { phraseFor } from '../phrases.ts';
import { mascotName, projectOf } from '../sessionWords.ts';

/** What it is to do stands after it. */
const TOOL_MAX = 60;

/** UI-5: one plain sentence. What agents say in it can be no link and takes no second line. */
export function noticeText({ kind }: Notice, session: Session, state: Pick<Snapshot, 'agents'>): string {
  const places = { name: nameOf(session, state), project: projectOf(session), what: whatOf(kind, session) };
  const key = places.what === '' ? (`notice.${kind}Any` as const) : (`notice.${kind}` as const);
  return withoutLinks(phraseFor(key, places));
}

export function nameOf(session: Session, state: Pick<Snapshot, 'agents'>): string {
  return mascotName(session, state) ?? phraseFor('status.name');
}

function whatOf(kind: Notice['kind'], { phaseBecause: because, lastReply }: Session): string {
  const { target = '', detail = '' } = because ?? {};
  const tool = agentText(because?.tool ?? '', TOOL_MAX);
  switch (kind) {
    case 'permission':
      return target === '' ? tool : `${tool} \`${agentText(target)}\``.trim();
    case 'question':
      return agentText(detail);
    case 'turnEnded':
      return agentText(lastReply ?? '');
    case 'failed': {
      const reason = errorWords(because?.failure ?? '');
      return reason === undefined ? '' : agentText(vscode.l10n.t(reason));
    }
  }
}

/** Whose mascot is meant: the one that waits, else the main one. */
export function mascotOf(sessionId: string, state: Snapshot): string | undefined {
  const session = state.sessions.find(({ id }) => id === sessionId);
  return session && agentToShow(state, session);
}
