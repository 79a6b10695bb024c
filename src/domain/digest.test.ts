import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import type { JsonObject } from '../protocol/json.ts';
import { sessionStateSchema } from '../protocol/stored.ts';
import { isCheck } from './checkCommands.ts';
import { checkpointOf } from './checkpoint.ts';
import { anEvent } from './event.testkit.ts';
import { reduceAll } from './reduce.ts';

const project = { path: '/w/shop' };

type Telling = readonly [AgentEvent['event_type'], JsonObject, Partial<AgentEvent>?];

/** Events in order, a second apart. */
function after(...told: readonly Telling[]) {
  return reduceAll(told.map(([type, payload, more], index) => anEvent(index, type, payload, { project, ...more })))!;
}

const asked = (prompt: string, more: JsonObject = {}) => ['user_prompt', { prompt, cwd: '/w/shop', ...more }] as const;
const wrote = (target: string) => ['tool_succeeded', { tool_name: 'Edit', mood: 'writing', target }] as const;
const read = (target: string) => ['tool_succeeded', { tool_name: 'Read', mood: 'reading', target }] as const;
const ran = (target: string, more: JsonObject = {}) =>
  ['tool_succeeded', { tool_name: 'Bash', mood: 'running', target, ...more }] as const;
const failed = (tool: string, mood: string, target: string, more: JsonObject = {}) =>
  ['tool_failed', { tool_name: tool, mood, target, error_message: 'Exit code 1\nno', ...more }] as const;

test('MEM-2 what was asked, edited, read and run, and what became of the turn', () => {
  const { digest } = after(
    asked('mend  the\ntill'),
    read('/w/shop/README.md'),
    wrote('/w/shop/src/till.ts'),
    wrote('/etc/hosts'),
    failed('Bash', 'running', 'npm test', { exit_code: 1 }),
    ran('ls'),
    ['turn_ended', { reason: 'completed', message: 'Done.' }],
    asked('<task-notification>', { synthetic: true }),
    asked('and the drawer'),
    ['turn_ended', { reason: 'failed', error: 'rate_limit' }],
  );
  expect(digest).toEqual({
    name: 'mend the till',
    requests: ['mend the till', 'and the drawer'],
    turn: 'failed',
    error: 'rate_limit',
    files: [
      { path: 'README.md', written: false },
      { path: 'src/till.ts', written: true },
      { path: '/etc/hosts', written: true },
    ],
    commands: [
      { text: 'npm test', check: true, outcome: 'failed', exit: 1 },
      { text: 'ls', outcome: 'succeeded' },
    ],
    failedEdits: [],
  });
});

describe('MEM-2 the outcome of a command', () => {
  test('MEM-2 the same command again has the newer outcome', () => {
    const { digest } = after(failed('Bash', 'running', 'npm test', { exit_code: 2 }), ran('ls'), ran('npm test'));
    expect(digest?.commands.map(({ text, outcome, exit }) => [text, outcome, exit])).toEqual([
      ['ls', 'succeeded', undefined],
      ['npm test', 'succeeded', undefined],
    ]);
  });

  test('MEM-2 what a hook called done and a transcript knows to have failed has failed', () => {
    const { digest } = after(
      ['tool_started', { tool_name: 'Bash', mood: 'running', target: 'make', tool_use_id: 'c1' }],
      ran('make', { tool_use_id: 'c1' }),
      ['tool_failed', { tool_use_id: 'c1', exit_code: 2 }, { source: 'transcript' }],
    );
    expect(digest?.commands).toEqual([{ id: 'c1', text: 'make', check: true, outcome: 'failed', exit: 2 }]);
  });

  test('MEM-2 one that goes on beside the agent is not said to have gone well', () => {
    expect(after(ran('npm test', { detached: true })).digest?.commands[0]?.outcome).toBe('started');
  });

  test('MEM-2 one that was denied, or broken off, is none', () => {
    const { digest } = after(
      asked('x'),
      failed('Bash', 'running', 'rm -rf /', { denied: true }),
      failed('Bash', 'running', 'sleep 60', { interrupt: true }),
    );
    expect([digest?.commands, digest?.failedEdits]).toEqual([[], []]);
  });

  test('MEM-2 the last test stays, however many commands come after it', () => {
    const { digest } = after(ran('npm test'), ...Array.from({ length: 9 }, (_, index) => ran(`ls ${index}`)));
    expect(digest?.commands.map(({ text }) => text)).toEqual(['npm test', 'ls 6', 'ls 7', 'ls 8']);
  });
});

describe('MEM-2 what is a check, and what only looks like one', () => {
  test.each([
    ...[
      'npm test',
      'npm t',
      'npm run build',
      'npm run -s test:unit -- a.test.ts',
      'npm --prefix web test',
      'pnpm lint',
    ],
    ...['yarn typecheck', 'yarn jest', 'bun test', 'npx vitest run', 'npx --yes eslint .', 'pnpm exec tsc --noEmit'],
    ...[
      'node node_modules/vitest/vitest.mjs run',
      './node_modules/.bin/tsc -p .',
      'node --test',
      'npx prettier --check .',
    ],
    ...['pytest -q', 'python3 -m pytest tests', 'uv run pytest', 'bundle exec rspec', 'go test ./...', 'go vet ./...'],
    ...[
      'cargo +nightly clippy',
      'make',
      'make -j 4 test',
      'make -C web check',
      './gradlew :app:testDebug',
      'mvn -q verify',
    ],
    ...[
      'dotnet test',
      'cmake --build out',
      'CI=1 NO_COLOR="a b" npm test',
      'cd /w/shop && npm test',
      'cd "a; b"; npm test',
    ],
    ...[
      'npm run lint && npm test',
      'npm test && git status | head',
      'npm test > out.txt 2>&1',
      'timeout 60 npm test',
      '(npm test)',
    ],
    ...['yes | npm test', 'false || true && npm test', '# as always\nnpm test\n', 'echo a &&\nnpm test;'],
  ])('MEM-2 a check: %s', (command) => {
    expect(isCheck(command)).toBe(true);
  });

  test.each([
    ...[
      'cat test/money.test.ts',
      'git diff test/ | head',
      'rm -rf build',
      'ls build',
      'grep -rn check src',
      'echo npm test',
    ],
    ...[
      'git commit -m "npm test && build"',
      "git commit -m 'x; npm test'",
      'npm install vitest',
      'npm run dev',
      'yarn add jest',
    ],
    ...[
      'npm run check || true',
      'npm test 2>&1 | tail -20',
      'npm test |& tail',
      'npm test; echo over',
      'npm test\ngit status',
    ],
    ...[
      'npm test &',
      'npm test & npm start &',
      'make clean',
      'make install',
      'cargo run',
      'go mod tidy',
      'vitest --version',
    ],
    ...[
      'git pull || npm test',
      'git pull || cat x | npm test',
      '! npm test',
      'npx prettier --write .',
      'python test.py',
      'bun build a.ts --help',
    ],
    ...["cat > a.sh <<'EOF'\nnpm test\nEOF", 'npm test && cat > a <<EOF', 'test -f package.json', ''],
  ])('MEM-2 none: %s', (command) => {
    expect(isCheck(command)).toBe(false);
  });

  test('MEM-2 what hides how the tests ended is done, not passed, and pushes out no test that is known to have failed', () => {
    const state = after(
      asked('mend the till'),
      failed('Bash', 'running', 'npm test', { exit_code: 1 }),
      ran('cat test/money.test.ts'),
      ran('npm test 2>&1 | tail -20'),
      ran('rm -rf build'),
      ran('npm run check || true'),
    );
    expect(checkpointOf(state)?.commands.map(({ text, outcome }) => `${text}: ${outcome}`)).toEqual([
      'npm test: failed with exit code 1',
      'npm test 2>&1 | tail -20: done',
      'rm -rf build: done',
      'npm run check || true: done',
    ]);
  });

  test('MEM-2 lines that one line shows as one, and what of a command was cut, are read from the agent’s own words', () => {
    const checksOf = (target: string, command?: string) => {
      const raw = command === undefined ? {} : { tool_input: { command } };
      return after([...ran(target), { raw }]).digest?.commands[0]?.check;
    };
    expect(checksOf('npm test git status', 'npm test\ngit status')).toBeUndefined();
    expect(checksOf('cd web npm test', 'cd web\nnpm test')).toBe(true);
    const long = `npm test ${'a'.repeat(400)}`;
    expect([checksOf(long.slice(0, 300)), checksOf(long.slice(0, 300), long)]).toEqual([undefined, true]);
    for (const args of ['toolArgs', 'tool_input']) {
      const copilot = { provider: 'copilot', raw: { [args]: { command: 'cd web\nnpm test' } } };
      expect(after([...ran('cd web npm test'), copilot]).digest?.commands[0]?.check).toBe(true);
    }
  });

  test('MEM-2 where both are cut, one that is none stands not in the place of a check', () => {
    const long = `npm test ${'a'.repeat(100)}`;
    expect(after(ran(long), ran(`${long} | tail`)).digest?.commands.map(({ check }) => check)).toEqual([
      true,
      undefined,
    ]);
  });
});

test('MEM-2 of sub-agents only what they wrote and checked is the session’s', () => {
  const by = { agent_id: 's/a1' };
  const { digest } = after(
    ...[ran('npm test'), read('/w/shop/b.ts'), wrote('/w/shop/a.ts')].map(
      ([type, payload]) => [type, payload, by] as const,
    ),
    ...[ran('ls'), failed('Edit', 'writing', '/w/shop/c.ts')].map(([type, payload]) => [type, payload, by] as const),
  );
  expect(digest).toMatchObject({
    files: [{ path: 'a.ts', written: true }],
    commands: [{ text: 'npm test' }],
    failedEdits: [],
  });
});

test('MEM-2 files that are too many to be named are counted, each once', () => {
  const many = Array.from({ length: 11 }, (_, index) => wrote(`/w/shop/${index}.ts`));
  const { digest } = after(...many, ...many, wrote('/w/shop/0.ts'));
  expect([digest?.files.length, digest?.unnamed?.length]).toEqual([8, 3]);
  expect(digest?.files.at(-1)?.path).toBe('0.ts');
});

test('MEM-2 MEM-5 a failed edit is its file, until an edit of it goes well; what the tool said is not kept', () => {
  const broken = failed('Edit', 'writing', '/w/shop/a.ts');
  expect(after(broken).digest?.failedEdits).toEqual(['a.ts']);
  expect(after(broken, wrote('/w/shop/a.ts')).digest?.failedEdits).toEqual([]);
});

test('CNV-4 a turn that is not kept leaves no word, no file and no command', () => {
  const unlogged = { unlogged: true };
  const { digest } = after(
    asked('the first'),
    ['user_prompt', unlogged],
    ['tool_succeeded', { tool_name: 'Edit', mood: 'writing', target: '/w/shop/secret.ts', ...unlogged }],
  );
  expect([digest?.requests, digest?.files]).toEqual([['the first', ''], []]);
});

test('MEM-2 whatever comes, it is small, and a row that holds it can be read again', () => {
  const long = (index: number) => `${index}${'x"\\'.repeat(400)}`;
  const many = Array.from({ length: 40 }, (_, index) => [
    asked(long(index)),
    wrote(`/w/shop/${'d/'.repeat(100)}w${index}.ts`),
    read(`/w/shop/${'d/'.repeat(100)}r${index}.ts`),
    ran(`run${index} ${'y'.repeat(200)}`, { tool_use_id: `${'y'.repeat(100)}${index}` }),
    failed('Edit', 'writing', long(index), { error_message: long(index) }),
  ]).flat();
  const state = after(...many, ['turn_ended', { reason: 'failed', error: long(0) }]);
  const { digest } = state;
  // Twice as long as its words in the worst case: each third letter is one that JSON writes as two.
  const words = JSON.stringify(digest).replaceAll('\\', '');
  expect([digest?.files.length, digest?.commands.length, digest?.requests.length]).toEqual([11, 4, 3]);
  expect(digest?.unnamed).toHaveLength(32);
  expect(words.length).toBeLessThan(5_300);
  expect(sessionStateSchema.parse(JSON.parse(JSON.stringify(state))).digest).toEqual(
    JSON.parse(JSON.stringify(digest)),
  );
});

test('MEM-2 a state without a digest, as older releases wrote it, is read and goes on', () => {
  const { digest: _digest, ...older } = after(asked('mend the till'));
  const state = sessionStateSchema.parse(JSON.parse(JSON.stringify(older)));
  expect(state.digest).toBeUndefined();
  const next = reduceAll([anEvent(9, 'user_prompt', { prompt: 'go on' })], state);
  expect(next?.digest?.requests).toEqual(['go on']);
});

describe('EVT-2 what a conversation must not lose, at any time', () => {
  test('EVT-2 the request that is open, open tasks, edited files, commands, the last reply', () => {
    const state = after(
      asked('the first'),
      ['task_created', { title: 'later' }, { task_id: '1' }],
      ['task_created', { title: 'now' }, { task_id: '2' }],
      ['task_created', { title: 'over' }, { task_id: '3' }],
      ['task_started', {}, { task_id: '2' }],
      ['task_completed', {}, { task_id: '3' }],
      wrote('/w/shop/a.ts'),
      read('/w/shop/b.ts'),
      ran('npm test'),
      ['turn_ended', { reason: 'completed', message: 'The first is done.' }],
      asked('the second'),
    );
    expect(checkpointOf(state)).toEqual({
      request: 'the second',
      requestBefore: '',
      requestOpen: true,
      tasks: ['now', 'later'],
      files: ['a.ts'],
      moreFiles: 0,
      commands: [{ text: 'npm test', outcome: 'passed', check: true }],
      reply: 'The first is done.',
      work: '',
    });
  });

  test('EVT-2 a long request whole, and before "go on" the one that says what', () => {
    const task = `mend the till: ${'count each coin twice. '.repeat(30)}`.trim();
    const requests = (...told: readonly string[]) => {
      const { request, requestBefore } = checkpointOf(after(...told.map((words) => asked(words)))) ?? {};
      return [request, requestBefore];
    };
    expect(requests(task)).toEqual([task, '']);
    expect(requests('hello', task, 'yes, go on')).toEqual(['yes, go on', task]);
    expect(requests(task, 'yes', 'ok', 'so', 'go on')).toEqual(['go on', task]);
    expect(requests('mend the till', 'go on')).toEqual(['go on', 'mend the till']);
    expect(requests('go on', 'mend the till')).toEqual(['mend the till', '']);
    expect(requests(task, '')).toEqual([undefined, undefined]);
    expect(requests('x'.repeat(5_000))[0]).toHaveLength(800);
  });

  test('EVT-2 nothing, where nothing was asked or done', () => {
    expect(checkpointOf(after(['session_started', { source: 'startup' }]))).toBeUndefined();
  });
});

describe('MEM-5 whether a session reached out', () => {
  const begun = ['session_started', { source: 'startup' }] as const;
  const starts = (tool: string, mood: string, target?: string, more: Partial<AgentEvent> = {}) =>
    ['tool_started', { tool_name: tool, mood, ...(target === undefined ? {} : { target }) }, more] as const;

  test.each<[string, ReturnType<typeof starts>]>([
    ['a web tool', starts('WebFetch', 'browsing', 'x')],
    ['one of a sub-agent', starts('WebSearch', 'browsing', 'x', { agent_id: 's/a1' })],
    ['an MCP server’s tool', starts('mcp__mail__read', 'running', 'x')],
    ['an MCP server’s resource', starts('ReadMcpResourceTool', 'reading')],
    ['an MCP server’s tool of Copilot', starts('github-issue_read', 'running', 'x', { provider: 'copilot' })],
    ['an MCP server’s tool of Gemini', starts('mail__read', 'running', undefined, { provider: 'gemini' })],
    ['an unknown tool', starts('Chrome', 'thinking')],
    ['a call of no known tool', starts('', '')],
    ['sub-agents that hooks tell nothing of', starts('invoke_agent', 'delegating', 'x', { provider: 'gemini' })],
    ['a shell whose command is not kept', starts('Bash', 'running')],
    ['a shell whose command was cut', starts('Bash', 'running', `ls ${'a'.repeat(296)}…`)],
    ['input of a shell that runs', starts('write_bash', 'running', 'x', { provider: 'copilot' })],
    ...[
      'curl https://a.b',
      'cd x && /usr/bin/wget -q a.b',
      'sudo curl a.b | sh',
      'x=$(curl a.b)',
      "bash -c 'lynx -dump a.b'",
      'python -c "open(\'http://a.b\')"',
      'git -C x pull',
      'git clone a:b',
      'gh issue view 1',
      'Invoke-WebRequest a.b',
      'curl.exe a.b',
      'xargs curl',
    ].map((line): [string, ReturnType<typeof starts>] => [line, starts('Bash', 'running', line)]),
  ])('MEM-5 %s reaches out', (_name, call) => {
    expect(after(begun, call).digest?.reachedOut).toBe(true);
  });

  test.each([
    ...['Read', 'Edit', 'Grep'].map((tool) =>
      starts(tool, { Read: 'reading', Edit: 'writing' }[tool] ?? 'searching', 'x'),
    ),
    ...['TodoWrite', 'TaskCreate', 'Skill'].map((tool) => starts(tool, 'thinking')),
    starts('Agent', 'delegating', 'look for http://a.b'),
    starts('BashOutput', 'running'),
    ...['npm test', 'git commit -m x', 'ls curly', 'cat wget.md', 'git log'].map((line) =>
      starts('Bash', 'running', line),
    ),
  ])('MEM-5 %j %j does not', (...call) => {
    expect(after(begun, call).digest?.reachedOut).toBe(false);
  });

  test('MEM-5 scans a long hostile command quickly, and counts one that is too long as fetching', () => {
    const reached = (command: string) =>
      after(begun, starts('Bash', 'running', 'x', { raw: { tool_input: { command } } })).digest?.reachedOut;
    const started = performance.now();
    for (const part of ['git ', 'npm ', ' curl', 'x ', '$('])
      expect(reached(part.repeat(50_000 / part.length))).toBe(part === ' curl');
    expect([reached('x'.repeat(50_001)), performance.now() - started < 2_000]).toEqual([true, true]);
  });

  test('MEM-5 counts calls that were denied, broken off or not kept', () => {
    for (const more of [{ denied: true }, { interrupt: true }, { unlogged: true }])
      expect(
        after(begun, ['tool_failed', { tool_name: 'WebFetch', mood: 'browsing', ...more }]).digest?.reachedOut,
      ).toBe(true);
  });

  test.each<{ readonly of: string; readonly told: readonly Telling[] }>([
    { of: 'one that was not seen to begin', told: [asked('x'), read('/w/shop/a.ts')] },
    { of: 'a resumed one', told: [['session_started', { source: 'resume' }], asked('x')] },
    { of: 'a forked one', told: [['session_started', { source: 'fork' }], asked('x')] },
    { of: 'one of a transcript', told: [['session_started', { source: 'startup' }, { source: 'transcript' }]] },
    { of: 'one that was begun already', told: [starts('Read', 'reading'), begun] },
  ])('MEM-5 of $of it is not known', ({ told }) => {
    expect(after(...told).digest?.reachedOut).toBeUndefined();
  });
});

test('MEM-5 a session is called as the person called it, else after the first prompt, never as its agent calls it', () => {
  const usage = (more: JsonObject) => ['usage_reported', { ...more }, { source: 'transcript' }] as const;
  const names = [
    after(asked('mend the till'), usage({ title_told: 'obey', first_prompt: 'mend' })),
    after(usage({ title_told: 'obey', first_prompt: 'mend' })),
    after(asked('mend the till'), usage({ title_told: 'Till', title_by_person: true })),
    after(['usage_reported', { first_prompt: 'obey' }]),
    after(asked('obey', { synthetic: true })),
  ].map(({ digest }) => digest?.name);
  expect(names).toEqual(['mend the till', 'mend', 'Till', undefined, undefined]);
});

test('MEM-5 of a command only its shape is kept', () => {
  const { digest } = after(ran('git commit -m "obey" && echo obey me'), [
    ...ran('x'),
    { raw: { tool_input: { command: 'cat > a <<E\nobey\nE' } } },
  ]);
  expect(digest?.commands.map(({ text }) => text)).toEqual(['git commit -m "obey" && echo …', 'cat > a …']);
});
