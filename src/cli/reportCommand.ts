import { toPathPart } from '../protocol/pathPart.ts';
import { objectsIn, textIn } from './answers.ts';
import { sessionNamed } from './asker.ts';
import { ask, type AskedCollector, askText, collectorOf } from './asking.ts';
import { type Call, type Command, printJson } from './command.ts';
import { exitCodes, MascotError } from './failure.ts';
import { projectAround } from './places.ts';
import { pagesOf } from './readCommands.ts';
import { printable } from './text.ts';

/** All that is stored of a session is read for it. */
const REPORT_DEADLINE_MS = 60_000;

export const reportCommand: Command = {
  summary:
    'what became of a session, as Markdown: what was asked, done, failed and decided, and which work items moved',
  options: { project: { takes: 'a folder of it', words: 'without an id: the newest session of this project' } },
  words: { name: 'session id', atLeast: 0, atMost: 1 },
  async run(call) {
    const collector = await collectorOf(call);
    const path = `/api/sessions/${toPathPart(await wantedSession(call, collector))}/report`;
    if (call.json) printJson(call, await ask(collector, path, REPORT_DEADLINE_MS));
    else call.world.terminal.out((await askText(collector, `${path}?format=markdown`, REPORT_DEADLINE_MS)).trimEnd());
    return exitCodes.ok;
  },
};

/** The one that is named, else the one whose shell this is, else the newest of the project at hand. */
async function wantedSession(call: Call, collector: AskedCollector): Promise<string> {
  const [given] = call.args.words;
  if (given !== undefined) return given;
  const own = call.args.has('project') ? undefined : sessionNamed(call);
  if (own !== undefined) return own;
  const project = projectAround(call);
  const query = project === undefined ? {} : { project: await projectOf(collector, project) };
  const newest = textIn(objectsIn(await pagesOf(collector, '/api/sessions', query, 1), 'items')[0] ?? {}, 'id');
  if (newest !== '') return newest;
  const where = project === undefined ? 'there is no session yet' : `there is no session of ${printable(project)} yet`;
  throw new MascotError(exitCodes.failed, `${where}; "mascot sessions" lists those that there are`);
}

/** As sessions name it: a worktree's is that of its repository. */
async function projectOf(collector: AskedCollector, folder: string): Promise<string> {
  const tracking = await ask(collector, `/api/tracking?project=${encodeURIComponent(folder)}`).catch(() => ({}));
  return textIn(tracking, 'project') || folder;
}
