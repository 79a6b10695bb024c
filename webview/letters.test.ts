import { expect, test } from 'vitest';
import type { Agent } from '../src/protocol/state.ts';
import { anAgent } from '../test/webview/fixtures.ts';
import { lettersWritten, receiverOf } from './letters.ts';

const at = '2026-01-01T00:00:00Z';
const now = Date.parse(at) + 1_000;
const rex = anAgent({ id: 'rex', sessionId: 's', name: 'rex' });
const silent = anAgent({ id: 'a', sessionId: 's' });
const wrote: Agent = { ...silent, talksTo: { id: 'rex', at } };
const all = (...agents: readonly Agent[]) => new Map(agents.map((agent) => [agent.id, agent]));

const tables: readonly (readonly [string, Agent, number, string | undefined])[] = [
  ['one that has just written', wrote, now, 'rex'],
  ['one that wrote a minute ago', wrote, Date.parse(at) + 60_000, undefined],
  ['one that never wrote', silent, now, undefined],
  ['one that wrote to nobody known', { ...silent, talksTo: { id: 'nobody', at } }, now, undefined],
  ['one that wrote to itself', { ...silent, talksTo: { id: 'a', at } }, now, undefined],
  ['one with a broken moment', { ...silent, talksTo: { id: 'rex', at: 'x' } }, now, undefined],
];
for (const [who, agent, moment, receiver] of tables) {
  test(`AGT-1 ${who} writes to ${receiver ?? 'nobody'}`, () => {
    expect(receiverOf(agent, all(agent, rex), moment)?.id).toBe(receiver);
  });
}

test('AGT-1 a letter flies when it is written, and once', () => {
  expect(lettersWritten(all(silent, rex), all(wrote, rex), now)).toEqual([{ from: 'a', to: 'rex' }]);
  expect(lettersWritten(all(wrote, rex), all({ ...wrote, mood: 'running' }, rex), now)).toEqual([]);
  expect(lettersWritten(all(silent, rex), all(wrote, rex), now + 60_000)).toEqual([]);
});
