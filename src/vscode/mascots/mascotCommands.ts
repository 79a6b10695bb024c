import * as vscode from 'vscode';
import type { Clock, StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { type LookChange, MASCOT_NAME_MAX } from '../../protocol/cast.ts';
import type { Agent, Session } from '../../protocol/state.ts';
import type { MascotAction } from '../../protocol/view.ts';
import { agentText } from '../agentText.ts';
import type { TerminalFocus } from '../focus/focusTerminal.ts';
import { type actionCommands, commandIds } from '../ids.ts';
import { withoutLinks } from '../noticeText.ts';
import { openFile } from '../openFile.ts';
import type { PanelMascot } from '../panel/panelView.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import { pickSession, sessionOf, wantedSession } from '../sessionPick.ts';
import type { ConversationDocuments } from '../conversations/conversationDocument.ts';
import { findMascot, idsIn, type MascotIds, pickMascot } from './mascotPick.ts';

export interface MascotCommandParts {
  readonly source: StateSource;
  readonly collector: Pick<Collector, 'changeLook' | 'session' | 'sessions'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly terminal: Pick<TerminalFocus, 'focus'>;
  readonly conversation: Pick<ConversationDocuments, 'show'>;
  /** Shows a mascot in the panel, with its card open. */
  readonly select: (mascot: PanelMascot) => Promise<void>;
}

export type MascotCommandId = (typeof actionCommands)[MascotAction] | typeof commandIds.showInPanel;

type Command = (argument?: unknown) => Promise<void>;

const BRIEFLY_MS = 4_000;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** UI-3, AGT-1: what can be done with a mascot, from its card, from menus, and from the command palette. */
export function mascotCommands(parts: MascotCommandParts): Readonly<Record<MascotCommandId, Command>> {
  return new MascotCommands(parts).table();
}

class MascotCommands {
  readonly #parts: MascotCommandParts;

  constructor(parts: MascotCommandParts) {
    this.#parts = parts;
  }

  table(): Readonly<Record<MascotCommandId, Command>> {
    const setPinned = (pinned: boolean) => (agent: Agent) => this.#change(agent, { pinned });
    return {
      [commandIds.showInPanel]: (argument) => this.#showInPanel(argument),
      [commandIds.focusTerminal]: (argument) => this.#focusTerminal(argument),
      [commandIds.openConversation]: (argument) => this.#openConversation(argument),
      [commandIds.openTranscript]: this.#ofStoredSession('pick.transcript', openTranscript),
      [commandIds.copySessionId]: this.#ofStoredSession('pick.copy', copyId),
      [commandIds.renameMascot]: this.#ofMascot(
        'pick.rename',
        () => true,
        (agent) => this.#rename(agent),
      ),
      [commandIds.pinMascot]: this.#ofMascot('pick.pin', (agent) => !isPinned(agent), setPinned(true)),
      [commandIds.unpinMascot]: this.#ofMascot('pick.unpin', isPinned, setPinned(false)),
      [commandIds.hideMascot]: this.#ofMascot(
        'pick.hide',
        ({ hidden }) => hidden !== true,
        (agent) => this.#hide(agent),
      ),
      [commandIds.unhideMascot]: this.#ofMascot(
        'pick.unhide',
        ({ hidden }) => hidden === true,
        (agent) => this.#change(agent, { hidden: false }),
      ),
    };
  }

  /** A command for any session that is stored, long after its mascot has left. */
  #ofStoredSession(title: PhraseKey, run: (session: Session) => Promise<void>): Command {
    return async (argument) => {
      const sessionId = await wantedSession(this.#parts, title, argument);
      if (sessionId === undefined) return;
      const session = await sessionOf(this.#parts, sessionId);
      if (session === undefined) showSentence(phraseFor('session.gone'));
      else await run(session);
    };
  }

  /** A command for the mascot that was clicked, else for one that the person chooses among the wanted ones. */
  #ofMascot(title: PhraseKey, wanted: (agent: Agent) => boolean, run: (agent: Agent) => Promise<unknown>): Command {
    return async (argument) => {
      const { source } = this.#parts;
      const ids = idsIn(argument);
      const mascot = ids === undefined ? await pickMascot(source, title, wanted) : findMascot(source, ids);
      if (mascot !== undefined) await run(mascot.agent);
      else if (ids !== undefined) showSentence(phraseFor('mascot.gone'));
    };
  }

  async #showInPanel(argument: unknown): Promise<void> {
    const ids = await this.#chosenIds('pick.show', argument);
    if (ids === undefined) return;
    const mascot = findMascot(this.#parts.source, ids);
    if (mascot === undefined) showSentence(phraseFor('mascot.gone'));
    else await this.#parts.select({ sessionId: mascot.session.id, agentId: mascot.agent.id });
  }

  /** Works as long as the session is listed; its mascot may have left before. */
  async #focusTerminal(argument: unknown): Promise<void> {
    const ids = await this.#chosenIds('pick.focus', argument);
    if (ids === undefined) return;
    const session = this.#parts.source.snapshot().sessions.find(({ id }) => id === ids.sessionId);
    if (session === undefined) showSentence(phraseFor('mascot.gone'));
    else await this.#parts.terminal.focus(session);
  }

  /** Opens the conversation of any stored session, even of one of which nothing else is known here any more. */
  async #openConversation(argument: unknown): Promise<void> {
    const sessionId = await wantedSession(this.#parts, 'pick.conversation', argument);
    if (sessionId !== undefined) await this.#parts.conversation.show(sessionId);
  }

  /** The ids of what was clicked, else of a session that the person chooses. */
  async #chosenIds(title: PhraseKey, argument: unknown): Promise<MascotIds | undefined> {
    const clicked = idsIn(argument);
    if (clicked !== undefined) return clicked;
    const sessionId = await pickSession(this.#parts.source, title);
    return sessionId === undefined ? undefined : { sessionId };
  }

  async #change({ id }: Agent, look: LookChange): Promise<boolean> {
    const changed = await this.#parts.collector.changeLook(id, look);
    if (changed !== 'changed') void vscode.window.showWarningMessage(phraseFor(`look.${changed}`));
    return changed === 'changed';
  }

  async #rename(agent: Agent): Promise<void> {
    const own = agentText(agent.ownName ?? agent.name);
    const shown = agentText(agent.name);
    const name = await vscode.window.showInputBox({
      title: phraseFor('rename.title', { name: shown }),
      // The editor makes links of it, as in its messages.
      prompt: withoutLinks(phraseFor('rename.prompt', { name: own })),
      value: shown,
      placeHolder: own,
      validateInput: (text) =>
        text.trim().length > MASCOT_NAME_MAX ? phraseFor('rename.tooLong', { max: MASCOT_NAME_MAX }) : undefined,
    });
    if (name === undefined || name.trim() === shown) return;
    await this.#change(agent, { name: name.trim() });
  }

  async #hide(agent: Agent): Promise<void> {
    if (!(await this.#change(agent, { hidden: true }))) return;
    const undo = phraseFor('button.undo');
    const sentence = phraseFor('hide.told', { name: agentText(agent.name) });
    const message = vscode.window.showInformationMessage(withoutLinks(sentence), undo);
    // Not awaited: the message stays as long as the person leaves it, and the command is done.
    void message.then((choice) => (choice === undo ? this.#change(agent, { hidden: false }) : undefined));
  }
}

async function copyId(session: Session): Promise<void> {
  // The person pastes it into a terminal, where a line end would run it.
  if (UNSEEN.test(session.id)) return showSentence(phraseFor('copied.refused'));
  await vscode.env.clipboard.writeText(session.id);
  vscode.window.setStatusBarMessage(phraseFor('copied.sessionId'), BRIEFLY_MS);
}

function isPinned({ employmentType }: Agent): boolean {
  return employmentType === 'employee';
}

async function openTranscript({ transcriptPath: file }: Session): Promise<void> {
  if (file === undefined) showSentence(phraseFor('transcript.unknown'));
  else await openFile(file, { missing: 'transcript.missing', refused: 'transcript.refused' });
}

function showSentence(sentence: string): void {
  void vscode.window.showInformationMessage(withoutLinks(sentence));
}
