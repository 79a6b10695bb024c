/** Models' APIs on loopback that play the scripts of `plays.ts` instead of asking a model. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { endReply, type Heard, plays, type Reply } from './plays.ts';
import { asQuestion, type ResponsesQuestion, streamResponse } from './responses.ts';

/** A reply of a play was sent whole (or broke off, when its reader went away). */
export interface Played {
  readonly play: string;
  readonly step: number;
  readonly at: number;
  /** What our hook at the session's start gave the model to read, as it stands in the request. */
  readonly context?: string;
  /** What the model had heard by then. */
  readonly heard: Heard;
}

export interface Block {
  readonly type?: string;
  readonly text?: string;
  /** Of a call's result, which is text or blocks. */
  readonly content?: string | readonly Block[];
  readonly is_error?: boolean;
}

export interface Message {
  readonly role?: string;
  readonly content?: string | readonly Block[];
}

export interface Question {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly Message[];
  readonly tools?: readonly unknown[];
}

export interface Model {
  readonly url: string;
  close(): void;
}

export async function startModel(played: (what: Played) => void): Promise<Model> {
  const names = counter();
  const server = createServer((request, response) => {
    // A reader that leaves in mid-stream (Esc) is part of the play.
    void serve(request, response, names, played).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function counter(): (prefix: string) => string {
  let last = 0;
  return (prefix) => `${prefix}_test${String(++last).padStart(6, '0')}`;
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  name: (prefix: string) => string,
  played: (what: Played) => void,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const route = new URL(request.url ?? '/', 'http://model').pathname;
  if (route.endsWith('/count_tokens')) return json(response, 200, { input_tokens: 1_000 });
  const codex = route.endsWith('/responses');
  if (!codex && !route.endsWith('/messages'))
    return json(response, 404, { type: 'error', error: { type: 'not_found_error' } });
  const asked = JSON.parse(Buffer.concat(chunks).toString()) as Question & ResponsesQuestion;
  const question = codex ? asQuestion(asked) : asked;
  const place = placeOf(question);
  const heard = heardIn(question);
  const planned = (place && plays[place.play]?.[place.step]) ?? endReply;
  const reply = typeof planned === 'function' ? planned(heard) : planned;
  await pause(reply.delayMs ?? 0);
  if (reply.status !== undefined)
    json(response, reply.status, { type: 'error', error: { type: 'api_error', message: 'a failure of the test' } });
  else if (codex) streamResponse(response, reply, name);
  else if (question.stream) await stream(response, question, reply, name);
  else json(response, 200, { ...envelope(question, name), ...whole(reply, name) });
  const context = contextIn(question);
  if (place) played({ ...place, at: Date.now(), heard, ...(context === undefined ? {} : { context }) });
}

function heardIn({ messages = [] }: Question): Heard {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  const results = (of: readonly Message[]) =>
    of.flatMap(({ content }) => (typeof content === 'string' ? [] : (content ?? []))).filter(isResult);
  return {
    errors: results(since).flatMap((result) => (result.is_error === true ? [textOf(result.content)] : [])),
    results: results(messages).map(({ content }) => textOf(content)),
    besides: since.map(textOfMessage).join('\n'),
  };
}

function isResult({ type }: Block): boolean {
  return type === 'tool_result';
}

/** Wherever in the request the agent puts it. */
function contextIn({ messages = [] }: Question): string | undefined {
  return /<agent-mascot-context>.*<\/agent-mascot-context>/s.exec(messages.map(textOfMessage).join('\n'))?.[0];
}

function textOfMessage({ content }: Message): string {
  return textOf(content);
}

/** Requests without tools are side jobs, such as a title: they belong to no play though they may quote its prompt. */
function placeOf({ messages = [], tools = [] }: Question): { play: string; step: number } | undefined {
  if (tools.length === 0) return undefined;
  const from = messages.findLastIndex(({ role, content }) => role === 'user' && /\bplay:/.test(textOf(content)));
  const play = /\bplay:([a-z-]+)/.exec(textOf(messages[from]?.content))?.[1];
  if (play === undefined) return undefined;
  return { play, step: messages.slice(from).filter(({ role }) => role === 'assistant').length };
}

function textOf(content: Message['content']): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n');
}

const usage = {
  input_tokens: 1_000,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 500,
  output_tokens: 20,
  service_tier: 'standard',
};

function envelope({ model }: Question, name: (prefix: string) => string) {
  return { id: name('msg'), type: 'message', role: 'assistant', model, content: [], stop_sequence: null, usage };
}

function stopReason({ calls = [] }: Reply): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

/** Nobody checks it here, but it has to be there. */
const SIGNATURE = 'c2lnbmF0dXJl';

function whole(reply: Reply, name: (prefix: string) => string) {
  const thoughts =
    reply.thinking === undefined ? [] : [{ type: 'thinking', thinking: reply.thinking, signature: SIGNATURE }];
  const text = reply.text === undefined ? [] : [{ type: 'text', text: reply.text }];
  const calls = (reply.calls ?? []).map((call) => ({ type: 'tool_use', id: name('toolu'), ...call }));
  return { content: [...thoughts, ...text, ...calls], stop_reason: stopReason(reply) };
}

async function stream(response: ServerResponse, question: Question, reply: Reply, name: (prefix: string) => string) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (type: string, data: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  send('message_start', { message: { ...envelope(question, name), stop_reason: null } });
  let index = 0;
  const block = async (start: object, deltas: readonly object[]) => {
    send('content_block_start', { index, content_block: start });
    for (const delta of deltas) {
      send('content_block_delta', { index, delta });
      if (reply.wordMs !== undefined) await pause(reply.wordMs);
      if (response.destroyed) return;
    }
    send('content_block_stop', { index: index++ });
  };
  if (reply.thinking !== undefined) {
    await block({ type: 'thinking', thinking: '', signature: '' }, [
      { type: 'thinking_delta', thinking: reply.thinking },
      { type: 'signature_delta', signature: SIGNATURE },
    ]);
  }
  if (reply.text !== undefined) {
    const parts = reply.wordMs === undefined ? [reply.text] : reply.text.split(/(?<= )/);
    await block(
      { type: 'text', text: '' },
      parts.map((text) => ({ type: 'text_delta', text })),
    );
  }
  for (const { name: tool, input } of reply.calls ?? [])
    await block({ type: 'tool_use', id: name('toolu'), name: tool, input: {} }, [
      { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    ]);
  send('message_delta', { delta: { stop_reason: stopReason(reply), stop_sequence: null }, usage });
  send('message_stop', {});
  response.end();
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
