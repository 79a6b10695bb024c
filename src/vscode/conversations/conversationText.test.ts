import { expect, test } from 'vitest';
import type { Conversation } from './conversationReading.ts';
import { conversationText } from './conversationText.ts';
import { aStoredSession, called, said, telling, told } from './conversations.testkit.ts';

function aConversation(changes: Partial<Conversation> = {}): Conversation {
  return {
    session: aStoredSession(),
    statistics: undefined,
    interactions: [],
    observations: [],
    events: [],
    cut: { before: false, after: false },
    ...changes,
  };
}

const textOf = (changes: Partial<Conversation>) => conversationText(aConversation(changes), telling).text;

test('CNV-3 a conversation says what it was about, and turn by turn what was said and done', () => {
  const text = textOf({
    interactions: [
      said(1, 'user', '\n> Build it.\r\nNow.'),
      said(8, 'assistant', 'I looked around.', 's/a'),
      said(9, 'assistant', 'Done.'),
    ],
    observations: [
      called(2, 'Bash', {
        target: 'npm test',
        arguments: '{"command":"npm test","timeout":5}',
        response: 'ok\nall',
        durationMs: 61_000,
      }),
      called(3, 'Read', { target: 'a.ts', arguments: '{"file_path":"a.ts"}', outcome: 'failed', agentId: 's/a' }),
    ],
    events: [
      told(0, 'context_loaded', { text: '<agent-mascot-context>\nearlier\n' }),
      told(5, 'compact', { trigger: 'auto' }),
    ],
  });
  expect(text).toBe(
    [
      '# Fix the light',
      '',
      '- Project: `/home/sam/code/harbour`',
      '- Agent: Claude Code · `opus`',
      '- When: 10:00:00 – 10:01:30, 2 min',
      '- Statistics: prompts: 1 · replies: 0 · tool calls: 0',
      '- Session: `s`',
      '',
      '## Told of earlier sessions · 10:00:00',
      '',
      '> < agent-mascot-context>',
      '> earlier',
      '>',
      '',
      '## Build it.',
      '',
      '**You** · 10:00:01',
      '',
      '>',
      '> > Build it.',
      '> Now.',
      '',
      '- ✓ **Bash** `npm test` · 1 min',
      '  > ```',
      '  > command: npm test',
      '  > timeout: 5',
      '  > ```',
      '  >',
      '  > ```',
      '  > ok',
      '  > all',
      '  > ```',
      '- ✗ Waffle (Explore): **Read** `a.ts` · failed · 0.2 s',
      '',
      '_The conversation was made smaller (auto) · 10:00:05_',
      '',
      '**Waffle (Explore)** · 10:00:08',
      '',
      '> I looked around.',
      '',
      '**Juno** · 10:00:09',
      '',
      '> Done.',
      '',
    ].join('\n'),
  );
});

test('CNV-3 the place of each prompt and reply is known, so that search can lead to it', () => {
  const interactions = [said(1, 'user', 'first\nprompt'), said(2, 'assistant', 'reply'), said(3, 'user', 'second')];
  const { text, places } = conversationText(aConversation({ interactions }), telling);
  const lines = text.split('\n');
  expect(interactions.map(({ id }) => lines.slice(places.get(id)?.from, places.get(id)?.to))).toEqual([
    ['> first', '> prompt'],
    ['> reply'],
    ['> second'],
  ]);
});

test('CNV-3 what is too long is cut, and that is said', () => {
  const text = textOf({
    interactions: [said(1, 'user', 'x'.repeat(5_000))],
    observations: [called(2, 'Bash', { response: `${'y'.repeat(50)}\n${'z'.repeat(10_000)}`, arguments: '{"a":"b"}' })],
    cut: { before: true, after: true },
  });
  expect(text).toContain('_… and 4,800 more characters_');
  expect(text).toContain(`  > ${'y'.repeat(50)}\n  > \`\`\`\n  > _… and 10,001 more characters_`);
  expect(text).toContain('_What was said before that is left out._');
  expect(text).toContain('_What was said after that is left out._');
  expect(text).not.toContain('z'.repeat(10));
});

test.each([
  ['running', '- … **Bash** · running'],
  ['denied', '- ⊘ **Bash** · not allowed'],
  ['unknown', '- ? **Bash** · how it ended is not known'],
] as const)('CNV-1 CNV-3 how a tool call ended is said: %s', (outcome, line) => {
  expect(textOf({ observations: [called(1, 'Bash', { outcome, durationMs: null })] })).toContain(line);
});

test('CNV-3 SEC-5 nothing that was said or done ends its quotation, passes for a heading of ours or runs a command', () => {
  const hostile = [
    'x\n# You\n## Agent · 1\n```\nnever closed',
    '<!-- never\n\nclosed',
    'under\n===\n\n---',
    '[a](command:x.run) <command:y> (command:z)\n\n[b]: command:w\n[c](<command:v>)',
    '\rold line end\r# You',
    '```\nx\n```\n# You\n</blockquote><h2>You</h2>[x](command\\:y) <a href="command:z">![w](https://v)',
  ];
  for (const content of hostile) {
    const session = aStoredSession({ title: content, provider: content, model: content, endReason: content });
    const text = textOf({
      session: { ...session, project: content, agents: [] },
      interactions: [said(1, 'user', content), said(2, 'assistant', content)],
      observations: [called(3, content, { target: content, arguments: content, response: content })],
      events: [told(0, 'context_loaded', { text: content }), told(4, 'compact', { trigger: content })],
    });
    const lines = text.split(/\r\n|\r|\n/);
    const ours = lines.filter((line) => !/^ {0,2}>/.test(line) && line !== '');
    // Each line of ours is of a known form; what others chose stands in it escaped, or as code.
    const forms = [
      /^# /,
      /^## /,
      /^- (Project|Agent|When|Statistics|Session): /,
      /^\*\*(You|Agent)\*\* · /,
      /^- ✓ .*\*\*/,
      /^_The/,
    ];
    expect(ours.filter((line) => !forms.some((form) => form.test(line)))).toEqual([]);
    expect(ours.filter((line) => /^#/.test(line))).toHaveLength(3);
    const withoutCode = (line: string) => line.replace(/(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
    const loose = ours.map(withoutCode).join('\n');
    expect(loose).not.toMatch(/(?<!\\)[<[\]]|(?<!\\)`|!\[/);
    expect(loose).not.toMatch(/command:/i);
  }
});

test('CNV-3 where nothing was said that is said', () => {
  expect(textOf({})).toContain('\n\nNothing has been said in this session yet.\n');
});
