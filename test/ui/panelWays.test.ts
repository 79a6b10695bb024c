import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Agent, Session } from '../../src/protocol/state.ts';
import { aSession, aSnapshot, anAgent, crowded, englishConfig, minutesAgo, scenes } from '../webview/fixtures.ts';
import { aStory, cardState, castScenes, castState } from '../webview/fixturesCast.ts';
import { agentIds, focusedId, patch, usePanels } from './panel.testkit.ts';

const panels = usePanels();
const { show } = panels;
const send: ReturnType<typeof panels.harness>['send'] = (page, ...messages) => panels.harness().send(page, ...messages);
const posted = (page: Page) => panels.harness().posted(page);

const session = aSession({ id: 's', phaseSince: minutesAgo(3) });
const agent = anAgent({ id: 's/main', sessionId: 's', name: 'Juno' });
const asks = { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'npm test' } as const;
const waiting = { phase: 'waiting_permission', phaseBecause: asks, phaseSince: minutesAgo(0) } as const;

/** Many sessions of one agent, more than there is room for. */
function row(count: number, changes: Partial<Session> = {}) {
  const sessions = Array.from({ length: count }, (_, index) =>
    aSession({ id: `s${index}`, project: `/p/project${index}`, startedAt: minutesAgo(60 - index), ...changes }),
  );
  return aSnapshot(
    sessions,
    sessions.map(({ id }) => anAgent({ id: `${id}/main`, sessionId: id })),
  );
}

async function isInView(page: Page, selector: string): Promise<boolean> {
  const box = await page.locator(selector).first().boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

const hasFocus = (page: Page) => page.evaluate(() => document.activeElement?.localName);
const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test('UI-2 who begins to wait out of view while the order is held is told at the edge, one click away', async () => {
  const state = row(9);
  const page = await show(state, { height: 400 });
  await page.locator('[data-agent-id="s0/main"]').hover();
  const line = page.getByRole('button', { name: '1 waiting for you' });
  expect(await line.count()).toBe(0);
  await send(page, patch(2, [{ ...state.sessions[7]!, ...waiting }]));
  await line.waitFor();
  expect([(await agentIds(page))[0], await isInView(page, '.waiting'), (await line.innerText()).at(-1)]).toEqual([
    's0/main',
    true,
    '↓',
  ]);
  await line.press('Enter');
  await line.waitFor({ state: 'detached' });
  expect([await focusedId(page), await isInView(page, '[data-session-id=s7] > .head')]).toEqual(['s7', true]);
});

test('UI-2 a wait that the filter leaves out is told and shown by one click', async () => {
  for (const name of ['away', 'elsewhere'] as const) {
    const { state, after } = castScenes[name]();
    const page = await show(state);
    await send(page, ...after);
    await page.getByTestId('rest').getByRole('button', { name: '1 waiting for you' }).click();
    await page.locator('[data-item="session:s2"]').and(page.locator(':focus')).waitFor();
    expect((await posted(page)).at(-1)).toEqual({ type: 'filter', filter: 'all' });
  }
});

test('UI-3 the card opens below whom it is of, with both in view, and Escape comes back to it', async () => {
  const page = await show(cardState(), { height: 520 });
  const chosen = page.locator('[data-agent-id="s1/main"]');
  await chosen.focus();
  await page.keyboard.press('Enter');
  await send(page, { type: 'story', sessionId: 's1', story: aStory() });
  const above = await page
    .getByTestId('mascot-card')
    .evaluate((card) => [
      card.previousElementSibling?.getAttribute('data-agent-id'),
      Math.round(card.getBoundingClientRect().width - (card.parentElement?.getBoundingClientRect().width ?? 0)),
    ]);
  expect(above).toEqual(['s1/main', 0]);
  const seen = () => Promise.all(['[data-agent-id="s1/main"]', '.face'].map((place) => isInView(page, place)));
  expect(await seen()).toEqual([true, true]);
  await page.getByTestId('mascot-card').getByRole('button', { name: 'Show 4 more' }).focus();
  await page.keyboard.press('Escape');
  await page.getByTestId('mascot-card').waitFor({ state: 'detached' });
  expect([await focusedId(page), await isInView(page, '[data-agent-id="s1/main"]')]).toEqual(['s1/main', true]);
});

test('UI-3 the open card outlives its page, and comes back without taking the focus', async () => {
  const page = await show(cardState());
  await page.locator('[data-agent-id="s1/b"]').click();
  await page.reload();
  await panels.harness().show(page, englishConfig, cardState());
  const card = page.getByTestId('mascot-card');
  const told = [await card.getByRole('heading', { level: 3 }).innerText(), (await posted(page)).at(-1)];
  expect([...told, await hasFocus(page), await page.evaluate(() => scrollY)]).toEqual([
    'Truffle',
    { type: 'story', sessionId: 's1' },
    'body',
    0,
  ]);
  await page.locator('[data-agent-id="s1/b"]').click();
  await page.reload();
  await panels.harness().show(page, englishConfig, cardState());
  expect(await card.count()).toBe(0);
});

test('UI-3 the card of one that left or was hidden closes, and is nobody else’s', async () => {
  const changes: readonly Partial<Agent>[] = [{ present: false }, { hidden: true }];
  for (const change of changes) {
    const page = await show(cardState());
    await page.locator('[data-agent-id="s1/a"]').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('mascot-card').getByRole('button', { name: 'Hide' }).focus();
    const waffle = cardState().agents.find(({ id }) => id === 's1/a')!;
    await send(page, patch(2, [], [{ ...waffle, ...change }]));
    expect([await page.getByTestId('mascot-card').count(), (await posted(page)).at(-1)]).toEqual([
      0,
      { type: 'story', sessionId: null },
    ]);
    expect(await focusedId(page)).toBe('s1/b');
  }
});

test('UI-7 where the focused item goes, the nearest takes the focus over; where none is left, the page', async () => {
  const state = row(3);
  const page = await show(state);
  await page.locator('[data-agent-id="s1/main"]').focus();
  const ended = (index: number) => ({ ...state.sessions[index]!, state: 'completed' as const, phase: null });
  const gone = (index: number) => ({ ...state.agents[index]!, present: false });
  const way: unknown[] = [];
  for (const [revision, index] of [1, 0, 2].entries()) {
    await send(page, patch(revision + 2, [ended(index)], [gone(index)]));
    way.push(await focusedId(page));
  }
  expect([way, await hasFocus(page)]).toEqual([['s0/main', 's2', null], 'mascot-app']);
});

test('UI-7 pinning from its card by keyboard keeps the focus on the button, though the order changes', async () => {
  const page = await show(cardState());
  await page.locator('[data-agent-id="s1/a"]').click();
  const before = await agentIds(page);
  const pin = page.getByTestId('mascot-card').getByRole('button', { name: 'Pin', exact: true });
  await pin.focus();
  const [last] = before.filter((id) => id === 's1/a' || id === 's1/b').slice(-1);
  const one = cardState().agents.find(({ id }) => id === last)!;
  await send(page, patch(2, [], [{ ...one, pinnedAt: minutesAgo(0) }]));
  expect(await agentIds(page)).not.toEqual(before);
  await pin.and(page.locator(':focus')).waitFor();
});

test('UI-2 nothing moves when the time is told, and it is never cut', async () => {
  const runs = (seconds: number) =>
    ({ tool: 'Bash', mood: 'running', target: 'npm test -- --grep login', since: minutesAgo(seconds / 60) }) as const;
  for (const width of [240, 300, 480]) {
    const page = await show(aSnapshot([session], []), { width });
    const heights: unknown[] = [];
    for (const [index, seconds] of [0, 20, 80].entries()) {
      await send(page, patch(index + 2, [], [{ ...agent, mood: 'running', activity: runs(seconds) }]));
      heights.push((await page.getByTestId('mascot').boundingBox())?.height);
    }
    expect(new Set(heights).size, `at ${width}`).toBe(1);
    const took = await page.locator('.took').boundingBox();
    expect((took?.x ?? 0) + (took?.width ?? 0), `at ${width}`).toBeLessThanOrEqual(width);
  }
});

test('UI-6 a long name leaves room for the marks beside it', async () => {
  const state = castState();
  const long = { name: 'A name of sixty characters that somebody gave to this mascot', pinnedAt: minutesAgo(5) };
  for (const width of [240, 320, 480]) {
    const page = await show(
      { ...state, agents: state.agents.map((one) => ({ ...one, ...long, hidden: true })) },
      { width },
      { ...englishConfig, showHidden: true },
    );
    const outside = await page.getByTestId('mascot').evaluateAll((cards) =>
      cards.flatMap((card) => {
        const { right } = card.getBoundingClientRect();
        const marks = [...(card.shadowRoot?.querySelectorAll('.pinned, .veiled') ?? [])];
        return marks.map((mark) => mark.getBoundingClientRect().right <= right && mark.clientWidth > 0);
      }),
    );
    expect([new Set(outside), outside.length, await sideways(page)], `at ${width}`).toEqual([new Set([true]), 10, 0]);
  }
});

test('UI-6 in a crowd no short name is cut, and the buttons stand below each other', async () => {
  const state = row(12);
  for (const width of [200, 240, 300]) {
    const page = await show(state, { width, height: 2000 });
    const shown = await page.locator('.head').evaluateAll((heads) =>
      heads.map((head) => {
        const name = head.querySelector('h2');
        return [
          (name?.scrollWidth ?? 0) > (name?.clientWidth ?? 0),
          head.querySelector('.more')?.getBoundingClientRect().x,
        ];
      }),
    );
    expect([shown.some(([cut]) => cut), new Set(shown.map(([, x]) => x)).size], `at ${width}`).toEqual([false, 1]);
  }
});

test('UI-2 in a crowd sessions of one project are told apart by what they are about', async () => {
  const { sessions, agents } = row(12);
  const twins = sessions.map((one, index) =>
    index < 2 ? { ...one, project: '/p/same', title: `About ${index}` } : { ...one, title: 'Not needed' },
  );
  const page = await show(aSnapshot(twins, agents), { width: 300, height: 2000 });
  const titles = await page
    .locator('.title')
    .evaluateAll((all) => all.filter((title) => title.checkVisibility()).map((title) => title.textContent));
  expect(titles).toEqual(['About 0', 'About 1']);
});

test('UI-2 a question is told by its words, nowhere by the tool that asks it', async () => {
  const question = {
    event: 'agent_blocked',
    source: 'hook',
    tool: 'AskUserQuestion',
    detail: 'Which colour?',
  } as const;
  const wait = { kind: 'question', since: minutesAgo(0), tool: 'AskUserQuestion', message: 'Which colour?' } as const;
  const page = await show(aSnapshot([session], [agent]));
  await send(
    page,
    patch(
      2,
      [{ ...session, ...waiting, phase: 'waiting_question', phaseBecause: question }],
      [{ ...agent, mood: 'asking', wait }],
    ),
  );
  await page.getByTestId('mascot').click();
  expect(await page.locator('[aria-live]').textContent()).toBe('harbour has a question: Which colour?');
  expect(await page.locator('mascot-app').ariaSnapshot()).not.toContain('AskUserQuestion');
  const bar = await page.locator('.asked').evaluate((one) => getComputedStyle(one).borderInlineStartColor);
  const tone = await page.locator('phase-badge svg').evaluate((sign) => getComputedStyle(sign).stroke);
  expect(bar).toBe(tone);
});

test('UI-2 a wait is told once in a row and once in its card', async () => {
  const page = await show(cardState());
  const line = page.locator('[data-agent-id="s2/main"]').locator('div.line');
  expect((await line.innerText()).replace(/\s+/g, ' ')).toBe('Waits for you 3 min');
  await page.locator('[data-agent-id="s2/main"]').click();
  const card = await page.getByTestId('mascot-card').getByRole('group').first().innerText();
  expect(card.split('npm test').length - 1).toBe(1);
});

test('UI-3 the card of a session that has ended offers no terminal', async () => {
  const gone = { state: 'stale', phase: null, endReason: 'process_gone', endedAt: minutesAgo(1) } as const;
  const page = await show(aSnapshot([{ ...session, ...gone }], []));
  await page.getByRole('button', { name: 'Details of harbour' }).click();
  const buttons = page.getByTestId('mascot-card').getByRole('button');
  expect([await buttons.first().innerText(), await buttons.filter({ hasText: 'Focus terminal' }).count()]).toEqual([
    'Open conversation',
    0,
  ]);
});

test('UI-2 who leaves does not make the page scroll sideways', async () => {
  const page = await show(aSnapshot([session], [agent]), { reducedMotion: 'no-preference' });
  await send(page, patch(2, [], [{ ...agent, present: false, mood: 'leaving' }]));
  const widest = await page.getByTestId('mascot').evaluate((card) => {
    const [going] = card.getAnimations();
    going?.pause();
    if (going) going.currentTime = 499;
    return document.documentElement.scrollWidth - document.documentElement.clientWidth;
  });
  expect(widest).toBe(0);
});

test('UI-6 at 200 % zoom no badge is cut, and who waits stands before the introduction', async () => {
  const page = await show(scenes[5](), { width: 130, scale: 2 }, { ...englishConfig, welcome: true });
  const cut = await page
    .locator('phase-badge')
    .evaluateAll((all) =>
      all
        .map((badge) => badge.shadowRoot?.querySelector('span'))
        .filter((one) => one && one.scrollWidth > one.clientWidth),
    );
  const [wait, welcome] = [page.locator('.session.permission'), page.getByTestId('welcome')];
  expect(cut).toEqual([]);
  expect((await wait.boundingBox())!.y).toBeLessThan((await welcome.boundingBox())!.y);
});

test('UI-7 an item tells that it opens a card, and when it has', async () => {
  const page = await show(crowded(3));
  const item = page.locator('[data-agent-id="s/0"]');
  const told = [await item.getAttribute('aria-description')];
  await item.click();
  told.push(await item.getAttribute('aria-description'), await item.getAttribute('aria-current'));
  expect(told).toEqual(['Enter shows its card', 'Its card is open', 'true']);
});
