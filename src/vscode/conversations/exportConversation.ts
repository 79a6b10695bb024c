import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { lastPart } from '../../domain/folders.ts';
import type { SessionWithAgents } from '../../protocol/reading.ts';
import { agentText } from '../agentText.ts';
import { withoutLinks } from '../noticeText.ts';
import { phraseFor } from '../phrases.ts';
import { wantedSession } from '../sessionPick.ts';
import { conversationTelling, wholeLimits } from './conversationHead.ts';
import { type ExportFormat, exportFormats, exportText } from './exportText.ts';

export interface ExportCommandParts {
  readonly collector: Pick<Collector, 'list' | 'session' | 'sessions' | 'statistics'>;
  readonly clock: Clock;
  /** Where it is offered to be written while no folder is open. */
  readonly personHome: string;
}

/** CNV-3: a session of what was clicked, else of those that are stored, as a file of the person's own. */
export async function exportConversation(parts: ExportCommandParts, argument: unknown): Promise<void> {
  const { collector, clock } = parts;
  const sessionId = await wantedSession(parts, 'export.title', argument);
  if (sessionId === undefined) return;
  const format = await pickFormat();
  if (format === undefined) return;
  const target = await askWhere(parts, await collector.session(sessionId), format);
  if (target === undefined) return;
  const written = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: phraseFor('export.running'), cancellable: true },
    (progress, cancel) => {
      let cancelled = false;
      cancel.onCancellationRequested(() => (cancelled = true));
      return writeTo(target, () =>
        exportText(format, {
          collector,
          sessionId,
          telling: conversationTelling(vscode.l10n, { locale: vscode.env.language, now: clock.now() }, wholeLimits),
          isCancelled: () => cancelled,
          progress: (read) => progress.report({ message: phraseFor('export.read', { count: read }) }),
        }),
      );
    },
  );
  await tell(written, target);
}

type Written = 'written' | 'erased' | 'silent' | 'cancelled' | { readonly failure: string };

/** Nothing is written before all of it is there. */
async function writeTo(target: vscode.Uri, make: () => ReturnType<typeof exportText>): Promise<Written> {
  const made = await make();
  if (typeof made === 'string') return made;
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(made.text));
    return 'written';
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

async function tell(written: Written, target: vscode.Uri): Promise<void> {
  const file = agentText(target.fsPath, PATH_MAX);
  if (written === 'cancelled') return;
  if (typeof written === 'object') {
    const reason = agentText(written.failure, PATH_MAX);
    void vscode.window.showErrorMessage(withoutLinks(phraseFor('export.failed', { file, reason })));
    return;
  }
  if (written !== 'written') {
    const sentence = written === 'erased' ? 'conversation.erased' : 'conversation.unknown';
    void vscode.window.showWarningMessage(phraseFor(sentence));
    return;
  }
  const open = phraseFor('export.open');
  const choice = await vscode.window.showInformationMessage(withoutLinks(phraseFor('export.done', { file })), open);
  if (choice === open) await vscode.commands.executeCommand('vscode.open', target);
}

const PATH_MAX = 300;

async function pickFormat(): Promise<ExportFormat | undefined> {
  const items = exportFormats.map((format) => ({
    label: phraseFor(`export.${format}`),
    detail: phraseFor(`export.${format}.detail`),
    format,
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: phraseFor('export.title'),
    placeHolder: phraseFor('export.which'),
  });
  return chosen?.format;
}

/** The dialog itself asks before it takes a name that is taken. */
function askWhere(
  { personHome, clock }: ExportCommandParts,
  session: SessionWithAgents | undefined,
  format: ExportFormat,
): Thenable<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(personHome);
  const began = session?.startedAt ?? new Date(clock.now()).toISOString();
  const name = [
    fileName(session?.project ?? '') || 'conversation',
    began.slice(0, 10),
    fileName(session?.id ?? '').slice(0, 8),
  ];
  return vscode.window.showSaveDialog({
    title: phraseFor('export.title'),
    defaultUri: vscode.Uri.joinPath(folder, `${name.filter(Boolean).join('-')}.${format}`),
    filters: { [phraseFor(`export.${format}`)]: [format] },
  });
}

/** What every file system takes. */
function fileName(text: string): string {
  return lastPart(text)
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 40);
}
