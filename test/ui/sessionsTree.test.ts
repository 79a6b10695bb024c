import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../e2e-kit/workbench.mjs';
import { expect as expectPage } from './expectPage.testkit.ts';
import { startWorkbench } from './workbench.testkit.ts';

const pictures = path.join(import.meta.dirname, '../../test-results/sessionsTree');

describe('what the editor itself draws of the sessions', () => {
  let workbench: Awaited<ReturnType<typeof startWorkbench>>;
  let page: Page;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbench();
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
    await expectPage(page.locator('.notification-toast').first()).toContainText('This session');
    await picture('selected');
  });

  test('UI-4 the tooltip of the status bar names who waits, with links to the mascot and its terminal', async () => {
    await workbench.status(page).hover();
    const hover = page.locator('.workbench-hover', { hasText: 'orchard' });
    await expectPage(hover).toContainText('needs permission · Bash rm -rf build');
    await expectPage(hover.getByRole('link', { name: 'Show' })).toBeVisible();
    await picture('tooltip');
    await hover.getByRole('link', { name: 'Show' }).click();
    await workbench.panel(page).getByTestId('mascot-card').waitFor();
  });
});
