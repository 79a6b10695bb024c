import * as z from 'zod/mini';
import { isJsonObject, type Json, type JsonObject } from '../../../protocol/json.ts';
import { textWithin } from '../../../protocol/textSchema.ts';
import type { TranscriptFact, TranscriptFormat } from '../transcript.ts';
import { exitCodeIn, isShell, textOfParts } from './tools.ts';

const TEXT_MAX = 20_000;
const LISTED_MAX = 200;

const moment = z.pipe(
  z.pipe(
    z.pipe(
      textWithin(0, 40),
      z.transform((value) => Date.parse(value)),
    ),
    z.number(),
  ),
  z.transform((ms) => new Date(ms).toISOString()),
);
const name = textWithin(1, 300);
const count = z.catch(z.number().check(z.nonnegative()), 0);

const head = z.object({ sessionId: name, startTime: moment, kind: z.catch(z.optional(z.string()), undefined) });
const record = z.object({ id: name, timestamp: moment, model: z.catch(z.optional(name), undefined) });
const tokenSums = z.object({ input: count, output: count, cached: count, thoughts: count, total: count });
const thought = z.object({
  subject: z.catch(z.string(), ''),
  description: z.catch(z.string(), ''),
  timestamp: z.catch(z.optional(moment), undefined),
});
const toolCall = z.object({ id: name, name, status: z.string(), timestamp: z.catch(z.optional(moment), undefined) });

type Line = z.infer<typeof record>;

/** The chat file: a head, messages (one that grew is written again, whole, under its id), and `$set` lines about the file. */
export const geminiTranscript: TranscriptFormat = {
  mayMatter: (line) =>
    line.startsWith('{"$set"') ? line.includes('"summary"') : /"(?:gemini|user|projectHash|summary)"/.test(line),
  facts(entry) {
    const changed = entry['$set'];
    if (isJsonObject(changed)) return titled(changed['summary']);
    if (entry['type'] === undefined) return opened(entry);
    const line = record.safeParse(entry);
    if (!line.success) return [];
    if (entry['type'] === 'user') return prompted(line.data, entry);
    return entry['type'] === 'gemini' ? answered(line.data, entry) : [];
  },
};

function titled(summary: Json | undefined): readonly TranscriptFact[] {
  return typeof summary === 'string' && summary.trim() !== '' ? [{ kind: 'title', text: cut(summary) }] : [];
}

function opened(entry: JsonObject): readonly TranscriptFact[] {
  const parsed = head.safeParse(entry);
  // A sub-agent's chat is nobody's session.
  if (!parsed.success || parsed.data.kind === 'subagent') return [];
  const { sessionId, startTime } = parsed.data;
  return [{ kind: 'session', ts: startTime, sessionId }, ...titled(entry['summary'])];
}

/** The prompt that older versions submit themselves after an answer that broke off. */
const CONTINUE = 'System: Please continue.';

/** What a tool answered comes back to the model as the user's message; it has no text of its own. */
function prompted({ id, timestamp: ts }: Line, entry: JsonObject): readonly TranscriptFact[] {
  const text = textOfParts(entry['content']);
  return text.trim() === '' ? [] : [{ kind: 'prompt', ts, id, text: cut(text), synthetic: text === CONTINUE }];
}

function answered(line: Line, entry: JsonObject): readonly TranscriptFact[] {
  const { id, timestamp: ts } = line;
  const text = textOfParts(entry['content']);
  return [
    ...listed(entry['thoughts']).flatMap((each) => thinkingIn(each, ts)),
    ...(text.trim() === '' ? [] : [{ kind: 'reply', ts, messageId: id, text: cut(text) } as const]),
    ...usageIn(line, entry['tokens']),
    ...callsIn(line, entry['toolCalls']),
  ];
}

function thinkingIn(value: Json, ts: string): readonly TranscriptFact[] {
  const parsed = thought.safeParse(value);
  if (!parsed.success) return [];
  const { subject, description, timestamp } = parsed.data;
  const text = [subject, description].filter((part) => part.trim() !== '').join(': ');
  return text === '' ? [] : [{ kind: 'thinking', ts: timestamp ?? ts, text: cut(text) }];
}

/** `input` is the whole prompt, what came from the cache included. */
function usageIn({ id, timestamp: ts, model }: Line, tokens: Json | undefined): readonly TranscriptFact[] {
  const parsed = tokenSums.safeParse(tokens);
  if (!parsed.success) return [];
  const { input, output, cached, thoughts, total } = parsed.data;
  return [
    {
      kind: 'usage',
      ts,
      messageId: id,
      model,
      input: Math.max(0, input - cached),
      output: output + thoughts,
      cached,
      context: total > 0 ? total : input + output,
    },
  ];
}

/** A No, or an Esc at the dialog, is told by no hook. When it leaves nothing to hand to the model, the turn is over. */
function callsIn({ id, timestamp: started }: Line, calls: Json | undefined): readonly TranscriptFact[] {
  const facts = listed(calls).flatMap((each) => callIn(each, started));
  const ends = facts.filter((fact) => fact.kind === 'toolEnded');
  const last = ends.at(-1);
  const stopped = ends.length === listed(calls).length && ends.every(({ outcome }) => outcome === 'denied');
  return last && stopped ? [...facts, { kind: 'interrupted', ts: last.ts, id }] : facts;
}

function callIn(value: Json, started: string): readonly TranscriptFact[] {
  const parsed = toolCall.safeParse(value);
  if (!parsed.success || !isJsonObject(value)) return [];
  const { id: toolUseId, name: tool, status, timestamp: ts = started } = parsed.data;
  const end = endOf(tool, status, value['result']);
  return [
    { kind: 'toolStarted', ts: started, toolUseId, tool },
    ...(end === undefined ? [] : [{ kind: 'toolEnded', ts, toolUseId, ...end } as const]),
  ];
}

type End = Pick<Extract<TranscriptFact, { kind: 'toolEnded' }>, 'outcome' | 'exitCode' | 'message'>;

function endOf(tool: string, status: string, result: Json | undefined): End | undefined {
  const { output, error } = responseIn(result);
  switch (status) {
    case 'success': {
      const exitCode = isShell(tool) ? exitCodeIn(output) : undefined;
      return exitCode === undefined || exitCode === 0 ? { outcome: 'succeeded' } : { outcome: 'failed', exitCode };
    }
    case 'error':
      return { outcome: 'failed', ...(error === '' ? {} : { message: cut(error) }) };
    case 'cancelled':
      return { outcome: 'denied' };
    default:
      return undefined;
  }
}

function responseIn(result: Json | undefined): { output: string; error: string } {
  const answer = listed(result).find(isJsonObject)?.['functionResponse'];
  const response = isJsonObject(answer) ? answer['response'] : undefined;
  const { output, error } = isJsonObject(response) ? response : {};
  return { output: typeof output === 'string' ? output : '', error: typeof error === 'string' ? error : '' };
}

function listed(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]).slice(0, LISTED_MAX) : [];
}

function cut(text: string): string {
  return text.slice(0, TEXT_MAX);
}
