import * as vscode from 'vscode';
import type { Clock, Disposable, Log, StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { isThere } from '../../domain/selectors.ts';
import type { Erased } from '../../protocol/reading.ts';
import type { Session } from '../../protocol/state.ts';
import { agentText } from '../agentText.ts';
import { commandIds } from '../ids.ts';
import { momentOf, type PersonsTime } from '../moment.ts';
import { withoutLinks } from '../noticeText.ts';
import { phraseFor } from '../phrases.ts';
import { sessionOf, wantedSession } from '../sessionPick.ts';
import { projectOf } from '../sessionWords.ts';

/** A dialog has room for a long path, and not for many. */
const PATH_MAX = 300;
const LEFT_SHOWN = 5;

export interface EraseParts {
  readonly source: StateSource;
  readonly collector: Pick<Collector, 'erase' | 'session' | 'sessions'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Log, 'warn'>;
  /** Whether a team's database has copies, which are deleted too. */
  readonly isCopied: () => Promise<boolean>;
  /** Called after something may have been deleted, so that views read again. */
  readonly reread: () => void;
}

export type EraseCommandId = typeof commandIds.deleteSession | typeof commandIds.deleteAllData;

/** CNV-4: deletes what is stored of one session or of all, after a question that says what is deleted and what stays. */
export function eraseCommands(
  parts: EraseParts,
): Readonly<Record<EraseCommandId, (argument?: unknown) => Promise<void>>> {
  return {
    [commandIds.deleteSession]: async (argument) => {
      const id = await wantedSession(parts, 'delete.title', argument);
      if (id === undefined) return;
      const session = await sessionOf(parts, id);
      const question = phraseFor('delete.question', { title: agentText(session?.title ?? '') || agentText(id) });
      const when = { locale: vscode.env.language, now: parts.clock.now() };
      const detail = sessionDetail(session, when, await teamLines(parts));
      if (await confirm(question, detail, phraseFor('delete.button'))) await erase(parts, id);
    },
    [commandIds.deleteAllData]: async () => {
      const [goes, stays] = [phraseFor('deleteAll.goes'), phraseFor('deleteAll.stays')];
      const detail = [goes, ...(await teamLines(parts)), stays, phraseFor('delete.forGood')];
      if (await confirm(phraseFor('deleteAll.question'), detail, phraseFor('deleteAll.button'))) await erase(parts);
    },
  };
}

async function teamLines({ isCopied }: EraseParts): Promise<readonly string[]> {
  return (await isCopied().catch(() => false)) ? [phraseFor('delete.team')] : [];
}

async function confirm(question: string, detail: readonly string[], button: string): Promise<boolean> {
  const options = { modal: true, detail: detail.join('\n\n') };
  return (await vscode.window.showWarningMessage(question, options, button)) === button;
}

function sessionDetail(session: Session | undefined, when: PersonsTime, team: readonly string[]): readonly string[] {
  const file = agentText(session?.transcriptPath ?? '', PATH_MAX);
  return [
    session === undefined ? '' : `${projectOf(session)} · ${momentOf(session.startedAt, when)}`,
    phraseFor('delete.goes'),
    ...team,
    session !== undefined && isThere(session) ? phraseFor('delete.goesOn') : '',
    file === '' ? phraseFor('delete.stays') : phraseFor('delete.staysAt', { file }),
    phraseFor('delete.forGood'),
  ].filter((line) => line !== '');
}

async function erase({ collector, log, reread }: EraseParts, id?: string): Promise<void> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: phraseFor('delete.running') };
  // After a failure it is as unknown what was deleted as without an answer.
  const result = await vscode.window.withProgress(options, () => collector.erase(id).catch(() => 'silent' as const));
  // Also without an answer: the collector may have deleted it before it stopped.
  reread();
  if (typeof result === 'string') {
    void vscode.window.showWarningMessage(phraseFor(`delete.${result}`));
    return;
  }
  for (const file of result.left) log.warn(`Not everything was deleted from this file: ${file}`);
  showErased(result);
}

function showErased({ sessions, events, left }: Erased): void {
  const done = phraseFor('delete.done', { sessions, events });
  if (left.length === 0) {
    void vscode.window.showInformationMessage(done);
    return;
  }
  const files = left.slice(0, LEFT_SHOWN).map((file) => agentText(file, PATH_MAX));
  const named = [...files, ...(left.length > LEFT_SHOWN ? ['…'] : [])].join(', ');
  void vscode.window.showWarningMessage(withoutLinks(phraseFor('delete.left', { done, files: named })));
}

/** CNV-4: calls whenever this or another window has deleted something, even of sessions that the state does not have. */
export function onErased(source: StateSource, call: () => void): Disposable {
  let known = erasureMark(source);
  return source.onChange((change) => {
    if (change.type !== 'reset') return;
    const now = erasureMark(source);
    // While there is no owner, its last count still holds.
    if (now === undefined || now === known) return;
    known = now;
    call();
  });
}

/** Changes with each deletion; `undefined` before the first one. Each owner counts from the start, so the owner is part of it. */
function erasureMark(source: StateSource): string | undefined {
  const { owner, erasures = 0 } = source.snapshot();
  return erasures === 0 ? undefined : `${owner?.instance ?? ''}/${erasures}`;
}
