import type { Checkpoint } from '../protocol/stored.ts';
import { commandWords, type Detail, fileWords, line } from './pastText.ts';
import { quoted } from './plainWords.ts';

const TASK_MAX = 90;

/** EVT-2: what a conversation was at, for the agent that has lost all of it but a summary. */
export function checkpointLines(checkpoint: Checkpoint, detail: Detail): readonly string[] {
  const { request, requestBefore, requestOpen, tasks, files, moreFiles, commands, reply, work } = checkpoint;
  return [
    ...line(requestOpen ? 'current request' : 'last request', request === '' ? [] : [quoted(request, detail.ownMax)]),
    ...line('asked before', requestBefore === '' ? [] : [quoted(requestBefore, detail.ownMax)]),
    ...line('work item', work === '' ? [] : [quoted(work, TASK_MAX)]),
    ...line(
      'open tasks',
      tasks.slice(0, detail.tasks + detail.read).map((title) => quoted(title, TASK_MAX)),
    ),
    ...line('edited', fileWords(files, detail.files, moreFiles)),
    ...line('ran', commandWords(commands, detail.commands)),
    ...line('last reply', reply === '' || detail.replyMax === 0 ? [] : [quoted(reply, detail.replyMax)]),
  ];
}
