import { expect, test } from 'vitest';
import type { Interaction } from '../../protocol/reading.ts';
import { anAgent } from '../../../test/webview/fixtures.ts';
import { conversationText } from './conversationText.ts';

const telling = {
  l10n: { t: (text: string) => text },
  locale: 'en',
  timeZone: 'UTC',
  now: Date.UTC(2026, 0, 1, 12),
};
const agents = [anAgent({ id: 's/main', sessionId: 's', name: '# [Juno](x)' })];

function said(role: 'user' | 'assistant', content: string, changes: Partial<Interaction> = {}): Interaction {
  return {
    id: content,
    sessionId: 's',
    agentId: 's/main',
    role,
    content,
    skillName: '',
    ts: '2026-01-01T10:00:05Z',
    ...changes,
  };
}

test('UI-3 a conversation says who said what and when, and that there was more', () => {
  const interactions = [
    said('user', 'Build it.\r\nNow.'),
    said('assistant', 'Done.', { ts: '2025-12-31T10:00:05Z' }),
    said('assistant', 'Me too.', { agentId: 's/unheard' }),
  ];
  expect(conversationText({ title: 'Fix it', agents, conversation: { items: interactions, cut: true } }, telling)).toBe(
    [
      '# Conversation',
      '`Fix it`',
      '_What was said before that is left out._',
      '## You · 10:00:05',
      '> Build it.\n> Now.',
      '## \\# \\[Juno\\]\\(x\\) · Dec 31, 2025 10:00:05',
      '> Done.',
      '## Agent · 10:00:05',
      '> Me too.\n',
    ].join('\n\n'),
  );
});

test('UI-3 nothing that was said ends its quotation, passes for a heading of ours or runs a command', () => {
  const hostile = [
    'x\n# You\n## Agent · 1\n```\nnever closed',
    '<!-- never\n\nclosed',
    'under\n===\n\n---',
    '[a](command:x.run) <command:y> (command:z)\n\n[b]: command:w\n[c](<command:v>)',
    '\rold line end\r# You',
    '```\nx\n```\n# You\n</blockquote><h2>You</h2>[x](command\\:y) <a href="command:z">![w](https://v)',
  ];
  for (const content of hostile) {
    const conversation = { items: [said('assistant', content)], cut: false };
    const lines = conversationText({ title: 't', agents, conversation }, telling).split(/\r\n|\r|\n/);
    const ours = lines.filter((line) => !line.startsWith('>') && line !== '');
    expect(ours).toEqual(['# Conversation', '`t`', '## \\# \\[Juno\\]\\(x\\) · 10:00:05']);
    expect(lines.join('\n')).not.toMatch(/command\\?:|<[a-z/!?]|!\[/i);
  }
});

test('UI-3 where nothing was said that is said', () => {
  expect(conversationText({ title: '', agents, conversation: { items: [], cut: false } }, telling)).toBe(
    '# Conversation\n\nNothing has been said in this session yet.\n',
  );
});
