import { PAGE_DEFAULT, PAGE_MAX } from '../protocol/limits.ts';
import { type Answer, objectsIn, textIn } from './answers.ts';
import { type Options, readNumber } from './arguments.ts';
import { ask, type AskedCollector, collectorOf } from './asking.ts';
import { type Call, type Command, noWords, printJson } from './command.ts';
import { exitCodes } from './failure.ts';
import { sessionLines, statusLines } from './mascotText.ts';
import { projectAround } from './places.ts';
import { trackingRows } from './trackingText.ts';

export const limitOption: Options = {
  limit: { takes: `a number from 1 to ${PAGE_MAX}`, words: `how many at the most (default ${PAGE_DEFAULT})` },
};

/** Whoever asks how it goes wants to know that it hangs. */
const STATUS_DEADLINE_MS = 3_000;

export const statusCommand: Command = {
  summary: 'who runs the collector, how many sessions wait or work, and what edits are held to in this project',
  options: { project: { takes: 'a folder of it', words: 'of this project (default: the one around you)' } },
  words: noWords,
  async run(call) {
    const project = projectAround(call);
    const collector = await collectorOf(call, STATUS_DEADLINE_MS);
    // An older collector knows only the first; what is wrong with this one that question tells.
    const lesser = (path: string) => ask(collector, path, STATUS_DEADLINE_MS).catch((): Answer => ({}));
    const [answer, intake, tracking] = await Promise.all([
      ask(collector, '/api/state', STATUS_DEADLINE_MS),
      lesser('/api/storing'),
      project === undefined ? {} : lesser(`/api/tracking?project=${encodeURIComponent(project)}`),
    ]);
    const { storing, spool } = intake;
    const isTracked = textIn(tracking, 'mode') !== '';
    return shownOwn(call, { ...answer, storing, spool, ...(isTracked ? { tracking } : {}) }, () =>
      statusLines(answer, collector.url.origin, intake, isTracked ? trackingRows(tracking, answer) : []),
    );
  },
};

export const sessionsCommand: Command = {
  summary: 'the sessions, newest first',
  options: limitOption,
  words: noWords,
  async run(call) {
    const limit = limitOf(call);
    const found = await pagesOf(await collectorOf(call), '/api/sessions', {}, limit);
    return shownOwn(call, found, () => sessionLines(found, call.world.now()));
  },
};

/** Enough to read through all that there is. */
const PAGES_MAX = 1_000;

export type Query = Readonly<Record<string, string | undefined>>;

/** So many items: the collector gives the turn back now and then, with what it has so far, be it nothing. */
export async function pagesOf(collector: AskedCollector, path: string, query: Query, limit: number): Promise<Answer> {
  const items: Answer[] = [];
  let next: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const room = Math.min(PAGE_MAX, limit - items.length);
    const text = queryText({ ...query, limit: String(room), cursor: next });
    const answer = await ask(collector, `${path}?${text}`);
    items.push(...objectsIn(answer, 'items'));
    next = typeof answer['next'] === 'string' ? answer['next'] : undefined;
    if (next === undefined || items.length >= limit) break;
  }
  return { items, next: next ?? null };
}

function queryText(query: Query): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

export function limitOf({ args }: Call): number {
  return readNumber(args, 'limit', [1, PAGE_MAX]) ?? PAGE_DEFAULT;
}

export const ONLY_OWN = 'Only this project is shown: an agent runs this command. For the others ask the person.';

/** Like `shown`, for output that an agent gets only for its own project. */
export function shownOwn(call: Call, answer: Answer, lines: () => readonly string[]): typeof exitCodes.ok {
  if (!call.agent) return shown(call, answer, lines);
  return shown(call, { ...answer, note: ONLY_OWN }, () => [...lines(), ONLY_OWN]);
}

export function shown(call: Call, answer: Answer, lines: () => readonly string[]): typeof exitCodes.ok {
  if (call.json) printJson(call, answer);
  else call.world.terminal.out(lines().join('\n'));
  return exitCodes.ok;
}
