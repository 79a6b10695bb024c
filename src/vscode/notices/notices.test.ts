import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import type { StateChange } from '../../app/ports.ts';
import { readSettings } from '../../protocol/settings.ts';
import type { Session } from '../../protocol/state.ts';
import { aSession, anAgent, aSnapshot } from '../../../test/webview/fixtures.ts';
import { clearEditor, editor, fakeVscode, settled } from '../hooks/editor.testkit.ts';
import { Notices } from './notices.ts';
import { NoticeView } from './noticeView.ts';
import type { Nearness } from '../thisWindow.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

/** What all windows share: time, the state, and who has claimed what. */
function world(raw: Record<string, unknown> = {}) {
  const clock = fakeClock();
  let sessions: readonly Session[] = [];
  const listeners = new Set<(change: StateChange) => void>();
  const claimed = new Set<string>();
  const done: string[] = [];
  const source = {
    snapshot: () =>
      aSnapshot(
        sessions,
        sessions.map(({ id }) => anAgent({ id: `${id}/main`, sessionId: id, name: id.toUpperCase() })),
      ),
    status: () => 'live' as const,
    onChange: (listener: (change: StateChange) => void) => {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
  };
  const { settings } = readSettings(raw);

  function open(nearness: Nearness = { rank: 0, inView: false }, knowsAfter = 0) {
    const panel = {
      select: ({ agentId }: { agentId: string }) => Promise.resolve(void done.push(`select ${agentId}`)),
      chime: () => void done.push('chime'),
    };
    const terminal = { focus: ({ id }: Session) => Promise.resolve(done.push(`focus ${id}`) > 0 && id !== 'lost') };
    const none = () => undefined;
    return new Notices({
      source,
      settings: { current: () => settings },
      windows: { claim: (key) => Promise.resolve(!claimed.has(key) && claimed.add(key).size > 0) },
      clock,
      log: { debug: none, info: none, warn: (text) => void done.push(text), error: none },
      nearnessTo: () =>
        knowsAfter === 0
          ? Promise.resolve(nearness)
          : new Promise((resolve) => clock.after(knowsAfter, () => resolve(nearness))),
      view: new NoticeView({ source, settings: { current: () => settings }, panel, terminal }),
    });
  }

  async function show(...now: readonly Session[]): Promise<void> {
    sessions = now;
    for (const listener of listeners) listener({ type: 'reset' });
    await settled();
  }

  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(100);
      await settled();
    }
  }

  const since = () => new Date(clock.now()).toISOString();
  const busy = (id = 'a') => aSession({ id, phase: 'busy', phaseSince: since() });
  const waits = (id = 'a', changes: Partial<Session> = {}) =>
    aSession({
      id,
      phase: 'waiting_permission',
      phaseSince: since(),
      phaseBecause: { event: 'agent_blocked', source: 'hook', tool: 'Bash', target: 'rm -rf build' },
      ...changes,
    });
  return { open, show, pass, busy, waits, clock, done, listeners };
}

test('UI-5 shows one notice of a session at a time: the next follows if it still holds', async () => {
  const { open, show, pass, busy, waits } = world();
  open();
  // The first notice is never answered, so it stays for as long as the editor shows it.
  vi.spyOn(fakeVscode.window, 'showInformationMessage').mockImplementationOnce((text: string) => {
    editor.shown.push(`kept: ${text}`);
    return new Promise(() => undefined);
  });
  await show(busy());
  await show(waits());
  await pass(1_100);
  await show(busy());
  await show(waits());
  await pass(15_000);
  expect(editor.shown.map((line) => line.slice(0, 5))).toEqual(['kept:']);
  await pass(6_000);
  expect(editor.shown.map((line) => line.slice(0, 5))).toEqual(['kept:', 'info:']);
});

test('UI-5 says that a wait was answered when its notice is used, and focuses the terminal anyway', async () => {
  const { open, show, pass, busy, waits, done } = world();
  open();
  let press: (button: string) => void = () => undefined;
  vi.spyOn(fakeVscode.window, 'showInformationMessage').mockImplementationOnce(
    () => new Promise((resolve) => (press = resolve)),
  );
  await show(busy());
  await show(waits());
  await pass(1_100);
  await show(busy());
  press('Focus');
  await settled();
  expect([editor.shown, done]).toEqual([['briefly: A no longer waits for you.'], ['focus a']]);
});

const asks = (name: string) => `info: ${name} (harbour) asks for permission: Bash \`rm -rf build\` | Focus | Show`;

test('UI-5 shows a wait of a second once, with the agent and the reason', async () => {
  const { open, show, pass, busy, waits } = world();
  open();
  await show(busy());
  const wait = waits();
  await show(wait);
  await pass(900);
  expect(editor.shown).toEqual([]);
  await pass(200);
  await show(wait);
  await pass(5_000);
  expect(editor.shown).toEqual([asks('A')]);
});

test('UI-5 skips a wait that is answered within a second', async () => {
  const { open, show, pass, busy, waits } = world();
  open();
  await show(busy());
  await show(waits());
  await pass(800);
  await show(busy());
  await pass(5_000);
  expect(editor.shown).toEqual([]);
});

test('UI-5 skips waits from before this window, even if they become known later', async () => {
  const { open, show, pass, busy, waits, clock } = world();
  const wait = waits();
  await pass(1_000);
  open();
  await show(busy());
  await show(wait);
  await pass(5_000);
  expect(editor.shown).toEqual([]);
  // The very same, but begun since.
  await show(busy());
  await show({ ...wait, phaseSince: new Date(clock.now()).toISOString() });
  await pass(1_100);
  expect(editor.shown).toEqual([asks('A')]);
});

test('UI-5 shows a notice in the nearest window, and in none if the terminal is in view', async () => {
  const { open, show, pass, busy, waits } = world();
  [3, 1, 2].forEach((rank) => open({ rank: rank as 1 | 2 | 3, inView: false }));
  await show(busy());
  await show(waits());
  await pass(1_600);
  expect(editor.shown).toEqual([]);
  await pass(5_000);
  expect(editor.shown).toEqual([asks('A')]);
  open({ rank: 0, inView: true });
  await show(busy());
  await pass(20_000);
  await show(waits());
  await pass(5_000);
  expect(editor.shown.length).toBe(1);
});

test('UI-5 shows no notice if the terminal is in view, even if its window is slow to find out', async () => {
  const { open, show, pass, busy, waits } = world();
  open({ rank: 1, inView: false });
  open({ rank: 0, inView: true }, 1_900);
  open({ rank: 1, inView: false }, 1_000);
  await show(busy());
  await show(waits());
  await pass(10_000);
  expect(editor.shown).toEqual([]);
});

const turn = { phase: 'interactable', phaseBecause: { event: 'turn_ended', source: 'hook' } } as const;

test.each<[string, Record<string, unknown>, Partial<Session>]>([
  ['permission', { 'notices.permission': false }, {}],
  ['question', { 'notices.question': false }, { phase: 'waiting_question' }],
  ['turnEnded', { 'notices.turnEnded': false }, { ...turn, lastReply: 'Built.' }],
  ['failed', { 'notices.failed': false }, { ...turn, phaseBecause: { ...turn.phaseBecause, failure: 'rate_limit' } }],
  ['anything while not to be disturbed', { doNotDisturb: true }, {}],
])('UI-5 UI-6 a setting turns off %s, and only that', async (_name, off, changes) => {
  for (const raw of [{}, off]) {
    const { open, show, pass, busy, waits } = world(raw);
    open();
    await show(busy());
    await pass(12_000);
    await show(waits('a', changes));
    await pass(1_100);
  }
  expect(editor.shown.length).toBe(1);
});

test('UI-5 the notice goes to the terminal, or where there is none to the mascot', async () => {
  for (const [id, button] of [
    ['a', 'Focus'],
    ['lost', 'Focus'],
    ['a', 'Show'],
  ] as const) {
    const { open, show, pass, busy, waits, done } = world();
    editor.answers.push(button);
    open();
    await show(busy(id));
    await show(waits(id));
    await pass(1_100);
    editor.shown.push(done.join(', '));
  }
  expect(editor.shown.filter((line) => !line.startsWith('info'))).toEqual([
    'focus a',
    'focus lost, select lost/main',
    'select a/main',
  ]);
});

test('UI-5 offers Do Not Disturb with an ended turn', async () => {
  const { open, show, pass, busy, waits } = world();
  editor.answers.push('Do Not Disturb');
  open();
  await show(busy());
  await pass(12_000);
  await show(waits('a', { ...turn, lastReply: 'Built [it](command:x)\nand more.' }));
  await pass(1_100);
  expect([editor.shown, [...editor.settings]]).toEqual([
    ['info: A (harbour) is done: Built [it] (command:x) and more. | Focus | Show | Do Not Disturb'],
    [['agentMascot.doNotDisturb', true]],
  ]);
});

test('UI-5 more than three at once are one notice, three are three', async () => {
  const many = world();
  many.open();
  const ids = ['a', 'b', 'c', 'd'];
  await many.show(...ids.map((id) => many.busy(id)));
  await many.show(...ids.map((id) => many.waits(id)));
  await many.pass(5_000);
  expect(editor.shown).toEqual(['info: 4 agents wait for you. | Show']);
  clearEditor();
  const few = world();
  few.open();
  await few.show(...ids.slice(1).map((id) => few.busy(id)));
  await few.show(...ids.slice(1).map((id) => few.waits(id)));
  await few.pass(5_000);
  expect(editor.shown).toEqual(['B', 'C', 'D'].map(asks));
});

test('UI-5 sound is off, unless it is asked for', async () => {
  for (const raw of [{}, { 'notices.sound': true }]) {
    const { open, show, pass, busy, waits, done } = world(raw);
    open();
    await show(busy());
    await show(waits());
    await pass(1_100);
    editor.shown.push(`heard: ${done.join()}`);
  }
  expect(editor.shown.filter((line) => line.startsWith('heard'))).toEqual(['heard: ', 'heard: chime']);
});

test('UI-8 keeps no timer and shows nothing once disposed', async () => {
  const { open, show, pass, busy, waits, clock, listeners } = world();
  const notices = open();
  await show(busy());
  await show(waits());
  notices.dispose();
  expect([clock.pending(), listeners.size]).toEqual([0, 0]);
  await pass(5_000);
  expect(editor.shown).toEqual([]);
});
