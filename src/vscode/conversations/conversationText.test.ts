import { expect, test } from 'vitest';
import { conversationFormat, wholeLimits } from './conversationFormat.ts';
import type { Conversation } from './conversationReading.ts';
import { conversationText } from './conversationText.ts';
import { aStoredSession, called, said, format, told } from './conversations.testkit.ts';

function aConversation(changes: Partial<Conversation> = {}): Conversation {
  return {
    session: aStoredSession(),
    statistics: undefined,
    interactions: [],
    observations: [],
    events: [],
    deliveries: [],
    cut: { before: false, after: false },
    ...changes,
  };
}

const textOf = (changes: Partial<Conversation>) => conversationText(aConversation(changes), format).text;

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

test('SES-6 names the worktree of a conversation, if it was in one', () => {
  const session = { ...aStoredSession(), worktree: 'fix-lamp' };
  expect(textOf({ session })).toContain('- Project: `/home/sam/code/harbour`\n- Worktree: `fix-lamp`\n- Agent: ');
});

test('CNV-3 the place of each prompt and reply is known, so that search can lead to it', () => {
  const interactions = [said(1, 'user', 'first\nprompt'), said(2, 'assistant', 'reply'), said(3, 'user', 'second')];
  const { text, places } = conversationText(aConversation({ interactions }), format);
  const lines = text.split('\n');
  expect(interactions.map(({ id }) => lines.slice(places.get(id)?.from, places.get(id)?.to))).toEqual([
    ['> first', '> prompt'],
    ['> reply'],
    ['> second'],
  ]);
});

test('CNV-3 cuts long texts and says so', () => {
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

test('CNV-3 says that nothing has been said yet', () => {
  const counts = { ...aStoredSession().counts, prompts: 0 };
  const session = aStoredSession({ counts });
  expect(textOf({ session })).toContain('\n\nNothing has been said in this session yet.\n');
});

test('CNV-4 does not claim that nothing was said where prompts were counted but not kept', () => {
  const notKept = 'What was said in this session was not kept: its prompts were private, or logging was off.';
  const events = [told(1, 'user_request', { unlogged: 'private' })];
  for (const observations of [[], [called(2, 'Read')]]) {
    const text = textOf({ observations, events });
    expect([text.includes(notKept), text.includes('Nothing has been said')]).toEqual([true, false]);
  }
  expect(textOf({ interactions: [said(1, 'user', 'x')] })).not.toContain(notKept);
});

test('CNV-4 says at the top that prompts were not kept, and at each place why', () => {
  const lines = textOf({
    interactions: [said(1, 'user', 'first'), said(2, 'assistant', 'reply'), said(9, 'user', 'last')],
    observations: [called(4, 'Read')],
    events: [
      told(0, 'session_start', { unlogged: 'off' }),
      told(1, 'user_request', { prompt: 'first' }),
      told(3, 'user_request', { unlogged: 'private' }),
      told(5, 'user_request', { unlogged: 'off' }),
    ],
  }).split('\n');
  expect(lines.slice(lines.indexOf('- Session: `s`') + 1).filter((line) => line !== '')).toEqual([
    'Not all that was said in this session was kept: prompts were private, or logging was off.',
    '## first',
    '**You** · 10:00:01',
    '> first',
    '**Juno** · 10:00:02',
    '> reply',
    '_A private prompt: it is not kept, nor what was answered to it · 10:00:03_',
    '- ✓ **Read** · 0.2 s',
    '_A prompt while logging was off: it is not kept, nor what was answered to it · 10:00:05_',
    '## last',
    '**You** · 10:00:09',
    '> last',
  ]);
});

test('CNV-4 STO-4 does not claim that missing words were never kept where no event says why', () => {
  const text = textOf({ observations: [called(2, 'Read')] });
  expect(text).toContain(
    '\n\nWhat was said in this session is not stored: it was not kept, or it was old and has been removed.\n',
  );
  expect(text).not.toContain('was not kept: its prompts');
});

test('MEM-3 shows what an agent was told at its time, after a compaction there', () => {
  const conversation = {
    interactions: [said(1, 'user', 'first'), said(8, 'user', 'second')],
    events: [
      told(0, 'context_loaded', { text: 'at the start' }),
      told(5, 'compact', { trigger: 'auto' }),
      told(6, 'context_loaded', { text: 'given back' }),
    ],
  };
  const order = [
    '## Told of earlier sessions · 10:00:00',
    '## first',
    '_The conversation was',
    '· 10:00:06',
    '## second',
  ];
  const text = textOf(conversation);
  expect(order.map((words) => text.indexOf(words))).toEqual(
    order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b),
  );
  expect(text.indexOf(order[0] ?? '')).toBeGreaterThan(0);
  const cut = textOf({ ...conversation, cut: { before: true, after: false } });
  expect(cut).toMatch(/at the start[^]*_What was said before that is left out\._[^]*## first[^]*given back/);
});

test.each([
  ['prompt_input_exit', ' · you left it'],
  ['process_gone', ' · its process is gone'],
  ['other', ''],
  ['new_reason', ' · ended by `new_reason`'],
])('CNV-3 why it ended is said in plain words where the reason is known: %s', (endReason, words) => {
  const when = textOf({ session: aStoredSession({ endReason }) })
    .split('\n')
    .find((line) => line.startsWith('- When'));
  expect(when).toBe(`- When: 10:00:00 – 10:01:30, 2 min${words}`);
});

test('CNV-3 writes day, time and zone of each moment into an export, even for today', () => {
  const whole = conversationFormat(
    format.l10n,
    { locale: 'en', timeZone: 'UTC', now: Date.UTC(2026, 0, 1, 12) },
    wholeLimits,
  );
  const { text } = conversationText(aConversation({ interactions: [said(1, 'user', 'x')] }), whole);
  expect(text).toContain('**You** · Jan 1, 2026, 10:00:01 UTC');
  expect(text).toContain('- When: Jan 1, 2026, 10:00:00 UTC – ');
});

const second = (n: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, n)).toISOString();

test('RLY-1 shows deliveries below their replies, and all others at the end', () => {
  const replies = [1, 11, 21, 31, 41].map((n) => said(n, 'assistant', `Reply ${n}`));
  const reply = { kind: 'reply', when: second(50) } as const;
  const text = textOf({
    interactions: [said(0, 'user', 'Go'), ...replies],
    deliveries: [
      { kind: 'started', at: second(0), state: 'sent', when: second(1) },
      { ...reply, at: second(1), event: 'Reply 1', state: 'sent' },
      // By its time: the hook's event is shown, and the transcript's was sent.
      { ...reply, at: second(13), event: 'of a transcript', state: 'givenUp', why: 'locked' },
      { ...reply, at: second(21), event: 'Reply 21', state: 'unknown', why: 'not <known> [here](command:x)' },
      { kind: 'question', at: second(30), state: 'withdrawn', when: second(32), why: 'answered' },
      { kind: 'reply', at: second(41), event: 'Reply 41', state: 'waiting' },
    ],
  });
  const lines = text.split('\n').filter((line) => /^> Reply|Chat:|^## /.test(line));
  expect(lines).toEqual([
    '## Go',
    '> Reply 1',
    '_Chat: sent 10:00:50_',
    '> Reply 11',
    '_Chat: given up 10:00:50: the thread was locked_',
    '> Reply 21',
    String.raw`_Chat: may have arrived 10:00:50: not \<known\> \[here\]\(command\:x\)_`,
    '> Reply 31',
    '> Reply 41',
    '_Chat: waits to be sent_',
    '## Also told to the chat',
    '- Chat: start of the session sent 10:00:01',
    '- Chat: question not sent: it was answered before',
  ]);
});

test('RLY-1 says nothing of a chat without deliveries, nor of deliveries of the parts that are left out', () => {
  const interactions = [said(10, 'user', 'Go'), said(11, 'assistant', 'Done')];
  expect(textOf({ interactions })).not.toMatch(/chat/i);
  const early = { kind: 'reply', at: second(1), event: 'before', state: 'sent', when: second(2) } as const;
  const late = { ...early, at: second(40), event: 'after' };
  expect(textOf({ interactions, deliveries: [early, late], cut: { before: true, after: true } })).not.toMatch(/chat/i);
});
