import * as vscode from 'vscode';
import type { StateSource } from '../../app/ports.ts';
import type { Notice } from '../../domain/notices.ts';
import { withoutIcons } from '../agentText.ts';
import type { TerminalFocus } from '../focus/focusTerminal.ts';
import type { PanelView } from '../panelView.ts';
import { phraseFor } from '../phrases.ts';
import type { EditorSettings } from '../settings.ts';
import { setDoNotDisturb } from '../viewChoices.ts';
import { mascotOf, nameOf, noticeText } from './noticeWords.ts';
import type { NoticesParts } from './notices.ts';

export interface NoticeViewParts {
  readonly source: StateSource;
  readonly settings: Pick<EditorSettings, 'current'>;
  readonly panel: Pick<PanelView, 'select' | 'chime'>;
  readonly terminal: Pick<TerminalFocus, 'focus'>;
}

const BRIEFLY_MS = 5_000;

/** The editor's notices. One that was answered meanwhile can't be taken back; then it says so when it is used. */
export function createNoticeView(parts: NoticeViewParts): Pick<NoticesParts, 'show' | 'showMany'> {
  const { source, settings, panel, terminal } = parts;

  async function select({ sessionId }: Notice): Promise<void> {
    const agentId = mascotOf(sessionId, source.snapshot());
    if (agentId !== undefined) await panel.select({ sessionId, agentId }, true);
  }

  async function focus(notice: Notice, isOver: boolean): Promise<void> {
    const state = source.snapshot();
    const session = state.sessions.find(({ id }) => id === notice.sessionId);
    const isWait = notice.kind === 'permission' || notice.kind === 'question';
    if (session === undefined || (isOver && isWait)) {
      const name = session === undefined ? '' : withoutIcons(nameOf(session, state));
      vscode.window.setStatusBarMessage(
        phraseFor(name === '' ? 'mascot.gone' : 'notice.answered', { name }),
        BRIEFLY_MS,
      );
    }
    if (session !== undefined && !(await terminal.focus(session))) await select(notice);
  }

  function chime(): void {
    if (settings.current()['notices.sound']) panel.chime();
  }

  return {
    async show(notice, isOver) {
      const state = source.snapshot();
      const session = state.sessions.find(({ id }) => id === notice.sessionId);
      if (session === undefined) return;
      chime();
      const buttons = {
        focus: phraseFor('notice.focus'),
        show: phraseFor('notice.show'),
        quiet: phraseFor('notice.quiet'),
      };
      const offered = [buttons.focus, buttons.show, ...(notice.kind === 'turnEnded' ? [buttons.quiet] : [])];
      const choice = await vscode.window.showInformationMessage(noticeText(notice, session, state), ...offered);
      if (choice === buttons.focus) await focus(notice, isOver());
      if (choice === buttons.show) await select(notice);
      if (choice === buttons.quiet) await setDoNotDisturb(true);
    },
    showMany(notices) {
      chime();
      const allWait = notices.every(({ kind }) => kind === 'permission' || kind === 'question');
      const text = phraseFor(allWait ? 'notice.manyWait' : 'notice.many', { count: notices.length });
      const button = phraseFor('notice.show');
      const [first] = notices;
      void vscode.window
        .showInformationMessage(text, button)
        .then((choice) => (choice === button && first !== undefined ? select(first) : undefined));
    },
  };
}
