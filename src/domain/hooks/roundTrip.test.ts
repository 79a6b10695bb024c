import fc from 'fast-check';
import { expect, test } from 'vitest';
import { claudeHookSet } from '../providers/claude/hookSet.ts';
import { codexHookSet } from '../providers/codex/hookSet.ts';
import { copilotHookSet } from '../providers/copilot/hookSet.ts';
import { geminiHookSet } from '../providers/gemini/hookSet.ts';
import type { HookSet } from './hookSet.ts';
import { anySettings, brokenSettings, settingsText } from './settings.testkit.ts';
import { installHooks, standingOf, uninstallHooks } from './settingsEdit.ts';

const request = { place: { system: 'posix', home: '$HOME/.agent-mascot' }, takesNewEvents: true } as const;
const sets: readonly (readonly [string, HookSet])[] = [
  ['claude', claudeHookSet(request)],
  ['claude on Windows', claudeHookSet({ place: { system: 'windows', home: 'C:/Users/u/m' }, takesNewEvents: false })],
  ['codex', codexHookSet(request)],
  ['gemini', geminiHookSet(request)],
  ['copilot', copilotHookSet(request)],
];
const runs = { numRuns: 1_500 };

function installed(text: string | undefined, set: HookSet): string {
  const edit = installHooks(text, set);
  if (edit.kind !== 'edited' || edit.text === undefined) throw new Error(`not installed: ${JSON.stringify(edit)}`);
  return edit.text;
}

function parsed(text: string): unknown {
  const plain = text.replace(/^\uFEFF/, '');
  return /^[ \t\r\n]*$/.test(plain) ? {} : JSON.parse(plain);
}

/** What ours is not in: everything must be the same and in the same order before and after. */
function withoutOurs(value: unknown, set: HookSet): unknown {
  const ours = new Set(set.entries.map(({ element }) => JSON.stringify(element)));
  const { hooks, ...rest } = value as { hooks?: Record<string, unknown> };
  const lists = Object.entries(hooks ?? {}).map(([event, list]) => {
    const left = Array.isArray(list) ? list.filter((item) => !ours.has(JSON.stringify(item))) : list;
    return [event, left] as const;
  });
  return JSON.stringify([rest, lists.filter(([, list]) => !Array.isArray(list) || list.length > 0)]);
}

test.each(sets)('HKI-2 install, then uninstall, gives any text back byte for byte: %s', (_, set) => {
  fc.assert(
    fc.property(anySettings, (text) => {
      const edit = uninstallHooks(installed(text, set), set.format, text === undefined);
      expect(edit).toEqual({ kind: 'edited', text });
    }),
    runs,
  );
});

test.each(sets)('HKI-2 install twice is install once, and all is there: %s', (_, set) => {
  fc.assert(
    fc.property(anySettings, (text) => {
      const once = installed(text, set);
      const again = installHooks(once, set);
      const { state, missing, outdated } = standingOf(once, set) as Exclude<
        ReturnType<typeof standingOf>,
        { reason: string }
      >;
      expect({ again, state, missing, outdated }).toEqual({
        again: { kind: 'unchanged' },
        state: 'whole',
        missing: [],
        outdated: [],
      });
    }),
    runs,
  );
});

test.each(sets)('HKI-2 what is not ours keeps its value and its order: %s', (_, set) => {
  fc.assert(
    fc.property(settingsText, (text) => {
      const { head } = set.format;
      const before = parsed(text) as object;
      const isEmpty = Object.keys(before).length === 0;
      const after = parsed(installed(text, set));
      expect(withoutOurs(after, set)).toBe(withoutOurs(isEmpty ? { ...head } : before, set));
    }),
    runs,
  );
});

test('HKI-2 a text without ours is left alone by uninstall', () => {
  const set = claudeHookSet(request);
  fc.assert(
    fc.property(fc.oneof(anySettings, brokenSettings), (text) => {
      expect(uninstallHooks(text, set.format).kind).not.toBe('edited');
    }),
    runs,
  );
});

test('HKI-2 what JSON.parse refuses is refused with a place in the text; what it takes is edited', () => {
  const set = claudeHookSet(request);
  fc.assert(
    fc.property(brokenSettings, (text) => {
      const edit = installHooks(text, set);
      expect(edit.kind).toBe(isTaken(text, set) ? 'edited' : 'refused');
      if (edit.kind !== 'refused') return;
      expect(standingOf(text, set)).toEqual(edit.refusal);
      const line = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/)[edit.refusal.line - 1] ?? '';
      expect(edit.refusal.column).toBeGreaterThan(0);
      expect(edit.refusal.column).toBeLessThanOrEqual(line.length + 1);
    }),
    { numRuns: 6_000 },
  );
});

function isTaken(text: string, set: HookSet): boolean {
  try {
    const root = parsed(text) as Record<string, unknown>;
    if (typeof root !== 'object' || root === null || Array.isArray(root)) return false;
    if (!Object.hasOwn(root, 'hooks')) return true;
    const hooks = root['hooks'] as Record<string, unknown>;
    if (typeof hooks !== 'object' || hooks === null || Array.isArray(hooks)) return false;
    return set.entries.every(({ event }) => !Object.hasOwn(hooks, event) || Array.isArray(hooks[event]));
  } catch {
    return false;
  }
}

test('HKI-2 older hooks of ours among others of the person give way to the present ones, and all of ours goes again', () => {
  const older = claudeHookSet({ place: { system: 'posix', home: '/old/home' }, takesNewEvents: true });
  const set = claudeHookSet({ ...request, takesNewEvents: false });
  fc.assert(
    fc.property(anySettings, (text) => {
      const before = installed(text, older);
      const once = installed(before, set);
      expect(standingOf(before, set)).toMatchObject({ state: 'outdated', missing: [] });
      expect(standingOf(once, set)).toMatchObject({ state: 'whole', missing: [], outdated: [] });
      expect(uninstallHooks(once, set.format, text === undefined)).toEqual({ kind: 'edited', text });
    }),
    runs,
  );
});

test('HKI-2 after another program wrote the file anew, uninstall leaves all that is not ours', () => {
  const set = claudeHookSet(request);
  fc.assert(
    fc.property(settingsText, fc.constantFrom(0, 2, '\t'), (text, indent) => {
      const rewritten = JSON.stringify(parsed(installed(text, set)), null, indent);
      const edit = uninstallHooks(rewritten, set.format);
      if (edit.kind !== 'edited') throw new Error(edit.kind);
      expect(withoutOurs(parsed(edit.text ?? ''), set)).toBe(withoutOurs(parsed(text), set));
    }),
    runs,
  );
});
