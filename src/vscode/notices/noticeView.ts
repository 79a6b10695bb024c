import * as vscode from 'vscode';
import type { StateSource } from '../../app/ports.ts';
import type { Notice } from '../../domain/notices.ts';
import { agentToShow } from '../../domain/selectors.ts';
import type { Agent, Session, Snapshot } from '../../protocol/state.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import type { TerminalFocus } from '../focus/focusTerminal.ts';
import { withoutLinks } from '../noticeText.ts';
import type { PanelView } from '../panel/panelView.ts';
import { errorWords } from '../panelWords.ts';
import { phraseFor } from '../phrases.ts';
import { mascotName, projectOf } from '../sessionWords.ts';
import type { EditorSettings } from '../settings.ts';
import { setDoNotDisturb } from '../viewChoices.ts';

export interface NoticeViewParts {
  readonly source: StateSource;
  readonly settings: Pick<EditorSettings, 'current'>;
  readonly panel: Pick<PanelView, 'select' | 'chime'>;
  readonly terminal: Pick<TerminalFocus, 'focus'>;
}

const BRIEFLY_MS = 5_000;

/** Shows notices as messages of the editor, and does what their buttons say. */
export class NoticeView {
  readonly #source: StateSource;
  readonly #settings: Pick<EditorSettings, 'current'>;
  readonly #panel: Pick<PanelView, 'select' | 'chime'>;
  readonly #terminal: Pick<TerminalFocus, 'focus'>;

  constructor({ source, settings, panel, terminal }: NoticeViewParts) {
    this.#source = source;
    this.#settings = settings;
    this.#panel = panel;
    this.#terminal = terminal;
  }

  /** Resolves when the message is gone, whatever the person did with it. `isOver`: whether the notice has been answered meanwhile. */
  async show(notice: Notice, isOver: () => boolean): Promise<void> {
    const state = this.#source.snapshot();
    const session = sessionIn(state, notice);
    if (session === undefined) return;
    this.#chime();
    const buttons = {
      focus: phraseFor('notice.focus'),
      show: phraseFor('notice.show'),
      quiet: phraseFor('notice.quiet'),
    };
    const offered = [buttons.focus, buttons.show, ...(notice.kind === 'turnEnded' ? [buttons.quiet] : [])];
    const choice = await vscode.window.showInformationMessage(noticeText(notice, session, state), ...offered);
    if (choice === buttons.focus) await this.#focus(notice, isOver());
    if (choice === buttons.show) await this.#select(notice);
    if (choice === buttons.quiet) await setDoNotDisturb(true);
  }

  /** One message for many notices, the most important first. */
  showMany(notices: readonly Notice[]): void {
    this.#chime();
    const text = phraseFor(notices.every(isWait) ? 'notice.manyWait' : 'notice.many', { count: notices.length });
    const button = phraseFor('notice.show');
    const [first] = notices;
    void vscode.window
      .showInformationMessage(text, button)
      .then((choice) => (choice === button && first !== undefined ? this.#select(first) : undefined));
  }

  async #select({ sessionId }: Notice): Promise<void> {
    const state = this.#source.snapshot();
    const session = sessionIn(state, { sessionId });
    const agentId = session && agentToShow(state, session);
    if (agentId !== undefined) await this.#panel.select({ sessionId, agentId }, true);
  }

  /** The editor can't take a message back, so one that was answered meanwhile says so when it is used. */
  async #focus(notice: Notice, isOver: boolean): Promise<void> {
    const state = this.#source.snapshot();
    const session = sessionIn(state, notice);
    if (session === undefined || (isOver && isWait(notice))) {
      const name = session === undefined ? '' : withoutIcons(nameOf(session, state));
      vscode.window.setStatusBarMessage(
        phraseFor(name === '' ? 'mascot.gone' : 'notice.answered', { name }),
        BRIEFLY_MS,
      );
    }
    if (session !== undefined && !(await this.#terminal.focus(session))) await this.#select(notice);
  }

  #chime(): void {
    if (this.#settings.current()['notices.sound']) this.#panel.chime();
  }
}

function isWait({ kind }: Notice): boolean {
  return kind === 'permission' || kind === 'question';
}

function sessionIn({ sessions }: Snapshot, { sessionId }: Pick<Notice, 'sessionId'>): Session | undefined {
  return sessions.find(({ id }) => id === sessionId);
}

/** A long command must not hide what it is about. */
const TOOL_MAX = 60;

/** UI-5: one plain sentence. The words of agents in it can't become links and take no second line. */
export function noticeText({ kind }: Notice, session: Session, state: Pick<Snapshot, 'agents'>): string {
  const places = { name: nameOf(session, state), project: projectOf(session), what: subjectOf(kind, session, state) };
  const key = places.what === '' ? (`notice.${kind}Any` as const) : (`notice.${kind}` as const);
  return withoutLinks(phraseFor(key, places));
}

/** The name of the agent that waits, and of the session's main mascot if that is another. */
function nameOf(session: Session, state: Pick<Snapshot, 'agents'>): string {
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

/** What the notice is about: the tool, the question, the last reply or the failure; empty if that is not known. */
function subjectOf(kind: Notice['kind'], session: Session, state: Pick<Snapshot, 'agents'>): string {
  const { phaseBecause: because, lastReply } = session;
  const { target = '', detail = '' } = because ?? {};
  const tool = agentText(because?.tool ?? '', TOOL_MAX);
  switch (kind) {
    case 'permission':
      return target === '' ? tool : `${tool} \`${agentText(target)}\``.trim();
    case 'question': {
      const { message, target: asked } = waitingIn(session, state)?.wait ?? {};
      return agentText(withoutMarkdown(message ?? asked ?? detail));
    }
    case 'turnEnded':
      return agentText(withoutMarkdown(lastReply ?? ''));
    case 'failed': {
      const reason = errorWords(because?.failure ?? '');
      return reason === undefined ? '' : agentText(vscode.l10n.t(reason));
    }
  }
}

/** Agents write Markdown, and a message of the editor shows its signs. */
function withoutMarkdown(text: string): string {
  return text
    .slice(0, 1_000)
    .replace(/\*\*|__|`+|^ {0,3}(?:#{1,6}|>) /gm, '')
    .replace(/\*(\S[^*\n]*)\*/g, '$1');
}
