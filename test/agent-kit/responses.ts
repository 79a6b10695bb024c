/** The same plays for Codex, which asks by the Responses API. */
import type { ServerResponse } from 'node:http';
import type { Message, Question } from './model.ts';
import type { Call, Reply } from './plays.ts';

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: readonly { readonly type?: string; readonly text?: string }[];
  readonly output?: unknown;
}

/** Of commands, and of patches. */
const calls: ReadonlySet<string | undefined> = new Set(['function_call', 'custom_tool_call']);
const outputs: ReadonlySet<string | undefined> = new Set(['function_call_output', 'custom_tool_call_output']);

export interface ResponsesQuestion {
  readonly model?: string;
  readonly input?: readonly Item[];
  readonly tools?: readonly unknown[];
}

/** A call counts as a reply, so a reply with a call has no text of its own here. */
export function asQuestion({ input = [], tools = [] }: ResponsesQuestion): Question {
  const messages = input.flatMap(({ type, role, content = [], output }): Message[] => {
    if (calls.has(type)) return [{ role: 'assistant' }];
    // Whether it failed stands in its words alone.
    if (outputs.has(type)) {
      const text = typeof output === 'string' ? output : JSON.stringify(output);
      return [{ role: 'user', content: [{ type: 'tool_result', content: text }] }];
    }
    if (type !== 'message' || role === undefined) return [];
    return [{ role, content: content.flatMap(({ text }) => (text === undefined ? [] : [{ type: 'text', text }])) }];
  });
  return { messages, tools };
}

const usage = {
  input_tokens: 1_000,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 1_020,
};

export function streamResponse(response: ServerResponse, reply: Reply, name: (prefix: string) => string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (type: string, data: object) => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  const id = name('resp');
  send('response.created', { response: { id } });
  const made = (reply.calls ?? []).map((call) => callItem(call, name));
  const content = [{ type: 'output_text', text: reply.text ?? '' }];
  const items = made.length > 0 ? made : [{ type: 'message', id: name('msg'), role: 'assistant', content }];
  for (const [output_index, item] of items.entries()) send('response.output_item.done', { output_index, item });
  send('response.completed', { response: { id, usage } });
  response.end();
}

/** Plays know two tools only here: patches and the shell. */
function callItem({ name: tool, input }: Call, name: (prefix: string) => string) {
  if (tool === 'apply_patch')
    return { type: 'custom_tool_call', id: name('ctc'), call_id: name('call'), name: tool, input: input['patch'] };
  const args = JSON.stringify({ cmd: input['command'] });
  return { type: 'function_call', id: name('fc'), call_id: name('call'), name: 'exec_command', arguments: args };
}
