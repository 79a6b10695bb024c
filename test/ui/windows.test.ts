import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorkbench } from './workbench.testkit.ts';

type Workbench = Awaited<ReturnType<typeof startWorkbench>>;
const pictures = path.join(import.meta.dirname, '../../test-results/windows');
const session = { session_id: 'one', cwd: '/home/dev/project' };

/** What one panel showed, frame by frame. */
interface Seen {
  readonly frames: number;
  readonly fewest: number;
  readonly most: number;
  /** Moods of agent `one/main`, each as long as it stayed. */
  readonly moods: readonly string[];
}

describe('MWN-2 the owner’s extension host is killed', () => {
  let workbench: Workbench;
  let windows: readonly Page[] = [];
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    workbench = await startWorkbench();
    windows = [await workbench.window('alpha'), await workbench.window('beta')];
    const started = { ...session, hook_event_name: 'SessionStart', source: 'startup' };
    for (const payload of [started, { ...session, hook_event_name: 'UserPromptSubmit', prompt: 'Mend the roof' }])
      await workbench.hook(payload);
    for (const window of windows) await mascot(window, 'thinking').waitFor();
  });
  afterAll(() => workbench?.stop());

  const mascot = (window: Page, mood: string) =>
    workbench.panel(window).locator(`[data-testid="mascot"][data-agent-id="one/main"][data-mood="${mood}"]`);

  /** Looks at the panel in every frame until it is told to stop. */
  async function watch(window: Page): Promise<() => Promise<Seen>> {
    const body = workbench.panel(window).locator('body');
    await body.evaluate(() => {
      const seen = { frames: 0, fewest: Infinity, most: 0, moods: [] as string[], stopped: false };
      const mascotsIn = (root: ParentNode): Element[] =>
        [...root.querySelectorAll('*')].flatMap((element) => [
          ...(element.getAttribute('data-testid') === 'mascot' ? [element] : []),
          ...(element.shadowRoot ? mascotsIn(element.shadowRoot) : []),
        ]);
      const see = () => {
        const mascots = mascotsIn(document);
        const mood = mascots[0]?.getAttribute('data-mood') ?? 'none';
        seen.frames++;
        seen.fewest = Math.min(seen.fewest, mascots.length);
        seen.most = Math.max(seen.most, mascots.length);
        if (seen.moods.at(-1) !== mood) seen.moods.push(mood);
      };
      const look = () => {
        see();
        if (!seen.stopped) requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
      Object.assign(globalThis, { seenByTest: Object.assign(seen, { see }) });
    });
    return () =>
      body.evaluate(() => {
        const { seenByTest } = globalThis as unknown as { seenByTest: Seen & { stopped: boolean; see: () => void } };
        seenByTest.stopped = true;
        // What is there by now was put there after the last frame began, and a busy machine draws the next one late.
        seenByTest.see();
        const { frames, fewest, most, moods } = seenByTest;
        return { frames, fewest, most, moods };
      });
  }

  test('MWN-1 UI-2 the window that follows says so, and the one that owns does not', async () => {
    const follows = (window: Page) => window.locator('.pane-header', { hasText: 'via another window' });
    const [first, other] = windows;
    if (!first || !other) throw new Error('there are no two windows');
    await follows(other).waitFor();
    expect(await follows(first).count()).toBe(0);
  });

  test('MWN-2 the other window shows the same agents all the time, takes over and shows what comes', async () => {
    const former = workbench.portFile();
    // The first window was there first.
    const [, other] = windows;
    if (!former || !other) throw new Error('there is no owner to kill');
    const stop = await watch(other);
    const killedAt = performance.now();
    process.kill(former.pid, 'SIGKILL');
    await expect.poll(() => workbench.portFile()?.instance, { interval: 5 }).not.toBe(former.instance);
    const publishedMs = performance.now() - killedAt;
    const answer = await workbench.hook({
      ...session,
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'npm test' },
      tool_use_id: 't1',
    });
    await mascot(other, 'running').waitFor();
    const shownMs = performance.now() - killedAt;
    const seen = await stop();
    await other.screenshot({ path: path.join(pictures, 'taken-over.png') });
    console.log(
      `owner's extension host killed: taken over after ${publishedMs.toFixed(0)} ms, next hook shown after ${shownMs.toFixed(0)} ms, ${seen.frames} frames looked at`,
    );
    const { instance, generation, token } = workbench.portFile() ?? {};
    expect({ ...answer, ...seen, frames: seen.frames > 0 }).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
      frames: true,
      fewest: 1,
      most: 1,
      moods: ['thinking', 'running'],
    });
    expect([instance === former.instance, generation, token === former.token]).toEqual([
      false,
      former.generation + 1,
      false,
    ]);
  });

  test('MWN-1 the killed window’s extensions start again, and it follows the new owner', async () => {
    const [first] = windows;
    if (!first) throw new Error('there is no first window');
    const owner = workbench.portFile()?.instance;
    await mascot(first, 'running').waitFor();
    await workbench.hook({ ...session, hook_event_name: 'Stop', last_assistant_message: 'Done.' });
    for (const window of windows) await mascot(window, 'celebrating').waitFor();
    expect(workbench.portFile()?.instance).toBe(owner);
    await first.screenshot({ path: path.join(pictures, 'follows-again.png') });
  });
});
