import { sessionAsking, sessionOption } from './asker.ts';
import { collectorOf, tell } from './asking.ts';
import type { Command } from './command.ts';
import { wrongUsage } from './failure.ts';
import { shown } from './readCommands.ts';

const types = ['decision', 'escalation'];
const typeNames = types.join(' or ');

/** EVT-3: what an agent wants the person to find in its session's story. */
export const eventCommand: Command = {
  summary: 'log a decision, or an escalation to the person, in the story of a session',
  options: {
    summary: { takes: 'a sentence', words: 'what was decided, or what needs the person' },
    details: { takes: 'more', words: 'why, and what else there was' },
    ...sessionOption,
  },
  words: { name: typeNames, atLeast: 1, atMost: 1 },
  async run(call) {
    const [type = ''] = call.args.words;
    if (!types.includes(type))
      throw wrongUsage(`say ${typeNames}, as in: mascot event decision --summary "…"`, 'event');
    const summary = call.args.value('summary')?.trim() ?? '';
    if (summary === '') throw wrongUsage('--summary "…" is missing: a sentence that says it', 'event');
    const details = call.args.value('details')?.trim() ?? '';
    const who = sessionAsking(call);
    if (Object.keys(who).length === 0) {
      throw wrongUsage(
        'which session it is of is not known here: give --session ID ("mascot sessions" lists them)',
        'event',
      );
    }
    const answer = await tell(await collectorOf(call), '/api/session-events', {
      type,
      summary,
      ...(details === '' ? {} : { details }),
      ...who,
    });
    return shown(call, answer, () => [`Logged the ${type}.`]);
  },
};
