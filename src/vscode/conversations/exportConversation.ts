import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import type { Collector, ListName, SessionLists } from '../../app/windowPorts.ts';
import { exportLine, type Exported } from '../../domain/exportLines.ts';
import { lastPart } from '../../domain/folders.ts';
import type { SessionWithAgents } from '../../protocol/reading.ts';
import { agentText } from '../agentText.ts';
import { withoutLinks } from '../noticeText.ts';
import { phraseFor } from '../phrases.ts';
import { wantedSession } from '../sessionPick.ts';
import { type ConversationFormat, conversationFormat, wholeLimits } from './conversationFormat.ts';
import { conversationText } from './conversationText.ts';

const PATH_MAX = 300;

export interface ExportCommandParts {
  readonly collector: Pick<Collector, 'list' | 'session' | 'sessions' | 'statistics'>;
  readonly clock: Clock;
  /** The folder that the save dialog offers while no folder is open. */
  readonly personHome: string;
}

const exportFormats = ['md', 'jsonl'] as const;
type ExportFormat = (typeof exportFormats)[number];

/** CNV-3: writes the conversation that was clicked, or one that the person chooses among the stored ones, to a file. */
export async function exportConversation(parts: ExportCommandParts, argument: unknown): Promise<void> {
  const { collector, clock } = parts;
  const sessionId = await wantedSession(parts, 'export.title', argument);
  if (sessionId === undefined) return;
  const fileFormat = await pickFormat();
  if (fileFormat === undefined) return;
  const target = await askWhere(parts, await collector.session(sessionId), fileFormat);
  if (target === undefined) return;
  const written = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: phraseFor('export.running'), cancellable: true },
    (progress, cancel) => {
      let cancelled = false;
      cancel.onCancellationRequested(() => (cancelled = true));
      return writeTo(target, () =>
        exportText(fileFormat, {
          collector,
          sessionId,
          format: conversationFormat(vscode.l10n, { locale: vscode.env.language, now: clock.now() }, wholeLimits),
          isCancelled: () => cancelled,
          progress: (read) => progress.report({ message: phraseFor('export.read', { count: read }) }),
        }),
      );
    },
  );
  await showOutcome(written, target);
}

type Outcome = 'written' | ExportFailure | { readonly failure: string };

/** Writes nothing before the whole text is there. */
async function writeTo(target: vscode.Uri, make: () => ReturnType<typeof exportText>): Promise<Outcome> {
  const made = await make();
  if (typeof made === 'string') return made;
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(made.text));
    return 'written';
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

async function showOutcome(written: Outcome, target: vscode.Uri): Promise<void> {
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

/** Asks for the file. The dialog itself asks before it replaces one. */
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

/** The last part of a path as a name that every file system takes. */
function fileName(text: string): string {
  return lastPart(text)
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 40);
}

interface ExportParts {
  readonly collector: Pick<Collector, 'list' | 'session' | 'statistics'>;
  readonly sessionId: string;
  readonly format: ConversationFormat;
  /** Whether the person has cancelled the export. */
  readonly isCancelled: () => boolean;
  /** Called with the number of items read so far. */
  readonly progress: (read: number) => void;
}

/** Why there is no text: the session is not stored any more, no collector responds, or the person cancelled. */
type ExportFailure = 'erased' | 'silent' | 'cancelled';

const PAGE = 500;

/** CNV-3: the whole session, however long it is. */
async function exportText(
  fileFormat: ExportFormat,
  parts: ExportParts,
): Promise<{ readonly text: string } | ExportFailure> {
  const { collector, sessionId, format } = parts;
  const [session, statistics] = await Promise.all([collector.session(sessionId), collector.statistics(sessionId)]);
  let read = 0;
  const whole = <Name extends ListName>(name: Name) =>
    wholeList(parts, name, (count) => parts.progress((read += count)));
  const interactions = await whole('interactions');
  if (typeof interactions === 'string') return interactions;
  if (session === undefined) return 'silent';
  const observations = await whole('observations');
  if (observations === 'silent' || observations === 'cancelled') return observations;
  const events = await whole('session-events');
  if (events === 'silent' || events === 'cancelled') return events;
  // An owner of an older version does not know these two lists.
  const [calls, story] = [observations === 'erased' ? [] : observations, events === 'erased' ? [] : events];
  if (fileFormat === 'md') {
    const rest = { observations: calls, events: story, cut: { before: false, after: false } };
    // The state of deliveries to a chat would soon be outdated in a file.
    return { text: conversationText({ session, statistics, interactions, ...rest, deliveries: [] }, format).text };
  }
  return {
    text: [
      exportLine('session', session),
      ...(statistics === undefined ? [] : [exportLine('statistics', statistics)]),
      ...lines('interaction', interactions),
      ...lines('observation', calls),
      ...lines('session_event', story),
    ].join(''),
  };
}

function lines<Type extends keyof Exported>(type: Type, values: readonly Exported[Type][]): readonly string[] {
  return values.map((value) => exportLine(type, value));
}

async function wholeList<Name extends ListName>(
  { collector, sessionId, isCancelled }: ExportParts,
  name: Name,
  progress: (count: number) => void,
): Promise<readonly SessionLists[Name][] | ExportFailure> {
  const items: SessionLists[Name][] = [];
  let cursor: string | undefined;
  do {
    const page = await collector.list(sessionId, name, { limit: PAGE, cursor });
    if (isCancelled()) return 'cancelled';
    if (page === undefined) return 'silent';
    if (page === 'unknown') return 'erased';
    items.push(...page.items);
    progress(page.items.length);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return items;
}
