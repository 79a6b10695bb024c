import { expect, test } from 'vitest';
import { anEvent } from '../domain/event.testkit.ts';
import { rankOf } from '../domain/order.ts';
import { reduceAll, REDUCER_VERSION } from '../domain/reduce.ts';
import { rowOf } from '../domain/restore.ts';
import { createLiveSessions } from './liveSessions.ts';
import { fakeClock, logLines } from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';

const prompt = anEvent(1, 'user_prompt', { prompt: 'hello' });
const state = reduceAll([prompt])!;

test.each([
  ['by another version', { reducer: REDUCER_VERSION - 1 }],
  ['by nobody who can be understood', { json: '{"half' }],
])(
  'COL-8 a row that was written %s is made anew when the owner starts, and saved for the next start',
  async (_name, changes) => {
    const store = memoryStore();
    await store.append([{ event: prompt, keys: ['k'], rank: rankOf('user_prompt') }]);
    store.saveSessions([{ ...rowOf(state), ...changes }]);
    let rebuilt = 0;
    const counting: typeof store = {
      ...store,
      events: (id) => {
        rebuilt++;
        return store.events(id);
      },
    };
    const clock = fakeClock(Date.parse(prompt.ts));
    const start = () => createLiveSessions(counting, logLines(), { clock, since: clock.now() - 1, unreduced: [] });
    const states = [start().state('s'), start().state('s')];
    expect([rebuilt, JSON.parse(JSON.stringify(states))]).toEqual([1, JSON.parse(JSON.stringify([state, state]))]);
    expect(store.session('s')).toEqual(rowOf(state));
  },
);
