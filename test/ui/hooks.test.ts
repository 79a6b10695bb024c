import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseTheme, runCommand } from '../e2e-kit/workbench.mjs';
import { expect as expectPage } from './expectPage.testkit.ts';
import { startWorkbench } from './workbench.testkit.ts';

type Workbench = Awaited<ReturnType<typeof startWorkbench>>;
const pictures = path.join(import.meta.dirname, '../../test-results/workbench');

/** As a person may have it: tabs, CRLF, no final newline, a hook and a key of their own. */
const persons = [
  '{',
  '\t"permissions": {"allow": ["Bash(npm test)"]},',
  '\t"hooks": {',
  '\t\t"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]',
  '\t}',
  '}',
].join('\r\n');

interface Settings {
  readonly permissions: unknown;
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

describe('hooks in a real VS Code', () => {
  let workbench: Workbench;
  let page: Page;
  let file: string;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbench();
    file = path.join(workbench.server.home, '.claude', 'settings.json');
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, persons);
    page = await workbench.window('alpha');
  });
  afterAll(() => workbench?.stop());

  const quickPick = (where = page) => where.locator('.quick-input-widget');
  const row = (text: string, where = page): Locator =>
    quickPick(where).locator('.monaco-list-row', { hasText: text }).first();
  const toast = (text: string) => page.locator('.notification-toast', { hasText: text });
  const difference = (where = page) => where.locator('.monaco-diff-editor .editor.modified');
  const read = () => readFileSync(file, 'utf8');
  const picture = (name: string, where = page) =>
    where.screenshot({ path: path.join(pictures, `${name}.png`), animations: 'disabled' });

  async function chooseScope(command: 'Install' | 'Uninstall', where = page): Promise<void> {
    await runCommand(where, `Agent Mascot: ${command} Hooks`);
    await row('This user', where).click();
    await difference(where).waitFor();
  }

  async function install(): Promise<void> {
    await chooseScope('Install');
    await row('Write these changes').click();
    await toast('Hooks are in').waitFor();
  }

  test.each(['dark', 'light', 'hcDark', 'hcLight'] as const)(
    'UI-6 scopes, difference with its question, and what the doctor found can be read in %s',
    async (theme) => {
      const window = page;
      // A panel that is still loading takes the focus, and the palette closes.
      await workbench.panel(window).getByTestId('empty-state').waitFor();
      await chooseTheme(window, theme);
      await runCommand(window, 'Agent Mascot: Install Hooks');
      await expectPage(row('This project, shared', window)).toBeVisible();
      await expectPage(row('Codex', window)).toContainText('not found on this machine');
      await picture(`hooks-scopes-${theme}`, window);
      await row('This user', window).click();
      await expectPage(difference(window).locator('.line-insert').first()).toBeVisible();
      await expectPage(difference(window)).toContainText('#agent-mascot');
      await expectPage(row('Write these changes', window)).toBeVisible();
      await picture(`hooks-difference-${theme}`, window);
      await row('Cancel', window).click();
      await window.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
      await runCommand(window, 'Agent Mascot: Check Hooks');
      await row('The collector answers', window).waitFor({ timeout: 30_000 });
      await picture(`hooks-doctor-${theme}`, window);
      await window.keyboard.press('Escape');
      await quickPick(window).waitFor({ state: 'hidden' });
      expect(read()).toBe(persons);
    },
  );

  test('UI-2 HKI-1 the empty panel’s button asks where; the diff shows the added lines; written, the file is whole', async () => {
    await workbench.panel(page).getByTestId('empty-state').getByRole('button').click();
    await row('This user').click();
    await expectPage(difference().locator('.line-insert').first()).toBeVisible();
    expect(read()).toBe(persons);
    await row('Write these changes').click();
    await toast('Hooks are in').waitFor();
    await page.locator('.monaco-diff-editor').waitFor({ state: 'detached' });
    const settings = JSON.parse(read()) as Settings;
    const { Stop = [], UserPromptSubmit = [] } = settings.hooks;
    expect([settings.permissions, Stop[0], Stop.length, UserPromptSubmit.length]).toEqual([
      { allow: ['Bash(npm test)'] },
      { hooks: [{ type: 'command', command: 'say done' }] },
      2,
      1,
    ]);
    for (const line of persons.split('\r\n').slice(0, 3)) expect(read()).toContain(line);
  });

  test('HKI-2 Undo gives the file back byte for byte, and so does uninstalling', async () => {
    await toast('Hooks are in').getByRole('button', { name: 'Undo' }).click();
    await toast('is as it was before').waitFor();
    expect(read()).toBe(persons);
    await install();
    await chooseScope('Uninstall');
    await row('Write these changes').click();
    await toast('No hooks of Agent Mascot are left').waitFor();
    expect(read()).toBe(persons);
  });

  test('HKI-2 a broken file is left alone: where and why is told, and the file opens there', async () => {
    const broken = '{\n  "permissions": {}, // mine\n}\n';
    writeFileSync(file, broken);
    await runCommand(page, 'Agent Mascot: Install Hooks');
    await row('This user').click();
    const told = toast('line 2, column');
    await expectPage(told).toContainText('ignores the whole file');
    await picture('hooks-broken');
    await told.getByRole('button', { name: 'Open File' }).click();
    await expectPage(page.locator('.statusbar-item', { hasText: 'Ln 2, Col' })).toBeVisible();
    expect(read()).toBe(broken);
    writeFileSync(file, persons);
    await toast('line 2, column').getByRole('button', { name: 'Try Again' }).click();
    await expectPage(difference().locator('.line-insert').first()).toBeVisible();
    await row('Write these changes').click();
    // The notice of an earlier one may still be there. Written is not yet noted: it is read again first.
    await expect.poll(read).toContain('SessionStart');
    const noted = path.join(workbench.server.mascotHome, 'installed.json');
    await expect.poll(() => readFileSync(noted, 'utf8')).toContain('settings.json');
  });

  test('HKI-5 hooks that another program wiped are noticed, and one click puts them back', async () => {
    const whole = read();
    writeFileSync(file, persons);
    const told = toast('hooks are gone from');
    await told.waitFor();
    await picture('hooks-vanished');
    expect(read()).toBe(persons);
    await told.getByRole('button', { name: 'Put Back' }).click();
    await toast('The hooks are back').waitFor();
    expect(read()).toBe(whole);
  });

  test('HKI-5 the doctor sends a test event through what is installed, and finds it in order', async () => {
    await runCommand(page, 'Agent Mascot: Check Hooks');
    await row('a test event through the installed command arrived').waitFor({ timeout: 30_000 });
    await expectPage(row('hooks are in ~/.claude/settings.json')).toBeVisible();
    await picture('hooks-doctor-whole');
    await page.keyboard.press('Escape');
    expect(await workbench.panel(page).getByTestId('mascot').count()).toBe(0);
    await workbench.panel(page).getByRole('button', { name: 'Check Hooks…' }).waitFor();
  });

  test('HKI-6 with everything removed no trace stays, and the panel says that it is off', async () => {
    await runCommand(page, 'Agent Mascot: Remove Everything');
    const dialog = page.locator('.monaco-dialog-box');
    await expectPage(dialog).toContainText('~/.claude/settings.json');
    await picture('hooks-remove');
    await dialog.getByRole('button', { name: 'Remove Everything' }).click();
    await toast('Nothing of Agent Mascot is left').waitFor({ timeout: 30_000 });
    expect([read(), existsSync(workbench.server.mascotHome)]).toEqual([persons, false]);
    await expectPage(workbench.panel(page).getByText('Everything was removed')).toBeVisible();
    await expectPage(workbench.status(page)).toContainText('Off');
    await picture('hooks-removed');
  });
});
