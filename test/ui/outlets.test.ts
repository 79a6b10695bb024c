import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest';
import { recording } from '../../src/domain/recordings.testkit.ts';
import { runCommand } from '../e2e-kit/workbench.mjs';
import { binaries, PASSWORD, type Postgres, startPostgres } from '../process/postgres.testkit.ts';
import { expect as expectPage } from './expectPage.testkit.ts';
import { filesWith, type Receiver, startReceiver } from './outlets.testkit.ts';
import { startWorkbench } from './workbench.testkit.ts';

const pictures = path.join(import.meta.dirname, '../../test-results/outlets');
const SIGNING = 'orchard-lantern-river';
const TOKEN = ['ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
const SESSION = '77d4bc49-9a1e-487e-a22a-33de9c4eb301';

const hasPostgres = binaries !== undefined;
if (!hasPostgres) console.warn('SNK-1: no PostgreSQL on this machine, so nobody connects one in the editor.');

// One window for all scenes; each makes for itself what it begins with, so that a failed one takes no other with it.
describe('what leaves this machine, as a person sets it up and looks at it', () => {
  let workbench: Awaited<ReturnType<typeof startWorkbench>>;
  let receiver: Receiver;
  let page: Page;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    receiver = await startReceiver(SIGNING);
    workbench = await startWorkbench({ theme: 'dark' });
    page = await workbench.window('alpha');
    await page.getByRole('button', { name: /^Sessions Section/ }).click();
  });
  afterAll(async () => {
    await workbench?.stop();
    await receiver?.stop();
  });
  beforeEach(async ({ task }) => {
    onTestFailed(async () => void (await picture(`failed ${task.name.slice(0, 60).replaceAll(/\W+/g, '-')}`)));
    receiver.refuse(false);
    // Whatever question an earlier scene has left open.
    for (const open of [quickInput(), dialog()]) if (await open.isVisible()) await page.keyboard.press('Escape');
  });

  const picture = (name: string) => page.screenshot({ path: path.join(pictures, `${name}.png`) });
  const run = (title: string, category = 'Agent Mascot: ') => runCommand(page, `${category}${title}`);
  const quickInput = () => page.locator('.quick-input-widget');
  const row = (text: string) => quickInput().locator('.monaco-list-row', { hasText: text }).first();
  const typed = () => quickInput().locator('.quick-input-box input');
  const toast = (text: string | RegExp) => page.locator('.notification-toast', { hasText: text }).first();
  const dialog = () => page.locator('.monaco-dialog-box');
  const preview = () => workbench.preview(page).locator('body');
  const session = (name: string | RegExp) =>
    page.getByRole('tree', { name: /Sessions/ }).getByRole('treeitem', { name });

  async function answer(prompt: string, text: string): Promise<void> {
    await expectPage(quickInput()).toContainText(prompt);
    await typed().fill(text);
    await typed().press('Enter');
  }

  /** A turn of a session of its own. */
  async function turn(id: string, reply: string): Promise<void> {
    for (const hook of [
      { hook_event_name: 'SessionStart', source: 'startup' },
      { hook_event_name: 'UserPromptSubmit', prompt: `Ask ${id}` },
      { hook_event_name: 'Stop', last_assistant_message: reply },
    ]) {
      await workbench.hook({ session_id: id, cwd: `/home/dev/${id}`, ...hook });
    }
  }

  const takenOf = (id: string) => receiver.taken.filter((each) => each.session === id);
  const told = (id: string) => takenOf(id).map(({ kind, text }) => `${kind}: ${text}`);

  test('RLY-1 off by default: a session before the set-up is told to nobody', async () => {
    await turn('before', 'Nobody hears this.');
    await session(/before/).waitFor();
    await run('Preview What Would Be Sent');
    await row('before').click();
    await expectPage(preview()).toContainText('The chat relay is off: nothing is sent.');
    await expectPage(preview()).toContainText('Nobody hears this.');
    await picture('preview-off');
  });

  let isRelayOn = false;
  async function turnRelayOn(): Promise<void> {
    if (isRelayOn) return;
    await run('Set Up Chat Relay…');
    await row('Any webhook').click();
    await answer('The URL that is posted to', receiver.url);
    await answer('A secret to sign with', SIGNING);
    await dialog().getByRole('button', { name: 'Turn On' }).click();
    await toast('The chat relay is on').waitFor();
    isRelayOn = true;
  }

  test('RLY-1 a webhook is set up with a URL and a secret, and a test message tells whether it works', async () => {
    await turn('unsent', 'Nobody hears this.');
    await session(/unsent/).waitFor();
    await run('Set Up Chat Relay…');
    await expectPage(row('Discord, by a bot')).toBeVisible();
    await picture('relay-targets');
    await row('Any webhook').click();
    await answer('The URL that is posted to', 'http://example.com/hook');
    await expectPage(quickInput()).toContainText('This is no URL');
    await picture('relay-url-wrong');
    await typed().fill(receiver.url);
    await typed().press('Enter');
    await answer('A secret to sign with', SIGNING);
    await expectPage(dialog()).toContainText('Turn the chat relay on?');
    await picture('relay-question');
    await dialog().getByRole('button', { name: 'Show What Would Be Sent' }).click();
    await expectPage(preview()).toContainText('Nobody hears this.');
    expect(receiver.taken).toEqual([]);
    await row('Turn On').click();
    await toast('The chat relay is on').waitFor();
    isRelayOn = true;
    await picture('relay-on');
    await toast('The chat relay is on').getByRole('button', { name: 'Send Test Message' }).click();
    await toast('The test message arrived').waitFor();
    await picture('relay-test');
    expect(receiver.taken.map(({ kind, isSigned }) => [kind, isSigned])).toEqual([['test', true]]);
  });

  test('RLY-1 RLY-3 a recorded session: its permission and its reply arrive signed, masked, in order and once', async () => {
    await turnRelayOn();
    const { hooks } = recording('claude/2.1.327/interactive-permission.jsonl');
    const waits = hooks.findIndex(({ event }) => event === 'PermissionRequest');
    const replies = hooks.findIndex(({ event }) => event === 'Stop');
    for (const { payload } of hooks.slice(0, waits + 1)) await workbench.hook(payload);
    // Sent when it has been open for five seconds.
    await expect.poll(() => takenOf(SESSION).length).toBe(2);
    for (const { payload, event } of hooks.slice(waits + 1, replies + 1)) {
      const reply = `Permission handled: <b>${TOKEN}</b> & done.`;
      await workbench.hook(event === 'Stop' ? { ...payload, last_assistant_message: reply } : payload);
    }
    await expect.poll(() => takenOf(SESSION).length).toBe(3);
    for (const { payload } of hooks.slice(replies + 1)) await workbench.hook(payload);
    await expect.poll(() => told(SESSION).at(-1)).toMatch(/^ended/);
    // On a slow machine the line that the session works may go before what makes it needless.
    expect(told(SESSION).filter((line) => !line.startsWith('phase'))).toEqual([
      'started: 👋 A Claude Code session in project',
      'permission: 🔐 Needs your permission: Bash `touch needs-permission.txt &amp;&amp; mkdir -p zz &amp;&amp; echo made`',
      'reply: Permission handled: &lt;b&gt;«masked:github-token»&lt;/b&gt; &amp; done.',
      'ended: 🏁 The session ended',
    ]);
    const taken = takenOf(SESSION);
    expect([taken.every(({ isSigned }) => isSigned), new Set(taken.map(({ key }) => key)).size]).toEqual([
      true,
      taken.length,
    ]);
  });

  test('RLY-1 RLY-3 what was sent stands in the session’s tooltip, and the preview shows the very words', async () => {
    await turnRelayOn();
    await turn('orchard', 'The gate is **mended**.');
    await expect.poll(() => told('orchard')).toContain('reply: The gate is **mended**.');
    const hover = page.locator('.workbench-hover', { hasText: 'Chat: reply sent' });
    // A change of the tree takes the tooltip away, and what is noted after an answer is in the next one.
    const look = async () => {
      await page.getByRole('button', { name: /^Work Items/ }).hover();
      await session(/orchard/).hover();
      return hover.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    };
    await expect.poll(look).toBe(true);
    await expectPage(hover).toContainText('Chat: start of the session sent');
    await picture('receipts');
    await session(/orchard/).click({ button: 'right' });
    // A menu hears no click in its first tenth of a second.
    await page.getByRole('menuitem', { name: 'Preview What Would Be Sent' }).hover();
    await page.keyboard.press('Enter');
    await expectPage(preview()).toContainText('The gate is **mended**.');
    await expectPage(preview()).toContainText('Any webhook');
    await picture('preview');
  });

  test('RLY-2 what was refused waits over a reload of the window and comes once; nothing else comes again', async () => {
    await turnRelayOn();
    const former = workbench.portFile()?.instance;
    const before = receiver.taken.length;
    receiver.refuse(true);
    await turn('harbour', 'The boat is in.');
    await expect.poll(() => receiver.refused()).toBeGreaterThan(0);
    await page.reload();
    await expect.poll(() => workbench.portFile()?.instance, { timeout: 30_000 }).not.toBe(former);
    receiver.refuse(false);
    await expect.poll(() => told('harbour'), { timeout: 30_000 }).toContain('reply: The boat is in.');
    await turn('meadow', 'The hay is dry.');
    await expect.poll(() => told('meadow')).toContain('reply: The hay is dry.');
    const rest = receiver.taken.slice(before).filter(({ kind }) => kind !== 'phase');
    expect(rest.map(({ session: id, kind }) => `${id} ${kind}`)).toEqual([
      'harbour started',
      'harbour reply',
      'meadow started',
      'meadow reply',
    ]);
  });

  test('RLY-1 turned off, nothing is sent; what was said before the set-up never was', async () => {
    await turnRelayOn();
    await run('Turn Chat Relay Off');
    await toast('The chat relay is off').getByRole('button', { name: 'Delete Them' }).click();
    isRelayOn = false;
    const before = receiver.taken.length;
    await turn('after', 'Nobody hears this either.');
    await session(/after/).waitFor();
    expect([receiver.taken.length - before, takenOf('before'), takenOf('after')]).toEqual([0, [], []]);
  });

  describe.skipIf(!hasPostgres)('SNK-1 the team’s database', () => {
    let postgres: Postgres;
    let url = '';
    beforeAll(async () => {
      postgres = await startPostgres();
      url = await postgres.database('team');
    });
    afterAll(() => postgres?.[Symbol.asyncDispose]());

    const rowsOf = async (id: string) =>
      (await postgres.query(url, 'SELECT 1 FROM agent_mascot.interactions WHERE session_id = $1', [id])).length;
    const tables = ['machines', 'sessions', 'interactions', 'session_events', 'work_items'];
    const rowsThere = () =>
      postgres.query(url, tables.map((table) => `SELECT machine_id FROM agent_mascot.${table}`).join(' UNION ALL '));
    const connect = async (to: string) => {
      await run('Connect a Team Database…');
      await answer('The URL of your team’s PostgreSQL', to);
    };
    let isConnected = false;
    /** Resolves to the notice of the team database's status once that says this; a status is told as of its moment only. */
    async function statusThat(says: string) {
      const wanted = toast(says);
      await expect
        .poll(async () => {
          await run('Team Database Status');
          await toast(/can’t be reached|machines: \d/).waitFor();
          return wanted.isVisible();
        })
        .toBe(true);
      return wanted;
    }
    /** Resolves once this session's first prompt and reply are in the team's database. */
    async function copied(id: string): Promise<void> {
      await postgres.start();
      if (!isConnected) {
        await connect(url);
        await dialog().getByRole('button', { name: 'Copy from Now On' }).click();
        await toast('copies to the team database').waitFor();
        isConnected = true;
      }
      await turn(id, 'For the team.');
      await expect.poll(() => rowsOf(id), { timeout: 30_000 }).toBe(2);
    }

    test('SNK-1 a wrong port gets an error that says what to do, and nothing is kept', async () => {
      await connect(url.replace(`:${postgres.port}/`, ':1/'));
      await toast('can’t be reached').waitFor();
      await picture('team-wrong-port');
      await toast('can’t be reached').getByRole('button', { name: 'Try Again…' }).click();
      await expectPage(quickInput()).toContainText('The URL of your team’s PostgreSQL');
      await typed().press('Escape');
      await quickInput().waitFor({ state: 'hidden' });
      await run('Team Database Status');
      await toast('No team database is connected').waitFor();
    });

    test('SNK-1 nothing goes there before the last yes, and then what is stored already does', async () => {
      await turn('stored', 'Said before.');
      await connect(url);
      await expectPage(dialog()).toContainText('Copy what Agent Mascot stores to');
      await picture('team-question');
      await dialog().getByRole('button', { name: 'Show What Would Be Sent' }).click();
      await expectPage(preview()).toContainText('agent_mascot.interactions');
      await expectPage(quickInput()).toContainText('Don’t Copy');
      await picture('team-preview');
      expect(await postgres.query(url, `SELECT 1 FROM pg_namespace WHERE nspname = 'agent_mascot'`)).toEqual([]);
      await row('Copy from Now On').click();
      await toast('copies to the team database').waitFor();
      isConnected = true;
      await expect.poll(() => rowsOf('stored').catch(() => 0), { timeout: 30_000 }).toBe(2);
      await expectPage(await statusThat('up to date')).toContainText('machines: 1');
      await picture('team-status');
    });

    test('SNK-1 while the server is away nothing is lost, and it arrives when it is back', async () => {
      await copied('away');
      await postgres.kill();
      await turn('away', 'Said while it was away.');
      await statusThat('can’t be reached');
      await picture('team-away');
      await postgres.start();
      await expect.poll(() => rowsOf('away'), { timeout: 30_000 }).toBe(4);
    });

    test('SNK-1 CNV-4 a session that is deleted in the editor is deleted there', async () => {
      await copied('kept');
      await copied('deleted');
      await run('Delete This Session…');
      await typed().fill('deleted');
      await expectPage(page.locator('.quick-input-list .monaco-list-row.focused')).toContainText('deleted');
      await typed().press('Enter');
      await dialog().getByRole('button', { name: 'Delete Session' }).click();
      await expect.poll(() => rowsOf('deleted'), { timeout: 30_000 }).toBe(0);
      expect(await rowsOf('kept')).toBe(2);
    });

    test('SNK-1 RLY-1 passwords, tokens and URLs are in no file, no log and no setting', async () => {
      await turnRelayOn();
      await copied('secrets');
      await workbench.hook({ session_id: 'secrets', hook_event_name: 'UserPromptSubmit', prompt: `Use ${TOKEN}` });
      await run('Copy Diagnostics');
      await toast('copied').waitFor();
      const texts = [PASSWORD, encodeURIComponent(PASSWORD), 'T0PSECRETPATH', SIGNING, TOKEN];
      const clipboard = await page.evaluate(() => navigator.clipboard.readText());
      const found = texts.filter((text) => clipboard.includes(text));
      expect([filesWith(workbench.server.dir, texts), found]).toEqual([[], []]);
    });

    test('SNK-1 disconnected with its rows, nothing of this machine is left there, nor comes again', async () => {
      await copied('disconnected');
      await run('Disconnect the Team Database');
      await expectPage(dialog()).toContainText('Stop copying to the team database?');
      await picture('team-disconnect');
      await dialog().getByRole('button', { name: 'Stop, Delete the Rows' }).click();
      await toast('rows were deleted').waitFor();
      isConnected = false;
      await turn('late', 'Not for the team.');
      await expect.poll(() => workbench.ask('/api/sessions/late').then(({ status }) => status)).toBe(200);
      expect(await rowsThere()).toEqual([]);
    });
  });
});
