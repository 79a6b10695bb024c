import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type Headless, startHeadless, temporaryFolder } from '../process/headless.testkit.ts';

const started: { headless: Headless; remove(): void }[] = [];
afterEach(async () => {
  for (const { headless, remove } of started.splice(0)) {
    await headless.end('SIGTERM');
    remove();
  }
});

const call = [
  { type: 'tool_use', name: 'Bash', input: { command: 'npm test' } },
  { type: 'tool_result', content: '3 passed' },
];
const text = (role: 'user' | 'assistant', content: string) => ({ type: 'text', role, content });

test.each([
  [
    'C3.3e the last of two',
    [text('user', 'hi'), text('assistant', 'First.'), text('user', 'go'), text('assistant', 'Done.')],
  ],
  [
    'C3.3f the one before and after calls',
    [text('user', 'go'), text('assistant', 'I run it.'), ...call, text('assistant', 'Done.')],
  ],
])('%s is stored as the reply of a Stop that only names its transcript', async (_name, lines) => {
  const { dir, remove } = temporaryFolder();
  const headless = startHeadless(dir);
  started.push({ headless, remove });
  await headless.ready;
  const transcript = path.join(dir, 'transcript.jsonl');
  writeFileSync(transcript, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const about = { session_id: 's1', cwd: dir, transcript_path: transcript };
  await headless.post({ hook_type: 'UserPromptSubmit', ...about, prompt: 'go' });
  await headless.post({ hook_type: 'Stop', ...about });
  const said = async () => (await headless.get('/api/sessions/s1/interactions'))['items'];
  await expect.poll(said).toContainEqual(expect.objectContaining({ role: 'assistant', content: 'Done.' }));
  const [session] = (await headless.get('/api/sessions'))['items'] as Record<string, unknown>[];
  expect(session).toMatchObject({ lastReply: 'Done.' });
});
