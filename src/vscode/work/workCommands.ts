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
import { filePlace, namesText, workTitle } from './workLines.ts';

type WorkCommandId =
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
  /** Reveals an item in the tree. */
  readonly show: (key: string) => void;
}

const BRIEFLY_MS = 4_000;
const PATH_MAX = 300;

type Command = (argument?: unknown) => Promise<void>;

/** GRD-1: work items from the command palette and from their tree. */
export function workCommands(parts: WorkCommandParts): Readonly<Record<WorkCommandId, Command>> {
  return new WorkCommands(parts).table();
}

class WorkCommands {
  readonly #parts: WorkCommandParts;

  constructor(parts: WorkCommandParts) {
    this.#parts = parts;
  }

  table(): Readonly<Record<WorkCommandId, Command>> {
    return {
      [commandIds.newWorkItem]: (argument) => this.#create(argument),
      [commandIds.startWorkItem]: this.#ofItem(
        'work.pick.start',
        ({ status }) => status !== 'running',
        (item) => this.#start(item),
      ),
      [commandIds.endWorkItem]: this.#ofItem(
        'work.pick.end',
        ({ status }) => status === 'running',
        (item) => this.#end(item, false),
      ),
      [commandIds.cancelWorkItem]: this.#ofItem(
        'work.pick.cancel',
        (item) => !hasEnded(item),
        (item) => this.#end(item, true),
      ),
      [commandIds.copyWorkItemId]: this.#ofItem('work.pick.copy', () => true, copyId),
      [commandIds.openWorkFile]: (argument) => openTouched(this.#parts.source, argument),
      [commandIds.openTrackingSettings]: async () => {
        await vscode.commands.executeCommand('workbench.action.openSettings', `@ext:${extensionId} tracking`);
      },
    };
  }

  /** A command for the item that was clicked, else for one that the person chooses among the wanted ones. */
  #ofItem(title: PhraseKey, wanted: (item: WorkItem) => boolean, run: (item: WorkItem) => Promise<void>): Command {
    return async (argument) => {
      const key = textIn(argument, 'key');
      const items = this.#parts.source.snapshot().workItems;
      const item =
        key === undefined ? await pickWork(this.#parts, title, wanted) : items.find((one) => one.key === key);
      if (item !== undefined) await run(item);
      else if (key !== undefined) warn(phraseFor('work.unknown'));
    };
  }

  async #create(argument: unknown): Promise<void> {
    const creation = await askNewWork(this.#parts, textIn(argument, 'project'));
    if (creation === undefined) return;
    const { id, start = false, project = '' } = creation;
    const answer = await this.#parts.collector.createWork(creation);
    this.#showAnswer(answer, { id, project }, start ? 'work.told.started' : 'work.told.made');
  }

  async #start(item: WorkItem): Promise<void> {
    const answer = await this.#parts.collector.startWork({ id: item.id, project: item.project });
    this.#showAnswer(answer, item, 'work.told.started');
  }

  async #end(item: WorkItem, cancel: boolean): Promise<void> {
    const answer = await this.#parts.collector.endWork({ id: item.id, project: item.project, cancel });
    this.#showAnswer(answer, item, cancel ? 'work.told.cancelled' : 'work.told.done');
  }

  #showAnswer(answer: WorkAnswer, { id, project }: Pick<WorkItem, 'id' | 'project'>, done: PhraseKey): void {
    switch (answer.kind) {
      case 'done':
        this.#parts.show(answer.item.key);
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
}

async function copyId({ id }: WorkItem): Promise<void> {
  await vscode.env.clipboard.writeText(id);
  vscode.window.setStatusBarMessage(phraseFor('copied.workItemId'), BRIEFLY_MS);
}

/** Opens a file that an item's session touched, or says that it is gone: the edit may be long ago. */
async function openTouched(source: StateSource, argument: unknown): Promise<void> {
  const [key, file] = [textIn(argument, 'key'), textIn(argument, 'file')];
  const item = source.snapshot().workItems.find((one) => one.key === key);
  if (item === undefined || file === undefined) return;
  await openFile(filePlace(file, item.project), { missing: 'work.fileMissing', refused: 'work.fileRefused' });
}

/** A text in a command's argument, which is a line of the tree or what a key binding passes. */
function textIn(argument: unknown, name: string): string | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const value: unknown = Object.entries(argument).find(([key]) => key === name)?.[1];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function warn(sentence: string): void {
  void vscode.window.showWarningMessage(withoutLinks(sentence));
}
