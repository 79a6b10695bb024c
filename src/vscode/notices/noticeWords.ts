import * as vscode from 'vscode';
import { agentToShow } from '../../domain/selectors.ts';
import type { Notice } from '../../domain/notices.ts';
import type { Session, Snapshot } from '../../protocol/state.ts';
import { oneLine } from '../markdownText.ts';
import { withoutLinks } from '../noticeText.ts';
import { errorWords } from '../panelWords.ts';
import { phraseFor } from '../phrases.ts';
import { mascotName, projectOf } from '../sessionWords.ts';

/** A notice has room for three lines or so. */
const WHAT_MAX = 120;

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
  const { tool = '', target = '', detail = '' } = because ?? {};
  switch (kind) {
    case 'permission':
      return target === '' ? tool : `${tool} \`${short(target)}\``.trim();
    case 'question':
      return short(detail);
    case 'turnEnded':
      return short(lastReply ?? '');
    case 'failed': {
      const reason = errorWords(because?.failure ?? '');
      return reason === undefined ? '' : short(vscode.l10n.t(reason));
    }
  }
}

const short = (text: string) => oneLine(text, WHAT_MAX);

/** Whose mascot is meant: the one that waits, else the main one. */
export function mascotOf(sessionId: string, state: Snapshot): string | undefined {
  const session = state.sessions.find(({ id }) => id === sessionId);
  return session && agentToShow(state, session);
}
