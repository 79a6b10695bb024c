import { expect, test } from 'vitest';
import { hookEnvelopeSchema } from './hook.ts';
import { textWithin } from './textSchema.ts';
import { clientFrameSchema } from './wire.ts';

/** As JSON may have it: it can neither be compared nor made into a text. */
const trap: unknown = JSON.parse('{"length":{"toString":1,"valueOf":1}}');

test.each([
  ['a', true],
  ['abc', true],
  ['', false],
  ['abcd', false],
  [1, false],
  [undefined, false],
  [['a'], false],
  [trap, false],
])('SEC-3 a text of one to three characters: %j is one: %s', (value, fits) => {
  expect(textWithin(1, 3).safeParse(value).success).toBe(fits);
});

test('SEC-3 an object that can’t be compared costs a hook that field, and no more', () => {
  const meta = { cwd: '/p', tty: trap, delivery_id: trap, event: trap };
  const hook = hookEnvelopeSchema.parse({ hook_event_name: 'Stop', _meta: meta });
  expect(hook.meta).toEqual({ cwd: '/p' });
});

test('COL-7 in a greeting it is no greeting', () => {
  const hello = { type: 'hello', protocol: 1, role: 'reader', app: trap, version: '1' };
  expect(clientFrameSchema.safeParse(hello).success).toBe(false);
});
