import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseTheme, runCommand } from '../e2e-kit/workbench.mjs';
import { expect as expectPage, tooltipOf } from './expectPage.testkit.ts';
import { startWorkbench } from './workbench.testkit.ts';

const DAY_MS = 86_400_000;
const pictures = path.join(import.meta.dirname, '../../test-results/sessionsTree');

// One story, told in order: the tree grows by the sessions of each test, and the last ones look at all of them.
describe('what the editor itself draws of the sessions', () => {
  let workbench: Awaited<ReturnType<typeof startWorkbench>>;
  let page: Page;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbench({ theme: 'dark' });
    page = await workbench.window('alpha');
  });
  afterAll(() => workbench?.stop());

  const picture = (name: string) => page.screenshot({ path: path.join(pictures, `${name}.png`) });
  const header = () => page.getByRole('button', { name: /^Sessions Section/ });
  const rows = () => page.getByRole('tree', { name: /Sessions/ }).getByRole('treeitem');

  test('UI-1 the tree of sessions is below the panel, closed, and says what to do while nobody is there', async () => {
    await expect.poll(() => header().getAttribute('aria-expanded')).toBe('false');
    await header().click();
    await expectPage(page.locator('.pane', { has: header() })).toContainText('Install hooks once');
    await picture('empty');
  });

  test('UI-6 the walkthrough shows its pictures', async () => {
    await runCommand(page, 'Agent Mascot: Get Started');
    const step = page.getByRole('button', { name: /Read their moods/ }).first();
    await step.click();
    const shown = page.locator('.getting-started-media img').first();
    await expect.poll(() => shown.getAttribute('alt')).toMatch(/^One mascot in all its moods/);
    await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(100);
    await picture('walkthrough');
  });

  test('UI-1 UI-7 each session is a line in words, its sub-agents below it', async () => {
    const session = { session_id: 'one', cwd: '/home/dev/orchard' };
    for (const hook of [
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'UserPromptSubmit', prompt: 'Tidy the build' },
      { hook_event_name: 'SubagentStart', agent_id: 'helper', agent_type: 'Explore' },
      { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'rm -rf build' } },
    ]) {
      await workbench.hook({ ...session, ...hook });
    }
    await expect.poll(() => rows().count()).toBe(2);
    const label = (row: number) => rows().nth(row).getAttribute('aria-label');
    await expect.poll(() => label(0)).toMatch(/: orchard · needs permission · Bash rm -rf build · by hook/);
    await expect.poll(() => label(1)).toMatch(/: Explore · /);
    expect(await rows().nth(1).getAttribute('aria-level')).toBe('2');
    await picture('sessions');
  });

  test('UI-1 a line leads to its mascot, and to its terminal by a button', async () => {
    await rows().first().click();
    await workbench.panel(page).getByTestId('mascot-card').waitFor();
    await rows().first().hover();
    await rows().first().getByRole('button', { name: 'Focus Terminal' }).click();
    // The notice that it waits may come before or after.
    await page.locator('.notification-toast', { hasText: 'This session' }).waitFor();
    await picture('selected');
  });

  test('UI-4 the tooltip of the status bar names who waits, with links to the mascot and its terminal', async () => {
    const hover = await tooltipOf(workbench.status(page), 'orchard');
    await expectPage(hover).toContainText('needs permission · Bash rm -rf build');
    await expectPage(hover.getByRole('link', { name: 'Show' })).toBeVisible();
    await picture('tooltip');
    await hover.getByRole('link', { name: 'Show' }).click();
    await workbench.panel(page).getByTestId('mascot-card').waitFor();
  });

  /** A session that began and ended so many days ago. */
  async function over(id: string, daysAgo: number, cwd: string, prompt: string): Promise<void> {
    const at = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
    for (const hook of [
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'UserPromptSubmit', prompt },
      { hook_event_name: 'Stop', last_assistant_message: 'Done.' },
      { hook_event_name: 'SessionEnd', reason: 'other' },
    ]) {
      const _meta = { provider: 'claude', collected_at: at };
      const answer = await workbench.ask('/ingest', { ...hook, session_id: id, cwd, _meta });
      expect(answer.status, await answer.text()).toBe(200);
    }
  }

  const row = (name: string | RegExp) => rows().filter({ hasText: name }).first();
  /** A line that the editor draws anew under the pointer takes no click; then it is clicked again. */
  const unfold = async (name: string | RegExp) => {
    const unfolded = async () => {
      const isFolded = (await row(name).getAttribute('aria-expanded')) === 'false';
      if (isFolded) await row(name).locator('.monaco-tl-twistie').click();
      return !isFolded;
    };
    await expect.poll(unfolded, { interval: 1_000, timeout: 15_000 }).toBe(true);
  };
  const menu = async (item: string) => {
    const chosen = page.locator('.monaco-menu').getByRole('menuitem', { name: item });
    // A menu takes no click as long as it may be the end of the one that opened it.
    await chosen.hover();
    await page.locator('.monaco-menu .action-item.focused', { hasText: item }).waitFor();
    await page.keyboard.press('Enter');
    await chosen.waitFor({ state: 'hidden' });
  };

  test('UI-1 CNV-3 below it stand the sessions that are over, by project and day, and open as conversations', async () => {
    // The editor draws no line of a tree that is out of sight.
    await page.getByRole('button', { name: /^Mascots Section/ }).click();
    await over('past-1', 0, '/home/dev/harbour', 'Paint the boats');
    await over('past-2', 1, '/home/dev/harbour', 'Count the <b>gulls</b> $(bug)');
    await over('past-3', 12, '/home/dev/lighthouse', 'Mend the lamp');
    // The last of them to come: from then on no line moves.
    await expect.poll(() => row('lighthouse').count()).toBe(1);
    await expect.poll(() => row('harbour').getAttribute('aria-label')).toBe('harbour: 2');
    await unfold('harbour');
    await unfold('Yesterday');
    await expect
      .poll(() => row('Paint the boats').getAttribute('aria-label'))
      .toMatch(/: \d\d:\d\d · prompts 1, tool calls 0/);
    expect(await row('Paint the boats').getAttribute('aria-level')).toBe('3');
    await expectPage(row('Count the')).toContainText('Count the <b>gulls</b> $(bug)');
    await expectPage(await tooltipOf(row('Paint the boats'), 'Claude Code · ended')).toContainText(
      'Prompts 1 · Tool calls 0 · Failures 0',
    );
    await picture('history');
    await row('Paint the boats').click();
    await page.getByRole('tab', { name: /Conversation: harbour/ }).waitFor();
    await picture('history-open');
    await chooseTheme(page, 'light');
    await page.locator('.monaco-workbench.vs').waitFor();
    await picture('history-light');
    await chooseTheme(page, 'dark');
  });

  test('UI-1 a filter narrows it, says that it does, and is cleared by a button; by day alone it is another order', async () => {
    await runCommand(page, 'Agent Mascot: Filter Sessions…');
    await page.getByRole('option', { name: /^Title contains/ }).click();
    const typed = page.locator('.quick-input-widget input[type=text]');
    await expectPage(page.locator('.quick-input-message')).toContainText('Text that the title contains');
    await typed.fill('lamp');
    await typed.press('Enter');
    const pane = page.locator('.pane', { has: header() });
    await expectPage(pane).toContainText('Showing only: title with “lamp”');
    await expect.poll(() => row('lighthouse').count()).toBe(1);
    await expect.poll(() => row('harbour').count()).toBe(0);
    await picture('filter');
    await pane.hover();
    await pane.getByRole('button', { name: 'Clear Sessions Filter' }).click();
    await expect.poll(() => row('harbour').count()).toBe(1);
    await runCommand(page, 'Agent Mascot: Group Sessions by Day Only');
    await expect.poll(() => row('harbour').count()).toBe(1);
    await expectPage(row('Paint the boats')).toContainText('harbour');
    await picture('by-day');
    await runCommand(page, 'Agent Mascot: Group Sessions by Project and Day');
    await expect.poll(() => row('lighthouse').count()).toBe(1);
  });

  test('CNV-4 a session is deleted after the question, and is gone from the tree and for whoever asks the collector', async () => {
    await unfold('lighthouse');
    await row('Mend the lamp').click({ button: 'right' });
    await picture('menu');
    await menu('Delete This Session…');
    const dialog = page.getByRole('dialog', { name: /Delete the session/ });
    await expectPage(dialog).toContainText('What stays: the transcript that the agent itself writes');
    await picture('delete');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect((await workbench.ask('/api/sessions/past-3')).status).toBe(200);
    await row('Mend the lamp').click({ button: 'right' });
    await menu('Delete This Session…');
    await dialog.waitFor();
    await dialog.getByRole('button', { name: 'Delete Session' }).click();
    await expectPage(page.locator('.notification-toast', { hasText: 'Deleted. Sessions: 1' })).toBeVisible();
    await expect.poll(() => row('lighthouse').count()).toBe(0);
    expect((await workbench.ask('/api/sessions/past-3')).status).toBe(404);
    await picture('deleted');
  });

  test('CNV-4 the page of what is stored says how much it is, where, for how long, and by which settings', async () => {
    await runCommand(page, 'Agent Mascot: What Is Stored');
    const preview = workbench.preview(page);
    await expectPage(preview.locator('body')).toContainText('Sessions: 3. Prompts and replies:');
    await expectPage(preview.locator('body')).toContainText(workbench.server.mascotHome);
    await expectPage(preview.locator('body')).toContainText('for 90 days. (agentMascot.retention.days)');
    await picture('stored');
    await chooseTheme(page, 'light');
    await picture('stored-light');
    await chooseTheme(page, 'dark');
  });
});
