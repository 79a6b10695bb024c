import { PAGE_DEFAULT, PAGE_MAX } from '../protocol/limits.ts';
import { type Answer, objectsIn } from './answers.ts';
import { type Options, readNumber } from './arguments.ts';
import { ask, collectorOf } from './asking.ts';
import { type Call, type Command, noWords, printJson } from './command.ts';
import { exitCodes, wrongUsage } from './failure.ts';
import { searchLines, sessionLines, statusLines } from './mascotText.ts';

const limitOption: Options = {
  limit: { takes: `a number from 1 to ${PAGE_MAX}`, words: `how many at the most (default ${PAGE_DEFAULT})` },
};

/** Whoever asks how it goes wants to know that it hangs. */
const STATUS_DEADLINE_MS = 3_000;

/** A search looks through everything ever said and gives the turn back now and then with an empty page. */
const PAGES_MAX = 1_000;
/** What the collector takes. */
const WORDS_MAX = 200;

export const statusCommand: Command = {
  summary: 'who runs the collector, and how many sessions wait, work or are yours to go on with',
  options: {},
  words: noWords,
  async run(call) {
    const collector = await collectorOf(call.world, STATUS_DEADLINE_MS);
    const [answer, intake] = await Promise.all([
      ask(collector, '/api/state', STATUS_DEADLINE_MS),
      // An older collector does not know it; what is wrong with this one the other question tells.
      ask(collector, '/api/storing', STATUS_DEADLINE_MS).catch((): Answer => ({})),
    ]);
    const { storing, spool } = intake;
    return shown(call, { ...answer, storing, spool }, () => statusLines(answer, collector.url.origin, intake));
  },
};

export const sessionsCommand: Command = {
  summary: 'the sessions, newest first',
  options: limitOption,
  words: noWords,
  async run(call) {
    const limit = limitOf(call);
    const answer = await ask(await collectorOf(call.world), `/api/sessions?limit=${limit}`);
    return shown(call, answer, () => sessionLines(answer, call.world.now()));
  },
};

export const searchCommand: Command = {
  summary: 'prompts and replies that contain these words, as one piece',
  options: limitOption,
  words: { name: 'what to search for', atLeast: 1, atMost: Number.MAX_SAFE_INTEGER },
  async run(call) {
    const limit = limitOf(call);
    const words = call.args.words.join(' ').trim();
    if (words === '' || words.length > WORDS_MAX) {
      throw wrongUsage(`what to search for has 1 to ${WORDS_MAX} characters`, 'search');
    }
    const collector = await collectorOf(call.world);
    const items: Answer[] = [];
    let next: string | undefined;
    for (let page = 0; page < PAGES_MAX; page++) {
      const from = next === undefined ? '' : `&cursor=${encodeURIComponent(next)}`;
      const size = limit - items.length;
      const answer = await ask(collector, `/api/search?q=${encodeURIComponent(words)}&limit=${size}${from}`);
      items.push(...objectsIn(answer, 'items'));
      next = typeof answer['next'] === 'string' ? answer['next'] : undefined;
      if (next === undefined || items.length >= limit) break;
    }
    const found = { items, next: next ?? null };
    return shown(call, found, () => searchLines(found, words, call.world.now()));
  },
};

function limitOf({ args }: Call): number {
  return readNumber(args, 'limit', [1, PAGE_MAX]) ?? PAGE_DEFAULT;
}

function shown(call: Call, answer: Answer, lines: () => readonly string[]): typeof exitCodes.ok {
  if (call.json) printJson(call, answer);
  else call.world.terminal.out(lines().join('\n'));
  return exitCodes.ok;
}
