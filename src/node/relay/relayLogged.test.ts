import { expect, test } from 'vitest';
import { settingsSchema } from '../../protocol/settings.ts';
import { receiver, relayTests, reply, webhook } from './relay.testkit.ts';
import { quietPhases } from './relayWorld.testkit.ts';

const { bench } = relayTests();

const escalation = { summary: 'The licence forbids this.', details: 'Which one?' };
const decision = { summary: 'The cart is a list.' };

test('RLY-1 what an agent logs for the person is said, each where it is chosen', async () => {
  const desk = receiver();
  const { tell, change } = bench({ ...webhook, send: desk.send });
  await tell('session_started', { source: 'startup' });
  await tell('escalation', escalation, { source: 'synthetic' });
  await tell('decision', decision, { source: 'synthetic' });
  change({ send: { ...quietPhases, escalation: false, decision: false } });
  await tell('escalation', escalation, { source: 'synthetic' });
  await tell('decision', decision, { source: 'synthetic' });
  expect(desk.events().map(({ text, event }) => [event['kind'], text])).toEqual([
    ['started', '👋 A Claude Code session in shop'],
    ['escalation', '🆘 Needs your help: The licence forbids this.\nWhich one?'],
    ['decision', '📌 Decided: The cart is a list.'],
  ]);
});

test('RLY-1 a call for help is chosen by default, a decision is not', () => {
  const settings = settingsSchema.parse({});
  expect([settings['relay.send.escalation'], settings['relay.send.decision']]).toEqual([true, false]);
});

test('RLY-3 what is logged is masked and cut, and of a private turn it is not sent', async () => {
  const desk = receiver();
  const { tell } = bench({ ...webhook, send: desk.send });
  const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  await tell('session_started', { source: 'startup' });
  await tell('escalation', { ...escalation, summary: `Is ${secret} yours?`, details: 'ab '.repeat(1_300) });
  await tell('escalation', { unlogged: true });
  expect(desk.kinds()).toEqual(['started', 'escalation']);
  expect(desk.texts()[1]).not.toContain(secret);
  expect(desk.texts()[1]).toMatch(/^🆘 Needs your help: Is \S+ yours\?\nab .*\.\.\.$/s);
  expect(desk.texts()[1]).toHaveLength(1_903);
});

test('RLY-1 a sub-agent may call for help, but its replies are told by the one that it works for', async () => {
  const desk = receiver();
  const { tell } = bench({ ...webhook, send: desk.send });
  await tell('session_started', { source: 'startup' });
  await tell('agent_stopped', { ...reply('Only for my parent.'), agent_type: 'helper' }, { agent_id: 's/helper' });
  await tell('escalation', escalation, { agent_id: 's/helper' });
  expect(desk.kinds()).toEqual(['started', 'escalation']);
});

test.each([
  [true, ['escalation']],
  [false, []],
])('RLY-1 in quiet hours a call for help is said where waits are (%s), a decision is not', async (lets, said) => {
  const desk = receiver();
  const quiet = { quietHours: { from: 11 * 60, to: 14 * 60 }, quietLetsWaits: lets };
  const { tell, pass } = bench({ ...webhook, settings: { ...webhook.settings, ...quiet }, send: desk.send });
  await tell('session_started', { source: 'startup' });
  await tell('decision', decision);
  await tell('escalation', escalation);
  await pass(60_000);
  expect(desk.kinds()).toEqual(said);
  await pass(2 * 3_600_000);
  expect([...desk.kinds()].sort()).toEqual(['decision', 'escalation', 'started']);
});
