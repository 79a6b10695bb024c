import { mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../e2e-kit/workbench.mjs';
import { expect as expectPage } from './expectPage.testkit.ts';
import { activeTerminal, agentInTerminal, openTerminal, type TerminalAgent } from './terminals.testkit.ts';
import { startWorkbench } from './workbench.testkit.ts';

type Workbench = Awaited<ReturnType<typeof startWorkbench>>;
const pictures = path.join(import.meta.dirname, '../../test-results/notices');

const session = { session_id: 'one', cwd: '/home/dev/orchard' };
const bash = { ...session, tool_name: 'Bash', tool_input: { command: 'rm -rf build' } };
/** A window needs the debounce and, far from the session, its turn; the first notice of an editor takes longer to be drawn. */
const TOLD_MS = 40_000;

describe('an agent in a terminal of one of two windows', () => {
  let workbench: Workbench;
  let alpha: Page;
  let beta: Page;
  let agent: TerminalAgent;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbench();
    beta = await workbench.window('beta');
    alpha = await workbench.window('alpha');
  });
  afterAll(async () => {
    agent?.exit();
    await workbench?.stop();
  });

  const mascot = (window: Page, mood: string) =>
    workbench.panel(window).locator(`[data-testid="mascot"][data-agent-id="one/main"][data-mood="${mood}"]`);
  const toasts = (window: Page, text: string) => window.locator('.notification-toast', { hasText: text });
  const claims = () =>
    readdirSync(path.join(workbench.server.mascotHome, 'windows')).filter((name) => name.startsWith('claim-')).length;
  const press = (window: Page, text: string, button: string) =>
    toasts(window, text).getByRole('button', { name: button, exact: true }).click();

  async function openCard(window: Page): Promise<void> {
    const card = workbench.panel(window).getByTestId('mascot-card');
    if ((await card.count()) === 0) await workbench.panel(window).getByTestId('mascot').first().click();
    await card.waitFor();
  }

  test('UI-2 an agent that runs in a terminal of one window is shown in both', async () => {
    await expectPage(workbench.status(alpha)).toContainText('No agents');
    agent = await agentInTerminal(workbench, alpha, 'one');
    await openTerminal(alpha);
    agent.hook({ ...session, hook_event_name: 'SessionStart', source: 'startup' });
    agent.hook({ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Tidy the build' });
    for (const window of [alpha, beta]) await mascot(window, 'thinking').waitFor();
  });

  test('UI-3 the card’s button shows the very terminal that the agent runs in', async () => {
    expect(await activeTerminal(alpha)).toBe(1);
    await openCard(alpha);
    await alpha.screenshot({ path: path.join(pictures, 'card.png') });
    await workbench.panel(alpha).getByRole('button', { name: 'Focus terminal' }).click();
    await expect.poll(() => activeTerminal(alpha), { timeout: TOLD_MS }).toBe(0);
  });

  test('UI-3 from another window it is said which window has it, and it is in front there', async () => {
    await runCommand(alpha, 'Terminal: Focus Next Terminal Group');
    await expect.poll(() => activeTerminal(alpha), { timeout: TOLD_MS }).toBe(1);
    await openCard(beta);
    await workbench.panel(beta).getByRole('button', { name: 'Focus terminal' }).click();
    await toasts(beta, 'alpha').waitFor({ timeout: TOLD_MS });
    await expect.poll(() => activeTerminal(alpha), { timeout: TOLD_MS }).toBe(0);
    await beta.screenshot({ path: path.join(pictures, 'other-window.png') });
    await runCommand(beta, 'Notifications: Clear All Notifications');
  });

  test('UI-5 a wait in a terminal that is in view is told by no window', async () => {
    const before = claims();
    agent.hook({ ...bash, hook_event_name: 'PreToolUse', tool_use_id: 'seen' });
    agent.hook({ ...bash, hook_event_name: 'PermissionRequest', tool_use_id: 'seen' });
    await mascot(alpha, 'waiting').waitFor();
    // The window that has it takes the notice for itself, and keeps it.
    await expect.poll(claims, { timeout: TOLD_MS }).toBe(before + 1);
    agent.hook({ ...bash, hook_event_name: 'PostToolUse', tool_use_id: 'seen', tool_response: {} });
    await mascot(alpha, 'thinking').waitFor();
    expect(await toasts(alpha, 'permission').count()).toBe(0);
    expect(await toasts(beta, 'permission').count()).toBe(0);
  });

  test('UI-5 a wait out of view is told once, by the window that has the terminal, and Focus goes there', async () => {
    await runCommand(alpha, 'Terminal: Focus Next Terminal Group');
    await expect.poll(() => activeTerminal(alpha), { timeout: TOLD_MS }).toBe(1);
    agent.hook({ ...bash, hook_event_name: 'PreToolUse', tool_use_id: 'hidden' });
    agent.hook({ ...bash, hook_event_name: 'PermissionRequest', tool_use_id: 'hidden' });
    await toasts(alpha, 'asks for permission').waitFor({ timeout: TOLD_MS });
    await alpha.screenshot({ path: path.join(pictures, 'told.png') });
    await expectPage(toasts(alpha, 'asks for permission')).toContainText('Bash `rm -rf build`');
    expect(await toasts(alpha, 'asks for permission').count()).toBe(1);
    expect(await toasts(beta, 'permission').count()).toBe(0);
    await press(alpha, 'asks for permission', 'Focus');
    await expect.poll(() => activeTerminal(alpha), { timeout: TOLD_MS }).toBe(0);
    agent.hook({ ...bash, hook_event_name: 'PostToolUse', tool_use_id: 'hidden', tool_response: {} });
    await mascot(alpha, 'thinking').waitFor();
  });

  test('UI-5 do not disturb is seen in the status bar, and once it is off notices come again', async () => {
    await runCommand(alpha, 'Agent Mascot: Turn On Do Not Disturb');
    const isQuiet = () => workbench.status(alpha).locator('.codicon-bell-slash').count();
    await expect.poll(isQuiet, { timeout: TOLD_MS }).toBe(1);
    await runCommand(alpha, 'Terminal: Focus Next Terminal Group');
    await expect.poll(() => activeTerminal(alpha), { timeout: TOLD_MS }).toBe(1);
    await runCommand(alpha, 'Agent Mascot: Turn Off Do Not Disturb');
    // The setting is written to a file, and read from it again.
    await expect.poll(isQuiet, { timeout: TOLD_MS }).toBe(0);
    agent.hook({ ...bash, hook_event_name: 'PreToolUse', tool_use_id: 'loud' });
    agent.hook({ ...bash, hook_event_name: 'PermissionRequest', tool_use_id: 'loud' });
    await toasts(alpha, 'asks for permission').waitFor({ timeout: TOLD_MS });
    await runCommand(alpha, 'Notifications: Clear All Notifications');
  });

  test('UI-3 of a session in no terminal it is said honestly where it is', async () => {
    await workbench.hook({
      session_id: 'out',
      cwd: '/home/dev/away',
      hook_event_name: 'SessionStart',
      source: 'startup',
    });
    const away = workbench.panel(beta).locator('[data-testid="mascot"][data-agent-id="out/main"]');
    await away.click();
    const card = workbench.panel(beta).getByTestId('mascot-card');
    await card.getByRole('button', { name: 'Focus terminal' }).click();
    await toasts(beta, 'outside').waitFor({ timeout: TOLD_MS });
    await beta.screenshot({ path: path.join(pictures, 'outside.png') });
  });
});
