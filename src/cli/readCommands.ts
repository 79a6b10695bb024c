import { PAGE_DEFAULT, PAGE_MAX } from '../protocol/limits.ts';
import type { Answer } from './answers.ts';
import { type Options, readNumber } from './arguments.ts';
import { ask, collectorOf } from './asking.ts';
import { type Call, type Command, noWords, printJson } from './command.ts';
import { exitCodes } from './failure.ts';
import { sessionLines, statusLines } from './mascotText.ts';

export const limitOption: Options = {
  limit: { takes: `a number from 1 to ${PAGE_MAX}`, words: `how many at the most (default ${PAGE_DEFAULT})` },
};

/** Whoever asks how it goes wants to know that it hangs. */
const STATUS_DEADLINE_MS = 3_000;

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

export function limitOf({ args }: Call): number {
  return readNumber(args, 'limit', [1, PAGE_MAX]) ?? PAGE_DEFAULT;
}

export function shown(call: Call, answer: Answer, lines: () => readonly string[]): typeof exitCodes.ok {
  if (call.json) printJson(call, answer);
  else call.world.terminal.out(lines().join('\n'));
  return exitCodes.ok;
}
