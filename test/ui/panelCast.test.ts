import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Agent } from '../../src/protocol/state.ts';
import type { ViewConfig } from '../../src/protocol/view.ts';
import { seriousFindings } from '../webview/axe.ts';
import {
  allStates,
  aSession,
  aSnapshot,
  anAgent,
  crowded,
  englishConfig,
  minutesAgo,
  scenes,
} from '../webview/fixtures.ts';
import { castScenes, castState, teamState } from '../webview/fixturesCast.ts';
import {
  agentIds,
  focusedId,
  patch,
  recordTimers,
  runningAnimations,
  timersWaiting,
  usePanels,
} from './panel.testkit.ts';

const panels = usePanels();
const { open, show } = panels;
const send: ReturnType<typeof panels.harness>['send'] = (page, ...messages) => panels.harness().send(page, ...messages);
const posted = (page: Page) => panels.harness().posted(page);

const session = aSession({ id: 's', phaseSince: minutesAgo(3) });
const agent = anAgent({ id: 's/main', sessionId: 's', name: 'Juno' });

async function showScene(name: keyof typeof castScenes, config: Partial<ViewConfig> = {}): Promise<Page> {
  const { state, after } = castScenes[name]();
  const page = await show(state, {}, { ...englishConfig, ...config });
  await send(page, ...after);
  return page;
}

test('UI-2 sessions elsewhere are not drawn but counted, and one click shows all', async () => {
  const page = await showScene('elsewhere');
  const rest = (await page.getByTestId('rest').innerText()).replace(/\s+/g, ' ');
  expect([await agentIds(page), rest]).toEqual([['s1/main', 's1/a', 's1/b'], '2 elsewhere Show all 1 waiting for you']);
  await page.getByRole('button', { name: 'Show all' }).click();
  expect((await posted(page)).at(-1)).toEqual({ type: 'filter', filter: 'all' });
  await send(page, { type: 'elsewhere', sessionIds: [] });
  expect([(await agentIds(page)).length, await page.getByTestId('rest').count()]).toEqual([5, 0]);
});

test('UI-2 where all are elsewhere the panel says so, and a wait there is spoken all the same', async () => {
  const page = await showScene('away');
  expect(await page.getByTestId('all-elsewhere').innerText()).toContain('No agent works in this window’s folders');
  expect([await page.getByTestId('empty-state').count(), await page.getByTestId('mascot').count()]).toEqual([0, 0]);
  const busy = scenes[5]().sessions[0]!;
  const because = { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'npm test' } as const;
  const waits = { ...busy, phase: 'waiting_permission', phaseBecause: because, phaseSince: minutesAgo(0) } as const;
  await send(page, patch(2, [waits]));
  expect(await page.locator('[aria-live]').textContent()).toBe('harbour needs your permission: Bash npm test');
  await page.getByRole('button', { name: 'Show all' }).click();
  expect((await posted(page)).at(-1)).toEqual({ type: 'filter', filter: 'all' });
});

test('UI-4 who is asked for by name is shown, though its session be elsewhere or itself hidden', async () => {
  const page = await showScene('away');
  await send(page, { type: 'select', agentId: 's2/main' });
  expect([await agentIds(page), await focusedId(page)]).toEqual([['s2/main'], 's2/main']);
  const hiding = await show(castState());
  await send(hiding, { type: 'select', agentId: 's2/main' });
  expect([await agentIds(hiding), await focusedId(hiding)]).toEqual([['s1/main', 's1/b', 's3/main'], 's2']);
});

test('AGT-1 who is hidden is not drawn; a session of such that waits keeps one line; Show asks for them', async () => {
  const page = await showScene('cast');
  const brief = page.locator('.session.brief');
  expect([await agentIds(page), await brief.getAttribute('data-session-id')]).toEqual([
    ['s1/main', 's1/b', 's3/main'],
    's2',
  ]);
  expect((await brief.boundingBox())?.height).toBeLessThan(70);
  expect(await brief.getByTestId('phase').textContent()).toBe('Needs permission');
  await page.getByTestId('rest').getByRole('button', { name: 'Show' }).click();
  expect((await posted(page)).at(-1)).toEqual({ type: 'showHidden', show: true });
});

test('AGT-1 hidden ones that are shown bear the word and stay legible, pinned ones have a named mark', async () => {
  const page = await showScene('cast', { showHidden: true });
  const hidden = page.locator('[data-agent-id="s1/a"]');
  expect([await hidden.locator('.veiled').innerText(), await hidden.getAttribute('aria-label')]).toEqual([
    'Hidden',
    'Waffle, Explore, Hidden, Job: Find who parses the table, Searching for parseTable\\(, 1 min',
  ]);
  const pinned = page.locator('[data-agent-id="s3/main"]');
  expect(await pinned.getByRole('img', { name: 'Pinned' }).count()).toBe(1);
  expect(await pinned.locator('.name').getAttribute('title')).toBe('Clover');
  await page.getByTestId('rest').getByRole('button', { name: 'Hide again' }).click();
  expect((await posted(page)).at(-1)).toEqual({ type: 'showHidden', show: false });
  expect(await seriousFindings(page)).toEqual([]);
});

test('AGT-1 where everybody is hidden the panel says so, and how they come back', async () => {
  const page = await showScene('veiled');
  expect(await page.getByTestId('all-hidden').innerText()).toContain('Everybody is hidden');
  expect(await page.getByTestId('rest').getByRole('button', { name: 'Show' }).isVisible()).toBe(true);
  expect(await page.getByTestId('empty-state').count()).toBe(0);
});

test('UI-9 in Restricted Mode the empty panel says that it works', async () => {
  const page = await show(scenes[0](), {}, { ...englishConfig, restricted: true });
  expect(await page.getByText('This works in Restricted Mode').isVisible()).toBe(true);
});

test('UI-2 the first mascot ever is introduced until that is read, or a card is opened', async () => {
  const config = { ...englishConfig, welcome: true };
  const met = (messages: readonly { readonly type: string }[]) => messages.filter(({ type }) => type === 'met').length;
  const page = await show(scenes[1](), {}, config);
  const note = page.getByTestId('welcome');
  expect(await note.innerText()).toContain('This is Juno, your first mascot.');
  await note.getByRole('button', { name: 'Got it' }).click();
  expect([await note.count(), met(await posted(page))]).toEqual([0, 1]);
  const other = await show(scenes[1](), {}, config);
  await other.getByTestId('mascot').click();
  await other.getByTestId('mascot-card').waitFor();
  expect([await other.getByTestId('welcome').count(), met(await posted(other))]).toEqual([0, 1]);
  const empty = await show(scenes[0](), {}, config);
  expect(await empty.getByTestId('welcome').count()).toBe(0);
});

test('TRN-4 while hooks are missing and a session is seen in its transcript only, one line offers them', async () => {
  const page = await show(allStates(), {}, { ...englishConfig, installed: false });
  const hint = page.getByTestId('hooks-hint');
  await hint.getByRole('button', { name: 'Install Hooks…' }).click();
  expect((await posted(page)).at(-1)).toEqual({ type: 'installHooks' });
  await send(page, { type: 'config', config: { ...englishConfig, installed: true } });
  expect(await hint.count()).toBe(0);
});

test('UI-2 who is there when the panel opens does not fade in; who comes then does, once', async () => {
  const page = await show(aSnapshot([session], [agent]), { reducedMotion: 'no-preference' });
  const arriving = () =>
    page.locator('mascot-card[arriving]').evaluateAll((all) => all.map((one) => one.getAttribute('data-agent-id')));
  const seen = [await arriving()];
  const sub = anAgent({ id: 's/sub', sessionId: 's', kind: 'subagent', parentId: 's/main' });
  await send(page, patch(2, [], [sub]));
  seen.push(await arriving());
  await page.waitForFunction(
    () => document.querySelector('mascot-app')?.shadowRoot?.querySelector('mascot-card[arriving]') === null,
  );
  // A whole snapshot, as after a reconnection, tells who is there, not who came.
  const third = anAgent({ id: 's/third', sessionId: 's', kind: 'subagent', parentId: 's/main' });
  await send(page, { type: 'snapshot', state: aSnapshot([session], [agent, sub, third], 9), source: 'live' });
  seen.push(await arriving());
  expect([seen, (await agentIds(page)).length]).toEqual([[[], ['s/sub'], []], 3]);
});

test('UI-2 a bubble says plain words, three lines at the most, and has the whole as its title', async () => {
  const says = `## Plan\n\n- **keep** the \`rows\`\n- ${'a long way to say it '.repeat(12)}`;
  const page = await show(aSnapshot([session], [{ ...agent, says }]), { width: 240 });
  const said = page.getByTestId('mascot').locator('.bubble .said');
  expect((await said.textContent())?.slice(0, 18)).toBe('Plan keep the rows');
  expect(await said.getAttribute('title')).toBe(says);
  const lines = await said.evaluate((box) => box.clientHeight / Number.parseFloat(getComputedStyle(box).lineHeight));
  expect(Math.round(lines)).toBe(3);
});

test('UI-2 what runs is timed, in seconds first, and a screen reader is told minutes only', async () => {
  const runs = (minutes: number) =>
    ({ tool: 'Bash', mood: 'running', target: 'npm test', since: minutesAgo(minutes) }) as const;
  const page = await show(aSnapshot([session], [{ ...agent, mood: 'running', activity: runs(0.25) }]));
  const mascot = page.getByTestId('mascot');
  expect((await mascot.locator('div.line').innerText()).replace(/\s+/g, ' ')).toMatch(/^Running npm test 1[5-9] s$/);
  expect(await mascot.getAttribute('aria-label')).toBe('Juno, Running npm test');
  await send(page, patch(2, [], [{ ...agent, mood: 'running', activity: runs(2.5) }]));
  expect((await mascot.locator('div.line').innerText()).replace(/\s+/g, ' ')).toBe('Running npm test 2 min');
  expect(await mascot.getAttribute('aria-label')).toBe('Juno, Running npm test, 2 min');
});

test('UI-8 the seconds go on by themselves, and only who is timed is drawn again', async () => {
  const since = new Date(Date.now() - 5_000).toISOString();
  const runs = { tool: 'Bash', mood: 'running', target: 'npm test', since } as const;
  const idle = anAgent({ id: 's/idle', sessionId: 's', kind: 'subagent', parentId: 's/main' });
  const page = await show(aSnapshot([session], [{ ...agent, activity: runs }, idle]));
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
  await page.waitForFunction(() => (window as unknown as { drawn: string[] }).drawn.length > 1);
  expect(new Set(await page.evaluate<string[]>('drawn'))).toEqual(new Set(['s/main']));
});

test('AGT-1 a message is told for a minute: to whom, beside who wrote, and aloud', async () => {
  const page = await show(teamState());
  const ada = page.locator('[data-agent-id="t/ada"]');
  expect([await ada.locator('.writes').innerText(), await ada.getAttribute('aria-label')]).toEqual([
    'to rex',
    'ada, team-mate · builder, Editing tides/table.ts, 2 min, writes to rex',
  ]);
  await panels.harness().show(page, englishConfig, teamState(minutesAgo(2)));
  expect([await ada.locator('.writes').count(), await ada.getAttribute('aria-label')]).toEqual([
    0,
    'ada, team-mate · builder, Editing tides/table.ts, 2 min',
  ]);
});

/** How many letters have ever been put into the page since this was asked. */
async function countLetters(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const root = document.querySelector('mascot-app')?.shadowRoot;
    const letters: Element[] = [];
    Object.assign(window, { letters });
    new MutationObserver((records) => {
      for (const { addedNodes } of records)
        for (const node of addedNodes) if (node instanceof Element && node.matches('.letter')) letters.push(node);
    }).observe(root!, { childList: true, subtree: true });
  });
  return () => page.evaluate('letters.length') as Promise<number>;
}

const written = (): readonly Agent[] => teamState().agents.filter(({ id }) => id === 't/ada');
const flights: readonly (readonly [string, 'reduce' | 'no-preference', number])[] = [
  ['motion is welcome', 'no-preference', 1],
  ['the system asks for less motion', 'reduce', 0],
];
for (const [when, reducedMotion, expected] of flights) {
  test(`AGT-1 UI-7 where ${when} ${expected} letter flies, by transform and opacity alone, and is gone at its end`, async () => {
    const page = await show(teamState(minutesAgo(5)), { reducedMotion });
    const count = await countLetters(page);
    const ada = written();
    await send(page, patch(2, [], ada));
    const moved = await page.evaluate(() => {
      const root = document.querySelector('mascot-app')?.shadowRoot;
      const letter = root?.querySelector('.letter');
      const frames = letter?.getAnimations().flatMap(({ effect }) => (effect as KeyframeEffect).getKeyframes()) ?? [];
      const kept = ['offset', 'computedOffset', 'easing', 'composite'];
      return [...new Set(frames.flatMap((frame) => Object.keys(frame)))]
        .filter((name) => !kept.includes(name))
        .toSorted();
    });
    await page.waitForFunction(
      () => document.querySelector('mascot-app')?.shadowRoot?.querySelector('.letter') === null,
    );
    await send(
      page,
      patch(
        3,
        [session],
        ada.map((one) => ({ ...one, mood: 'running' as const })),
      ),
    );
    expect([moved, await count()]).toEqual([expected === 0 ? [] : ['opacity', 'transform'], expected]);
  });
}

test('UI-2 in a crowd who waits says the whole of what is asked, in one sentence', async () => {
  const { sessions, agents } = crowded(12);
  const since = minutesAgo(2);
  const waits = [
    { kind: 'permission', since, tool: 'Bash', target: 'rm -rf build' },
    { kind: 'question', since, tool: 'AskUserQuestion', message: 'Which colour?' },
    { kind: 'permission', since },
  ] as const;
  const page = await show(
    aSnapshot(
      sessions,
      agents.map((one, index) => ({ ...one, wait: waits[index] ?? null })),
    ),
    { width: 480 },
  );
  const lines = await page.locator('mascot-card div.line:has(.waits)').allInnerTexts();
  expect(lines.map((line) => line.replace(/\s+/g, ' ').trim())).toEqual([
    'Waiting for permission: Bash rm -rf build 2 min',
    'Which colour? 2 min',
    'May I go on? 2 min',
  ]);
});

test('UI-8 in a crowd no letter flies and nothing is told in seconds', async () => {
  const { sessions, agents } = crowded(40);
  const page = await open({ before: recordTimers, reducedMotion: 'no-preference' });
  const runs = { tool: 'Bash', mood: 'running', target: 'npm test', since: minutesAgo(0.2) } as const;
  await panels.harness().show(
    page,
    englishConfig,
    aSnapshot(
      sessions,
      agents.map((one) => ({ ...one, activity: runs })),
    ),
  );
  const count = await countLetters(page);
  const at = minutesAgo(0);
  await send(page, patch(2, [], [{ ...agents[1]!, activity: runs, talksTo: { id: agents[2]!.id, at } }]));
  expect([await count(), await page.locator('mascot-card .took').count()]).toEqual([0, 0]);
  expect(Math.min(...(await timersWaiting(page)))).toBeGreaterThan(10_000);
});

test('UI-5 a chime opens an audio context only then, plays two notes and closes it', async () => {
  const page = await open({
    before: () => {
      const log: string[] = [];
      const Real = window.AudioContext;
      class Listened extends Real {
        constructor() {
          super();
          log.push('opened');
        }
        override async close(): Promise<void> {
          log.push('closed');
          return super.close();
        }
      }
      const play = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (this: OscillatorNode, when?: number) {
        log.push('note');
        play.call(this, when);
      };
      Object.assign(window, { AudioContext: Listened, log });
    },
  });
  await panels.harness().show(page, englishConfig, scenes[5]());
  const before = await page.evaluate<string[]>('log');
  // Like a person who has used the page: without it no page may make a sound.
  await page.getByTestId('mascot').first().click();
  await send(page, { type: 'chime' });
  await page.waitForFunction(() => (window as unknown as { log: string[] }).log.includes('closed'));
  expect([before, await page.evaluate<string[]>('log')]).toEqual([[], ['opened', 'note', 'note', 'closed']]);
});

test('UI-7 the panel reads as a whole text: who, what, why, since when, and what is asked', async () => {
  const page = await showScene('cast', { showHidden: true, welcome: true });
  expect(await page.locator('mascot-app').ariaSnapshot()).toMatchInlineSnapshot(`
    "- list "Coding agents":
      - 'listitem "orchard: Needs permission, Bash npm test -- --grep login, 3 min, Find out why the login test is flaky, by hook" [level=1]':
        - heading "orchard" [level=2]
        - text: fix-login
        - img "In a terminal"
        - button "Details of orchard"
        - paragraph: Find out why the login test is flaky
        - text: Needs permission · 3 min
        - list "Agents of orchard":
          - 'listitem "Biscuit, Hidden, Waiting for permission: Bash npm test -- --grep login, 3 min" [level=2]':
            - text: Biscuit Hidden Waits for you May I use Bash?
            - code: npm test -- --grep login
      - 'listitem "harbour: Working, 2 min, Make the tide table load twice as fast, by hook" [level=1]':
        - heading "harbour" [level=2]
        - img "In a terminal"
        - button "Details of harbour"
        - paragraph: Make the tide table load twice as fast
        - text: Working · 2 min
        - paragraph: 2 of 5 tasks · Format only what is in view
        - paragraph:
          - text: opus-5
          - meter "84K of 200K tokens (42%)"
          - text: Context 42%
        - list "Agents of harbour":
          - 'listitem "Juno, Handing over: Measure the parser, 1 min" [level=2]': "Juno Handing over: Measure the parser Two of us look at it: one measures, one reads."
          - 'listitem "Truffle, general-purpose · in the background, Pinned, Job: Measure the parser, Reading tides/parse.ts, 1 min" [level=3]':
            - text: Truffle
            - img "Pinned"
            - text: general-purpose · in the background Measure the parser Reading tides/parse.ts
          - 'listitem "Waffle, Explore, Hidden, Job: Find who parses the table, Searching for parseTable\\\\(, 1 min" [level=3]': Waffle Hidden Explore Find who parses the table Searching for parseTable\\(
      - 'listitem "quiet-notes: Your move, 1 h, Write the release notes, by hook" [level=1]':
        - heading "quiet-notes" [level=2]
        - img "In a terminal"
        - button "Details of quiet-notes"
        - paragraph: Write the release notes
        - text: Your move · 1 h
        - list "Agents of quiet-notes":
          - listitem "Captain, Pinned, Ready when you are" [level=2]:
            - text: Captain
            - img "Pinned"
            - text: Ready when you are The notes are in CHANGELOG.md, grouped by what people will notice first.
    - paragraph: This is Juno, your first mascot. Choose it to see what it does.
    - button "Got it"
    - paragraph:
      - text: 2 hidden
      - button "Hide again"
    - status"
  `);
});

const scripts = [
  ['ar', 'rtl'],
  ['he', 'rtl'],
  ['ko', 'ltr'],
] as const;
for (const [locale, direction] of scripts) {
  test(`UI-7 in ${locale} the panel is written ${direction}, nothing runs out of it, and arrows follow the eye`, async () => {
    const page = await show(scenes[5](), { width: 240, reducedMotion: 'no-preference' }, { ...englishConfig, locale });
    const edges = () =>
      page.evaluate(() => {
        const root = document.querySelector('mascot-app')?.shadowRoot;
        const child = root?.querySelector('mascot-card.child')?.getBoundingClientRect();
        const group = root?.querySelector('.session:has(.child)')?.getBoundingClientRect();
        return { start: child!.left - group!.left, end: group!.right - child!.right };
      });
    const { start, end } = await edges();
    expect([await page.locator('html').getAttribute('dir'), start > end]).toEqual([direction, direction === 'ltr']);
    for (const scene of [scenes[5], scenes[40], allStates]) {
      await panels.harness().show(page, { ...englishConfig, locale }, scene());
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(240);
    }
    await panels.harness().show(page, { ...englishConfig, locale }, scenes[5]());
    const away = await page
      .getByTestId('mascot')
      .first()
      .evaluate((card) => getComputedStyle(card).getPropertyValue('--away'));
    expect(away).toBe(direction === 'rtl' ? '-24px' : '');
    await page.locator('[data-agent-id="s1/main"]').focus();
    await page.keyboard.press(direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight');
    expect(await focusedId(page)).not.toBe('s1/main');
  });
}

test('UI-6 at 200 % zoom every button of every state can be seen and reached', async () => {
  for (const name of Object.keys(castScenes) as (keyof typeof castScenes)[]) {
    const { state, after, opens } = castScenes[name]();
    for (const width of [120, 160]) {
      const page = await open({ width, height: 400, scale: 2 });
      await panels
        .harness()
        .show(page, { ...englishConfig, welcome: true, installed: false, showHidden: name === 'cast' }, state);
      if (opens !== undefined) await page.locator(`[data-agent-id="${opens}"]`).click();
      await send(page, ...after);
      const outside = await page.getByRole('button').evaluateAll((all) =>
        all
          .filter((button) => {
            const { left, right, width: wide, height } = button.getBoundingClientRect();
            return left < 0 || right > innerWidth || wide < 20 || height < 20;
          })
          .map((button) => button.textContent),
      );
      expect([outside, await page.evaluate(() => document.documentElement.scrollWidth)], `${name} at ${width}`).toEqual(
        [[], width],
      );
    }
  }
});

test('UI-7 axe finds nothing serious in any of these states, in high contrast too', async () => {
  for (const theme of ['light', 'hc-black'] as const) {
    for (const name of ['team', 'cast', 'away', 'veiled'] as const) {
      const { state, after } = castScenes[name]();
      const page = await show(
        state,
        { theme, width: 240 },
        { ...englishConfig, showHidden: name === 'cast', welcome: true },
      );
      await send(page, ...after);
      expect(await seriousFindings(page), `${name} in ${theme}`).toEqual([]);
    }
  }
});

test('UI-7 nothing moves where less motion is wanted, whoever comes, leaves or writes', async () => {
  const page = await show(teamState(minutesAgo(5)));
  await send(page, patch(2, [], [...written(), anAgent({ id: 't/new', sessionId: 't', kind: 'subagent' })]));
  expect([await runningAnimations(page), (await agentIds(page)).length]).toEqual([0, 4]);
});
