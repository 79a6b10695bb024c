import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { Ingested } from '../../app/ports.ts';
import type { HookEnvelope } from '../../protocol/hook.ts';
import { STRING_MAX_BYTES } from '../../protocol/limits.ts';
import { createBodies } from './bodies.ts';
import { othersTurn } from './breathe.ts';
import { collectorUnderTest } from './collector.testkit.ts';
import { cutLong } from './cutLong.ts';

const prompt = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };
const large = (name: string) => ({ ...prompt, session_id: name, list: Array.from({ length: 150_000 }, () => 'abc') });
const token = ['ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');

const ending: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** A pipeline that is done with a hook when the test says so. */
function heldPipeline() {
  const held = new Map<string, () => void>();
  const order: string[] = [];
  let wake: () => void = () => undefined;
  return {
    order,
    async until(count: number) {
      while (order.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    done: (name: string) => held.get(name)?.(),
    ingest({ raw }: HookEnvelope): Promise<Ingested> {
      const name = String(raw['session_id']);
      order.push(name);
      wake();
      return new Promise((resolve) => held.set(name, () => resolve({ id: name, duplicate: false })));
    },
  };
}

test('SEC-3 of large bodies one is worked on at a time, small ones pass, and one that leaves the queue keeps nobody', async () => {
  const pipeline = heldPipeline();
  const bodies = createBodies();
  const { collector, post, token: right } = await collectorUnderTest({ pipeline, bodies });
  ending.push(() => collector.close());
  const first = post(large('first'));
  await pipeline.until(1);
  const text = JSON.stringify(large('leaving'));
  const leaving = connect(collector.port, '127.0.0.1').on('error', () => undefined);
  leaving.write(
    `POST /ingest HTTP/1.1\r\nHost: 127.0.0.1:${collector.port}\r\nAuthorization: Bearer ${right}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  );
  const room = 32 * 1024 * 1024;
  // Whole, beside the first.
  while (bodies.begin().fits(room - 2 * text.length + 100)) await othersTurn();
  const last = post(large('last'));
  while (bodies.begin().fits(room - 3 * text.length + 200)) await othersTurn();
  const small = post({ ...prompt, session_id: 'small' });
  await pipeline.until(2);
  leaving.destroy();
  await once(leaving, 'close');
  while (!bodies.begin().fits(room - 2 * text.length - 1_000)) await othersTurn();
  expect(pipeline.order).toEqual(['first', 'small']);
  pipeline.done('small');
  pipeline.done('first');
  await pipeline.until(3);
  pipeline.done('last');
  expect((await Promise.all([first, small, last])).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(pipeline.order).toEqual(['first', 'small', 'last']);
});

test('FWD-9 a text that is longer than the forwarder sends is cut here, before it is masked', async () => {
  const { collector, post, store } = await collectorUnderTest();
  ending.push(() => collector.close());
  const text = 'key:'.repeat(1_000_000);
  expect((await post({ ...prompt, prompt: text })).status).toBe(200);
  const kept = String(store.events('s')[0]?.raw['prompt']);
  expect([kept.length < STRING_MAX_BYTES, /\n\[agent-mascot: \d+ bytes cut\]\n/.test(kept)]).toEqual([true, true]);
});

test('MSK-1 FWD-9 a token that the cut goes through is kept by neither half, wherever in it the cut is', async () => {
  const { collector, post, store } = await collectorUnderTest();
  ending.push(() => collector.close());
  for (const unit of ['x', 'word ', 'line of words\n']) {
    for (let at = 0; at < 40; at += 3) {
      // The head ends at three quarters of what a text may have, less the note.
      const before = unit.repeat(STRING_MAX_BYTES).slice(0, (STRING_MAX_BYTES * 3) / 4 - 60 + at);
      const after = unit.repeat(STRING_MAX_BYTES).slice(0, STRING_MAX_BYTES / 4 - 60 + at);
      await post({ ...prompt, prompt: `${before} ${token} ${unit.repeat(100_000)} ${token} ${after}` });
    }
  }
  expect(store.events('s').length).toBeGreaterThan(40);
  expect(JSON.stringify(store.events('s'))).not.toMatch(/ghp_|N4o5P6q7R8/);
});

test('FWD-9 texts and keys are cut wherever they stand, in a list, deep down, under any name; nothing else changes', async () => {
  const long = 'word '.repeat(80_000);
  const deep = `${'['.repeat(50_000)}${JSON.stringify(long)}${']'.repeat(50_000)}`;
  const value = JSON.parse(
    `{"__proto__":${JSON.stringify(long)},"a":[1,null,${JSON.stringify(long)}],"${'k '.repeat(4_500)}":{"b":2},"deep":${deep},"c":"x"}`,
  ) as Record<string, unknown>;
  await cutLong(value, 2_000_000);
  let inner: unknown = value['deep'];
  while (Array.isArray(inner)) inner = inner[0];
  const [one, none, listed] = value['a'] as readonly unknown[];
  const cut = (text: unknown) => typeof text === 'string' && text.length < 262_144 && text.includes(' bytes cut]');
  expect([Object.getOwnPropertyDescriptor(value, '__proto__')?.value, listed, inner].map(cut)).toEqual([
    true,
    true,
    true,
  ]);
  expect([one, none, value['c']]).toEqual([1, null, 'x']);
  const [name = ''] = Object.keys(value).filter((key) => key.startsWith('k k'));
  expect([name.length <= 4_096, cut(name), value[name]]).toEqual([true, true, { b: 2 }]);
});
