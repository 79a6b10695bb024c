import type { Checkpoint } from '../protocol/stored.ts';
import { commandWords, type Detail, line } from './pastText.ts';
import { namedFile, quoted } from './plainWords.ts';

const FILE_MAX = 90;

/** EVT-2: what a conversation was at, for the agent that has lost all of it but a summary. */
export function checkpointLines(checkpoint: Checkpoint, detail: Detail): readonly string[] {
  const { request, requestBefore, requestOpen, tasks, files, commands, reply } = checkpoint;
  return [
    ...line(requestOpen ? 'current request' : 'last request', request === '' ? [] : [quoted(request, detail.ownMax)]),
    ...line('asked before', requestBefore === '' ? [] : [quoted(requestBefore, detail.ownMax)]),
    ...line(
      'open tasks',
      tasks.slice(0, detail.tasks + detail.read).map((title) => quoted(title, FILE_MAX)),
    ),
    ...line('edited', detail.files === 0 ? [] : files.slice(-detail.files).map((path) => namedFile(path, FILE_MAX))),
    ...line('ran', commandWords(commands, detail.commands)),
    ...line('last reply', reply === '' || detail.replyMax === 0 ? [] : [quoted(reply, detail.replyMax)]),
  ];
}
