import { build } from 'esbuild';
import path from 'node:path';
import { expect, test } from 'vitest';
import { seriousFindings } from '../webview/axe.ts';
import {
  allStates,
  aSession,
  aSnapshot,
  aWorkItem,
  anAgent,
  crowded,
  englishConfig,
  minutesAgo,
  scenes,
} from '../webview/fixtures.ts';
import { tightStyles } from '../../scripts/lib/tightStyles.mjs';
import { findChromium, type OpenOptions } from '../webview/harness.ts';
import { themes, type ThemeName } from '../webview/themes.ts';
import {
  agentIds,
  focusedId,
  patch,
  recordTimers,
  runningAnimations,
  setVisibility,
  timersWaiting,
  usePanels,
} from './panel.testkit.ts';

const panels = usePanels();
const { open, show } = panels;

const session = aSession({ id: 's', phaseSince: minutesAgo(3) });
const agent = anAgent({ id: 's/main', sessionId: 's', name: 'Juno' });

test('UI-2 the panel says it is ready, and shows nothing as empty before it knows', async () => {
  const page = await open();
  expect(await panels.harness().posted(page)).toEqual([{ type: 'ready' }]);
  expect(await page.locator('.page').innerText()).toBe('');
  await panels.harness().send(page, { type: 'config', config: englishConfig });
  expect(await page.getByText('Looking for your agents…').isVisible()).toBe(true);
  expect(await page.getByTestId('empty-state').count()).toBe(0);
});

test('UI-2 with no agent it tells what to do next, and the button asks for it', async () => {
  const page = await show(scenes[0]());
  await page.getByTestId('empty-state').getByRole('button', { name: 'Install Hooks…' }).click();
  expect(await panels.harness().posted(page)).toEqual([{ type: 'ready' }, { type: 'installHooks' }]);
});

test('UI-2 where hooks are installed the empty panel says what comes next, and offers to check them', async () => {
  const page = await show(scenes[0](), {}, { ...englishConfig, installed: true });
  const empty = page.getByTestId('empty-state');
  expect(await empty.getByText('Start an agent in any terminal').isVisible()).toBe(true);
  expect(await empty.getByRole('button').count()).toBe(1);
  await empty.getByRole('button', { name: 'Check Hooks…' }).click();
  expect((await panels.harness().posted(page)).at(-1)).toEqual({ type: 'checkHooks' });
});

test('UI-2 an agent is shown with name, mood, activity, what it says, and its session’s phase', async () => {
  const page = await show(scenes[1]());
  const mascot = page.getByTestId('mascot');
  await mascot.waitFor();
  expect(await mascot.getAttribute('data-mood')).toBe('writing');
  expect(await mascot.getAttribute('data-phase')).toBe('busy');
  expect(await mascot.getByText('Editing tides/table.ts').isVisible()).toBe(true);
  expect(await mascot.getByText('The table is parsed again').isVisible()).toBe(true);
  expect(await page.getByTestId('phase').textContent()).toBe('Working');
  expect(await page.getByText('4 min', { exact: true }).isVisible()).toBe(true);
});

test('UI-7 mascots are items of a list, and each has a name that tells all', async () => {
  const page = await show(scenes[5]());
  const tree = await page.locator('mascot-app').ariaSnapshot();
  expect(tree).toContain('list "Coding agents"');
  expect(tree).toContain(
    'listitem "orchard: Needs permission, Bash npm test -- --grep login, 3 min, Find out why the login test is flaky, by hook"',
  );
  expect(tree).toContain('list "Agents of orchard"');
  expect(tree).toContain('listitem "Biscuit, Waiting for permission: Bash npm test -- --grep login, 3 min"');
  expect(tree).toContain('listitem "Waffle, Explore, Job: Find who parses the table, Searching for parseTable');
  expect(await agentIds(page)).toEqual(
    ['s2/main', 's1/main', 's1/b', 's1/a', 's3/main'].sort((a, b) => order(a) - order(b)),
  );

  function order(id: string): number {
    return ['s2/main', 's1/main', 's1/a', 's1/b', 's3/main'].indexOf(id);
  }
});

test('UI-7 one Tab reaches the list, arrows move in it and in its tree, Home and End jump', async () => {
  const page = await show(scenes[5]());
  await page.keyboard.press('Tab');
  const way: (string | null | undefined)[] = [await focusedId(page)];
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'End', 'Home']) {
    await page.keyboard.press(key);
    way.push(await focusedId(page));
  }
  expect(way).toEqual(['s2', 's2/main', 's1', 's1/main', 's1/a', 's1/main', 's1', 's3/main', 's2']);
  const stops = await page
    .locator('[data-item]')
    .evaluateAll((items) => items.filter((item) => item.getAttribute('tabindex') === '0').length);
  expect(stops).toBe(1);
});

test('UI-7 the focus is seen', async () => {
  const page = await show(scenes[1]());
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  const outline = await page.getByTestId('mascot').evaluate((card) => getComputedStyle(card).outline);
  expect(outline).toContain('rgb(0, 120, 212)');
});

test('UI-4 the host can select a mascot: it is scrolled to and focused, also when it comes later', async () => {
  const page = await open({ height: 300 });
  await panels.harness().send(page, { type: 'select', agentId: 's9/3' });
  await panels.harness().show(page, englishConfig, scenes[40]());
  expect(await focusedId(page)).toBe('s9/3');
  await page.locator('[data-agent-id="s9/3"]').evaluate((card) => {
    const { top, bottom } = card.getBoundingClientRect();
    if (top < 0 || bottom > innerHeight) throw new Error(`out of view: ${top} to ${bottom} of ${innerHeight}`);
  });
});

test('UI-7 one polite live region speaks phase changes, and only changes', async () => {
  const page = await show(aSnapshot([session], [agent]));
  const region = page.locator('[aria-live]');
  expect(await region.count()).toBe(1);
  expect(await region.getAttribute('aria-live')).toBe('polite');
  expect(await region.textContent()).toBe('');
  const because = { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'npm test' } as const;
  await panels
    .harness()
    .send(
      page,
      patch(2, [{ ...session, phase: 'waiting_permission', phaseBecause: because, phaseSince: minutesAgo(0) }]),
    );
  expect(await region.textContent()).toBe('harbour needs your permission: Bash npm test');
});

test('UI-2 a failed turn is told with its reason, on the badge, beside it and aloud', async () => {
  const page = await show(aSnapshot([session], [agent]));
  const because = { event: 'turn_ended', source: 'hook', detail: 'rate_limit', failure: 'rate_limit' } as const;
  const failed = { ...session, phase: 'interactable', phaseBecause: because, phaseSince: minutesAgo(0) } as const;
  await panels.harness().send(page, patch(2, [failed], [{ ...agent, mood: 'hurt' }]));
  expect(await page.getByTestId('phase').textContent()).toBe('The turn failed');
  expect(await page.locator('.cause').textContent()).toBe('The service is busy: rate limit');
  expect(await page.locator('[aria-live]').textContent()).toBe(
    'harbour: The turn failed. The service is busy: rate limit',
  );
});

const heads: readonly (readonly [string, string, string | null])[] = [
  ['team', 'team Your move 2 min 2 in background sonnet-5 Context 91%', 'Your move · 2 min · by hook'],
  ['stopped', 'stopped Interrupted 2 min', 'Interrupted · 2 min · from the transcript'],
  ['corrected', 'corrected Needs permission 2 min', 'Needs permission · 2 min · from the agent’s own status'],
  [
    'limited',
    'limited The turn failed The service is busy: rate limit 2 min',
    'The turn failed · The service is busy: rate limit · 2 min · by hook',
  ],
  ['sleeper', 'sleeper Asleep for 20 min 45.2K tokens in context', 'Asleep · for 20 min · inferred'],
  ['killed', 'killed Its process is gone 1 min', 'Its process is gone · 1 min · from its process'],
  ['unconnected', 'unconnected Seen in transcript only', 'Seen in transcript only'],
  ['overheard', 'overheard Working 2 min Seen in transcript only', 'Working · 2 min · from the agent’s own status'],
  ['robot', 'robot Working 2 min', 'Working · 2 min · by hook'],
];

test('STA-3 SES-3 TRN-4 every state is told with its cause, its duration and, on hover, all of it with its source', async () => {
  const { sessions, agents } = allStates();
  const page = await open();
  const shown: unknown[] = [];
  // One by one: with all of them there is room for one line each.
  for (const [id] of heads) {
    const mine = sessions.filter((one) => one.id === id);
    await panels.harness().show(
      page,
      englishConfig,
      aSnapshot(
        mine,
        agents.filter(({ sessionId }) => sessionId === id),
      ),
    );
    const head = page.locator('.head');
    const text = (await head.innerText()).replace(/[\s·]+/g, ' ').trim();
    shown.push([id, text, await head.getByTestId('phase').getAttribute('title')]);
  }
  expect(shown).toEqual(heads);
});

test('SES-2 where a session runs is told by a sign with a name', async () => {
  const page = await show(allStates());
  const signs = page.locator('.surface');
  const told = await signs.evaluateAll((all) =>
    all.map((sign) => `${sign.getAttribute('data-surface')}: ${sign.getAttribute('title')}`),
  );
  expect([...new Set(told)].sort()).toEqual([
    'headless: Headless: nobody is asked anything',
    'panel: In an editor’s panel',
    'terminal: In a terminal',
  ]);
  expect(await page.locator('[data-session-id=unconnected] .surface').count()).toBe(0);
});

test('UI-1 GRD-1 a session’s head says in one line which work item it works for, and nothing where none runs', async () => {
  const title = `Mend <b>the net</b> before the ${'very '.repeat(20)}next storm`;
  const state = { ...scenes[5](), workItems: [aWorkItem({ id: 'net', title })] };
  const page = await show(state, { width: 240 });
  const line = page.locator('[data-session-id=s1]').getByTestId('work');
  expect(await page.getByTestId('work').count()).toBe(1);
  expect(await line.getAttribute('aria-label')).toBe(`Work item: ${title}`);
  expect((await line.textContent())?.trim()).toBe(title);
  const oneLine = await line.evaluate((element) => {
    const { lineHeight, textOverflow } = getComputedStyle(element);
    const isCut = element.scrollWidth > element.clientWidth && textOverflow === 'ellipsis';
    return isCut && element.clientHeight < 2 * parseFloat(lineHeight);
  });
  expect(oneLine).toBe(true);
  expect(await seriousFindings(page)).toEqual([]);
  expect(await page.locator('section[data-session-id=s1]').getAttribute('aria-label')).toContain(`Work item: ${title}`);
  const ended = { revision: 2, sessions: [], agents: [], removedSessions: [], removedAgents: [], events: [] };
  await panels.harness().send(page, {
    type: 'patch',
    patch: { ...ended, workItems: [], removedWorkItems: ['harbour/net'] },
  });
  await expect.poll(() => page.getByTestId('work').count()).toBe(0);
});

test('AGT-1 sub-agents stand below their parents, nested ones further in, with marks for team-mates and the background', async () => {
  const { sessions, agents } = allStates();
  const page = await show(
    aSnapshot(
      sessions.filter(({ id }) => id === 'team'),
      agents.filter(({ sessionId }) => sessionId === 'team'),
    ),
    { width: 360 },
  );
  const rows = await page
    .getByTestId('mascot')
    .evaluateAll((cards) =>
      cards.map((card) => [
        card.getAttribute('data-agent-id'),
        card.getAttribute('aria-level'),
        Math.round(card.getBoundingClientRect().left - (cards[0]?.getBoundingClientRect().left ?? 0)),
        card.shadowRoot?.querySelector('.kind')?.textContent ?? '',
        card.shadowRoot?.querySelector('.job')?.textContent ?? '',
      ]),
    );
  expect(rows).toEqual([
    ['team/main', '2', 0, '', ''],
    ['team/lead', '3', 46, 'Plan · in the background', 'Split the work'],
    ['team/deep', '4', 92, 'sub-agent', 'Fake sub job'],
    ['team/deeper', '5', 138, 'Explore', ''],
    ['team/deep2', '4', 92, 'sub-agent', ''],
    ['team/rex', '3', 46, 'team-mate · reviewer', ''],
  ]);
});

test('UI-8 of 200 agents only the one that changed is drawn again', async () => {
  const { sessions, agents } = crowded(200);
  const page = await show(aSnapshot(sessions, agents), { width: 480 });
  await page.evaluate(() => {
    const prototype = customElements.get('mascot-card')?.prototype as { render: () => unknown };
    const draw = prototype.render;
    const drawn: string[] = [];
    Object.assign(window, { drawn });
    prototype.render = function (this: HTMLElement) {
      drawn.push(this.dataset['agentId'] ?? '');
      return draw.call(this);
    };
  });
  const changed = { ...agents[150]!, mood: 'running' as const };
  await panels.harness().send(page, patch(2, [{ ...sessions[0]!, lastEventAt: minutesAgo(0) }], [changed]));
  expect(await agentIds(page)).toHaveLength(200);
  expect(await page.evaluate('drawn')).toEqual(['s/150']);
});

test('UI-7 a correction is spoken once, whoever tells it again', async () => {
  const page = await show(aSnapshot([session], [agent]));
  const region = page.locator('[aria-live]');
  const stopped = {
    ...session,
    phase: 'interactable',
    phaseBecause: { event: 'turn_ended', source: 'transcript', detail: 'interrupted' },
    phaseSince: minutesAgo(0),
  } as const;
  await panels.harness().send(page, patch(2, [stopped]));
  const spoken = await region.textContent();
  await panels.harness().send(page, patch(3, [{ ...stopped, phaseBecause: { event: 'turn_ended', source: 'hook' } }]));
  expect([spoken, await region.textContent()]).toEqual(Array(2).fill('harbour: the turn was interrupted, your move'));
});

test('UI-7 a burst of changes is spoken in one breath after a pause', async () => {
  const many = ['a', 'b', 'c', 'd', 'e'].map((id) => aSession({ id, project: `/p/${id}` }));
  const page = await open({ before: recordTimers });
  await panels.harness().show(page, englishConfig, aSnapshot(many, [agent]));
  const region = page.locator('[aria-live]');
  for (const [index, one] of many.entries()) {
    await panels.harness().send(page, patch(index + 2, [{ ...one, phase: 'interactable', phaseSince: minutesAgo(0) }]));
  }
  expect(await region.textContent()).toBe('a: the turn ended, your move');
  await page.waitForFunction(() => {
    const text = document.querySelector('mascot-app')?.shadowRoot?.querySelector('[aria-live]')?.textContent ?? '';
    return text === 'c: the turn ended, your move. d: the turn ended, your move. e: the turn ended, your move';
  });
});

test('COL-7 a gap in the revisions asks for a snapshot once', async () => {
  const page = await show(aSnapshot([session], [agent]));
  await panels.harness().send(page, patch(4, [{ ...session, title: 'lost' }]), patch(5, []));
  expect(await panels.harness().posted(page)).toEqual([{ type: 'ready' }, { type: 'resync' }]);
  expect(await page.getByText('lost').count()).toBe(0);
});

test('UI-2 a stopped source is told, with the way to the log', async () => {
  const page = await show(scenes[1]());
  await panels.harness().send(page, { type: 'snapshot', state: scenes[1](), source: 'stopped' });
  await page.getByRole('button', { name: 'Show log' }).click();
  expect((await panels.harness().posted(page)).at(-1)).toEqual({ type: 'showLog' });
});

test('STO-6 while an earlier store is taken over: its progress stands at the head, is spoken once, and goes', async () => {
  const page = await show(scenes[1](), { before: recordTimers });
  const head = page.locator('source-notice span');
  const region = page.locator('[aria-live]');
  const seen: unknown[] = [await head.count()];
  for (const [index, done] of [396, 409].entries()) {
    await panels.harness().send(page, patch(index + 2, [], [], { takeOver: { done, of: 1_000 } }));
    seen.push(await head.innerText());
  }
  const spoken = await region.textContent();
  await panels.harness().send(page, { type: 'snapshot', state: scenes[1](), source: 'connecting' });
  seen.push(await head.innerText());
  await panels.harness().show(page, englishConfig, scenes[1]());
  seen.push(await head.count());
  await panels.harness().send(page, patch(2, [], [], { takeOver: { done: 500, of: 1_000 } }));
  expect(await seriousFindings(page)).toEqual([]);
  await panels.harness().send(page, patch(3, [], [], { takeOver: null }));
  seen.push(await head.count());
  expect(seen).toEqual([0, 'Preparing history… 39%', 'Preparing history… 40%', 'Connecting…', 0, 0]);
  expect([spoken, await region.textContent()]).toEqual(Array(2).fill('Preparing history'));
  expect(await focusedId(page)).toBeUndefined();
});

test('STO-6 a panel that is opened while an earlier store is taken over: shows the progress, and speaks nothing', async () => {
  const page = await show({ ...scenes[0](), takeOver: { done: 396, of: 1_000 } });
  await panels.harness().send(page, patch(2, [], [], { takeOver: { done: 409, of: 1_000 } }));
  expect(await page.getByText('Preparing history… 40%').isVisible()).toBe(true);
  expect(await page.locator('[aria-live]').textContent()).toBe('');
});

test('HKI-6 when everything was removed the panel says that it is off', async () => {
  const page = await show(scenes[1]());
  await panels.harness().send(page, { type: 'snapshot', state: scenes[0](), source: 'off' });
  await page.getByText('Everything was removed.').waitFor();
  expect([await page.getByTestId('mascot').count(), await page.getByTestId('empty-state').count()]).toEqual([0, 0]);
});

test('SEC-5 what agents say is shown as text, whatever it looks like', async () => {
  const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>{{7*7}}\u202egnp.exe`;
  const page = await show(
    aSnapshot(
      [{ ...session, title: evil, worktree: evil, project: `/p/${evil.replaceAll('/', '∕')}` }],
      [
        {
          ...agent,
          name: evil,
          says: evil,
          type: evil,
          activity: { tool: evil, mood: 'writing', target: evil, since: minutesAgo(1) },
        },
      ],
    ),
  );
  expect(await page.title()).toBe('panel');
  expect(await page.locator('img, mascot-app script').count()).toBe(0);
  expect(await page.getByTestId('mascot').locator('.bubble').textContent()).toContain(evil);
});

test('UI-7 working mascots move where motion is welcome', async () => {
  const page = await show(scenes[5](), { reducedMotion: 'no-preference' });
  expect(await runningAnimations(page)).toBeGreaterThan(0);
});

const still: readonly (readonly [string, OpenOptions, 'auto' | 'off'])[] = [
  ['the system asks for less motion', { reducedMotion: 'reduce' }, 'auto'],
  ['the setting is off', { reducedMotion: 'no-preference' }, 'off'],
  ['the editor asks for less motion', { reducedMotion: 'no-preference', bodyClass: 'vscode-reduce-motion' }, 'auto'],
];
for (const [reason, options, motion] of still) {
  test(`UI-7 nothing moves when ${reason}, and who leaves is gone at once`, async () => {
    const page = await show(scenes[5](), options, { ...englishConfig, motion });
    expect(await runningAnimations(page)).toBe(0);
    const leaving = scenes[5]().agents
      .filter(({ id }) => id === 's3/main')
      .map((one) => ({ ...one, present: false }));
    await panels.harness().send(page, patch(2, [], leaving));
    expect(await agentIds(page)).not.toContain('s3/main');
    expect(await page.getByTestId('mascot').first().locator('svg').first().isVisible()).toBe(true);
  });
}

test('UI-2 who leaves is seen going, and then gone', async () => {
  const page = await show(aSnapshot([session], [agent]), { reducedMotion: 'no-preference' });
  await panels
    .harness()
    .send(
      page,
      patch(2, [{ ...session, state: 'completed', phase: null }], [{ ...agent, present: false, mood: 'leaving' }]),
    );
  expect(await page.getByTestId('mascot').getAttribute('departing')).toBe('');
  await page.getByTestId('empty-state').waitFor();
  expect(await agentIds(page)).toEqual([]);
});

test('UI-8 the one timer runs only while the panel is seen and something there changes by time', async () => {
  const page = await open({ before: recordTimers });
  await panels.harness().show(page, englishConfig, scenes[0]());
  const counts = [(await timersWaiting(page)).length];
  await panels.harness().show(page, englishConfig, scenes[5]());
  counts.push((await timersWaiting(page)).length);
  await setVisibility(page, 'hidden');
  counts.push((await timersWaiting(page)).length);
  await setVisibility(page, 'visible');
  counts.push((await timersWaiting(page)).length);
  await panels.harness().show(page, englishConfig, scenes[0]());
  counts.push((await timersWaiting(page)).length);
  expect(counts).toEqual([0, 1, 0, 1, 0]);
});

test('UI-8 the timer keeps to the pace of what is shown: seconds only while a tool is young', async () => {
  const page = await open({ before: recordTimers });
  const paces: string[] = [];
  for (const minutes of [0.2, 10]) {
    const runs = { tool: 'Bash', mood: 'running', target: 'npm test', since: minutesAgo(minutes) } as const;
    await panels.harness().show(page, englishConfig, aSnapshot([session], [{ ...agent, activity: runs }]));
    const [wait = 0] = await timersWaiting(page);
    paces.push(wait <= 1_100 ? 'second' : 'minute');
  }
  expect(paces).toEqual(['second', 'minute']);
});

test('UI-8 no frame is asked for while nothing changes, and many patches of one frame are one drawing', async () => {
  const page = await open({ before: recordTimers });
  await panels.harness().show(page, englishConfig, aSnapshot([session], [agent]));
  const asked = await page.evaluate(async () => {
    const { frames, quietFrame } = window as unknown as {
      frames: () => number;
      quietFrame: typeof requestAnimationFrame;
    };
    const before = frames();
    for (let count = 0; count < 20; count += 1) await new Promise((resolve) => quietFrame(resolve));
    return frames() - before;
  });
  expect(asked).toBe(0);
});

test('UI-2 nothing jumps while the pointer is over the list', async () => {
  const page = await show(scenes[5]());
  const before = await agentIds(page);
  const waiting = { ...scenes[5]().sessions[0]!, phase: 'busy' as const };
  const quiet = { ...scenes[5]().sessions[1]!, phase: 'interactable' as const };
  await page.getByTestId('mascot').first().hover();
  await panels.harness().send(page, patch(2, [waiting, quiet]));
  expect(await agentIds(page)).toEqual(before);
  await page.mouse.move(299, 799);
  await page.locator('.sessions').dispatchEvent('pointerleave');
  await page.waitForFunction(() => {
    const first = document.querySelector('mascot-app')?.shadowRoot?.querySelector('mascot-card');
    return first?.getAttribute('data-agent-id') === 's1/main';
  });
});

for (const theme of Object.keys(themes) as ThemeName[]) {
  test(`UI-7 axe finds nothing serious in ${theme}`, async () => {
    const page = await open({ theme, width: 240 });
    for (const count of theme === 'dark' ? ([0, 5, 40] as const) : ([0, 5] as const)) {
      await panels.harness().show(page, englishConfig, scenes[count]());
      await panels.harness().send(page, { type: 'snapshot', state: scenes[count](), source: 'stopped' });
      expect(await seriousFindings(page), `${count} agents`).toEqual([]);
    }
  });
}

test('UI-6 from a narrow bar at 200 % zoom to a wide one nothing runs out of it', async () => {
  const page = await show(scenes[5]());
  for (const scene of [scenes[0], scenes[5], scenes[40], allStates]) {
    await panels.harness().show(page, englishConfig, scene());
    for (const width of [120, 170, 240, 330, 480, 600]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth), `at ${width}`).toBeLessThanOrEqual(width);
    }
  }
});

test('UI-8 the panel’s code is small and has only lit in it', async () => {
  const root = path.join(import.meta.dirname, '..', '..');
  const built = await build({
    absWorkingDir: root,
    entryPoints: ['webview/main.ts'],
    bundle: true,
    minify: true,
    legalComments: 'none',
    format: 'esm',
    target: 'es2022',
    write: false,
    metafile: true,
    plugins: [tightStyles],
  });
  expect(built.outputFiles[0]?.contents.length).toBeLessThan(128 * 1024);
  const packages = Object.keys(built.metafile.inputs).flatMap(
    (file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [],
  );
  expect([...new Set(packages)].sort()).toEqual(['@lit/reactive-element', 'lit', 'lit-element', 'lit-html']);
});

test('UI-2 without a browser the tests fail and say what to do', () => {
  expect(() => findChromium({ PATH: '' })).toThrow(/Install one, or set CHROMIUM_PATH/);
  expect(() => findChromium({ CHROMIUM_PATH: '/nowhere/chromium' })).toThrow(/\/nowhere\/chromium/);
});
