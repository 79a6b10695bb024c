import { describe, expect, test } from 'vitest';
import { sessionRow } from '../../src/domain/postgres/rows.ts';
import { useOutside } from './acceptance.testkit.ts';

const { open } = useOutside();

const cwd = '/home/dev/project';
const ended = (id: string | undefined, tool = 'Bash') => ({
  hook_type: 'PostToolUse',
  session_id: 's1',
  cwd,
  tool_name: tool,
  tool_input: { command: `echo ${id}` },
  tool_result: { stdout: 'ok' },
  ...(id === undefined ? {} : { tool_use_id: id }),
});
const started = (id: string | undefined, tool = 'Bash') => ({ ...ended(id, tool), hook_type: 'PreToolUse' });

describe('tool calls are counted once each', () => {
  test('D-ctx6 C4.1-calls three calls with only PostToolUse installed are three, in context, statistics and team database', async () => {
    const { tell, get, hub } = await open();
    await tell(ended('c1'), ended('c2'), ended('c3'));
    const statistics = (await get('/api/sessions/s1/statistics')).json();
    expect(statistics).toMatchObject({ toolCalls: 3 });
    expect((await get(`/api/context?cwd=${encodeURIComponent(cwd)}&limit=5`)).text).toContain('3 tool calls');
    const state = hub.state('s1')!;
    expect(sessionRow(state.session, 'kim')).toMatchObject({ tool_calls: 3 });
  });

  test.each<[string, readonly (readonly [typeof started, string | undefined, string?])[], number]>([
    [
      'start and end',
      [
        [started, 'a'],
        [ended, 'a'],
      ],
      1,
    ],
    [
      'side by side',
      [
        [started, 'a'],
        [started, 'b'],
        [ended, 'b'],
        [ended, 'a'],
      ],
      2,
    ],
    [
      'the end before the start',
      [
        [ended, 'a'],
        [started, 'a'],
      ],
      1,
    ],
    [
      'ends alone',
      [
        [ended, 'a'],
        [ended, 'b'],
      ],
      2,
    ],
    [
      'without ids, start and end',
      [
        [started, undefined],
        [ended, undefined],
      ],
      1,
    ],
    [
      'without ids, another tool’s end',
      [
        [started, undefined],
        [ended, undefined, 'Read'],
      ],
      2,
    ],
    [
      'of two tools without ids',
      [
        [started, undefined],
        [started, undefined, 'Read'],
        [ended, undefined],
        [ended, undefined, 'Read'],
      ],
      2,
    ],
  ])('C4.1-calls %s', async (_name, hooks, count) => {
    const { tell, get } = await open();
    await tell(...hooks.map(([make, id, tool]) => make(id, tool)));
    expect((await get('/api/sessions/s1/statistics')).json()).toMatchObject({ toolCalls: count });
  });

  test.each([
    ['with an id', 'a'],
    ['without one', undefined],
  ])('C4.1-calls a call %s whose end comes after its turn’s is one', async (_name, id) => {
    const { tell, get } = await open();
    await tell(started(id), { hook_type: 'Stop', session_id: 's1' }, ended(id));
    expect((await get('/api/sessions/s1/statistics')).json()).toMatchObject({ toolCalls: 1 });
  });

  test('C4.1-calls both hooks of three calls, arrived in every order, are three calls', async () => {
    const at = (ms: number) => ({ _meta: { collected_at: new Date(Date.now() - 60_000 + ms).toISOString() } });
    const hooks = ['a', 'b', 'c'].flatMap((id, index) => [
      { ...started(id), ...at(index * 10) },
      { ...ended(id), ...at(index * 10 + 5) },
    ]);
    for (let turn = 0; turn < 24; turn++) {
      const { tell, get } = await open();
      await tell(...shuffled(hooks, turn));
      expect([turn, (await get('/api/sessions/s1/statistics')).json()['toolCalls']]).toEqual([turn, 3]);
    }
  });

  test('C4.1-calls a hook that is installed twice and a denied call that never ran add none', async () => {
    const { tell, get } = await open();
    await tell(started('a'), started('a'), ended('a'), ended('a'));
    await tell({ hook_type: 'PermissionDenied', session_id: 's1', tool_name: 'Bash', tool_use_id: 'z', reason: 'no' });
    expect((await get('/api/sessions/s1/statistics')).json()).toMatchObject({ toolCalls: 1 });
  });
});

/** Returns the same order for the same number. */
function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  return items
    .map((item, index) => ({ item, key: (Math.imul(seed + 1, 2_654_435_761) ^ Math.imul(index + 7, 40_503)) % 997 }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
