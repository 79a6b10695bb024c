import * as vscode from 'vscode';
import type { Clock, StateSource } from '../../app/ports.ts';
import type { Collector, WorkAnswer } from '../../app/windowPorts.ts';
import { lastPart } from '../../domain/folders.ts';
import { hasEnded } from '../../domain/workItems.ts';
import type { WorkItem } from '../../protocol/work.ts';
import { agentText, withoutIcons } from '../agentText.ts';
import { commandIds, extensionId } from '../ids.ts';
import { withoutLinks } from '../noticeText.ts';
import { openFile } from '../openFile.ts';
import { phraseFor, type PhraseKey } from '../phrases.ts';
import { askNewWork } from './newWork.ts';
import { pickWork } from './workPick.ts';
import { filePlace, namesText, workTitle } from './workWords.ts';

export type WorkCommandId =
  | typeof commandIds.newWorkItem
  | typeof commandIds.startWorkItem
  | typeof commandIds.endWorkItem
  | typeof commandIds.cancelWorkItem
  | typeof commandIds.copyWorkItemId
  | typeof commandIds.openWorkFile
  | typeof commandIds.openTrackingSettings;

export interface WorkCommandParts {
  readonly source: StateSource;
  readonly collector: Pick<Collector, 'createWork' | 'startWork' | 'endWork' | 'tracking'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Brings an item into sight. */
  readonly show: (key: string) => void;
}

const BRIEFLY_MS = 4_000;
const PATH_MAX = 300;

/** GRD-1: work items from the palette and from their tree. */
export function workCommands(
  parts: WorkCommandParts,
): Readonly<Record<WorkCommandId, (argument?: unknown) => Promise<void>>> {
  const { source, collector, show } = parts;

  /** Of the line that was clicked, else of one that the person chooses among those that it makes sense for. */
  function ofItem(title: PhraseKey, wanted: (item: WorkItem) => boolean, run: (item: WorkItem) => Promise<unknown>) {
    return async (argument?: unknown): Promise<void> => {
      const key = keyIn(argument);
      const items = source.snapshot().workItems;
      const item = key === undefined ? await pickWork(parts, title, wanted) : items.find((one) => one.key === key);
      if (item !== undefined) await run(item);
      else if (key !== undefined) warn(phraseFor('work.unknown'));
    };
  }

  async function create(argument?: unknown): Promise<void> {
    const creation = await askNewWork(parts, projectIn(argument));
    if (creation === undefined) return;
    const { id, start = false, project = '' } = creation;
    tell(await collector.createWork(creation), { id, project }, start ? 'work.told.started' : 'work.told.made');
  }

  function tell(answer: WorkAnswer, { id, project }: Pick<WorkItem, 'id' | 'project'>, done: PhraseKey): void {
    switch (answer.kind) {
      case 'done':
        show(answer.item.key);
        vscode.window.setStatusBarMessage(phraseFor(done, { title: withoutIcons(workTitle(answer.item)) }), BRIEFLY_MS);
        return;
      case 'needs-open':
        return warn(phraseFor('work.refused.needs-open', { id: agentText(id), needs: namesText(answer.needs) }));
      case 'exists':
        return warn(phraseFor('work.refused.exists', { id: agentText(id), project: agentText(lastPart(project)) }));
      case 'not-running':
        return warn(phraseFor('work.refused.not-running', { id: agentText(id) }));
      case 'unknown':
      case 'ambiguous':
        return warn(phraseFor('work.unknown'));
      case 'no-project':
        return warn(phraseFor('work.refused.no-project', { folder: agentText(project, PATH_MAX) }));
      case 'too-many':
      case 'secret':
      case 'refused':
      case 'silent':
        return warn(phraseFor(`work.refused.${answer.kind}`));
    }
  }

  async function end(item: WorkItem, cancel: boolean): Promise<void> {
    const { id, project } = item;
    tell(await collector.endWork({ id, project, cancel }), item, cancel ? 'work.told.cancelled' : 'work.told.done');
  }

  return {
    [commandIds.newWorkItem]: create,
    [commandIds.startWorkItem]: ofItem(
      'work.pick.start',
      ({ status }) => status !== 'running',
      async (item) =>
        tell(await collector.startWork({ id: item.id, project: item.project }), item, 'work.told.started'),
    ),
    [commandIds.endWorkItem]: ofItem(
      'work.pick.end',
      ({ status }) => status === 'running',
      (item) => end(item, false),
    ),
    [commandIds.cancelWorkItem]: ofItem(
      'work.pick.cancel',
      (item) => !hasEnded(item),
      (item) => end(item, true),
    ),
    [commandIds.copyWorkItemId]: ofItem(
      'work.pick.copy',
      () => true,
      async ({ id }) => {
        await vscode.env.clipboard.writeText(id);
        vscode.window.setStatusBarMessage(phraseFor('copied.workItemId'), BRIEFLY_MS);
      },
    ),
    [commandIds.openWorkFile]: (argument) => openTouched(source, argument),
    [commandIds.openTrackingSettings]: async () => {
      await vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extensionId} tracking`);
    },
  };
}

/** Long after an edit the file may be gone, which is nobody's mistake. */
async function openTouched(source: StateSource, argument: unknown): Promise<void> {
  const [key, file] = [keyIn(argument), textIn(argument, 'file')];
  const item = source.snapshot().workItems.find((one) => one.key === key);
  if (item === undefined || file === undefined) return;
  await openFile(filePlace(file, item.project), { missing: 'work.fileMissing', refused: 'work.fileRefused' });
}

/** Lines of the tree hand themselves over, key bindings what stands in them. */
function keyIn(argument: unknown): string | undefined {
  return textIn(argument, 'key');
}

function projectIn(argument: unknown): string | undefined {
  return textIn(argument, 'project');
}

function textIn(argument: unknown, name: string): string | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const value: unknown = Object.entries(argument).find(([key]) => key === name)?.[1];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function warn(sentence: string): void {
  void vscode.window.showWarningMessage(withoutLinks(sentence));
}
