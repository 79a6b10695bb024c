import { describe, expect, test } from 'vitest';
import { useForwarder, writePortFile } from '../../forwarder/forwarder.testkit.ts';
import { useOutside } from './acceptance.testkit.ts';

const { open } = useOutside();

describe('a sub-agent’s start through the forwarder', () => {
  const { forward, home } = useForwarder();

  test.each([
    ['A11b A11b2 alone', []],
    [
      'A5.3-5c A5.3-9a after the start of its session',
      [{ hook_type: 'SessionStart', session_id: 'test', cwd: '/test' }],
    ],
  ])('%s shows its agent and tells the stream', async (_name, before) => {
    const { collector, token, agents, stream } = await open();
    writePortFile(home(), collector.port, { token });
    const reader = await stream();
    const start = {
      hook_type: 'SubagentStart',
      session_id: 'test',
      agent_name: 'test-agent',
      team_name: 'test-project',
      _meta: { workspace_id: 'test-project' },
    };
    for (const hook of [...before, start]) expect(await forward(hook)).toMatchObject({ code: 0 });
    const id = 'test-project/test-agent';
    expect(await agents()).toContainEqual(expect.objectContaining({ id, name: 'test-agent', present: true }));
    const told = await reader.until((messages) => messages.some(({ data }) => data['id'] === id));
    expect(told.find(({ data }) => data['id'] === id)).toMatchObject({ event: 'agent-appeared' });
    reader.end();
  });
});
