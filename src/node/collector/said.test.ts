import { expect, test } from 'vitest';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { anEvent } from '../../domain/event.testkit.ts';
import { rankOf } from '../../domain/order.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { eachOnce, saidIn } from './said.ts';

type Step = (index: number) => AgentEvent;

const prompt: Step = (index) => anEvent(index, 'user_prompt', { prompt: 'ask' });
const stop =
  (message?: string, reason = 'completed'): Step =>
  (index) =>
    anEvent(index, 'turn_ended', message === undefined ? { reason } : { reason, message });
const found =
  (message: string): Step =>
  (index) =>
    anEvent(index, 'last_reply_found', { message }, { source: 'transcript' });
const claimed: Step = (index) =>
  anEvent(index, 'notification', { notification_type: 'last_reply', message: 'claimed' });
const subStop: Step = (index) => anEvent(index, 'agent_stopped', { message: 'done' }, { agent_id: 's/a1' });
const tsOf = (index: number) => anEvent(index, 'heartbeat').ts;
const promptOf =
  (turn: string): Step =>
  (index) =>
    anEvent(index, 'user_prompt', { prompt: 'ask', turn });
/** What hooks did not tell. */
const asked =
  (words: string, more: JsonObject = {}): Step =>
  (index) =>
    anEvent(index, 'prompt_found', { prompt: words, ...more }, { source: 'transcript' }); // prettier-ignore
const answered =
  (message: string): Step =>
  (index) =>
    anEvent(index, 'reply_found', { message }, { source: 'transcript' });
/** In the same millisecond as the step before, as it is when nothing came since the turn ended. */
const atOnce =
  (step: Step): Step =>
  (index) => ({ ...step(index), ts: anEvent(index - 1, 'heartbeat').ts });

const table: readonly [string, readonly Step[], readonly string[]][] = [
  ['of an agent whose Stop does not tell it', [prompt, stop(), found('done')], ['ask', 'done']],
  ['at the moment of its Stop', [prompt, stop(), atOnce(found('done'))], ['ask', 'done']],
  ['in each turn, also twice the same', repeat([prompt, stop(), found('done')], 3), repeat(['ask', 'done'], 3)],
  ['not beside a Stop that told it', [prompt, stop('done'), found('done')], ['ask', 'done']],
  ['not beside a Stop that told it in other words', [prompt, stop('all done'), found('done')], ['ask', 'all done']],
  ['not beside a Stop of that moment', [prompt, stop('done'), atOnce(found('do'))], ['ask', 'done']],
  [
    'not beside a Stop that comes a second time, with it',
    [prompt, stop(), found('done '), stop('done')],
    ['ask', 'done'],
  ],
  ['once where it was found twice', [prompt, stop(), found('done'), stop(), found('done')], ['ask', 'done']],
  ['beside what a turn without a prompt ends with', [prompt, stop(), found('one'), stop('two')], ['ask', 'one', 'two']],
  ['beside a sub-agent’s reply', [prompt, subStop, stop(), found('done')], ['ask', 'done', 'done']],
  ['not where a hook claims it', [prompt, stop(), claimed], ['ask']],
  ['not where it is empty', [prompt, stop(), found('')], ['ask']],
  ['of a turn that no hook told', [prompt, stop('one'), asked('more'), answered('two')], ['ask', 'one', 'more', 'two']],
  ['not where the hook of the prompt told it', [prompt, asked('ask'), stop('one')], ['ask', 'one']],
  ['not where the hook of the end came late', [prompt, answered('one'), stop('one')], ['ask', 'one']],
  ['not where that hook has other words', [prompt, answered('one'), stop('all of it')], ['ask', 'all of it']],
  [
    'beside the same prompt, told before',
    [prompt, stop('one'), asked('ask', { after: tsOf(0) }), answered('two')],
    ['ask', 'one', 'ask', 'two'],
  ],
  [
    'by its turn, whatever its words',
    [promptOf('t1'), asked('[image] ask', { turn: 't1' }), stop('one')],
    ['ask', 'one'],
  ],
  [
    'beside many others',
    [...repeat([prompt, stop('one')], 40), asked('more'), ...repeat([prompt, stop('one')], 40)],
    [...repeat(['ask', 'one'], 40), 'more', ...repeat(['ask', 'one'], 40)],
  ],
];

function repeat<T>(items: readonly T[], times: number): T[] {
  return Array.from({ length: times }, () => items).flat();
}

test.each(table)('CNV-1 a reply that the transcript told is said %s', async (_name, steps, expected) => {
  const store = memoryStore();
  const events = steps.map((step, index) => step(index));
  await store.append(events.map((event) => ({ event, keys: [event.id], rank: rankOf(event.event_type) })));
  const { signal } = new AbortController();
  const said = store.sayings('s', { limit: 999 }).items.flatMap((event) => saidIn(event) ?? []);
  const whole = await eachOnce(store, said, signal);
  expect(whole.map(({ content }) => content.trim())).toEqual(expected);
  const parts = await Promise.all(said.map((each) => eachOnce(store, [each], signal)));
  expect(parts.flat()).toEqual(whole);
});

test('CNV-1 it is the agent’s reply, like one that a hook told', () => {
  const event = anEvent(1, 'last_reply_found', { message: 'done' }, { source: 'transcript', provider: 'copilot' });
  expect(saidIn(event)).toEqual({
    interaction: {
      id: 'e1',
      sessionId: 's',
      agentId: 's/main',
      role: 'assistant',
      content: 'done',
      skillName: 'copilot_response',
      ts: event.ts,
    },
    found: true,
  });
});
