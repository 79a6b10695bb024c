import { expect, test } from 'vitest';
import type { Conversation } from './conversationReading.ts';
import { ConversationReader } from './conversationReading.ts';
import { called, said, storedThere, told } from './conversations.testkit.ts';

const many = (count: number) => Array.from({ length: count }, (_, index) => said(index, 'user', `prompt ${index}`));

async function readAll(there: ReturnType<typeof storedThere>, place?: string): Promise<Conversation> {
  const read = await new ConversationReader(there.source, 's', place).read();
  if (read === undefined || read === 'erased') throw new Error(String(read));
  return read;
}

const ends = ({ interactions, cut }: Conversation) => [interactions[0]?.id, interactions.at(-1)?.id, cut];

test('CNV-3 reads the newest part of a long session with its tool calls, and knows that there is more', async () => {
  const calls = [called(10, 'Old'), called(4_900, 'New')];
  const events = [told(0, 'context_loaded', { text: 'earlier' }), told(5, 'compact', {})];
  const read = await readAll(storedThere({ interactions: many(5_000), observations: calls, events }));
  expect(ends(read)).toEqual(['prompt 3000', 'prompt 4999', { before: true, after: false }]);
  expect(read.observations.map(({ skillName }) => skillName)).toEqual(['New']);
  expect(read.events.map(({ event_type }) => event_type)).toEqual(['context_loaded']);
});

test('CNV-3 the part around a place in a long session has as much before it as after', async () => {
  const there = storedThere({
    interactions: many(9_000),
    observations: [called(4_000, 'Here'), called(8_000, 'After')],
  });
  const read = await readAll(there, 'prompt 4010');
  const at = read.interactions.findIndex(({ id }) => id === 'prompt 4010');
  expect([at > 900, read.interactions.length - at > 900, read.interactions.length < 2_600]).toEqual([true, true, true]);
  expect([read.cut, read.observations.map(({ skillName }) => skillName)]).toEqual([
    { before: true, after: true },
    ['Here'],
  ]);
});

test('CNV-3 reads only the last pages again when a session grows', async () => {
  const there = storedThere({ interactions: many(3_000) });
  const reader = new ConversationReader(there.source, 's');
  await reader.read();
  const first = there.asked;
  there.interactions = [...there.interactions, said(3_000, 'assistant', 'grown')];
  const again = await reader.read();
  expect([first, there.asked - first]).toEqual([17, 5]);
  expect(again !== undefined && again !== 'erased' && again.interactions.at(-1)?.id).toBe('grown');
  expect(again !== undefined && again !== 'erased' && new Set(again.interactions).size).toBe(
    again !== undefined && again !== 'erased' && again.interactions.length,
  );
});

test('CNV-3 CNV-4 distinguishes a deleted session from a silent collector and from one without tool calls', async () => {
  const there = storedThere({ interactions: many(1), observations: undefined });
  const reader = new ConversationReader(there.source, 's');
  expect(await reader.read()).toMatchObject({ session: { id: 's' }, observations: [] });
  there.silent = true;
  expect(await reader.read()).toBeUndefined();
  there.silent = false;
  there.session = undefined;
  expect(await reader.read()).toBe('erased');
});
