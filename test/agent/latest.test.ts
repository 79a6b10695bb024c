import { expect, test } from 'vitest';
import { cases } from '../agent-kit/cases.ts';
import { agentSuite } from '../agent-kit/suite.ts';

interface Read {
  readonly event_type: string;
  readonly source: string;
}

agentSuite('latest', cases, (lab) => {
  test('NRM-4 EVT-4 the hooks of a headless run are all there to be read', async () => {
    const { project } = await lab().print('play:command please');
    const over = ({ sessions }: { sessions: readonly { state: string }[] }) => sessions[0]?.state === 'completed';
    const { view } = await lab().watch.see({ project, what: 'the end', after: 0, withinMs: 10_000, is: over });
    const page = await lab().get(`/api/sessions/${view.sessions[0]?.id}/events`);
    const hooks = (page as { items: readonly Read[] }).items.filter(({ source }) => source === 'hook');
    expect(hooks.map(({ event_type }) => event_type).toSorted()).toEqual([
      'session_ended',
      'session_started',
      'tool_started',
      'tool_succeeded',
      'turn_ended',
      'user_prompt',
    ]);
  });
});
