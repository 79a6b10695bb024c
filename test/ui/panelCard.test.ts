import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { seriousFindings } from '../webview/axe.ts';
import { allStates, aSession, aSnapshot, anAgent, englishConfig, minutesAgo, scenes } from '../webview/fixtures.ts';
import { aStory, cardState, castState } from '../webview/fixturesCast.ts';
import type { OpenOptions } from '../webview/harness.ts';
import { focusedId, patch, setVisibility, usePanels } from './panel.testkit.ts';

const panels = usePanels();
const { open, show } = panels;
const send: ReturnType<typeof panels.harness>['send'] = (page, ...messages) => panels.harness().send(page, ...messages);
const posted = (page: Page) => panels.harness().posted(page);

const session = aSession({ id: 's', phaseSince: minutesAgo(3) });
const agent = anAgent({ id: 's/main', sessionId: 's', name: 'Juno' });
const tells = { type: 'story', sessionId: 's1', story: aStory() } as const;

/** The card of a mascot of the five, with its story. */
async function cardOf(agentId: string, options: OpenOptions = {}): Promise<Page> {
  const page = await show(cardState(), options);
  await page.locator(`[data-agent-id="${agentId}"]`).click();
  await send(page, tells);
  return page;
}

function wordsOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

test('UI-3 the card has its mascot, why, what runs, the counts, the tasks, the last steps and the files', async () => {
  const page = await cardOf('s1/main', { width: 480 });
  const card = page.getByTestId('mascot-card');
  expect(wordsOf(await card.getByRole('group').first().innerText())).toBe(
    'Juno Handing over: Measure the parser 1 min Working · 2 min · by hook ' +
      'Focus terminal Open conversation Open transcript Rename… Pin Hide Copy session ID Explain this state… ' +
      'Where In a terminal Model opus-5 Context 84K of 200K tokens (42%) Tokens 91.4K in, 12.3K out ' +
      'Prompts 3 · Tool calls 41 · Failures 1 ' +
      'Tasks Measure the parser Keep the parsed rows Format only what is in view Write the test ' +
      'Ask for the old browsers ' +
      'Last steps Edited tides/table.ts now Failed: Bash npm test Exit code 1: 2 failed 1 min Answered 2 min ' +
      'Waited for permission: Bash rm -rf build 3 min Waffle: Searched for parseTable\\( 4 min ' +
      'Truffle: Read tides/parse.ts 5 min Truffle: Started Measure the parser 6 min ' +
      'Handed over: Measure the parser 7 min Show 4 more ' +
      'Files tides/table.ts changed tides/parse.ts read tides/format.ts read tides/rows.ts changed ' +
      'tides/view.ts read tides/cache.ts read Show 2 more',
  );
  const jobs = await card
    .locator('.jobs')
    .getByRole('img')
    .evaluateAll((all) => all.map((mark) => mark.getAttribute('aria-label')));
  expect(jobs).toEqual(['done', 'done', 'doing', 'to do', 'failed']);
  expect(await card.getByRole('meter').getAttribute('aria-valuenow')).toBe('42');
  expect(await card.locator('.file').first().getAttribute('title')).toBe('/home/sam/code/harbour/src/tides/table.ts');
  const forms = await card.locator('.step .icon').evaluateAll((all) => all.map((one) => one.getAttribute('data-icon')));
  expect(forms).toEqual(['pencil', 'failed', 'answered', 'halt', 'lens', 'page', 'plus', 'flag']);
});

test('UI-3 the rest of a long list comes by a button, and the keyboard goes on there', async () => {
  const page = await cardOf('s1/main');
  const card = page.getByTestId('mascot-card');
  await card.getByRole('button', { name: 'Show 4 more' }).press('Enter');
  const firstNew = card.locator('.step').nth(8);
  await firstNew.and(page.locator(':focus')).waitFor();
  expect([await card.locator('.step').count(), wordsOf(await firstNew.innerText())]).toEqual([
    12,
    'Looked up example.org/tides 8 min',
  ]);
  await card.getByRole('button', { name: 'Show 2 more' }).click();
  expect(await card.locator('.file').count()).toBe(8);
  expect(await card.getByRole('button', { name: /more$/ }).count()).toBe(0);
});

test('UI-3 the card of a sub-agent tells its own steps and files only', async () => {
  const page = await cardOf('s1/b');
  const card = page.getByTestId('mascot-card');
  expect((await card.locator('.did').allInnerTexts()).map(wordsOf)).toEqual(['Read tides/parse.ts', 'Started']);
  expect(await card.locator('.path').allInnerTexts()).toEqual(['tides/parse.ts']);
  expect(wordsOf(await card.locator('.face').innerText())).toBe(
    'Truffle general-purpose · in the background Reading tides/parse.ts 1 min Job: Measure the parser',
  );
});

test('UI-3 the story is asked for while a card is open, and for no longer', async () => {
  const page = await show(cardState());
  await page.locator('[data-agent-id="s1/main"]').click();
  const card = page.getByTestId('mascot-card');
  const lines = [await card.locator('.quiet').innerText()];
  await send(page, { type: 'story', sessionId: 's2', story: aStory() });
  lines.push(await card.locator('.quiet').innerText());
  await send(page, { type: 'story', sessionId: 's1', story: null });
  lines.push(await card.locator('.quiet').innerText());
  await send(page, { type: 'story', sessionId: 's1', story: { sessionId: 's1', steps: [], files: [] } });
  lines.push(await card.locator('.quiet').innerText());
  expect(lines).toEqual([
    'Looking up the last steps…',
    'Looking up the last steps…',
    'The last steps can’t be told now.',
    'Nothing to tell yet.',
  ]);
  // Another mascot of the same session, then another session, out of sight and back, and closed.
  await page.locator('[data-agent-id="s1/a"]').click();
  await page.locator('[data-agent-id="s2/main"]').click();
  await setVisibility(page, 'hidden');
  await setVisibility(page, 'visible');
  await page.locator('[data-agent-id="s2/main"]').click();
  const asked = (await posted(page)).flatMap((message) => (message.type === 'story' ? [message.sessionId] : []));
  expect(asked).toEqual(['s1', 's2', 's2', null]);
});

test('UI-3 the card of a session that is gone closes', async () => {
  const page = await show(aSnapshot([session], [agent]));
  await page.locator('[data-agent-id="s/main"]').click();
  await send(page, { type: 'snapshot', state: aSnapshot([], [], 2), source: 'live' });
  expect([await page.getByTestId('mascot-card').count(), (await posted(page)).at(-1)]).toEqual([
    0,
    { type: 'story', sessionId: null },
  ]);
});

const actions = [
  ['Focus terminal', 'focusTerminal'],
  ['Open conversation', 'openConversation'],
  ['Open transcript', 'openTranscript'],
  ['Rename…', 'rename'],
  ['Pin', 'pin'],
  ['Hide', 'hide'],
  ['Copy session ID', 'copySessionId'],
] as const;
test('UI-3 UI-7 every action has a name in the narrowest bar, can be reached by Tab in order, and asks for itself', async () => {
  const page = await show(cardState(), { width: 240 });
  await page.locator('[data-agent-id="s1/a"]').click();
  await page.locator('[data-agent-id="s1/a"]').focus();
  const asked: unknown[] = [];
  for (const [name] of actions) {
    await page.keyboard.press('Tab');
    // The head's own button stands before the card, in the order of the keyboard too.
    const button = page.getByTestId('mascot-card').getByRole('button', { name, exact: true });
    await button.and(page.locator(':focus')).waitFor();
    await page.keyboard.press(asked.length % 2 === 0 ? 'Enter' : ' ');
    asked.push((await posted(page)).at(-1));
  }
  expect(asked).toEqual(actions.map(([, action]) => ({ type: 'act', action, sessionId: 's1', agentId: 's1/a' })));
});

test('UI-3 a session without a transcript has no button for it, and one that is chosen as a whole is its main agent’s', async () => {
  const page = await show(scenes[5]());
  await page.getByRole('button', { name: 'Details of orchard' }).click();
  const card = page.getByTestId('mascot-card');
  expect(await card.getByRole('button', { name: 'Open transcript' }).count()).toBe(0);
  expect(await card.getByRole('heading', { level: 3 }).innerText()).toBe('Biscuit');
  await card.getByRole('button', { name: 'Rename…' }).click();
  expect((await posted(page)).at(-1)).toEqual({ type: 'act', action: 'rename', sessionId: 's2', agentId: 's2/main' });
});

test('UI-3 the card of one that waits says what is asked, whole, and not twice', async () => {
  const since = minutesAgo(2);
  const long = `npm test -- ${'--grep login '.repeat(10)}`.trim();
  const asked: string[] = [];
  const page = await show(aSnapshot([session], [agent]));
  await page.locator('[data-agent-id="s/main"]').click();
  const waits = [
    { kind: 'permission', since, tool: 'Bash', target: 'rm -rf build' },
    { kind: 'permission', since, tool: 'Bash', target: long },
    { kind: 'question', since, message: 'Which colour?' },
  ] as const;
  for (const [index, wait] of waits.entries()) {
    await send(page, patch(index + 2, [], [{ ...agent, mood: 'waiting', wait }]));
    asked.push((await page.getByTestId('mascot-card').locator('.asked').allInnerTexts()).join());
  }
  expect(asked).toEqual(['', long, 'Which colour?']);
});

test('AGT-1 what is pinned or hidden can be let go again, and a given name has its own beside it', async () => {
  const state = castState();
  const page = await show(state, {}, { ...englishConfig, showHidden: true });
  await page.locator('[data-agent-id="s3/main"]').click();
  const card = page.getByTestId('mascot-card');
  const pin = card.getByRole('button', { name: 'Pin', exact: true });
  expect([await pin.getAttribute('aria-pressed'), await card.locator('h3').getAttribute('title')]).toEqual([
    'true',
    'Clover',
  ]);
  await pin.click();
  const asked = [(await posted(page)).at(-1)];
  await page.locator('[data-agent-id="s1/a"]').click();
  await card.getByRole('button', { name: 'Show again' }).click();
  asked.push((await posted(page)).at(-1));
  expect(asked).toEqual([
    { type: 'act', action: 'unpin', sessionId: 's3', agentId: 's3/main' },
    { type: 'act', action: 'unhide', sessionId: 's1', agentId: 's1/a' },
  ]);
});

test('UI-3 UI-7 by keyboard: Enter opens the card, Tab goes into it, Escape closes it and comes back', async () => {
  const page = await show(scenes[5]());
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const details = page.getByTestId('mascot-card');
  const label = await details.getByRole('group').first().getAttribute('aria-label');
  const expanded = page.getByRole('button', { name: 'Details of orchard' });
  expect([label, await expanded.getAttribute('aria-expanded')]).toEqual(['Biscuit in orchard', 'true']);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect((await posted(page)).at(-1)).toMatchObject({ type: 'act', action: 'focusTerminal', sessionId: 's2' });
  await page.keyboard.press('Escape');
  expect([await details.count(), await focusedId(page)]).toEqual([0, 's2']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press(' ');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Escape');
  expect([await details.count(), await focusedId(page)]).toEqual([0, 's2/main']);
  await page.keyboard.press(' ');
  await page.keyboard.press(' ');
  expect([await details.count(), await focusedId(page)]).toEqual([0, 's2/main']);
});

test('UI-7 the keyboard gets out of the card at both ends', async () => {
  const page = await cardOf('s1/main');
  await page.locator('[data-agent-id="s1/main"]').focus();
  const way: boolean[] = [];
  const inside = () =>
    page.evaluate(
      () => document.querySelector('mascot-app')?.shadowRoot?.activeElement?.localName === 'session-details',
    );
  for (let presses = 0; presses < 11; presses += 1) {
    await page.keyboard.press('Tab');
    way.push(await inside());
  }
  expect(way).toEqual([...Array<boolean>(10).fill(true), false]);
  await page.locator('[data-agent-id="s1/main"]').focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Shift+Tab');
  expect([await inside(), await focusedId(page)]).toEqual([false, 's1/main']);
});

test('UI-3 the head’s button opens and closes the card by pointer, and the card follows the state', async () => {
  const page = await show(aSnapshot([session], [agent]));
  const button = page.getByRole('button', { name: 'Details of harbour' });
  await button.click();
  await send(page, patch(2, [{ ...session, tasks: [{ id: '1', title: 'Doing first job', status: 'in_progress' }] }]));
  expect(await page.locator('session-details li').innerText()).toBe('Doing first job');
  expect(wordsOf(await page.locator('.head .tasks').innerText())).toBe('0 of 1 tasks · Doing first job');
  await button.click();
  expect(await page.getByTestId('mascot-card').count()).toBe(0);
});

test('UI-3 the host can open a card with its choice', async () => {
  const page = await open();
  await send(page, { type: 'select', agentId: 's1/b', open: true });
  await panels.harness().show(page, englishConfig, cardState());
  expect(await page.getByTestId('mascot-card').getByRole('heading', { level: 3 }).innerText()).toBe('Truffle');
  expect([await focusedId(page), (await posted(page)).at(-1)]).toEqual(['s1/b', { type: 'story', sessionId: 's1' }]);
});

test('UI-3 the editor’s menu is told on which mascot or session it opens', async () => {
  const page = await show(castState(), {}, { ...englishConfig, showHidden: true });
  const context = async () =>
    JSON.parse((await page.locator('mascot-app').getAttribute('data-vscode-context')) ?? '') as unknown;
  const told: unknown[] = [];
  for (const place of ['[data-agent-id="s1/a"]', '[data-agent-id="s3/main"]', '[data-item="session:s2"] h2']) {
    await page.locator(place).click({ button: 'right' });
    told.push(await context());
  }
  await page.locator('.sessions').dispatchEvent('contextmenu');
  told.push(await context());
  const ours = { transcript: false, preventDefaultContextMenuItems: true };
  expect(told).toEqual([
    { mascotSection: 'agent', sessionId: 's1', agentId: 's1/a', pinned: false, hidden: true, ...ours },
    { mascotSection: 'agent', sessionId: 's3', agentId: 's3/main', pinned: true, hidden: false, ...ours },
    { mascotSection: 'session', sessionId: 's2', agentId: 's2/main', pinned: false, hidden: true, ...ours },
    {},
  ]);
});

test('TRN-4 a session that is seen in its transcript only has a calm face, and its card offers to install the hooks', async () => {
  const { sessions, agents } = allStates();
  const seen = agents.map((one) => (one.sessionId === 'unconnected' ? { ...one, mood: 'thinking' as const } : one));
  const page = await show(aSnapshot(sessions, seen));
  const mascot = page.locator('[data-agent-id="unconnected/main"]');
  expect([await mascot.getAttribute('data-mood'), (await mascot.locator('.doing').innerText()).trim()]).toEqual([
    'resting',
    'No word from its hooks',
  ]);
  await mascot.click();
  const install = page.getByTestId('mascot-card').getByRole('button', { name: 'Install Hooks…' });
  await install.click();
  expect((await posted(page)).at(-1)).toEqual({ type: 'installHooks' });
  await page.locator('[data-agent-id="robot/main"]').click();
  expect(await install.count()).toBe(0);
});

test('UI-3 UI-7 axe finds nothing serious in an open card, dark and in high contrast, narrow and wide', async () => {
  for (const theme of ['dark', 'hc-light'] as const) {
    const page = await cardOf('s1/main', { theme, width: 240 });
    expect(await seriousFindings(page), theme).toEqual([]);
    for (const width of [120, 160, 480]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
    }
  }
});
