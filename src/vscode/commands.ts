import * as vscode from 'vscode';
import type { StateSource } from '../app/ports.ts';
import { agentToShow, summarise } from '../domain/selectors.ts';
import type { conversationCommands } from './conversations/conversationCommands.ts';
import type { HookCommands } from './hooks/hookCommands.ts';
import { type CommandId, commandIds, viewIds } from './ids.ts';
import type { EditorLog } from './log.ts';
import type { MadeDocument } from './madeDocument.ts';
import type { mascotCommands } from './mascots/mascotCommands.ts';
import { idsIn } from './mascots/mascotPick.ts';
import type { PanelView } from './panel/panelView.ts';
import { phraseFor } from './phrases.ts';
import type { teamCommands } from './postgres/teamCommands.ts';
import type { relayCommands } from './relay/relayCommands.ts';
import { pickSession } from './sessionPick.ts';
import type { SessionsTree } from './sessions/sessionsTree.ts';
import type { eraseCommands } from './stored/eraseCommands.ts';
import type { projectCommands } from './stored/projectCommands.ts';
import type { ViewChoices } from './viewChoices.ts';
import type { workCommands } from './work/workCommands.ts';

export interface CommandParts {
  readonly source: StateSource;
  readonly panel: Pick<PanelView, 'select'>;
  readonly log: Pick<EditorLog, 'show'>;
  readonly hooks: Pick<HookCommands, 'table'>;
  readonly choices: Pick<ViewChoices, 'commands'>;
  readonly mascots: ReturnType<typeof mascotCommands>;
  readonly conversations: ReturnType<typeof conversationCommands>;
  readonly explanation: MadeDocument;
  readonly sessions: Pick<SessionsTree, 'commands'>;
  readonly erasing: ReturnType<typeof eraseCommands>;
  readonly projects: ReturnType<typeof projectCommands>;
  readonly stored: Pick<MadeDocument, 'show'>;
  readonly work: ReturnType<typeof workCommands>;
  readonly relay: ReturnType<typeof relayCommands>;
  readonly team: ReturnType<typeof teamCommands>;
  readonly diagnostics: () => string;
}

/** Registers every command. The type of the table makes a forgotten one an error. */
export function registerCommands(parts: CommandParts): vscode.Disposable {
  const { source, panel, log } = parts;
  const table: Readonly<Record<CommandId, (argument?: unknown) => unknown>> = {
    [commandIds.showPanel]: () => vscode.commands.executeCommand(`${viewIds.panel}.focus`),
    [commandIds.goToLongestWait]: () => goToLongestWait(source, panel),
    ...parts.hooks.table,
    ...parts.choices.commands,
    ...parts.mascots,
    ...parts.conversations,
    ...parts.sessions.commands,
    ...parts.erasing,
    ...parts.projects,
    ...parts.work,
    ...parts.relay,
    ...parts.team,
    [commandIds.showStored]: () => parts.stored.show(''),
    [commandIds.explainState]: (argument) => explainState(parts, argument),
    [commandIds.copyDiagnostics]: async () => {
      await vscode.env.clipboard.writeText(parts.diagnostics());
      void vscode.window.showInformationMessage(phraseFor('diagnostics.copied'));
    },
    [commandIds.showLog]: () => log.show(),
  };
  return vscode.Disposable.from(...Object.entries(table).map(([id, run]) => vscode.commands.registerCommand(id, run)));
}

async function explainState({ source, explanation }: CommandParts, argument: unknown): Promise<void> {
  const sessionId = idsIn(argument)?.sessionId ?? (await pickSession(source));
  if (sessionId !== undefined) await explanation.show(sessionId);
}

async function goToLongestWait(source: StateSource, panel: Pick<PanelView, 'select'>): Promise<void> {
  const state = source.snapshot();
  const session = summarise(state).longestWait;
  const agentId = session && agentToShow(state, session);
  if (session === undefined || agentId === undefined) await vscode.commands.executeCommand(`${viewIds.panel}.focus`);
  else await panel.select({ sessionId: session.id, agentId }, true);
}
