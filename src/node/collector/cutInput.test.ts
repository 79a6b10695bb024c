import { describe, expect, test } from 'vitest';
import { fitPayload } from '../../../forwarder/cut.ts';
import type { Payload } from '../../../forwarder/payload.ts';
import { maskPayload } from '../../domain/mask/mask.ts';
import { BODY_MAX_BYTES, STRING_MAX_BYTES } from '../../protocol/limits.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { cutLong } from './cutLong.ts';
import { eventAtStart } from './payloadStart.ts';

const content = 'PLAIN=not-a-known-shape';
const call = { hook_event_name: 'PostToolUse', session_id: 's', tool_name: 'Bash' };
const result = { tool_response: { stdout: content }, error: `Exit code 1\n${content}` };
const words = 'echo some words\n';

/** `cat .env` where the cut takes it. */
function commandOf(bytes: number): string {
  const half = words.repeat(bytes / 2 / words.length);
  return `${half}cat .env\n${half}`;
}

function masked(payload: unknown): string {
  return JSON.stringify(maskPayload(payload as JsonObject));
}

function sent(payload: Payload): unknown {
  return JSON.parse(fitPayload(payload));
}

function keys(count: number, value: unknown): Payload {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));
}

/** Lists in lists, with as many entries each. */
function nested(depth: number, entries: number): unknown {
  return depth === 0 ? 1 : Array<unknown>(entries).fill(nested(depth - 1, entries));
}

const tooLarge = Array.from({ length: 5_000 }, () => 'x'.repeat(1_500));
const tooMany = nested(2, 2_000);

describe('MSK-1 FWD-9 what a tool was given was cut', () => {
  test.each<[string, Payload]>([
    ['a command that is too long', { tool_input: { command: commandOf(2 * STRING_MAX_BYTES) } }],
    ['any command of a payload that is too large', { tool_input: { command: commandOf(8_000) }, tooLarge }],
    ['a path of one', { tool_input: { file_path: `/a/${'./'.repeat(2_000)}.env` }, tooLarge }],
    ['an input with too many entries', { tool_input: { ...keys(5_000, 1), command: 'cat .env' }, tooMany }],
    ['an input that goes whole', { ...keys(70, nested(2, 512)), tool_input: { command: 'cat .env' } }],
  ])('MSK-1 %s: what came of it is not kept', (_title, input) => {
    const payload = { ...call, ...input, ...result };
    const came = sent(payload);
    expect(came).not.toEqual(payload);
    expect(masked(came)).not.toContain(content);
  });

  test('MSK-1 where not even lists and objects of 64 entries fit, an error is sealed', () => {
    const payload = { ...call, ...result, tool_input: { command: 'cat .env' }, wide: nested(4, 64) };
    const fitted = fitPayload(payload, 4_000);
    expect(JSON.parse(fitted)).toMatchObject({
      ...call,
      error: result.error,
      '(cut)': expect.stringContaining('cut]'),
    });
    expect(masked(JSON.parse(fitted))).not.toContain(content);
  });

  test('MSK-1 cut in the collector', async () => {
    const payload = { ...call, ...result, tool_input: { command: commandOf(2 * STRING_MAX_BYTES) } };
    await cutLong(payload, BODY_MAX_BYTES);
    expect(masked(payload)).not.toContain(content);
  });

  test('MSK-1 FWD-6 read by its beginning alone', () => {
    const text = JSON.stringify({ ...call, error: result.error, tool_input: { command: commandOf(10_000) } });
    const event = eventAtStart(text, 20_000_000);
    expect(event).toMatchObject({ error: result.error });
    expect(masked(event)).not.toContain(content);
  });

  test('MSK-2 what is as long as allowed is judged by what it says', () => {
    const payload = { ...call, ...result, tool_input: { command: words.repeat(3_000) } };
    expect(masked(sent(payload))).toContain(content);
  });
});
