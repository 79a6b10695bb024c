import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseTheme, runCommand } from '../e2e-kit/workbench.mjs';
import { expect as expectPage, tooltipOf } from './expectPage.testkit.ts';
import { startWorkbench } from './workbench.testkit.ts';

const pictures = path.join(import.meta.dirname, '../../test-results/workItems');

// One story, told in order: an item is made, touched, waited for and ended.
describe('what the editor itself draws of the work items', () => {
  let workbench: Awaited<ReturnType<typeof startWorkbench>>;
  let page: Page;
  let folder = '';
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbench({ theme: 'dark' });
    page = await workbench.window('alpha');
    folder = path.join(workbench.server.dir, 'alpha');
    await narrow();
  });
  afterAll(() => workbench?.stop());

  /** The side bar as narrow as many people have it. */
  async function narrow(): Promise<void> {
    const bar = await page.locator('.part.sidebar').boundingBox();
    if (bar === null) throw new Error('there is no side bar');
    await page.mouse.move(bar.x + bar.width, bar.y + bar.height / 2);
    await page.mouse.down();
    await page.mouse.move(bar.x + 240, bar.y + bar.height / 2, { steps: 5 });
    await page.mouse.up();
  }

  const picture = (name: string) => page.screenshot({ path: path.join(pictures, `${name}.png`) });
  const header = () => page.getByRole('button', { name: /^Work Items.* Section/ });
  const pane = () => page.locator('.pane', { has: header() });
  const rows = () => page.getByRole('tree', { name: /^Work Items/ }).getByRole('treeitem');
  const row = (name: string | RegExp) => rows().filter({ hasText: name }).first();
  const label = (name: string) => row(name).getAttribute('aria-label');
  const unfold = async (name: string) => {
    await row(name).locator('.monaco-tl-twistie').click();
    await expect.poll(() => row(name).getAttribute('aria-expanded')).toBe('true');
  };
  const typed = () => page.locator('.quick-input-widget input[type=text]');
  const option = (name: RegExp) => page.getByRole('option', { name }).first();

  test('UI-1 the tree of work items is below the sessions, closed, and says what they are for while there is none', async () => {
    await expect.poll(() => header().getAttribute('aria-expanded')).toBe('false');
    await header().click();
    await expectPage(pane()).toContainText('A work item is a named piece of work');
    await expectPage(pane().getByRole('button', { name: 'New Work Item…' }).last()).toBeVisible();
    await expectPage(pane().getByRole('button', { name: 'Open Guard Settings' }).last()).toBeVisible();
    await picture('empty');
  });

  test('GRD-1 UI-1 one is made from the palette by a title, its id and when it begins, and stands in the tree as running', async () => {
    await runCommand(page, 'Agent Mascot: New Work Item…');
    await expectPage(page.locator('.quick-input-message')).toContainText('What is to be done');
    await typed().fill('Mend the net');
    await typed().press('Enter');
    await expect.poll(() => typed().inputValue()).toBe('mend-the-net');
    await typed().fill('mend the net');
    await expectPage(page.locator('.quick-input-message')).toContainText('An ID takes letters, digits');
    await picture('id');
    await typed().fill('net');
    await typed().press('Enter');
    await option(/^Now/).click();
    await expect.poll(() => label('Mend the net')).toMatch(/^Mend the net: running since .* · net$/);
    await picture('running');
  });

  test('GRD-1 below it stand the session that touched it and its files; a file that is gone is told of calmly', async () => {
    mkdirSync(path.join(folder, 'src'), { recursive: true });
    for (const name of ['app.ts', 'gone.ts']) writeFileSync(path.join(folder, 'src', name), '// the net\n');
    const session = { session_id: 'one', cwd: folder };
    const edit = (name: string) => ({
      ...{ tool_name: 'Write', tool_use_id: name },
      tool_input: { file_path: path.join(folder, 'src', name), content: '// the net\n' },
    });
    for (const hook of [
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'UserPromptSubmit', prompt: 'Mend it' },
      ...['app.ts', 'gone.ts'].flatMap((name) => [
        { hook_event_name: 'PreToolUse', ...edit(name) },
        { hook_event_name: 'PostToolUse', ...edit(name), tool_response: { success: true } },
      ]),
    ]) {
      await workbench.hook({ ...session, ...hook });
    }
    await expect.poll(() => row('Mend the net').getAttribute('aria-expanded')).toBe('false');
    await unfold('Mend the net');
    await expect.poll(() => label('2 files')).toMatch(/: .*2 files$/);
    await unfold('2 files');
    await expect.poll(() => label('app.ts')).toBe('app.ts: src');
    await picture('touched');
    await row('app.ts').click();
    await page.getByRole('tab', { name: /^app\.ts/ }).waitFor();
    rmSync(path.join(folder, 'src/gone.ts'));
    await row('gone.ts').click();
    await page.locator('.notification-toast', { hasText: 'The file is not there any more' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('GRD-1 UI-4 the running item stands in the status bar’s tooltip and at the session’s head in the panel', async () => {
    const work = workbench.panel(page).getByTestId('work');
    await expect.poll(() => work.getAttribute('aria-label')).toBe('Work item: Mend the net');
    const hover = await tooltipOf(workbench.status(page), 'Work item: Mend the net');
    await expectPage(hover).toContainText('running since');
    await picture('tooltip');
  });

  test('GRD-1 GRD-4 one that waits for another says so, and that it can’t be started is told in words', async () => {
    await page.getByRole('button', { name: /^Mascots Section/ }).click();
    const body = { id: 'sail', title: 'Set sail', dependencies: ['net'], project: folder };
    expect((await workbench.ask('/api/work-items', body)).status).toBe(200);
    await expect.poll(() => label('Set sail')).toBe('Set sail: waits for net · sail');
    await row('Set sail').hover();
    await picture('waits');
    await row('Set sail').getByRole('button', { name: 'Start Work Item' }).click();
    await expectPage(page.locator('.notification-toast', { hasText: 'it waits for net' })).toBeVisible();
  });

  test('GRD-1 ended by its button it goes to those that are over, and what waited for it can begin', async () => {
    await row('Mend the net').hover();
    await row('Mend the net').getByRole('button', { name: 'End Work Item (Done)' }).click();
    await expect.poll(() => label('Set sail')).toBe('Set sail: ready · sail');
    await expect.poll(() => label('Ended')).toBe('Ended: 1');
    await unfold('Ended');
    await expect.poll(() => label('Mend the net')).toMatch(/^Mend the net: done .* · net$/);
    await picture('ended');
    await chooseTheme(page, 'light');
    await page.locator('.monaco-workbench.vs').waitFor();
    await picture('light');
    await chooseTheme(page, 'dark');
  });

  test('GRD-2 what this workspace holds its edits to stands beside the view’s name', async () => {
    mkdirSync(path.join(folder, '.vscode'), { recursive: true });
    writeFileSync(path.join(folder, '.vscode/settings.json'), '{"agentMascot.tracking.mode":"strict"}\n');
    await expectPage(pane()).toContainText('strict guard');
    await expect
      .poll(async () => (await workbench.ask(`/api/tracking?project=${encodeURIComponent(folder)}`)).json())
      .toMatchObject({ mode: 'strict' });
    await picture('guard');
  });
});
