import { expect, test, vi } from 'vitest';
import type { StateChange } from '../app/ports.ts';
import { fakeClock } from '../app/testkit/fakes.testkit.ts';
import { readSettings } from '../protocol/settings.ts';
import type { Agent, Session } from '../protocol/state.ts';
import type { ViewSource } from '../protocol/view.ts';
import { aSession, aSnapshot, anAgent } from '../../test/webview/fixtures.ts';
import { FakeEvent } from './hooks/editor.testkit.ts';
import { createTeamStanding } from './postgres/teamStanding.ts';
import { StatusBar, type StatusBarParts } from './statusBar.ts';

interface Item {
  text: string;
  tooltip: { value: string; isTrusted: unknown };
  backgroundColor: unknown;
  accessibilityInformation: { label: string };
}
const editor = vi.hoisted(() => ({ item: undefined as unknown, drawn: 0 }));
const dispose = () => undefined;

vi.mock('vscode', async () => {
  const { fakeVscode } = await import('./hooks/editor.testkit.ts');
  const window = { createStatusBarItem: () => (editor.item = { show: () => editor.drawn++, dispose }) };
  return { ...fakeVscode, window, StatusBarAlignment: { Left: 1 } };
});

function shown(...sessions: readonly Session[]): Item {
  return shownBy({ owns: true, status: 'live' }, sessions);
}

const otherOwner = { instance: 'i', generation: 3, app: 'Other Editor', version: '1.2.3', startedAt: '' };

const nothing = { dispose: () => undefined };
let disposeLast = nothing as { dispose(): void };

interface Standing {
  readonly owns: boolean;
  readonly status: ViewSource;
  readonly trouble?: string;
  readonly doNotDisturb?: boolean;
  readonly team?: StatusBarParts['team'];
}

function shownBy(
  { owns, status, trouble, doNotDisturb = false, team }: Standing,
  sessions: readonly Session[] = [],
  agents: readonly Agent[] = [],
  changes?: FakeEvent<StateChange>,
  clock = fakeClock(),
): Item {
  disposeLast = new StatusBar({
    clock,
    source: {
      snapshot: () => ({ ...aSnapshot([...sessions], agents), owner: otherOwner }),
      status: () => status,
      onChange: changes?.on ?? (() => nothing),
    },
    owns: () => owns,
    notStoring: { text: () => trouble, onChange: () => nothing },
    settings: { current: () => readSettings({ doNotDisturb }).settings, onChange: () => nothing },
    elsewhere: { isHere: ({ project }) => project === '/p/harbour', onChange: () => nothing },
    ...(team ? { team } : {}),
  });
  return editor.item as Item;
}

/** The tooltip without the links of its lines. */
const linesOf = ({ tooltip }: Item) => tooltip.value.replace(/ — .*/g, '').split('\n\n');

const asleep = aSession({
  id: 'asleep',
  state: 'idle',
  phase: null,
  phaseSince: null,
  phaseBecause: { event: 'idle', source: 'synthetic', by: 'silence' },
});
const headless = aSession({ id: 'robot', surface: 'headless', phase: 'waiting_permission' });
const over = aSession({ id: 'over', phaseSince: null, phase: 'interactable', background: 2 });
const waits = aSession({ id: 'waits', phaseSince: null, phase: 'waiting_permission' });
const lost = aSession({ id: 'lost', state: 'stale', phase: null });

const texts: readonly (readonly [string, readonly Session[], boolean])[] = [
  ['$(smiley) No agents', [], false],
  ['$(smiley) No agents', [lost], false],
  ['$(smiley) 1 quiet', [asleep], false],
  ['$(sync) 1 busy', [headless, asleep], false],
  ['$(check) Your move: 1 · 2 in background', [over, asleep], false],
  ['$(bell-dot) 1 waiting · 1 busy · 2 in background', [over, headless, waits], true],
];
test.each(texts)('UI-4 the status bar says "%s"', (text, sessions, warns) => {
  const item = shown(...sessions);
  expect([item.text, item.backgroundColor !== undefined]).toEqual([text, warns]);
});

test('UI-4 STA-3 the tooltip has a line per session with its source, and none for one that is over', () => {
  expect(linesOf(shown(asleep, over, waits, lost))).toEqual([
    'Agent Mascot',
    '$(bell-dot) harbour · needs permission · by hook',
    '$(check) harbour · your move · 2 in background · by hook',
    '$(circle-slash) harbour · asleep · inferred',
    'This window runs the collector.',
  ]);
});

test.each([
  ['this window', true, 'live', 'This window runs the collector.'],
  ['another one', false, 'live', 'Another window runs the collector: Other Editor 1.2.3'],
  // Whoever it was may have gone.
  ['nobody for certain', false, 'connecting', 'No agent is running.'],
] as const)('MWN-1 the tooltip says who collects: %s', (_name, owns, status, last) => {
  expect(linesOf(shownBy({ owns, status })).at(-1)).toBe(last);
});

test('UI-4 STO-3 shows a warning icon, and the reason in the tooltip, while nothing is stored', () => {
  const item = shownBy({ owns: true, status: 'live', trouble: 'The disk is full.' }, [headless]);
  expect([item.text, linesOf(item).slice(-2)]).toEqual([
    '$(sync) 1 busy $(warning)',
    ['The disk is full.', 'This window runs the collector.'],
  ]);
});

test('SNK-1 while the team’s database can’t be reached the tooltip has a line about it, and nothing else changes', async () => {
  const team = createTeamStanding();
  const clock = fakeClock();
  const item = shownBy({ owns: true, status: 'live', team }, [], [], undefined, clock);
  const { text, accessibilityInformation } = item;
  const [calm, drawn] = [item.tooltip.value, editor.drawn];
  const behind = { events: 40, since: Date.now() };
  const trouble = {
    kind: 'trouble',
    trouble: 'unreachable',
    detail: '[no](command:x)',
    since: Date.now(),
    behind,
  } as const;
  team.set(trouble);
  await clock.advance(100);
  const lines = item.tooltip.value.split('\n\n').filter((line) => !calm.includes(line));
  expect(lines).toEqual([
    expect.stringMatching(/^The team database can’t be reached now: .* Since .*; events waiting: 40\.$/),
  ]);
  expect(lines[0]).not.toContain('](');
  expect([item.text, item.accessibilityInformation, item.backgroundColor]).toEqual([
    text,
    accessibilityInformation,
    undefined,
  ]);
  expect(editor.drawn).toBe(drawn);
  team.set({ kind: 'upToDate', at: Date.now() });
  await clock.advance(100);
  expect(item.tooltip.value).toBe(calm);
});

test('UI-4 a line of the tooltip names the mascot, says since when, and leads to it and to its terminal only', () => {
  const session = aSession({
    id: 's) [x](command:evil',
    title: '$(bug) [y](command:evil) <command:agentMascot.focusTerminal?x#>',
    phaseSince: '2026-01-01T10:42:00',
  });
  const agents = [anAgent({ id: 's/main', sessionId: session.id, name: 'Juno' })];
  const { tooltip } = shownBy({ owns: true, status: 'live' }, [session], agents);
  const line = tooltip.value.split('\n\n')[1] ?? '';
  expect(line).toMatch(/^\$\(sync\) Juno · harbour · working · by hook · .* · since 10\\:42 AM — /);
  expect(line).not.toMatch(/(?<!\\)<\w/);
  const links = line.slice(line.indexOf(' — '));
  expect([...links.matchAll(/\[(\w+)\]\(command:([\w.]+)\?([^()]*)\)/g)].map(([, ...parts]) => parts)).toEqual(
    [
      ['Show', 'agentMascot.showInPanel'],
      ['Focus', 'agentMascot.focusTerminal'],
    ].map((parts) => [...parts, expect.any(String)]),
  );
  const query = /\?([^()]*)\)/.exec(links)?.[1] ?? '';
  expect(JSON.parse(decodeURIComponent(query))).toEqual([{ sessionId: session.id, agentId: 's/main' }]);
  expect(tooltip.isTrusted).toEqual({ enabledCommands: ['agentMascot.showInPanel', 'agentMascot.focusTerminal'] });
});

test('UI-4 UI-5 shows Do Not Disturb, and no icons in the label for screen readers', () => {
  const item = shownBy({ owns: true, status: 'live', trouble: 'The disk is full.', doNotDisturb: true }, [waits]);
  expect([item.text, item.accessibilityInformation.label]).toEqual([
    '$(bell-dot) 1 waiting $(bell-slash) $(warning)',
    'Agent Mascot: 1 waiting. Do not disturb. The disk is full.',
  ]);
});

test('UI-8 UI-4 the text follows at once, the tooltip when its words have changed, and not more than ten times a second', () => {
  const changes = new FakeEvent<StateChange>();
  const clock = fakeClock();
  let formats = 0;
  const Counted = class extends Intl.DateTimeFormat {
    constructor() {
      super('en');
      formats++;
    }
  };
  vi.stubGlobal('Intl', { DateTimeFormat: Counted });
  const sessions = [waits];
  const item = shownBy({ owns: true, status: 'live' }, sessions, [], changes, clock);
  const made = [item.tooltip];
  const note = () => void (made.at(-1) === item.tooltip || made.push(item.tooltip));
  for (let count = 0; count < 50; count++) {
    sessions.push(aSession({ id: `new ${count}`, title: 'New', phaseSince: '2026-01-01T10:42:00Z' }));
    changes.fire({ type: 'reset' });
    note();
  }
  expect([item.text, made.length, clock.pending()]).toEqual(['$(bell-dot) 1 waiting · 50 busy', 1, 1]);
  clock.advance(100);
  note();
  expect([made.length, linesOf(item).at(-2), formats]).toEqual([2, '… and 39 more', 1]);
  clock.advance(100);
  changes.fire({ type: 'reset' });
  note();
  expect([made.length, clock.pending()]).toEqual([2, 0]);
  clock.sleep(-3_600_000);
  changes.fire({ type: 'reset' });
  clock.advance(100);
  expect(clock.pending()).toBe(0);
  changes.fire({ type: 'reset' });
  disposeLast.dispose();
  expect(clock.pending()).toBe(0);
  vi.unstubAllGlobals();
});

test('UI-8 draws nothing for a change that the status bar does not show', () => {
  const changes = new FakeEvent<StateChange>();
  shownBy({ owns: true, status: 'live' }, [waits], [], changes);
  const before = editor.drawn;
  changes.fire({ type: 'reset' });
  expect(editor.drawn).toBe(before);
});
