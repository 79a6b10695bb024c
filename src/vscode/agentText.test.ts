import { beforeEach, expect, test, vi } from 'vitest';
import { aSession, anAgent, aSnapshot } from '../../test/webview/fixtures.ts';
import { agentText, withoutIcons } from './agentText.ts';
import { clearEditor, editor } from './hooks/editor.testkit.ts';
import { pickMascot } from './mascots/mascotPick.ts';
import { noticeText } from './notices/noticeView.ts';
import { pickSession } from './sessionPick.ts';
import { doingText } from './sessions/sessionLines.ts';
import { sessionLine } from './sessionWords.ts';

vi.mock('vscode', async () => (await import('./hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

test.each([
  ['one\r\ntwo\u2028three\t\u0007four', 'one two three four'],
  ['\u202egnp.exe\u2066\u200b\u061c', 'gnp.exe'],
  ['x'.repeat(500), `${'x'.repeat(119)}…`],
  [`${'x'.repeat(118)}😀😀`, `${'x'.repeat(118)}…`],
  ['나무 😀 ok', '나무 😀 ok'],
])('SEC UI-5 what an agent wrote takes one short line and hides nothing: %j', (text, line) => {
  expect(agentText(text)).toBe(line);
});

test('SEC UI-4 escapes the editor’s icon syntax in other people’s words', () =>
  expect(withoutIcons('$(bug) \\$(x)')).toBe('\\$(bug) \\\\$(x)'));

const hostile = `\u202e$(bug)\nx\u0000${'y'.repeat(900)}`;
const session = aSession({
  ...{ id: 's', title: hostile, project: `/p/${hostile}`, phase: 'waiting_permission' },
  phaseBecause: { event: 'agent_blocked', source: 'hook', tool: hostile, target: hostile, detail: hostile },
});
const agent = anAgent({
  ...{ id: 's/main', sessionId: 's', name: hostile, type: hostile, task: hostile },
  activity: { tool: hostile, mood: 'thinking', since: '' },
});
const state = aSnapshot([session], [agent]);
const source = { snapshot: () => state, status: () => 'live' as const, onChange: () => ({ dispose: () => undefined }) };
/** Anything but characters that are seen, and more of one text than a line has room for. */
const bad = /[\p{Cc}\p{Cf}\u2028]|y{120}/u;

test('SEC UI-4 UI-5 keeps every text about a session on one line, whatever its agent calls things', () => {
  const lines = [
    sessionLine(session),
    doingText(agent),
    ...(['permission', 'question', 'turnEnded'] as const).map((kind) =>
      noticeText({ kind, key: '', sessionId: 's', since: '' }, { ...session, lastReply: hostile }, state),
    ),
  ];
  expect(lines.filter((line) => bad.test(line) || !line.includes('yyy'))).toEqual([]);
});

test('SEC UI-3 keeps every choice on one line, and draws no icon that an agent wrote', async () => {
  await pickSession(source);
  await pickMascot(source, 'pick.hide', () => true);
  const texts = editor.lists.flat().flatMap(({ label, description, detail }) => [label.slice(2), description, detail]);
  expect(texts.length).toBe(6);
  expect(texts.filter((text = '') => bad.test(text) || /(?<!\\)\$\(bug/.test(text) || !text.includes('yyy'))).toEqual(
    [],
  );
});
