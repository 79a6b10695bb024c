import { expect, test, vi } from 'vitest';
import type { StateSource } from '../app/ports.ts';
import type { Session } from '../protocol/state.ts';
import type { ViewSource } from '../protocol/view.ts';
import { aSession, aSnapshot } from '../../test/webview/fixtures.ts';
import { createStatusBar } from './statusBar.ts';

interface Item {
  text: string;
  tooltip: { lines: string };
  backgroundColor: unknown;
}
const editor = vi.hoisted(() => ({ item: undefined as unknown }));

vi.mock('vscode', () => ({
  l10n: {
    t: (text: string, places: Record<string, unknown> = {}) =>
      text.replace(/\{(\w+)\}/g, (_, name: string) => String(places[name])),
  },
  StatusBarAlignment: { Left: 1 },
  ThemeColor: class {},
  MarkdownString: class {
    lines = '';
    appendText(text: string) {
      this.lines += text;
      return this;
    }
    appendMarkdown(text: string) {
      this.lines += text.replace('\n\n', '\n');
      return this;
    }
  },
  Disposable: { from: () => ({ dispose: () => undefined }) },
  window: { createStatusBarItem: () => (editor.item = { show: () => undefined }) },
}));

function shown(...sessions: readonly Session[]): Item {
  return shownBy({ owns: true, status: 'live' }, sessions);
}

const otherOwner = { instance: 'i', generation: 3, app: 'Other Editor', version: '1.2.3', startedAt: '' };

function shownBy(
  { owns, status, trouble }: { owns: boolean; status: ViewSource; trouble?: string },
  sessions: readonly Session[] = [],
): Item {
  const source: Partial<StateSource> = {
    snapshot: () => ({ ...aSnapshot(sessions, []), owner: otherOwner }),
    status: () => status,
    onChange: () => ({ dispose: () => undefined }),
  };
  createStatusBar(source as StateSource, () => owns, {
    text: () => trouble,
    onChange: () => ({ dispose: () => undefined }),
  });
  return editor.item as Item;
}

const asleep = aSession({
  id: 'asleep',
  state: 'idle',
  phase: null,
  phaseBecause: { event: 'idle', source: 'synthetic', by: 'silence' },
});
const headless = aSession({ id: 'robot', surface: 'headless', phase: 'waiting_permission' });
const over = aSession({ id: 'over', phase: 'interactable', background: 2 });
const waits = aSession({ id: 'waits', phase: 'waiting_permission' });
const lost = aSession({ id: 'lost', state: 'stale', phase: null });

const texts: readonly (readonly [string, readonly Session[], boolean])[] = [
  ['$(smiley) No agents', [], false],
  ['$(smiley) No agents', [lost], false],
  ['$(smiley) 1 quiet', [asleep], false],
  ['$(sync) 1 busy', [headless, asleep], false],
  ['$(check) 1 ready · 2 in background', [over, asleep], false],
  ['$(bell-dot) 1 waiting · 1 busy · 2 in background', [over, headless, waits], true],
];
test.each(texts)('UI-4 the status bar says "%s"', (text, sessions, warns) => {
  const item = shown(...sessions);
  expect([item.text, item.backgroundColor !== undefined]).toEqual([text, warns]);
});

test('UI-4 STA-3 the tooltip has a line per session with its source, and none for one that is over', () => {
  expect(shown(asleep, over, waits, lost).tooltip.lines).toBe(
    [
      'Agent Mascot',
      '$(bell-dot) harbour · needs permission · by hook',
      '$(check) harbour · your move · 2 in background · by hook',
      '$(circle-slash) harbour · asleep · inferred',
      'This window collects.',
    ].join('\n'),
  );
});

test.each([
  ['this window', true, 'live', 'This window collects.'],
  ['another one', false, 'live', 'Another window collects: Other Editor 1.2.3'],
  // Whoever it was may have gone.
  ['nobody for certain', false, 'connecting', 'No agent is running.'],
] as const)('MWN-1 the tooltip says who collects: %s', (_name, owns, status, last) => {
  expect(shownBy({ owns, status }).tooltip.lines.split('\n').at(-1)).toBe(last);
});

test('UI-4 STO-3 as long as nothing is stored the status bar shows a sign and its tooltip says why', () => {
  const item = shownBy({ owns: true, status: 'live', trouble: 'The disk is full.' }, [headless]);
  expect([item.text, item.tooltip.lines.split('\n').slice(-2)]).toEqual([
    '$(sync) 1 busy $(warning)',
    ['The disk is full.', 'This window collects.'],
  ]);
});
