import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RecordedHook, recording } from '../../src/domain/recordings.testkit.ts';
import { chooseTheme, runCommand } from '../e2e-kit/workbench.mjs';
import { seriousFindingsAround } from '../webview/axe.ts';
import { expect as expectPage } from './expectPage.testkit.ts';
import { startWorkbench } from './workbench.testkit.ts';

type Workbench = Awaited<ReturnType<typeof startWorkbench>>;
const pictures = path.join(import.meta.dirname, '../../test-results/stage');

/** What the workbench shows of a recorded session after the hook that `upTo` finds. */
interface Scene {
  readonly title: string;
  readonly recording: string;
  readonly upTo: (hook: RecordedHook) => boolean;
  /** What a screen reader finds in the panel. */
  readonly reads: readonly RegExp[];
  readonly moods: readonly string[];
  readonly status: string;
}

const isHook = (name: string) => (hook: RecordedHook) => hook.event === name;

const scenes: readonly Scene[] = [
  {
    title: 'UI-2 STA-2 a permission that is waited for',
    recording: 'claude/2.1.327/interactive-permission.jsonl',
    upTo: isHook('PermissionRequest'),
    reads: [/Needs permission/, /Waiting for permission: Bash/, /May I use Bash\?/],
    moods: ['waiting'],
    status: '1 waiting',
  },
  {
    title: 'UI-2 STA-2 a question to the person',
    recording: 'claude/2.1.327/interactive-ask-user-question.jsonl',
    upTo: isHook('PermissionRequest'),
    reads: [/Has a question/, /Asking you something/],
    moods: ['asking'],
    status: '1 waiting',
  },
  {
    title: 'UI-2 STA-5 a sub-agent that goes on in the background of an ended turn',
    recording: 'claude/2.1.327/interactive-background-subagent.jsonl',
    upTo: isHook('Stop'),
    reads: [/1 in background/, /in the background/, /Your move/],
    moods: ['celebrating', 'resting', 'thinking', 'running', 'arriving', 'reading'],
    status: '1 in background',
  },
  {
    title: 'UI-2 NRM-8 a team-mate beside its leader',
    recording: 'claude/2.1.327/interactive-agent-team.jsonl',
    upTo: isHook('SubagentStart'),
    reads: [/team-mate/],
    moods: ['delegating', 'thinking', 'arriving', 'resting'],
    status: '1 busy',
  },
  {
    title: 'UI-2 STA-5 an API failure ends the turn as failed',
    recording: 'claude/2.1.327/interactive-api-error.jsonl',
    upTo: isHook('StopFailure'),
    reads: [/The turn failed/, /Something went wrong|The service failed/],
    moods: ['hurt', 'resting'],
    status: 'Your move: 1',
  },
  {
    title: 'UI-2 NRM-11 sub-agents of one turn beside their parent',
    recording: 'claude/2.1.327/p-subs.jsonl',
    upTo: isHook('PreToolUse'),
    reads: [/Working/],
    moods: ['delegating', 'thinking', 'reading', 'running', 'searching', 'arriving'],
    status: '1 busy',
  },
  {
    title: 'UI-2 NRM-4 another agent program, Codex',
    recording: 'codex/codex-tui-permission-approve.jsonl',
    upTo: isHook('PermissionRequest'),
    reads: [/Needs permission/],
    moods: ['waiting'],
    status: '1 waiting',
  },
];

describe('every state of the panel in a real workbench, from recorded sessions', () => {
  let workbench: Workbench;
  let page: Page;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbench();
    page = await workbench.window('alpha');
  });
  afterAll(() => workbench?.stop());

  const panel = () => workbench.panel(page);
  const read = async () => (await panel().locator('body').ariaSnapshot()).replace(/\s+/g, ' ');

  async function play({ recording: name, upTo }: Scene): Promise<string> {
    const { hooks } = recording(name);
    const last = hooks.findIndex(upTo);
    expect(last, `${name} has such a hook`).toBeGreaterThan(-1);
    const provider = name.split('/')[0] ?? '';
    for (const { payload, event } of hooks.slice(0, last + 1)) {
      const { code } = await workbench.hook({ ...payload, cwd: '/home/dev/project' }, provider, event);
      expect(code).toBe(0);
    }
    return String(hooks[last]?.payload['session_id']);
  }

  test('UI-2 the first agent ever is introduced, once', async () => {
    const first = { session_id: 'first', cwd: '/home/dev/first' };
    await workbench.hook({ ...first, hook_event_name: 'SessionStart', source: 'startup' });
    const met = panel().getByRole('button', { name: 'Got it' });
    await met.waitFor();
    await page.screenshot({ path: path.join(pictures, 'first.png') });
    await met.click();
    await met.waitFor({ state: 'detached' });
    await workbench.hook({ ...first, hook_event_name: 'SessionEnd', reason: 'other' });
    await panel().getByTestId('empty-state').waitFor();
  });

  for (const scene of scenes) {
    test(`${scene.title}: picture, words for a screen reader, no serious finding`, async () => {
      const session = await play(scene);
      try {
        await expectPage(workbench.status(page)).toContainText(scene.status);
        for (const words of scene.reads) await expect.poll(read, { timeout: 15_000 }).toMatch(words);
        const moods = await panel()
          .getByTestId('mascot')
          .evaluateAll((all) => all.map((mascot) => mascot.getAttribute('data-mood')));
        for (const mood of moods) expect(scene.moods).toContain(mood);
        await page.screenshot({ path: path.join(pictures, `${path.basename(scene.recording, '.jsonl')}.png`) });
        expect(await seriousFindingsAround(panel().locator('body'))).toEqual([]);
      } finally {
        // Else the next scene would have it, too.
        const over = { session_id: session, hook_event_name: 'SessionEnd', reason: 'other' };
        await workbench.hook({ ...over, cwd: '/home/dev/project' });
      }
      await panel().getByTestId('empty-state').waitFor();
    });
  }

  describe('what people do with a mascot', () => {
    const session = { session_id: 'mine', cwd: '/home/dev/mine' };
    const mascot = () => panel().locator('[data-testid="mascot"][data-agent-id="mine/main"]');
    const card = () => panel().getByTestId('mascot-card');
    const openCard = async () => {
      if ((await card().count()) === 0) await mascot().click();
      await card().waitFor();
    };
    const button = (name: string | RegExp) => card().getByRole('button', { name });

    test('AGT-1 UI-3 it is renamed from its card', async () => {
      await workbench.hook({ ...session, hook_event_name: 'SessionStart', source: 'startup' });
      await workbench.hook({ ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Paint the fence' });
      await openCard();
      await button(/Rename/).click();
      const input = page.locator('.quick-input-widget input[type=text]');
      await input.fill('Captain Haddock');
      await page.keyboard.press('Enter');
      await expect.poll(() => mascot().getAttribute('aria-label')).toMatch(/^Captain Haddock/);
    });

    test('AGT-1 UI-3 pinned and hidden from its card, and brought back', async () => {
      await openCard();
      await button('Pin').click();
      await expect.poll(() => button('Pin').getAttribute('aria-pressed')).toBe('true');
      await button('Hide').click();
      await mascot().waitFor({ state: 'detached' });
      await page.screenshot({ path: path.join(pictures, 'hidden.png') });
      await runCommand(page, 'Agent Mascot: Show Hidden Mascots');
      await mascot().waitFor();
      await openCard();
      await button(/Show again|Unhide|Stop hiding/).click();
      await runCommand(page, "Agent Mascot: Don't Show Hidden Mascots");
      await mascot().waitFor();
    });

    test('UI-3 its conversation opens as a document', async () => {
      await workbench.hook({ ...session, hook_event_name: 'Stop', last_assistant_message: 'The fence is *blue* now.' });
      await openCard();
      await button('Open conversation').click();
      await page.locator('.editor-instance .view-lines', { hasText: 'The fence is *blue* now.' }).waitFor();
      await page.screenshot({ path: path.join(pictures, 'conversation.png') });
      await runCommand(page, 'View: Close All Editors');
    });

    test('UI-2 UI-7 the filter leaves out what works in other folders, and says so', async () => {
      await runCommand(page, "Agent Mascot: Show This Window's Agents Only");
      await mascot().waitFor({ state: 'detached' });
      await expect.poll(read).toMatch(/Show all/);
      await page.screenshot({ path: path.join(pictures, 'elsewhere.png') });
      const here = { session_id: 'here', cwd: path.join(workbench.server.dir, 'alpha') };
      await workbench.hook({ ...here, hook_event_name: 'SessionStart', source: 'startup' });
      await panel().locator('[data-testid="mascot"][data-agent-id="here/main"]').waitFor();
      await panel().getByRole('button', { name: 'Show all' }).click();
      await mascot().waitFor();
      await workbench.hook({ ...here, hook_event_name: 'SessionEnd', reason: 'other' });
    });

    test('UI-7 all of it by the keyboard alone', async () => {
      await runCommand(page, 'Agent Mascot: Go to the Agent That Waits Longest');
      await expectPage(mascot()).toBeFocused();
      if ((await card().count()) === 0) await page.keyboard.press('Enter');
      await card().waitFor();
      const seen: string[] = [];
      for (let index = 0; index < 12; index++) {
        await page.keyboard.press('Tab');
        seen.push(
          await panel()
            .locator('body')
            .evaluate(() => {
              let active = document.activeElement;
              while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
              return active?.textContent.trim() || active?.getAttribute('aria-label') || '';
            }),
        );
      }
      expect(seen.join('\n')).toMatch(/Focus terminal[\s\S]*Open conversation[\s\S]*Rename/);
      await mascot().focus();
      await page.keyboard.press('Escape');
      await card().waitFor({ state: 'detached' });
      await expectPage(mascot()).toBeFocused();
    });

    test('UI-6 it looks right in all four themes', async () => {
      const themes = [
        ['dark', 'vscode-dark'],
        ['light', 'vscode-light'],
        ['hcDark', 'vscode-high-contrast'],
        ['hcLight', 'vscode-high-contrast-light'],
      ] as const;
      for (const [theme, wanted] of themes) {
        await chooseTheme(page, theme);
        await expect.poll(() => panel().locator('body').getAttribute('class'), { timeout: 15_000 }).toContain(wanted);
        expect(await seriousFindingsAround(panel().locator('body')), theme).toEqual([]);
        await page.screenshot({ path: path.join(pictures, `theme-${wanted}.png`) });
      }
    });
  });
});

describe('a window in Restricted Mode', () => {
  let workbench: Workbench;
  beforeAll(async () => {
    workbench = await startWorkbench({ restricted: true });
  });
  afterAll(() => workbench?.stop());

  test('UI-9 it works there, and says that nothing of the folder is run', async () => {
    const page = await workbench.window('untrusted');
    const dialog = page.getByRole('button', { name: /don.t trust/i });
    await dialog
      .or(page.locator('.statusbar-item', { hasText: 'Restricted Mode' }))
      .first()
      .waitFor();
    if ((await dialog.count()) > 0) await dialog.click();
    await expect
      .poll(async () => await workbench.panel(page).locator('body').ariaSnapshot(), { timeout: 15_000 })
      .toMatch(/Restricted Mode/);
    await page.screenshot({ path: path.join(pictures, 'restricted.png') });
    await workbench.hook({ session_id: 'r', cwd: '/home/dev/r', hook_event_name: 'SessionStart', source: 'startup' });
    await workbench.panel(page).getByTestId('mascot').waitFor();
  });
});
