import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { TranscriptFact } from '../transcript.ts';
import { claudeTranscript } from './transcript.ts';
import { recordedLines } from './transcripts.testkit.ts';

const at = '2026-01-01T10:00:00.000Z';
const factsOf = (entry: JsonObject) => claudeTranscript.facts({ timestamp: at, uuid: 'u1', ...entry });
const userEntry = (content: Json, more: JsonObject = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const modelEntry = (content: Json, more: JsonObject = {}, message: JsonObject = {}) => ({
  type: 'assistant',
  message: { id: 'm1', role: 'assistant', model: 'model-1', content, ...message },
  ...more,
});
const kinds = (facts: readonly TranscriptFact[]) => facts.map(({ kind }) => kind);

function factsIn(file: string): readonly TranscriptFact[] {
  return recordedLines(file)
    .filter((line) => claudeTranscript.mayMatter(line))
    .flatMap((line) => claudeTranscript.facts(JSON.parse(line) as JsonObject));
}

const head = (text: string, length: number) => text.replace(/\s/g, ' ').slice(0, length).trim();

/** What happened, in words; sessions and usage have their own tests. */
function story(file: string): readonly string[] {
  const facts = factsIn(file);
  const toolOf = (id: string) => facts.find((fact) => fact.kind === 'toolStarted' && fact.toolUseId === id);
  return facts.flatMap((fact): readonly string[] => {
    switch (fact.kind) {
      case 'prompt':
        return [`${fact.synthetic ? 'itself' : 'person'}: ${head(fact.text, 24)}`];
      case 'thinking':
        return ['thinks'];
      case 'reply':
        return [`says ${head(fact.text, 20)}`];
      case 'toolStarted':
        return [`calls ${fact.tool}`];
      case 'toolEnded': {
        const tool = toolOf(fact.toolUseId);
        const name = tool?.kind === 'toolStarted' ? tool.tool : '?';
        return [[name, fact.outcome, fact.exitCode].filter((word) => word !== undefined).join(' ')];
      }
      case 'interrupted':
        return ['interrupted'];
      case 'turnFailed':
        return [`failed ${fact.error}`];
      case 'turnEnded':
      case 'title':
        return [fact.kind];
      case 'session':
      case 'usage':
        return [];
    }
  });
}

const single = ['thinks', 'says Running a command.', 'calls Bash', 'Bash succeeded', 'says The command printed'];
const agents = (tool: string) => [
  'says Two subagents in par',
  `calls ${tool}`,
  `calls ${tool}`,
  `${tool} succeeded`,
  `${tool} succeeded`,
  'says Both subagents repor',
];

describe('TRN-1 what the recorded transcripts say', () => {
  test.each<[string, readonly string[]]>([
    ['main-single-tool.jsonl', ['person: [[s:single]] please run', ...single]],
    ['main-hook-context.jsonl', ['person: [[s:single]] go', ...single]],
    ['main-hook-exit1-interactive.jsonl', ['person: [[s:single]] go', ...single]],
    ['main-hook-deny.jsonl', ['person: [[s:single]] go', ...single.map((word) => word.replace('Bash succeeded', 'Bash denied'))]],
    ['main-read-edit-write.jsonl', ['person: [[s:files]] please run i', 'says Reading.', 'calls Read', 'Read succeeded', 'calls Edit', 'Edit succeeded', 'calls Write', 'Write succeeded', 'says Files done.']],
    ['main-failing-tools.jsonl', ['person: [[s:fail]] please run it', 'says A failing command.', 'calls Bash', 'Bash failed 3', 'says A missing file.', 'calls Read', 'Read failed', 'says An unknown tool.', 'calls NoSuchTool', 'NoSuchTool denied', 'says Bad input.', 'calls Read', 'Read denied', 'says Failures handled.']],
    ['main-api-error-500.jsonl', ['person: [[s:err500]] go', 'failed server_error']],
    ['main-auto-mode.jsonl', ['person: [[s:risky]] go', 'says Risky.', 'calls Bash', 'Bash denied', 'interrupted']],
    ['main-interrupted-613a.jsonl', ['person: [[s:slowbash]] go', 'says Slow command.', 'calls Bash', 'Bash denied', 'interrupted', 'person: [[s:slowbash]] again', 'says Slow command.', 'calls Bash', 'Bash denied', 'interrupted']],
    ['main-interrupted-7b87.jsonl', ['person: [[s:slow]] go', 'says word0 word1 word2 wo', 'interrupted', 'person: [[s:slowbash]] go', 'says Slow command.', 'calls Bash', 'Bash denied', 'says Slow finished.']],
    ['main-background-subagent.jsonl', ['person: [[s:bgsub]] please run i', 'says Background sub.', 'calls Agent', 'Agent succeeded', 'says Launched; I will be', 'itself: <task-notification> <tas', 'says Done.']],
    // The commands /compact, /add-dir and /model, what they print, and the summary are nobody's words.
    ['main-compact-clear-4a9f.jsonl', ['person: [[s:single]] go', ...single, 'person: [[s:text]] two', 'thinks', 'says Hello, this is the f', 'person: [[s:files]] three', 'says Reading.', 'calls Read', 'Read succeeded', 'calls Edit', 'Edit denied', 'interrupted']],
    ['main-compact-clear-0c4c.jsonl', ['person: [[s:single]] after clear', ...single, 'person: [[s:single]] go', ...single]],
    ['main-two-subagents.jsonl', ['person: [[s:subs]] please run it', ...agents('Agent')]],
    ['v2.1.100-main-two-subagents.jsonl', ['person: [[s:subs]] please run it', ...agents('Agent')]],
    ['v2.0.77-main-two-subagents.jsonl', ['person: [[s:subs_old]] please ru', ...agents('Task')]],
    ['subagent-Explore.jsonl', ['itself: [[s:sub_read]] second', 'says Sub reads.', 'calls Read', 'Read succeeded', 'says Sub read report.']],
    ['subagent-general-purpose.jsonl', ['itself: [[s:sub_bash]] first', 'thinks', 'says Sub runs bash.', 'calls Bash', 'Bash succeeded', 'says Sub bash report.']],
    ['v2.0.77-subagent.jsonl', ['itself: [[s:sub_bash]] first', 'thinks', 'says Sub runs bash.', 'calls Bash', 'Bash succeeded', 'says Sub bash report.']],
  ])('TRN-1 %s', (file, expected) => {
    expect(story(file)).toEqual(expected);
  }); // prettier-ignore

  test('TRN-1 a look at a line before it is parsed loses nothing and spares the rest', () => {
    const lines = [...recordedLines('main-compact-clear-4a9f.jsonl'), ...recordedLines('main-hook-context.jsonl')];
    const seen = lines.map((line) => ({
      type: String((JSON.parse(line) as JsonObject)['type']),
      matters: claudeTranscript.mayMatter(line),
      facts: claudeTranscript.facts(JSON.parse(line) as JsonObject).length,
    }));
    expect(seen.filter(({ matters, facts }) => !matters && facts > 0)).toEqual([]);
    expect([...new Set(seen.filter(({ matters }) => matters).map(({ type }) => type))].sort()).toEqual([
      'assistant',
      'user',
    ]);
  });

  test('TRN-1 the first thing said of a session is whose it is, where and how it runs', () => {
    const first = (file: string) => factsIn(file).find(({ kind }) => kind === 'session');
    expect(first('main-auto-mode.jsonl')).toEqual({
      kind: 'session',
      ts: '2026-11-18T11:53:27.295Z',
      sessionId: '96d8c6cc-1b2e-42b8-a8e4-7d2214c8b879',
      cwd: '/home/dev/project',
      entrypoint: 'cli',
      permissionMode: 'auto',
    });
    expect(first('v2.0.77-main-two-subagents.jsonl')).toEqual({
      kind: 'session',
      ts: '2026-11-18T11:41:17.627Z',
      sessionId: '44abaff6-ffb0-451d-ad17-8f4c10b924e8',
      cwd: '/home/dev/project',
    });
  });
});

describe('TRN-5 usage', () => {
  test.each([
    ['main-two-subagents.jsonl', 'claude-opus-5-5'],
    ['v2.1.100-main-two-subagents.jsonl', 'claude-sonnet-4-6'],
    ['v2.0.77-main-two-subagents.jsonl', 'claude-sonnet-4-5-20250929'],
  ])('TRN-5 %s tells the usage of two messages, on each of their four lines', (file, model) => {
    const told = factsIn(file).flatMap((fact) => (fact.kind === 'usage' ? [fact] : []));
    expect(told.map(({ messageId }) => messageId)).toHaveLength(4);
    expect([...new Map(told.map((fact) => [fact.messageId, fact])).values()].map((fact) => ({ ...fact, ts: '', messageId: '' }))).toEqual(
      Array.from({ length: 2 }, () => ({ kind: 'usage', ts: '', messageId: '', model, input: 1300, output: 42, cached: 900, context: 2242 })),
    ); // prettier-ignore
  });

  test('TRN-5 numbers that are none count nothing, and without any nothing is told', () => {
    const told = (usage: Json) => factsOf(modelEntry([], {}, { usage }));
    expect(told({ input_tokens: -4, output_tokens: 'x', cache_read_input_tokens: 1.5 })).toMatchObject([
      { input: 0, output: 0, cached: 1, context: 1 },
    ]);
    expect([told({}), told(null), told([1])]).toEqual([[], [], []]);
  });

  test('TRN-5 a sub-agent’s line in the main file counts nothing there', () => {
    const usage = { input_tokens: 5 };
    expect(factsOf(modelEntry('x', { isSidechain: true }, { usage }))).toEqual([]);
    expect(kinds(factsOf(modelEntry('x', { isSidechain: true, agentId: 'a' }, { usage })))).toEqual(['reply', 'usage']);
  });

  test('TRN-1 what the program writes in the model’s name has no model, no usage and is no reply', () => {
    expect(
      factsOf(modelEntry('No response requested.', {}, { model: '<synthetic>', usage: { input_tokens: 3 } })),
    ).toEqual([]);
  });
});

describe('STA-4 interrupts', () => {
  const words = '[Request interrupted by user]';
  test.each<[string, JsonObject, readonly string[]]>([
    ['written by the program', userEntry([{ type: 'text', text: words }]), ['interrupted']],
    ['in a call', userEntry([{ type: 'text', text: '[Request interrupted by user for tool use]' }]), ['interrupted']],
    [
      'beside the result of its call',
      userEntry([
        { type: 'tool_result', tool_use_id: 't1', is_error: true, content: "The user doesn't want to proceed" },
        { type: 'text', text: words },
      ]),
      ['toolEnded', 'interrupted'],
    ],
    ['typed by a person', userEntry(words), ['session', 'prompt']],
    ['typed, as a block', userEntry([{ type: 'text', text: words }], { promptSource: 'typed' }), ['session', 'prompt']],
    [
      'sent in a mode',
      userEntry([{ type: 'text', text: words }], { permissionMode: 'default' }),
      ['session', 'prompt'],
    ],
    ['with more behind it', userEntry([{ type: 'text', text: `${words} why?` }]), ['session', 'prompt']],
    [
      'of a sub-agent, in its file',
      userEntry([{ type: 'text', text: words }], { isSidechain: true, agentId: 'a' }),
      ['interrupted'],
    ],
    ['of a sub-agent, in the main file', userEntry([{ type: 'text', text: words }], { isSidechain: true }), []],
  ])('STA-4 an interrupt %s', (_, entry, expected) => {
    expect(kinds(factsOf(entry))).toEqual(expected);
  });
});

describe('TRN-1 prompts', () => {
  test.each<[string, JsonObject, unknown]>([
    ['typed', userEntry('hi', { promptSource: 'typed', origin: { kind: 'human' } }), { text: 'hi', synthetic: false }],
    ['with a picture', userEntry([{ type: 'image' }, { type: 'text', text: 'a' }, { type: 'text', text: 'b' }]), { text: 'a\nb', synthetic: false }],
    ['of a finished job', userEntry('<task-notification>x'), { text: '<task-notification>x', synthetic: true }],
    ['of the program', userEntry('x', { promptSource: 'system' }), { text: 'x', synthetic: true }],
    ['of a sub-agent', userEntry('x', { isSidechain: true, agentId: 'a' }), { text: 'x', synthetic: true }],
    ['of a team-mate', userEntry('x', { origin: { kind: 'teammate' } }), { text: 'x', synthetic: true }],
    ['added context', userEntry('x', { isMeta: true }), undefined],
    ['a summary', userEntry('x', { isCompactSummary: true }), undefined],
    ['a local command', userEntry('<command-name>/clear</command-name>'), undefined],
    ['what it prints', userEntry('<local-command-stdout>x</local-command-stdout>'), undefined],
    ['a shell line', userEntry('<bash-input>ls</bash-input>'), undefined],
    ['without words', userEntry([{ type: 'image' }]), undefined],
    ['without a time', userEntry('hi', { timestamp: 'soon' }), undefined],
  ])('TRN-1 a prompt %s', (_, entry, expected) => {
    const prompts = factsOf(entry).filter(({ kind }) => kind === 'prompt');
    expect(prompts).toEqual(expected === undefined ? [] : [{ kind: 'prompt', ts: at, id: 'u1', ...(expected as object) }]);
  }); // prettier-ignore

  test('TRN-1 times are told in one form', () => {
    const tsOf = (timestamp: Json) => claudeTranscript.facts({ ...userEntry('hi'), timestamp }).map((fact) => 'ts' in fact && fact.ts)[0];
    expect([tsOf('2026-01-01T12:00:00+02:00'), tsOf('+275760-01-01T00:00:00Z'), tsOf(7)]).toEqual([at, undefined, undefined]);
  }); // prettier-ignore
});

describe('STA-5 how calls end', () => {
  const rejected = { permissionDecision: { decision: 'reject' } };
  test.each<[string, JsonObject, string, JsonObject, string]>([
    ['fine', { content: 'ok' }, '', {}, 'succeeded'],
    ['fine, though it speaks of a denial', { content: 'Permission to use x' }, '', {}, 'succeeded'],
    ['badly', { is_error: true }, 'boom', {}, 'failed'],
    ['by a rule of 2.1.327', { is_error: true }, 'REASON', { toolDenialKind: 'permission-rule' }, 'denied'],
    ['by a hook’s question that nobody can answer', { is_error: true }, 'REASON', rejected, 'denied'],
    ['by a hook', { is_error: true }, 'PreToolUse:Bash hook error: no', {}, 'denied'],
    ['by a mode', { is_error: true }, 'Permission to use Bash has been denied because', {}, 'denied'],
    ['by nobody being there', { is_error: true }, 'Permission for this tool use was denied.', {}, 'denied'],
    ['by wrong input', { is_error: true }, '<tool_use_error>InputValidationError', {}, 'denied'],
    ['by the person', { is_error: true }, "The user doesn't want to proceed", {}, 'denied'],
  ])('STA-5 a call that ends %s', (_, block, message, entry, outcome) => {
    const content = message === '' ? {} : { content: [{ type: 'text', text: message }] };
    const result = { type: 'tool_result', tool_use_id: 't1', ...block, ...content };
    const expected = { kind: 'toolEnded', ts: at, toolUseId: 't1', outcome };
    expect(factsOf(userEntry([result], entry))).toEqual([message === '' ? expected : { ...expected, message }]);
  });
});

test.each<[JsonObject, string | undefined]>([
  [{ type: 'custom-title', customTitle: ' Fix the build ', sessionId: 's' }, 'Fix the build'],
  [{ type: 'ai-title', aiTitle: 'Parser race' }, 'Parser race'],
  [{ type: 'summary', summary: 'Query script', leafUuid: 'x' }, 'Query script'],
  [{ type: 'custom-title', customTitle: ' ' }, undefined],
  [{ type: 'last-prompt', lastPrompt: 'go' }, undefined],
  [{ type: 'constructor' }, undefined],
])('TRN-1 the title in %j', (entry, title) => {
  const byPerson = entry['type'] === 'custom-title' ? { byPerson: true } : {};
  expect(claudeTranscript.facts(entry)).toEqual(
    title === undefined ? [] : [{ kind: 'title', text: title, ...byPerson }],
  );
  if (title !== undefined) expect(claudeTranscript.mayMatter(JSON.stringify(entry))).toBe(true);
});

describe('TRN-3 anything may stand in a line', () => {
  test('TRN-3 texts are cut', () => {
    const long = 'x'.repeat(50_000);
    const blocks = [
      { type: 'text', text: long },
      { type: 'thinking', thinking: long },
      { type: 'tool_use', id: long, name: long },
    ];
    const facts = [
      ...factsOf(modelEntry(blocks)),
      ...factsOf(userEntry(Array.from({ length: 5 }, () => blocks[0] ?? ''))),
    ];
    expect(facts.length).toBeGreaterThan(4);
    for (const fact of facts) {
      for (const value of Object.values(fact)) expect(String(value).length).toBeLessThanOrEqual(20_000);
    }
  });

  test('TRN-3 no JSON makes it throw, and every moment is one', () => {
    const odd = fc.oneof(fc.constantFrom('x', '', true, null, 7, at), fc.jsonValue({ maxDepth: 1 }));
    const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, odd]));
    const block = fc.record(
      {
        type: fc.oneof(fc.constantFrom('text', 'thinking', 'tool_use', 'tool_result'), odd),
        ...fields('text', 'thinking', 'id', 'name', 'tool_use_id', 'is_error', 'content'),
      },
      { requiredKeys: ['type'] },
    );
    const content = fc.oneof(fc.array(fc.oneof(block, odd), { maxLength: 3 }), odd);
    const usage = fc.oneof(fc.record(fields('input_tokens', 'output_tokens')), odd);
    const message = fc.record({ content, usage, ...fields('id', 'model') }, { requiredKeys: [] });
    const entry = fc.record(
      {
        type: fc.constantFrom('user', 'assistant', 'summary'),
        timestamp: fc.oneof(fc.constant(at), odd),
        message: fc.oneof(message, odd),
        ...fields(
          'summary',
          'uuid',
          'sessionId',
          'cwd',
          'origin',
          'isSidechain',
          'agentId',
          'isMeta',
          'isApiErrorMessage',
          'error',
        ),
      },
      { requiredKeys: ['type'] },
    );
    const seen = new Set<string>();
    fc.assert(
      fc.property(entry, (line) => {
        for (const fact of claudeTranscript.facts(line as JsonObject)) {
          seen.add(fact.kind);
          if (fact.kind !== 'title') expect(fact.ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        }
        expect(claudeTranscript.mayMatter(JSON.stringify(line))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    expect(seen.size).toBeGreaterThan(5);
  });
});
