import * as vscode from 'vscode';
import type { Clock, Log, StateSource } from '../../app/ports.ts';
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
  /** Whether a team's database has copies, which go too. */
  readonly isCopied: () => Promise<boolean>;
  /** What shows the history reads it anew. */
  readonly erased: () => void;
}

export type EraseCommandId = typeof commandIds.deleteSession | typeof commandIds.deleteAllData;

/** CNV-4: takes away what is stored, of one session or of all, after a question that says what goes and what stays. */
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
      const detail = ofSession(session, when, await ofTeam(parts));
      if (await agreed(question, detail, phraseFor('delete.button'))) await erase(parts, id);
    },
    [commandIds.deleteAllData]: async () => {
      const [goes, stays] = [phraseFor('deleteAll.goes'), phraseFor('deleteAll.stays')];
      const detail = [goes, ...(await ofTeam(parts)), stays, phraseFor('delete.forGood')];
      if (await agreed(phraseFor('deleteAll.question'), detail, phraseFor('deleteAll.button'))) await erase(parts);
    },
  };
}

async function ofTeam({ isCopied }: EraseParts): Promise<readonly string[]> {
  return (await isCopied().catch(() => false)) ? [phraseFor('delete.team')] : [];
}

async function agreed(question: string, detail: readonly string[], button: string): Promise<boolean> {
  const options = { modal: true, detail: detail.join('\n\n') };
  return (await vscode.window.showWarningMessage(question, options, button)) === button;
}

function ofSession(session: Session | undefined, when: PersonsTime, ofTeam: readonly string[]): readonly string[] {
  const file = agentText(session?.transcriptPath ?? '', PATH_MAX);
  return [
    session === undefined ? '' : `${projectOf(session)} · ${momentOf(session.startedAt, when)}`,
    phraseFor('delete.goes'),
    ...ofTeam,
    session !== undefined && isThere(session) ? phraseFor('delete.goesOn') : '',
    file === '' ? phraseFor('delete.stays') : phraseFor('delete.staysAt', { file }),
    phraseFor('delete.forGood'),
  ].filter((line) => line !== '');
}

async function erase({ collector, log, erased }: EraseParts, id?: string): Promise<void> {
  const location = vscode.ProgressLocation.Notification;
  const options = { location, title: phraseFor('delete.running') };
  // A failure on the way says as little of what was done as silence does.
  const result = await vscode.window.withProgress(options, () => collector.erase(id).catch(() => 'silent' as const));
  // Also after silence: it may have been done by somebody who could not say so any more.
  erased();
  if (typeof result === 'string') {
    void vscode.window.showWarningMessage(phraseFor(`delete.${result}`));
    return;
  }
  for (const file of result.left) log.warn(`Not everything was deleted from this file: ${file}`);
  tell(result);
}

function tell({ sessions, events, left }: Erased): void {
  const done = phraseFor('delete.done', { sessions, events });
  if (left.length === 0) {
    void vscode.window.showInformationMessage(done);
    return;
  }
  const files = left.slice(0, LEFT_SHOWN).map((file) => agentText(file, PATH_MAX));
  const named = [...files, ...(left.length > LEFT_SHOWN ? ['…'] : [])].join(', ');
  void vscode.window.showWarningMessage(withoutLinks(phraseFor('delete.left', { done, files: named })));
}
