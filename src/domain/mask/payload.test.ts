import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { maskPayload } from './mask.ts';
import { plantTokens, seeded } from './plant.testkit.ts';

const m = '«masked:file-content»';
const content = 'PLAIN=not-a-known-shape\nOTHER=x';

function toolCall(name: string, input: Json, response?: Json): JsonObject {
  const call = { hook_event_name: 'PostToolUse', session_id: 's1', tool_name: name, tool_input: input };
  return response === undefined ? call : { ...call, tool_response: response };
}

describe('MSK-1 contents of credential files are never kept', () => {
  const path = '/home/dev/project/.env';
  const read = { type: 'text', file: { filePath: path, content, numLines: 2, startLine: 1, totalLines: 2 } };
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-A=b', '+A=c'] }];
  const edit = { file_path: path, old_string: 'A=b', new_string: 'A=c', replace_all: false };

  test.each<[string, JsonObject, JsonObject]>([
    [
      'Read',
      toolCall('Read', { file_path: path }, read),
      toolCall('Read', { file_path: path }, { type: 'text', file: { ...read.file, content: m } }),
    ],
    ['Read as text', toolCall('Read', { file_path: path }, `1→${content}`), toolCall('Read', { file_path: path }, m)],
    [
      'Edit',
      toolCall('Edit', edit, {
        filePath: path,
        oldString: 'A=b',
        newString: 'A=c',
        originalFile: content,
        structuredPatch: patch,
        userModified: false,
      }),
      toolCall(
        'Edit',
        { ...edit, old_string: m, new_string: m },
        {
          filePath: path,
          oldString: m,
          newString: m,
          originalFile: m,
          structuredPatch: [{ ...patch[0], lines: [m, m] }],
          userModified: false,
        },
      ),
    ],
    [
      'MultiEdit',
      toolCall('MultiEdit', { file_path: path, edits: [{ old_string: 'A=b', new_string: 'A=c' }] }),
      toolCall('MultiEdit', { file_path: path, edits: [{ old_string: m, new_string: m }] }),
    ],
    [
      'Write',
      toolCall(
        'Write',
        { file_path: path, content },
        { type: 'create', filePath: path, content, structuredPatch: [], originalFile: null },
      ),
      toolCall(
        'Write',
        { file_path: path, content: m },
        { type: 'create', filePath: path, content: m, structuredPatch: [], originalFile: null },
      ),
    ],
    [
      'Bash that prints one',
      toolCall(
        'Bash',
        { command: 'cat .env', description: 'Look' },
        { stdout: content, stderr: '', interrupted: false, isImage: false },
      ),
      toolCall(
        'Bash',
        { command: 'cat .env', description: 'Look' },
        { stdout: m, stderr: '', interrupted: false, isImage: false },
      ),
    ],
    [
      'shell of the other provider',
      toolCall('Bash', { command: 'cat .env' }, content),
      toolCall('Bash', { command: 'cat .env' }, m),
    ],
    [
      'shell with words',
      toolCall('shell', { command: ['bash', '-lc', 'cat .env'] }, content),
      toolCall('shell', { command: ['bash', '-lc', 'cat .env'] }, m),
    ],
    [
      'Bash that writes one',
      toolCall('Bash', { command: `cat > .env <<EOF\n${content}\nEOF` }),
      toolCall('Bash', { command: `cat > .env <<EOF\n${m}\nEOF` }),
    ],
    [
      'apply_patch',
      toolCall('apply_patch', {
        command: '*** Begin Patch\n*** Add File: .env\n+A=b\n+C=d\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch',
      }),
      toolCall('apply_patch', {
        command: `*** Begin Patch\n*** Add File: .env\n${m}\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch`,
      }),
    ],
    [
      'a diff of one',
      toolCall(
        'Bash',
        { command: 'git diff' },
        { stdout: 'diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-A=b\n+A=c' },
      ),
      toolCall(
        'Bash',
        { command: 'git diff' },
        { stdout: `diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n${m}` },
      ),
    ],
    [
      'Grep in one',
      toolCall(
        'Grep',
        { pattern: 'A', path, output_mode: 'content' },
        { mode: 'content', filenames: [path], content: '1:A=b', numLines: 1 },
      ),
      toolCall(
        'Grep',
        { pattern: 'A', path, output_mode: 'content' },
        { mode: 'content', filenames: [path], content: m, numLines: 1 },
      ),
    ],
    [
      'Grep over many files',
      toolCall('Grep', { pattern: 'A' }, { mode: 'content', content: 'a.ts:1:const A = 1\n.env:3:A=b\n.env-4-C=d' }),
      toolCall('Grep', { pattern: 'A' }, { mode: 'content', content: `a.ts:1:const A = 1\n.env:3:${m}\n.env-4-${m}` }),
    ],
    [
      'a failed Edit, whose message quotes the file',
      { ...toolCall('Edit', edit), error: 'String to replace not found in file.\nString: A=b' },
      {
        ...toolCall('Edit', { ...edit, old_string: m, new_string: m }),
        error: `String to replace not found in file.\n${m}`,
      },
    ],
    [
      'a batch of calls',
      {
        hook_event_name: 'PostToolBatch',
        tool_calls: [toolCall('Bash', { command: 'printenv' }, content), toolCall('Bash', { command: 'ls' }, 'a.ts')],
      },
      {
        hook_event_name: 'PostToolBatch',
        tool_calls: [toolCall('Bash', { command: 'printenv' }, m), toolCall('Bash', { command: 'ls' }, 'a.ts')],
      },
    ],
    [
      'a transcript line',
      { type: 'user', toolUseResult: { type: 'text', file: { filePath: path, content } } },
      { type: 'user', toolUseResult: { type: 'text', file: { filePath: path, content: m } } },
    ],
  ])('MSK-1 %s', (_, payload, expected) => {
    expect(maskPayload(payload)).toEqual(expected);
  });

  test.each<[string, JsonObject]>([
    [
      'an ordinary file',
      toolCall(
        'Read',
        { file_path: '/a/hello.txt' },
        { type: 'text', file: { filePath: '/a/hello.txt', content: 'line one\n' } },
      ),
    ],
    ['a template', toolCall('Write', { file_path: '.env.example', content: 'API_KEY=your-api-key' })],
    ['an ordinary command', toolCall('Bash', { command: 'npm test' }, { stdout: 'ok 12\n', stderr: '' })],
    [
      'a change of such a file',
      { hook_event_name: 'FileChanged', file_path: '/a/.env', event: 'change', session_id: 's1' },
    ],
    ['a list of such files', toolCall('Glob', { pattern: '**/.env' }, { filenames: ['/a/.env'], numFiles: 1 })],
  ])('MSK-2 %s comes back as the same object', (_, payload) => {
    expect(maskPayload(payload)).toBe(payload);
  });
});

describe('MSK-1 values by their keys', () => {
  const p = 'hun' + 'ter2';
  const key = 'q8Zr' + 'T2mVx9Lk4Wd7';
  test.each<[JsonObject, JsonObject]>([
    [{ password: p }, { password: '«masked:password»' }],
    [{ a: [{ deep: { clientSecret: key } }] }, { a: [{ deep: { clientSecret: '«masked:secret»' } }] }],
    [{ env: { DB_PASSWORD: 'swordfish', PORT: '80' } }, { env: { DB_PASSWORD: '«masked:password»', PORT: '80' } }],
    [{ headers: { Authorization: `Bearer ${key}` } }, { headers: { Authorization: 'Bearer «masked:bearer»' } }],
    [
      { name: 'API_TOKEN', value: key },
      { name: 'API_TOKEN', value: '«masked:secret»' },
    ],
    [{ passwords: [p, 'swordfish'] }, { passwords: ['«masked:password»', '«masked:password»'] }],
    [
      { args: ['--password', 'swordfish', '--user', 'bob', '--token', '--verbose'] },
      { args: ['--password', '«masked:password»', '--user', 'bob', '--token', '--verbose'] },
    ],
    [
      { command: 'x', args: ['--api-key', key] },
      { command: 'x', args: ['--api-key', '«masked:secret»'] },
    ],
    [{ password: 12345678 }, { password: '«masked:password»' }],
    [
      { input_tokens: 1200, max_tokens: 4096 },
      { input_tokens: 1200, max_tokens: 4096 },
    ],
    [
      { password: '', token: null, api_key: '${API_KEY}' },
      { password: '', token: null, api_key: '${API_KEY}' },
    ],
    [{ prompt: `use password="${p}" please` }, { prompt: 'use password="«masked:password»" please' }],
  ])('MSK-1 %j', (payload, expected) => {
    expect(maskPayload(payload)).toEqual(expected);
  });

  test('MSK-1 secrets in keys are masked, and no entry is lost when two come out the same', () => {
    const [first, second] = [1, 2].map(
      (seed) => plantTokens(seeded(seed)).find(({ kind }) => kind === 'npm-token')?.secret ?? '',
    );
    const payload = { [first ?? '']: 1, [second ?? '']: 2, other: 3 };
    expect(maskPayload(payload)).toEqual({ '«masked:npm-token»': 1, '«masked:npm-token» (2)': 2, other: 3 });
  });

  test('MSK-1 a __proto__ key stays a key and changes no prototype', () => {
    const masked = maskPayload(JSON.parse(`{"__proto__":{"password":"${p}"},"a":1}`) as JsonObject);
    expect(JSON.stringify(masked)).toBe('{"__proto__":{"password":"«masked:password»"},"a":1}');
    expect(Object.getPrototypeOf(masked)).toBe(Object.prototype);
  });

  test('MSK-1 ten thousand levels deep', () => {
    const depth = 10_000;
    let payload: JsonObject = { password: p };
    for (let level = 0; level < depth; level += 1) payload = level % 2 === 0 ? { a: payload } : { a: [payload] };
    let inner: Json | undefined = maskPayload(payload);
    for (let level = 0; level < depth; level += 1) {
      const next: Json | undefined = (inner as JsonObject)['a'];
      inner = Array.isArray(next) ? (next as readonly Json[])[0] : next;
    }
    expect(inner).toEqual({ password: '«masked:password»' });
  });
});

describe('MSK-3 a call whose input names a credential file', () => {
  const inputs: readonly (readonly [string, JsonObject])[] = [
    ['Read', { tool_input: { file_path: '/a/.env' } }],
    ['a camelCase path', { tool_input: { filePath: '/a/.npmrc' } }],
    ['a camelCase call', { toolName: 'read', toolArgs: { path: '~/.aws/credentials' } }],
    ['a call in a string', { toolName: 'bash', toolArgs: '{"command":"cat .env"}' }],
    ['arguments', { tool: 'mcp__fs__read_file', arguments: { path: 'id_rsa' } }],
    ['args', { toolName: 'read', args: { target: { file: { name: 'server.pem' } } } }],
    ['a list of paths', { tool_input: { paths: ['a.ts', 'b/secrets.yml'] } }],
    ['nested requests', { tool_input: { batch: [{ ops: [{ open: { where: '.kube/config' } }] }] } }],
    ['a list of commands', { tool_input: { commands: ['ls', 'cat .env'] } }],
    ['words of a command', { tool_input: { argv: ['sh', '-c', 'base64 tls.key'] } }],
    ['a script', { tool_input: { code: "print(open('credentials.json').read())" } }],
    ['an unknown key', { tool_input: { whatToDo: 'show me ~/.netrc please' } }],
    ['a glob', { tool_input: { pattern: 'KEY', glob: '**/.env*' } }],
    ['a URI', { tool_input: { uri: 'file:///home/dev/.pgpass' } }],
    ['a notebook', { tool_input: { notebook_path: '/a/secrets.json' } }],
    ['a task', { tool_input: { description: 'Look', prompt: 'Read config/master.key and tell me' } }],
  ];

  test.each(inputs)('MSK-3 %s: its result is sealed', (_, call) => {
    for (const key of ['tool_response', 'toolResult', 'tool_output', 'result', 'output', 'stdout'])
      expect(maskPayload({ ...call, [key]: 'plain words' })).toEqual({ ...call, [key]: m });
  });

  test('MSK-3 seals the output of a command that stands beside it', () => {
    expect(maskPayload({ command: 'cat .env', output: 'PLAIN=x' })).toEqual({ command: 'cat .env', output: m });
  });

  test.each<[string, JsonObject]>([
    ['a template', { tool_input: { file_path: '.env.example' } }],
    ['a public key', { tool_input: { command: 'cat ~/.ssh/id_rsa.pub' } }],
    ['source code about secrets', { tool_input: { paths: ['src/credentials.ts', 'keys.py'] } }],
    ['code that is written', { tool_input: { file_path: 'a.ts', content: "readFileSync('.env')" } }],
    ['a search for the environment', { tool_input: { pattern: 'process.env', path: 'src' } }],
    ['a word', { tool_input: { pattern: 'env' } }],
    ['words', { tool_input: { prompt: 'Check the credentials page and its shadow' } }],
  ])('MSK-2 %s seals nothing', (_, call) => {
    const payload = { ...call, tool_response: 'plain words' };
    expect(maskPayload(payload)).toBe(payload);
  });
});
