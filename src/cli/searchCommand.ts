import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { QUERY_MAX } from '../protocol/limits.ts';
import type { Arguments, Options } from './arguments.ts';
import { collectorOf } from './asking.ts';
import type { Command } from './command.ts';
import { wrongUsage } from './failure.ts';
import { searchLines } from './mascotText.ts';
import { limitOf, limitOption, pagesOf, type Query, shownOwn } from './readCommands.ts';

const roles = ['user', 'assistant'];
const aDay = 'a day like 2026-01-31, or a moment like 2026-01-31T18:00';

const options: Options = {
  ...limitOption,
  project: { takes: 'a folder of it', words: 'only what was said in this project' },
  role: { takes: roles.join(' or '), words: 'only your prompts, or only what agents answered' },
  since: { takes: aDay, words: 'only what was said then or later' },
  until: { takes: aDay, words: 'only what was said before; a day is taken whole' },
};

export const searchCommand: Command = {
  summary: 'prompts and replies that contain these words, as one piece, with the ids of their sessions',
  options,
  words: { name: 'what to search for', atLeast: 1, atMost: Number.MAX_SAFE_INTEGER },
  async run(call) {
    const limit = limitOf(call);
    const words = call.args.words.join(' ').trim();
    if (words === '' || words.length > QUERY_MAX) {
      throw wrongUsage(`what to search for has 1 to ${QUERY_MAX} characters`, 'search');
    }
    const filters = filtersOf(call.args, call.world.cwd);
    const found = await pagesOf(await collectorOf(call), '/api/search', { q: words, ...filters }, limit);
    return shownOwn(call, found, () => searchLines(found, words, call.world.now()));
  },
};

function filtersOf(args: Arguments, cwd: string): Query {
  const role = args.value('role');
  if (role !== undefined && !roles.includes(role)) throw wrongUsage(`--role takes ${roles.join(' or ')}`, 'search');
  const project = args.value('project');
  return {
    project: project === undefined ? undefined : realFolder(resolve(cwd, project)),
    role,
    from: momentOf(args, 'since', 0),
    to: momentOf(args, 'until', 1),
  };
}

/** A project that is gone has sessions still. */
function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

/** Days are those of the person's clock. */
function momentOf(args: Arguments, option: string, daysLater: number): string | undefined {
  const text = args.value(option);
  if (text === undefined) return undefined;
  const day = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.slice(1).map(Number);
  const [year = 0, month = 0, date = 0] = day ?? [];
  const moment = day ? new Date(year, month - 1, date) : new Date(/^\d{4}-\d{2}-\d{2}T/.test(text) ? text : Number.NaN);
  const isReal = day ? moment.getMonth() === month - 1 : !Number.isNaN(moment.getTime());
  if (day) moment.setDate(moment.getDate() + daysLater);
  const written = isReal ? moment.toISOString() : '';
  // Before the year 0 and after 9999 it has a sign, and more digits than the collector takes.
  if (!/^\d/.test(written)) throw wrongUsage(`--${option} takes ${aDay}`, 'search');
  return written;
}
