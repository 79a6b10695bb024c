import type { JsonObject } from '../../../protocol/json.ts';
import { lastReply } from './lastReply.ts';
import type { TranscriptFact, TranscriptFormat } from '../transcript.ts';
import {
  blocksOf,
  countIn,
  isOfNoModel,
  isSidechain,
  isStray,
  momentIn,
  nameIn,
  objectIn,
  textIn,
  wordsOf,
} from './entries.ts';
import { isLocalCommand, isSynthetic } from './synthetic.ts';
import { toolEnd } from './toolEnd.ts';

const titleField: Readonly<Record<string, string>> = {
  'custom-title': 'customTitle',
  'ai-title': 'aiTitle',
  summary: 'summary',
};

const telling = /"type"\s*:\s*"(?:user|assistant|custom-title|ai-title|summary)"/;

/** One JSON line for each block of a message; 2.0.77, 2.1.100 and 2.1.327 differ only in what else is there. */
export const claudeTranscript: TranscriptFormat = {
  lastReply,
  mayMatter: (line) => telling.test(line),
  facts(entry) {
    const type = nameIn(entry, 'type') ?? '';
    if (Object.hasOwn(titleField, type)) return titleFacts(entry, type, titleField[type] ?? '');
    const ts = momentIn(entry);
    if (ts === undefined || isStray(entry)) return [];
    if (type === 'assistant') return modelFacts(entry, ts);
    return type === 'user' ? userFacts(entry, ts) : [];
  },
};

function titleFacts(entry: JsonObject, type: string, field: string): readonly TranscriptFact[] {
  const title = nameIn(entry, field)?.trim();
  return title ? [{ kind: 'title', text: title, ...(type === 'custom-title' ? { byPerson: true } : {}) }] : [];
}

function modelFacts(entry: JsonObject, ts: string): readonly TranscriptFact[] {
  const message = objectIn(entry, 'message');
  const blocks = blocksOf(message['content']);
  const id = nameIn(entry, 'uuid') ?? '';
  if (entry['isApiErrorMessage'] === true) {
    return [{ kind: 'turnFailed', ts, id, error: nameIn(entry, 'error') ?? 'unknown', message: wordsOf(blocks) }];
  }
  if (isOfNoModel(message)) return [];
  const messageId = nameIn(message, 'id') ?? id;
  const ends = endsTurn(nameIn(message, 'stop_reason'));
  return [...blocks.flatMap((block) => blockFacts(block, { messageId, ts, ends })), ...usageFacts(message, ts)];
}

/** Why the model stopped; what stops for a call may be the last word of its turn all the same. */
function endsTurn(reason: string | undefined): true | undefined {
  return reason === 'end_turn' || reason === 'stop_sequence' || reason === 'refusal' ? true : undefined;
}

interface Message {
  readonly messageId: string;
  readonly ts: string;
  readonly ends: true | undefined;
}

function blockFacts(block: JsonObject, { messageId, ts, ends }: Message): readonly TranscriptFact[] {
  switch (block['type']) {
    case 'thinking': {
      const thought = textIn(block, 'thinking');
      return thought === undefined ? [] : [{ kind: 'thinking', ts, text: thought }];
    }
    case 'text': {
      const reply = textIn(block, 'text');
      return reply === undefined
        ? []
        : [{ kind: 'reply', ts, messageId, text: reply, ...(ends === undefined ? {} : { ends }) }];
    }
    case 'tool_use': {
      const [toolUseId, tool] = [nameIn(block, 'id'), nameIn(block, 'name')];
      return toolUseId === undefined || tool === undefined ? [] : [{ kind: 'toolStarted', ts, toolUseId, tool }];
    }
    default:
      return [];
  }
}

/** Told again on every line of the message. What is written to the cache is input that was not there yet. */
function usageFacts(message: JsonObject, ts: string): readonly TranscriptFact[] {
  const messageId = nameIn(message, 'id');
  const usage = objectIn(message, 'usage');
  if (messageId === undefined || Object.keys(usage).length === 0) return [];
  const input = countIn(usage, 'input_tokens') + countIn(usage, 'cache_creation_input_tokens');
  const cached = countIn(usage, 'cache_read_input_tokens');
  const output = countIn(usage, 'output_tokens');
  const model = nameIn(message, 'model');
  return [{ kind: 'usage', ts, messageId, model, input, output, cached, context: input + cached + output }];
}

function userFacts(entry: JsonObject, ts: string): readonly TranscriptFact[] {
  const { content } = objectIn(entry, 'message');
  const blocks = blocksOf(content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const interrupt = Array.isArray(content) && isInterrupt(entry, blocks);
  const id = nameIn(entry, 'uuid') ?? '';
  return [
    ...results.flatMap((block) => toolEnd(entry, block, ts)),
    ...(interrupt || results.length > 0 ? [] : [sessionFact(entry, ts)]),
    ...(interrupt ? [{ kind: 'interrupted', ts, id } as const] : []),
    ...(interrupt || results.length > 0 ? [] : promptFacts(entry, blocks, ts, id)),
  ];
}

function sessionFact(entry: JsonObject, ts: string): TranscriptFact {
  return {
    kind: 'session',
    ts,
    sessionId: nameIn(entry, 'sessionId'),
    cwd: textIn(entry, 'cwd'),
    entrypoint: nameIn(entry, 'entrypoint'),
    permissionMode: nameIn(entry, 'permissionMode'),
  };
}

const INTERRUPT = '[Request interrupted by user';
const INTERRUPT_MAX = 80;

/**
 * A person can type these words too. What is typed says where it comes from, or in which mode, and is one text; only the
 * program writes them as a block that says neither.
 */
function isInterrupt(entry: JsonObject, blocks: readonly JsonObject[]): boolean {
  if (isFromSomebody(entry)) return false;
  const words = wordsOf(blocks) ?? '';
  return words.startsWith(INTERRUPT) && words.length <= INTERRUPT_MAX && words.endsWith(']') && !words.includes('\n');
}

function isFromSomebody(entry: JsonObject): boolean {
  return ['promptSource', 'origin', 'permissionMode'].some((field) => entry[field] !== undefined);
}

/** Context that the program adds, summaries of compaction and commands that it runs itself are nobody's words to the model. */
function promptFacts(
  entry: JsonObject,
  blocks: readonly JsonObject[],
  ts: string,
  id: string,
): readonly TranscriptFact[] {
  if (entry['isMeta'] === true || entry['isCompactSummary'] === true) return [];
  const text = wordsOf(blocks);
  if (text === undefined || isLocalCommand(text)) return [];
  const turn = nameIn(entry, 'promptId');
  const synthetic = isSynthetic(text) || isFromProgram(entry);
  return [{ kind: 'prompt', ts, id, text, synthetic, ...(turn === undefined ? {} : { turn }) }];
}

/** A sub-agent is prompted by its starter. */
function isFromProgram(entry: JsonObject): boolean {
  const origin = nameIn(objectIn(entry, 'origin'), 'kind');
  return isSidechain(entry) || entry['promptSource'] === 'system' || (origin !== undefined && origin !== 'human');
}
