import * as vscode from 'vscode';
import type { Clock, StateSource } from '../../app/ports.ts';
import type { Collector, LookChanged } from '../../app/windowPorts.ts';
import { type LookChange, MASCOT_NAME_MAX } from '../../protocol/cast.ts';
import type { Agent, Session } from '../../protocol/state.ts';
import type { MascotAction } from '../../protocol/view.ts';
import { agentText } from '../agentText.ts';
import type { TerminalFocus } from '../focus/focusTerminal.ts';
import { commandIds } from '../ids.ts';
import { withoutLinks } from '../noticeText.ts';
import { openFile } from '../openFile.ts';
import type { Shown } from '../panelView.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import { pickSession, sessionOf, wantedSession } from '../sessionPick.ts';
import type { ConversationDocuments } from '../conversations/conversationDocument.ts';
import type { actionCommands } from './actions.ts';
import { findMascot, idsIn, type Mascot, type MascotIds, pickMascot } from './mascotPick.ts';

export interface MascotCommandParts {
  readonly source: StateSource;
  readonly collector: Pick<Collector, 'changeLook' | 'session' | 'sessions'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly terminal: TerminalFocus;
  readonly conversation: Pick<ConversationDocuments, 'show'>;
  select(mascot: Shown): Promise<void>;
}

export type MascotCommandId = (typeof actionCommands)[MascotAction] | typeof commandIds.showInPanel;

const BRIEFLY_MS = 4_000;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** UI-3, AGT-1: what can be done with a mascot, from its card, its menus, and by name from the palette. */
export function mascotCommands(
  parts: MascotCommandParts,
): Readonly<Record<MascotCommandId, (argument?: unknown) => Promise<void>>> {
  const { source, collector, terminal, conversation } = parts;

  /** A command of what was clicked, else of a session that the person chooses. */
  function ofChosen<T>(title: PhraseKey, find: (ids: MascotIds) => T | undefined, run: (found: T) => unknown) {
    return async (argument?: unknown) => {
      const ids = idsIn(argument) ?? (await chosenSession(title));
      if (ids === undefined) return;
      const found = find(ids);
      if (found === undefined) tell(phraseFor('mascot.gone'));
      else await run(found);
    };
  }

  /** As long as a session is listed its mascot may have left. */
  function ofSession(title: PhraseKey, run: (session: Session) => unknown) {
    return ofChosen(title, ({ sessionId }) => source.snapshot().sessions.find(({ id }) => id === sessionId), run);
  }

  /** Of one that is stored too, long after its mascot has left. */
  function ofKept(title: PhraseKey, run: (session: Session) => unknown) {
    return async (argument?: unknown) => {
      const sessionId = await wantedSession(parts, title, argument);
      if (sessionId === undefined) return;
      const session = await sessionOf(parts, sessionId);
      if (session === undefined) tell(phraseFor('session.gone'));
      else await run(session);
    };
  }

  async function chosenSession(title: PhraseKey) {
    const sessionId = await pickSession(source, title);
    return sessionId === undefined ? undefined : { sessionId };
  }

  function ofMascot(title: PhraseKey, wanted: (agent: Agent) => boolean, run: (mascot: Mascot) => Promise<void>) {
    return async (argument?: unknown) => {
      const ids = idsIn(argument);
      const mascot = ids === undefined ? await pickMascot(source, title, wanted) : findMascot(source, ids);
      if (mascot !== undefined) await run(mascot);
      else if (ids !== undefined) tell(phraseFor('mascot.gone'));
    };
  }

  async function change({ id }: Agent, look: LookChange): Promise<boolean> {
    const changed = await collector.changeLook(id, look);
    if (changed !== 'changed') void vscode.window.showWarningMessage(failure(changed));
    return changed === 'changed';
  }

  async function rename({ agent }: Mascot): Promise<void> {
    const own = agentText(agent.ownName ?? agent.name);
    const shown = agentText(agent.name);
    const name = await vscode.window.showInputBox({
      title: phraseFor('rename.title', { name: shown }),
      // The editor makes links of it, as in its notices.
      prompt: withoutLinks(phraseFor('rename.prompt', { name: own })),
      value: shown,
      placeHolder: own,
      validateInput: (text) =>
        text.trim().length > MASCOT_NAME_MAX ? phraseFor('rename.tooLong', { max: MASCOT_NAME_MAX }) : undefined,
    });
    if (name === undefined || name.trim() === shown) return;
    await change(agent, { name: name.trim() });
  }

  async function hide({ agent }: Mascot): Promise<void> {
    if (!(await change(agent, { hidden: true }))) return;
    const undo = phraseFor('button.undo');
    const sentence = phraseFor('hide.told', { name: agentText(agent.name) });
    const told = vscode.window.showInformationMessage(withoutLinks(sentence), undo);
    // The notice stays for as long as the person lets it: the command has done what it was asked for.
    void told.then((choice) => (choice === undo ? change(agent, { hidden: false }) : undefined));
  }

  /** Of any session that is stored: what was said in it outlives all else that is known of it here. */
  async function openConversation(argument?: unknown): Promise<void> {
    const sessionId = await wantedSession(parts, 'pick.conversation', argument);
    if (sessionId !== undefined) await conversation.show(sessionId);
  }

  async function copyId(session: Session): Promise<void> {
    // It is pasted into a terminal: a line end would run it.
    if (UNSEEN.test(session.id)) return tell(phraseFor('copied.refused'));
    await vscode.env.clipboard.writeText(session.id);
    vscode.window.setStatusBarMessage(phraseFor('copied.sessionId'), BRIEFLY_MS);
  }

  return {
    [commandIds.showInPanel]: ofChosen(
      'pick.show',
      (ids) => findMascot(source, ids),
      ({ session, agent }) => parts.select({ sessionId: session.id, agentId: agent.id }),
    ),
    [commandIds.focusTerminal]: ofSession('pick.focus', (session) => terminal.focus(session)),
    [commandIds.openConversation]: openConversation,
    [commandIds.openTranscript]: ofKept('pick.transcript', openTranscript),
    [commandIds.copySessionId]: ofKept('pick.copy', copyId),
    [commandIds.renameMascot]: ofMascot('pick.rename', () => true, rename),
    [commandIds.pinMascot]: ofMascot(
      'pick.pin',
      (agent) => !isPinned(agent),
      async ({ agent }) => {
        await change(agent, { pinned: true });
      },
    ),
    [commandIds.unpinMascot]: ofMascot('pick.unpin', isPinned, async ({ agent }) => {
      await change(agent, { pinned: false });
    }),
    [commandIds.hideMascot]: ofMascot('pick.hide', ({ hidden }) => hidden !== true, hide),
    [commandIds.unhideMascot]: ofMascot(
      'pick.unhide',
      ({ hidden }) => hidden === true,
      async ({ agent }) => {
        await change(agent, { hidden: false });
      },
    ),
  };
}

function isPinned({ employmentType }: Agent): boolean {
  return employmentType === 'employee';
}

async function openTranscript({ transcriptPath: file }: Session): Promise<void> {
  if (file === undefined) tell(phraseFor('transcript.unknown'));
  else await openFile(file, { missing: 'transcript.missing', refused: 'transcript.refused' });
}

function tell(sentence: string): void {
  void vscode.window.showInformationMessage(withoutLinks(sentence));
}

function failure(changed: Exclude<LookChanged, 'changed'>): string {
  return phraseFor(`look.${changed}`);
}
