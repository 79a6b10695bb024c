import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildForwarder, type Bundles } from '../../forwarder/forwarder.testkit.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Session } from '../../src/protocol/state.ts';
import { type Headless, startHeadless, temporaryFolder } from './headless.testkit.ts';
import { leftIn, prepareHome, quiet, runHook } from './hookEntry.testkit.ts';

let folder: ReturnType<typeof temporaryFolder>;
let bundles: Bundles;
let headless: Headless;
let home = '';
let cwd = '';
beforeAll(async () => {
  bundles = await buildForwarder();
});
afterAll(() => bundles.remove());
beforeEach(async () => {
  folder = temporaryFolder();
  home = prepareHome(path.join(folder.dir, 'home'), bundles.forwarder);
  cwd = path.join(folder.dir, 'shop');
  mkdirSync(cwd);
  headless = startHeadless(folder.dir);
  await headless.ready;
});
afterEach(async () => {
  await headless.end('SIGKILL');
  folder.remove();
});

/** Runs the installed command of Claude Code's settings with another program's payload. */
const run = (event: string, payload: JsonObject, before = '') =>
  runHook({ home, event, cwd, input: before + JSON.stringify(payload), env: { CLAUDE_PROJECT_DIR: cwd } });

async function sessions(count: number): Promise<readonly Session[]> {
  await expect.poll(() => leftIn(home), { timeout: 10_000 }).toEqual([]);
  const read = async () => ((await headless.get('/api/sessions'))['items'] ?? []) as readonly Session[];
  await expect.poll(async () => (await read()).length, { timeout: 10_000 }).toBe(count);
  return read();
}

const stamp = () => ({ timestamp: new Date().toISOString(), cwd });

test('PRV-1 Copilot CLI through the hooks of Claude Code: one session, its sub-agent below it, its wait its own, and an end', async () => {
  const main = (event: string, more: JsonObject = {}) => ({
    hook_event_name: event,
    session_id: 's',
    ...stamp(),
    ...more,
  });
  const child = (event: string, more: JsonObject = {}) => ({
    ...main(event, more),
    session_id: 'a',
    agent_id: 'a',
    agent_type: 'explore',
    parent_agent_id: 's',
  });
  expect(await run('SessionStart', main('SessionStart', { source: 'new', initial_prompt: 'go' }))).toEqual(quiet);
  await run('UserPromptSubmit', main('UserPromptSubmit', { prompt: 'go' }));
  await run('UserPromptSubmit', child('UserPromptSubmit', { prompt: 'look' }));
  await run('PreToolUse', child('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } }));
  const asked = { sessionId: 's', ...stamp(), timestamp: Date.now() };
  await run('PermissionRequest', { ...asked, hookName: 'permissionRequest', toolName: 'bash', toolInput: {} });
  await run('Notification', {
    ...asked,
    hook_event_name: 'Notification',
    notification_type: 'permission_prompt',
    message: 'Run command: ls',
  });
  const [waiting] = await sessions(1);
  expect([waiting?.id, waiting?.provider, waiting?.phase]).toEqual(['s', 'copilot', 'waiting_permission']);
  expect(waiting?.counts).toMatchObject({ prompts: 1, subagents: 1 });
  await run('Stop', child('Stop', { stop_reason: 'end_turn' }));
  await run('Stop', main('Stop', { stop_reason: 'end_turn' }));
  await run('SessionEnd', main('SessionEnd', { reason: 'user_exit' }));
  await expect.poll(async () => (await sessions(1))[0]?.state, { timeout: 10_000 }).toBe('completed');
});

test('PRV-1 MEM-1 of earlier sessions Claude Code is told, while Cursor, VS Code and Copilot CLI are answered nothing', async () => {
  const claude = { session_id: 'c', transcript_path: path.join(folder.dir, '.claude/projects/p/c.jsonl'), cwd };
  await run('UserPromptSubmit', { ...claude, hook_event_name: 'UserPromptSubmit', prompt: 'mend the till' });
  await run('Stop', { ...claude, hook_event_name: 'Stop', last_assistant_message: 'The till is mended.' });
  await sessions(1);
  const start = { hook_event_name: 'SessionStart', source: 'startup' };
  const told = await run('SessionStart', { ...claude, ...start, session_id: 'd' });
  expect(told.stdout).toContain('mend the till');

  const storage = path.join(folder.dir, 'workspaceStorage/0/GitHub.copilot-chat/transcripts/v.jsonl');
  const cursor = { hook_event_name: 'sessionStart', session_id: 'u', cursor_version: '3.13', transcript_path: null };
  expect(await run('SessionStart', { ...start, session_id: 'v', transcript_path: storage, ...stamp() })).toEqual(quiet);
  expect(
    await run('SessionStart', { sessionId: 'w', hookEventName: 'SessionStart', source: 'new', ...stamp() }),
  ).toEqual(quiet);
  expect(await run('SessionStart', { ...start, session_id: 'p', ...stamp() })).toEqual(quiet);
  // On Windows Cursor writes a byte order mark first.
  expect(await run('SessionStart', cursor, '\uFEFF')).toEqual(quiet);
  await run('UserPromptSubmit', { ...cursor, hook_event_name: 'beforeSubmitPrompt', prompt: 'go' }, '\uFEFF');

  const shown = (await sessions(6)).map(({ id, provider, phase }) => `${id} ${provider} ${phase}`);
  expect(shown.toSorted()).toEqual([
    'c claude interactable',
    'd claude interactable',
    'p copilot interactable',
    'u cursor busy',
    'v vscode interactable',
    'w vscode interactable',
  ]);
});
