import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { runCommand } from '../e2e-kit/workbench.mjs';
import type { startWorkbench } from './workbench.testkit.ts';

const root = path.join(import.meta.dirname, '../..');
const forwarder = path.join(root, 'dist/forwarder/forward-to-mascot.mjs');
const program = path.join(import.meta.dirname, 'standInAgent.mjs');

type Workbench = Awaited<ReturnType<typeof startWorkbench>>;

export interface TerminalAgent {
  /** Fires a hook from within the terminal. */
  hook(payload: Record<string, unknown>): void;
  exit(): void;
}

/** Opens another terminal and starts a stand-in for an agent there. */
export async function agentInTerminal(workbench: Workbench, page: Page, name: string): Promise<TerminalAgent> {
  const pipe = path.join(workbench.server.dir, `${name}.pipe`);
  const up = path.join(workbench.server.dir, `${name}.up`);
  execFileSync('mkfifo', [pipe]);
  // Open for both, so that it neither waits for the other end nor ends when that one does.
  const fd = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  await openTerminal(page);
  const words = [process.execPath, program, forwarder, pipe].map((word) => `'${word}'`).join(' ');
  await page.keyboard.type(`touch '${up}'; ${words}`);
  await page.keyboard.press('Enter');
  await expect.poll(() => existsSync(up), { timeout: 30_000 }).toBe(true);
  const write = (line: string) => writeSync(fd, `${line}\n`);
  return {
    hook: (payload) => void write(JSON.stringify(payload)),
    exit() {
      write('exit');
      closeSync(fd);
    },
  };
}

/** Another terminal, which has the focus and takes what is typed. */
export async function openTerminal(page: Page): Promise<void> {
  const before = await page.locator('.terminal-wrapper').count();
  await runCommand(page, 'Terminal: Create New Terminal');
  await expect.poll(() => page.locator('.terminal-wrapper').count(), { timeout: 30_000 }).toBeGreaterThan(before);
  await page.locator('.terminal-wrapper.active .xterm-helper-textarea').first().waitFor({ state: 'attached' });
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.classList.contains('xterm-helper-textarea') ?? false), {
      timeout: 30_000,
    })
    .toBe(true);
}

/** Which terminal is in front, counted from 0 in the order in which they were opened. */
export function activeTerminal(page: Page): Promise<number> {
  return page
    .locator('.terminal-wrapper')
    .evaluateAll((wrappers) => wrappers.findIndex((wrapper) => wrapper.classList.contains('active')));
}
