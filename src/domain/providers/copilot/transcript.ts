import * as z from 'zod/mini';
import { jsonObjectSchema } from '../../../protocol/jsonSchema.ts';
import { textWithin } from '../../../protocol/textSchema.ts';
import type { TranscriptFact, TranscriptFormat } from '../transcript.ts';
import { backgroundNotices, isProgramPrompt } from '../synthetic.ts';

const TEXT_MAX = 20_000;

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
const text = z.pipe(
  z.string(),
  z.transform((value) => value.slice(0, TEXT_MAX)),
);
const optionalName = z.catch(z.optional(name), undefined);
const optionalText = z.catch(z.optional(text), undefined);
const count = z.catch(z.number().check(z.nonnegative()), 0);

const event = z.object({ type: z.string(), id: name, timestamp: moment, data: jsonObjectSchema });
type Line = z.infer<typeof event>;

/** How one type of line is read: its data by a schema, and what they say. Data of another shape say nothing. */
type Reader = (line: Line) => readonly TranscriptFact[];

function reader<T extends z.ZodMiniType>(
  schema: T,
  read: (data: z.infer<T>, line: Line) => readonly TranscriptFact[],
): Reader {
  return (line) => {
    const parsed = schema.safeParse(line.data);
    return parsed.success ? read(parsed.data, line) : [];
  };
}

const opened = reader(
  z.object({ sessionId: optionalName, context: z.catch(z.optional(z.object({ cwd: optionalText })), undefined) }),
  ({ sessionId, context }, { timestamp: ts }) => [{ kind: 'session', ts, sessionId, cwd: context?.cwd }],
);

/** What the person typed has no source; what the program or another agent sends as a prompt has one. */
const prompted = reader(
  z.object({ content: text, source: optionalText, messageId: optionalName }),
  ({ content, source, messageId }, { timestamp: ts, id }) =>
    content.trim() === ''
      ? []
      : [
          {
            kind: 'prompt',
            ts,
            id: messageId ?? id,
            text: content,
            synthetic:
              (source !== undefined && source !== '' && source !== 'user') ||
              isProgramPrompt(content, backgroundNotices),
          },
        ],
);

const answered = reader(
  z.object({
    messageId: optionalName,
    content: z.catch(text, ''),
    reasoningText: z.catch(text, ''),
    phase: optionalText,
    toolRequests: z.catch(z.array(z.unknown()), []),
  }),
  ({ messageId, content, reasoningText, phase, toolRequests }, { timestamp: ts, id }) => [
    ...(reasoningText.trim() === '' ? [] : [{ kind: 'thinking', ts, text: reasoningText } as const]),
    ...(content.trim() === '' ? [] : [{ kind: 'reply', ts, messageId: messageId ?? id, text: content } as const]),
    // `assistant.turn_end` follows every call of the model; only an answer that is called final ends the person's turn.
    ...(phase === 'final_answer' && toolRequests.length === 0
      ? [{ kind: 'turnEnded', ts, id, message: content } as const]
      : []),
  ],
);

/** `inputTokens` is the whole prompt, what came from the cache included. */
const used = reader(
  z.object({
    usage: z.object({
      model: optionalName,
      apiCallId: optionalName,
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      maxPromptTokens: z.catch(z.optional(z.number().check(z.positive())), undefined),
    }),
  }),
  ({ usage }, { timestamp: ts, id }) => [
    {
      kind: 'usage',
      ts,
      messageId: usage.apiCallId ?? id,
      model: usage.model,
      input: Math.max(0, usage.inputTokens - usage.cacheReadTokens),
      output: usage.outputTokens,
      cached: usage.cacheReadTokens,
      context: usage.inputTokens + usage.outputTokens,
      window: usage.maxPromptTokens,
    },
  ],
);

const toolStarted = reader(
  z.object({ toolCallId: name, toolName: name }),
  ({ toolCallId: toolUseId, toolName: tool }, { timestamp: ts }) => [{ kind: 'toolStarted', ts, toolUseId, tool }],
);

const refusals: ReadonlySet<string> = new Set(['denied', 'rejected']);

const toolEnded = reader(
  z.object({
    toolCallId: name,
    success: z.catch(z.boolean(), true),
    shellExecution: z.catch(z.optional(z.object({ exitCode: z.optional(z.int()) })), undefined),
    error: z.catch(z.optional(z.object({ code: optionalText, message: optionalText })), undefined),
  }),
  ({ toolCallId: toolUseId, success, shellExecution, error }, { timestamp: ts }) => {
    const exitCode = shellExecution?.exitCode;
    const failed = !success || (exitCode !== undefined && exitCode !== 0);
    const outcome = refusals.has(error?.code ?? '') ? 'denied' : failed ? 'failed' : 'succeeded';
    return [{ kind: 'toolEnded', ts, toolUseId, outcome, exitCode, message: error?.message }];
  },
);

const aborted: Reader = ({ timestamp: ts, id }) => [{ kind: 'interrupted', ts, id }];

const failed = reader(
  z.object({ errorType: optionalText, message: optionalText }),
  ({ errorType, message }, { timestamp: ts, id }) => [
    { kind: 'turnFailed', ts, id, error: errorType ?? 'unknown', message },
  ],
);

/** `abort` and `session.error` stand in the program's published list of events; no recording has one yet. */
const readers: Readonly<Record<string, Reader>> = {
  'session.start': opened,
  'session.resume': opened,
  'user.message': prompted,
  'assistant.message': answered,
  'session.usage_record': used,
  'tool.execution_start': toolStarted,
  'tool.execution_complete': toolEnded,
  abort: aborted,
  'session.error': failed,
};

const knownTypes = Object.keys(readers).map((type) => `"${type}"`);

export const copilotTranscript: TranscriptFormat = {
  mayMatter: (line) => knownTypes.some((type) => line.includes(type)),
  facts(entry) {
    // Sub-agents write into the same file, each line with its agent's id.
    if (entry['agentId'] !== undefined && entry['agentId'] !== null) return [];
    const parsed = event.safeParse(entry);
    if (!parsed.success) return [];
    const read = Object.hasOwn(readers, parsed.data.type) ? readers[parsed.data.type] : undefined;
    return read?.(parsed.data) ?? [];
  },
};
