import { describe, expect, test } from 'vitest';
import { useOutside } from './acceptance.testkit.ts';

const { open } = useOutside();

const nothingKnown = {
  active_work_item: null,
  loaded_docs: [],
  session_state: 'active',
  tokens_used: 0,
  token_budget: 160_000,
};
const besides = { notifications: [], suggestions: [], metadata: {} };

describe('B1.1v the extension block is in every reply', () => {
  test('B1.1v B-done3 session-start in kebab case, without a session, in a folder that is not there', async () => {
    const { post } = await open();
    const { output } = (await post({ hook_type: 'session-start', cwd: '/test' })).json();
    expect(output).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart' },
      context: nothingKnown,
      ...besides,
    });
  });

  test.each(['SubagentStart', 'SubagentStop', 'PreToolUse', 'PostToolUse', 'Notification', 'Stop', 'UserPromptSubmit'])(
    'B-done3 %s is answered with it, and with nothing that a model would read',
    async (hook) => {
      const { post } = await open();
      const fields = { tool_name: 'Bash', prompt: 'go', message: 'hello', agent_id: 'a1', agent_type: 'Explore' };
      const { output } = (await post({ hook_type: hook, session_id: 's1', ...fields })).json();
      expect(output).toEqual({ context: nothingKnown, ...besides });
    },
  );

  test('B-done3 puts it beside the output for Codex, which refuses unknown keys', async () => {
    const { post } = await open();
    const answer = (await post({ hook_event_name: 'Stop', session_id: 's1', _meta: { provider: 'codex' } })).json();
    expect(answer).toMatchObject({ context: nothingKnown, ...besides });
    expect(answer).not.toHaveProperty('output');
  });
});

describe('A5.3-1 a refused hook', () => {
  test.each([
    ['no JSON', 'nonsense', 'the body is not JSON'],
    ['no object', '[]', ''],
    ['no event', '{"session_id":"s1"}', ''],
  ])('A5.3-1 %s is answered 400 and leaves a line in the log', async (_name, body, why) => {
    const { post, log } = await open();
    const { status } = await post(body);
    expect([status, log.lines]).toEqual([400, [expect.stringContaining(`A hook was refused (400): ${why}`)]]);
  });
});

test.each([
  ['/api/sessions/start', 'SessionStart'],
  ['/api/prompts', 'UserPromptSubmit'],
  ['/api/observations', 'PostToolUse'],
  ['/api/responses', 'Stop'],
  ['/api/sessions/summarize', 'Stop'],
  ['/api/sessions/stop', 'SessionEnd'],
])('the older write route %s answers what to post to /ingest: a %s', async (path, hook) => {
  const { ask, sessions } = await open();
  const { status, json } = await ask('POST', path, JSON.stringify({ session_id: 's1', content: 'x' }));
  expect([status, json()['error']]).toEqual([410, expect.stringContaining(`POST /ingest {"hook_type":"${hook}"`)]);
  expect(await sessions()).toEqual([]);
});
