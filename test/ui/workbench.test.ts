import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect as expectPage } from './expectPage.testkit.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { runCommand } from '../e2e-kit/workbench.mjs';
import { startWorkbench } from './workbench.testkit.ts';

type Workbench = Awaited<ReturnType<typeof startWorkbench>>;
const pictures = path.join(import.meta.dirname, '../../test-results/workbench');

const session = { session_id: 'one', cwd: '/home/dev/project' };
const bash = { ...session, tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 't1' };

// One story, told in order: each test goes on in the window and with the sessions that the one before it left.
describe('the whole way of an event in a real VS Code', () => {
  let workbench: Workbench;
  let page: Page;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbench();
    page = await workbench.window('alpha');
  });
  afterAll(() => workbench?.stop());

  const panel = () => workbench.panel(page);
  const mascot = (mood: string) =>
    panel().locator(`[data-testid="mascot"][data-agent-id="one/main"][data-mood="${mood}"]`);

  test('UI-2 the empty panel says what to do next, and its button leads there', async () => {
    const empty = panel().getByTestId('empty-state');
    await empty.waitFor();
    await page.screenshot({ path: path.join(pictures, 'empty.png') });
    await empty.getByRole('button').click();
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'This user' }).waitFor();
    await page.keyboard.press('Escape');
    await expectPage(workbench.status(page)).toContainText('No agents');
  });

  test('COL-2 the owner publishes a private port file, and installs the forwarder in its stable place', async () => {
    const file = workbench.portFile();
    expect(file).toMatchObject({ version: 1, url: `http://127.0.0.1:${file?.port}`, generation: 1 });
    expect(statSync(workbench.portFilePath).mode & 0o777).toBe(0o600);
    const forwarder = path.join(workbench.server.mascotHome, 'bin', 'forward-to-mascot.mjs');
    await expect.poll(() => existsSync(forwarder)).toBe(true);
  });

  test('FWD-1 a hook through the built forwarder shows a mascot; each next one changes its mood', async () => {
    const steps: readonly [Record<string, unknown>, string][] = [
      [{ ...session, hook_event_name: 'SessionStart', source: 'startup' }, 'arriving'],
      [{ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Fix the tests' }, 'thinking'],
      [{ ...bash, hook_event_name: 'PreToolUse' }, 'running'],
      [{ ...bash, hook_event_name: 'PermissionRequest' }, 'waiting'],
    ];
    for (const [payload, mood] of steps) {
      expect(await workbench.hook(payload)).toMatchObject({ code: 0, stderr: '' });
      await mascot(mood).waitFor();
    }
    await expectPage(panel().getByTestId('phase')).toContainText('Needs permission');
  });

  test('UI-4 the status bar says who waits, warns, and a click goes to the one that waits longest', async () => {
    const status = workbench.status(page);
    await expectPage(status).toContainText('1 waiting');
    expect(await status.getAttribute('class')).toContain('warning');
    expect(await status.locator('a').getAttribute('aria-label')).toContain('Agent Mascot: 1 waiting');
    await page.screenshot({ path: path.join(pictures, 'waiting.png') });
    await page
      .locator('.activitybar')
      .getByRole('tab', { name: /Explorer/ })
      .click();
    await status.locator('a').click();
    await expectPage(mascot('waiting')).toBeFocused();
    await panel().getByTestId('mascot-card').waitFor();
  });

  test('UI-1 the container’s badge counts the sessions that wait', async () => {
    await expectPage(
      page
        .locator('.activitybar')
        .getByRole('tab', { name: 'Agent Mascot - 1 waiting for you' })
        .locator('.badge-content'),
    ).toHaveText('1');
  });

  test('STA-3 the card explains the state by the hooks that led to it, and so does the menu of the session', async () => {
    await panel().getByTestId('mascot-card').getByRole('button', { name: 'Explain this state…' }).click();
    const tab = page.locator('.tab', { hasText: 'Explain This State' });
    await tab.waitFor();
    await expectPage(workbench.preview(page).getByText('PermissionRequest')).toBeVisible();
    await page.screenshot({ path: path.join(pictures, 'explained.png') });
    await runCommand(page, 'View: Close Editor');
    await tab.waitFor({ state: 'detached' });
    await mascot('waiting').click({ button: 'right' });
    // The editor's menus ignore a button that is let go within a tenth of a second after they opened.
    await page.getByRole('menuitem', { name: 'Explain This State…' }).click({ delay: 200 });
    // Once it is drawn it takes the focus, and that closes the list that the next explanation is chosen from.
    await expectPage(workbench.preview(page).getByText('PermissionRequest')).toBeVisible();
    // The menu gives the focus back to the panel when it closes, which may be after the preview took it.
    await tab.click();
    await expectPage(page.locator('iframe.webview[src*="vscode.markdown-language-features"]')).toBeFocused();
  });

  test('STA-3 an answer in the terminal fires no hook: the result clears the wait, the warning goes', async () => {
    await workbench.hook({ ...bash, hook_event_name: 'PostToolUse', tool_response: { stdout: 'ok' } });
    await mascot('thinking').waitFor();
    await expectPage(workbench.status(page)).toContainText('1 busy');
    expect(await workbench.status(page).getAttribute('class')).not.toContain('warning');
  });

  test('STA-3 an explanation that is open already is told anew when it is asked for again', async () => {
    await runCommand(page, 'Agent Mascot: Explain This State…');
    await choose('project');
    await expectPage(workbench.preview(page).getByText('PostToolUse')).toBeVisible();
    expect(await page.locator('.tab', { hasText: 'Explain This State' }).count()).toBe(1);
  });

  test('SEC-5 what agents say is shown as text, and the page’s policy is never broken', async () => {
    const violations: string[] = [];
    page.on('console', (message) => {
      if (/content security policy/i.test(message.text()) && message.text().includes('panel'))
        violations.push(message.text());
    });
    const attack = '<img src=x onerror="document.title=1"><b>bold</b>';
    await workbench.hook({ ...session, session_id: 'two', hook_event_name: 'UserPromptSubmit', prompt: attack });
    await workbench.hook({ ...session, session_id: 'two', hook_event_name: 'Stop', last_assistant_message: attack });
    await expectPage(panel().getByText('<b>bold</b>').first()).toBeVisible();
    expect(await panel().locator('img').count()).toBe(0);
    expect(violations).toEqual([]);
  });

  test('OPS-1 diagnostics are copied without secrets', async () => {
    await runCommand(page, 'Agent Mascot: Copy Diagnostics');
    await page.locator('.notification-toast', { hasText: 'Diagnostics copied' }).waitFor();
    const text = await page.evaluate(() => navigator.clipboard.readText());
    expect(text).toContain('owner: this window, code-server');
    expect(text).toMatch(/activation: \d+\.\d ms/);
    expect(text).not.toContain(workbench.portFile()?.token);
    expect(text).not.toContain('/home/dev');
  });

  test('MWN-1 a second window follows the same owner and shows the same agents', async () => {
    const instance = workbench.portFile()?.instance;
    const second = await workbench.window('beta');
    await workbench.panel(second).locator('[data-testid="mascot"][data-agent-id="one/main"]').waitFor();
    expect(workbench.portFile()?.instance).toBe(instance);
    await workbench.hook({
      ...session,
      hook_event_name: 'Notification',
      notification_type: 'permission_prompt',
      message: 'May I?',
    });
    for (const [where, window] of [
      [panel(), page],
      [workbench.panel(second), second],
    ] as const) {
      await where.locator('[data-agent-id="one/main"][data-mood="waiting"]').waitFor();
      await expectPage(workbench.status(window)).toContainText('1 waiting');
    }
    await page.close();
    page = second;
  });

  test('MWN-2 the owner’s window is closed: the other takes over with the stored state, and takes new events', async () => {
    // The follower becomes the owner when the former's extension host has ended; a hook finds it by the new port file.
    await expect.poll(() => workbench.portFile()?.generation, { timeout: 30_000 }).toBe(2);
    await mascot('waiting').waitFor();
    expect(
      await workbench.hook({ ...session, hook_event_name: 'Stop', last_assistant_message: 'Done.' }),
    ).toMatchObject({ code: 0, stderr: '' });
    await mascot('celebrating').waitFor();
  });

  test('STO-2 after a reload of the window the same agents are there', async () => {
    await page.reload();
    await page.locator('.monaco-workbench .statusbar').waitFor();
    await panel().locator('[data-testid="mascot"][data-agent-id="one/main"]').waitFor();
    await page.screenshot({ path: path.join(pictures, 'reloaded.png') });
  });

  test('SES-3 a session that ends takes its mascot along', async () => {
    for (const id of ['one', 'two'])
      await workbench.hook({ ...session, session_id: id, hook_event_name: 'SessionEnd', reason: 'other' });
    await panel().getByTestId('empty-state').waitFor();
    await expectPage(workbench.status(page)).toContainText('No agents');
  });

  const talk = { session_id: 'talk', cwd: '/home/dev/lighthouse' };
  const text = () => page.locator('.editor-instance .view-lines');
  const rows = () => page.locator('.quick-input-widget .monaco-list-row');
  /** By the keyboard: a list that has just opened still moves under a pointer. */
  async function choose(text: string): Promise<void> {
    await page.locator('.quick-input-widget input[type=text]').fill(text);
    await expect.poll(() => rows().count()).toBe(1);
    await expectPage(rows()).toContainText(text);
    await page.keyboard.press('Enter');
  }

  test('CNV-3 a conversation opens as a document whose outline shows the turns, and grows by itself', async () => {
    const read = { ...talk, tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 't9' };
    const hooks = [
      { hook_event_name: 'SessionStart', source: 'startup', model: 'opus' },
      { hook_event_name: 'UserPromptSubmit', prompt: '항구의 불빛을 고쳐 줘' },
      { ...read, hook_event_name: 'PreToolUse' },
      { ...read, hook_event_name: 'PostToolUse', tool_response: { stdout: '12 passed' } },
      { hook_event_name: 'Stop', last_assistant_message: 'The lamp is **mended**:\n\n```ts\nlamp.on();\n```' },
      { hook_event_name: 'UserPromptSubmit', prompt: 'Now the fog horn (both of them)' },
    ];
    for (const hook of hooks) await workbench.hook({ ...talk, ...hook });
    await panel().locator('[data-testid="mascot"][data-agent-id="talk/main"]').waitFor();
    await runCommand(page, 'Agent Mascot: Open Conversation');
    await choose('lighthouse');
    await page.locator('.tab', { hasText: 'Conversation: lighthouse' }).waitFor();
    await expectPage(text()).toContainText('## Now the fog horn (both of them)');
    await workbench.hook({ ...talk, hook_event_name: 'Stop', last_assistant_message: 'Both horns sound.' });
    await expectPage(text()).toContainText('> Both horns sound.');
    await page.screenshot({ path: path.join(pictures, 'conversation.png') });
    await page.keyboard.press('Control+Shift+O');
    await expectPage(rows().filter({ hasText: 'Now the fog horn (both of them)' })).toBeVisible();
    await expectPage(rows().filter({ hasText: '## 항구의 불빛을 고쳐 줘' }).first()).toBeVisible();
    await page.screenshot({ path: path.join(pictures, 'outline.png') });
    await page.keyboard.press('Escape');
    await runCommand(page, 'View: Close All Editors');
  });

  test('CNV-3 a word in Korean is found while it is typed, and opens at its place', async () => {
    await runCommand(page, 'Agent Mascot: Search Conversations…');
    await page.locator('.quick-input-widget', { hasText: 'any time' }).locator('input[type=text]').fill('불빛');
    await expectPage(rows().first()).toContainText('항구의 불빛을 고쳐 줘');
    await expectPage(rows().first().locator('.highlight').first()).toHaveText('불빛');
    await page.screenshot({ path: path.join(pictures, 'search.png') });
    await page.keyboard.press('Enter');
    await page.locator('.tab', { hasText: 'Conversation: lighthouse' }).waitFor();
    await expectPage(page.locator('.editor-instance .selected-text').first()).toBeVisible();
    await expectPage(page.locator('.statusbar')).toContainText('2 selected');
    await page.screenshot({ path: path.join(pictures, 'found.png') });
  });

  test('CNV-3 a conversation is exported to a file', async () => {
    await runCommand(page, 'Agent Mascot: Export Conversation…');
    await choose('lighthouse');
    await choose('JSON Lines');
    const name = page.locator('.quick-input-widget input').first();
    await expect.poll(() => name.inputValue()).toMatch(/lighthouse-.*-talk\.jsonl$/);
    const file = await name.inputValue();
    await page.screenshot({ path: path.join(pictures, 'export.png') });
    await page.keyboard.press('Enter');
    await page.locator('.notification-toast', { hasText: 'Exported to' }).waitFor();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { content?: string }).content)).toContain('항구의 불빛을 고쳐 줘');
  });
});
