import * as vscode from 'vscode';
import type { Clock, StateSource } from '../../app/ports.ts';
import { lastPart } from '../../domain/folders.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { shortMoments } from '../moment.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import { endedItems, openItems } from './workNodes.ts';
import { workStateText, workTitle } from './workLines.ts';

export interface WorkPickParts {
  readonly source: Pick<StateSource, 'snapshot'>;
  readonly clock: Pick<Clock, 'now'>;
}

interface WorkChoice extends vscode.QuickPickItem {
  readonly item: WorkItem;
}

/** Lets the person choose among the wanted items, in the order of the tree; `undefined` if none was chosen or there is none. */
export async function pickWork(
  { source, clock }: WorkPickParts,
  title: PhraseKey,
  wanted: (item: WorkItem) => boolean,
): Promise<WorkItem | undefined> {
  const { workItems } = source.snapshot();
  const choices = workChoices(
    [...openItems(workItems), ...endedItems(workItems)].filter(wanted),
    workItems,
    clock.now(),
  );
  if (choices.length === 0) {
    void vscode.window.showInformationMessage(phraseFor('work.none'));
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(choices, {
    title: phraseFor(title),
    placeHolder: phraseFor('work.which'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.item;
}

/** The lines of a list of items. `items`: all work items. */
export function workChoices(these: readonly WorkItem[], items: readonly WorkItem[], now: number): WorkChoice[] {
  const format = shortMoments({ locale: vscode.env.language });
  const moment = (ts: string) => format(ts, now);
  const isMixed = new Set(items.map(({ project }) => project)).size > 1;
  return these.map((item) => ({
    label: withoutIcons(workTitle(item)),
    description: withoutIcons(
      [agentText(item.id), isMixed ? agentText(lastPart(item.project)) : ''].filter(Boolean).join(' · '),
    ),
    detail: withoutIcons(workStateText(item, { items, moment })),
    item,
  }));
}
