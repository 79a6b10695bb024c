import * as vscode from 'vscode';
import type { StateSource } from '../app/ports.ts';
import { agentToShow, summarise } from '../domain/selectors.ts';
import type { ExplanationDocument } from './explanationDocument.ts';
import type { HookCommands } from './hooks/hookCommands.ts';
import { type CommandId, commandIds, viewIds } from './ids.ts';
import type { EditorLog } from './log.ts';
import type { PanelView } from './panelView.ts';
import { phraseFor } from './phrases.ts';
import { pickSession } from './sessionPick.ts';

export interface CommandParts {
  readonly source: StateSource;
  readonly panel: PanelView;
  readonly log: EditorLog;
  readonly hooks: Pick<HookCommands, 'table'>;
  readonly explanation: ExplanationDocument;
  readonly diagnostics: () => string;
}

/** Every command there is; the type makes a forgotten one an error. */
export function registerCommands(parts: CommandParts): vscode.Disposable {
  const { source, panel, log, hooks } = parts;
  const table: Readonly<Record<CommandId, (argument?: unknown) => unknown>> = {
    [commandIds.showPanel]: () => vscode.commands.executeCommand(`${viewIds.panel}.focus`),
    [commandIds.goToLongestWait]: () => goToLongestWait(source, panel),
    ...hooks.table,
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
  const sessionId = sessionIn(argument) ?? (await pickSession(source));
  if (sessionId !== undefined) await explanation.show(sessionId);
}

/** From a menu of the panel the editor hands over the context of what was clicked, from a key binding its arguments. */
function sessionIn(argument: unknown): string | undefined {
  if (typeof argument === 'string') return argument;
  if (typeof argument !== 'object' || argument === null || !('sessionId' in argument)) return undefined;
  return typeof argument.sessionId === 'string' ? argument.sessionId : undefined;
}

async function goToLongestWait(source: StateSource, panel: PanelView): Promise<void> {
  const state = source.snapshot();
  const session = summarise(state).longestWait;
  const agent = session && agentToShow(state, session);
  if (agent === undefined) await vscode.commands.executeCommand(`${viewIds.panel}.focus`);
  else await panel.select(agent);
}
