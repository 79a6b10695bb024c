import { expect, test } from 'vitest';
import type { JsonObject } from '../../protocol/json.ts';
import { claudeHookSet } from '../providers/claude/hookSet.ts';
import { codexHookSet } from '../providers/codex/hookSet.ts';
import { copilotHookSet } from '../providers/copilot/hookSet.ts';
import { hookCommand } from './command.ts';
import type { HookSet } from './hookSet.ts';
import { installHooks, standingOf, uninstallHooks } from './settingsEdit.ts';

const place = { system: 'posix', home: '$HOME/.m' } as const;
const command = (event: string, guards = false) => hookCommand(place, 'claude', event, guards);
const hook = (event: string, more: JsonObject = {}): JsonObject => ({
  type: 'command',
  command: command(event),
  ...more,
});
const guard: JsonObject = { matcher: 'Edit', hooks: [{ type: 'command', command: command('Pre', true) }] };

function setOf(...entries: readonly (readonly [string, JsonObject])[]): HookSet {
  return {
    format: { shape: 'grouped', commandKey: 'command' },
    entries: entries.map(([event, element]) => ({ event, element })),
  };
}

const stop = setOf(['Stop', { hooks: [hook('Stop')] }]);
const two = setOf(['Stop', { hooks: [hook('Stop')] }], ['Pre', { hooks: [hook('Pre')] }], ['Pre', guard]);
const S = JSON.stringify(hook('Stop'));
const G = `{"hooks":[${S}]}`;

function after(text: string | undefined, set: HookSet = stop): string | undefined {
  const edit = installHooks(text, set);
  return edit.kind === 'edited' ? edit.text : edit.kind;
}

/** Our hook in a text of several lines, as the step of `indent` from `base` puts it. */
function group(base: string, indent = '  ', eol = '\n'): string {
  const [a, b, c] = [1, 2, 3].map((depth) => base + indent.repeat(depth));
  const lines = [
    `${base}{`,
    `${a}"hooks": [`,
    `${b}{`,
    `${c}"type": "command",`,
    `${c}"command": ${JSON.stringify(command('Stop'))}`,
    `${b}}`,
    `${a}]`,
    `${base}}`,
  ];
  return lines.join(eol);
}

test.each<[string, string | undefined, string]>([
  ['no file', undefined, `{\n  "hooks": {\n    "Stop": [\n${group('      ')}\n    ]\n  }\n}\n`],
  ['an empty file', '', `{\n  "hooks": {\n    "Stop": [\n${group('      ')}\n    ]\n  }\n}`],
  ['an empty object', '{}', `{ \n  "hooks": {\n    "Stop": [\n${group('      ')}\n    ]\n  }\n}`],
  ['an empty object of two lines', '{\n}\n', `{\t\n  "hooks": {\n    "Stop": [\n${group('      ')}\n    ]\n  }\n}\n`],
  ['one line', '{"a":1}', `{"a":1,"hooks":{"Stop":[${G}]}}`],
  ['one line with room', '{ "a": 1, "b": 2 }', `{ "a": 1, "b": 2, "hooks":{"Stop":[${G}]} }`],
  ['empty hooks in one line', '{"hooks":{}}', `{"hooks":{ "Stop":[${G}]}}`],
  ['an empty list in one line', '{"hooks":{"Stop":[]}}', `{"hooks":{"Stop":[ ${G}]}}`],
  [
    'CRLF, tabs, a BOM and no final line end',
    '\uFEFF{\r\n\t"a": 1\r\n}',
    `\uFEFF{\r\n\t"a": 1,\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n${group('\t\t\t', '\t', '\r\n')}\r\n\t\t]\r\n\t}\r\n}`,
  ],
  [
    'four blanks',
    '{\n    "a": 1\n}\n',
    `{\n    "a": 1,\n    "hooks": {\n        "Stop": [\n${group(' '.repeat(12), '    ')}\n        ]\n    }\n}\n`,
  ],
  [
    'somebody else’s hook before ours',
    '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [] }\n    ]\n  }\n}\n',
    `{\n  "hooks": {\n    "Stop": [\n      { "hooks": [] },\n${group('      ')}\n    ]\n  }\n}\n`,
  ],
  [
    'repeated keys: the last counts',
    '{"hooks":{"Stop":[1]},"hooks":{"Stop":[2],"Stop":[3]}}',
    `{"hooks":{"Stop":[1]},"hooks":{"Stop":[2],"Stop":[3,${G}]}}`,
  ],
  ['a key with escapes', '{"h\\u006foks":{"St\\u006fp":[3]}}', `{"h\\u006foks":{"St\\u006fp":[3,${G}]}}`],
])('HKI-2 install into %s looks as the file does, and uninstall gives it back', (_, text, expected) => {
  expect(after(text)).toBe(expected);
  expect(uninstallHooks(expected, stop.format, text === undefined)).toEqual({ kind: 'edited', text });
});

test.each<[string, string, ReturnType<typeof standingOf>]>([
  ['a comment', '{\n  // mine\n}', { reason: 'comment', line: 2, column: 3 }],
  ['a comment after the end', '{} /* mine', { reason: 'comment', line: 1, column: 4 }],
  ['a trailing comma', '\uFEFF{"a":[1],}', { reason: 'trailing-comma', line: 1, column: 9 }],
  ['a trailing comma in a list', '{"a":[\r\n1\r\n,\r\n]}', { reason: 'trailing-comma', line: 3, column: 1 }],
  ['only a comma', '{,}', { reason: 'syntax', line: 1, column: 2 }],
  ['a missing value', '{"x":1,"a":}', { reason: 'syntax', line: 1, column: 12 }],
  ['a missing comma', '{"a":1\r "b":2}', { reason: 'syntax', line: 2, column: 2 }],
  ['a cut file', '{"a": [1, 2', { reason: 'syntax', line: 1, column: 12 }],
  ['an open text', '{"a": "b\n}', { reason: 'syntax', line: 1, column: 7 }],
  ['two values', '{} {}', { reason: 'syntax', line: 1, column: 4 }],
  ['two BOMs', '\uFEFF\uFEFF{}', { reason: 'syntax', line: 1, column: 1 }],
  ['a number of no form', '{"a":01}', { reason: 'syntax', line: 1, column: 7 }],
  ['a NUL', '{"a":1}\0', { reason: 'syntax', line: 1, column: 8 }],
  ['a wrong bracket', '{"a":[1}', { reason: 'syntax', line: 1, column: 8 }],
  ['single quotes', "{'a':1}", { reason: 'syntax', line: 1, column: 2 }],
  ['a word of no meaning', '{"a":undefined}', { reason: 'syntax', line: 1, column: 6 }],
  ['a list', '\n []', { reason: 'not-an-object', line: 2, column: 2 }],
  ['null', 'null', { reason: 'not-an-object', line: 1, column: 1 }],
  ['a list of hooks', '{"hooks": []}', { reason: 'hooks-not-an-object', line: 1, column: 11 }],
  [
    'an event of no list',
    '{"hooks":\n{"Stop": {}}}',
    { reason: 'event-not-a-list', line: 2, column: 10, event: 'Stop' },
  ],
  ['too many levels', `{"a":${'['.repeat(100_000)}`, { reason: 'too-deep', line: 1, column: 505 }],
])('HKI-2 %s is refused with its place, and never written', (_, text, refusal) => {
  expect([installHooks(text, stop), standingOf(text, stop)]).toEqual([{ kind: 'refused', refusal }, refusal]);
});

test('HKI-2 an event that is not ours may be of any form, and uninstall has nothing to do in forms that hold no hooks', () => {
  expect(after('{"hooks":{"Own":{},"Stop":[]}}')).toBe(`{"hooks":{"Own":{},"Stop":[ ${G}]}}`);
  const texts = ['[]', 'null', '5', '{"hooks":[]}', '{"hooks":{"Stop":5}}', '', ' \n', undefined];
  expect(texts.map((text) => uninstallHooks(text, stop.format).kind)).toEqual(texts.map(() => 'unchanged'));
  expect(uninstallHooks('{,}', stop.format).kind).toBe('refused');
});

const theirs = '{"type":"command","command":"mine"}';
const oldHook = JSON.stringify({ type: 'command', command: hookCommand({ ...place, home: '/old' }, 'claude', 'Stop') });
const pasted = JSON.stringify({
  type: 'command',
  command:
    '[ -f "$HOME/.m/bin/forward-to-mascot.mjs" ] && command -v node >/dev/null && exec node "$HOME/.m/bin/forward-to-mascot.mjs" --provider claude; exit 0',
});
const inStop = (...groups: readonly string[]) => `{"hooks":{"Stop":[${groups.join(',')}]}}`;
const g = (...hooks: readonly string[]) => `{"hooks":[${hooks.join(',')}]}`;

test.each<[string, string, string, string]>([
  ['the present form stays', inStop(g(S), g(theirs)), 'unchanged', 'whole'],
  ['with its keys in another order too', inStop('{"hooks":[' + reversed(S) + ']}', g(theirs)), 'unchanged', 'whole'],
  ['an older form gives its place', inStop(g(oldHook), g(theirs)), inStop(g(S), g(theirs)), 'outdated'],
  [
    'what the first release pasted',
    inStop(g(theirs), g(pasted), g(theirs)),
    inStop(g(theirs), g(S), g(theirs)),
    'outdated',
  ],
  ['another timeout', inStop(g(S.replace('}', ',"timeout":1}'))), inStop(g(S)), 'outdated'],
  ['another matcher', inStop(`{"matcher":"x",${G.slice(1)}`, g(theirs)), inStop(G, g(theirs)), 'outdated'],
  ['twice', inStop(g(S), g(theirs), g(S)), inStop(g(S), g(theirs)), 'outdated'],
  ['twice in one group', inStop(g(S, S)), inStop(g(S)), 'outdated'],
  ['the older before the present', inStop(g(oldHook), g(S)), inStop(g(S)), 'outdated'],
  ['in a group with others', inStop(g(theirs, oldHook, theirs)), inStop(g(theirs, S, theirs)), 'outdated'],
  ['the present in a group with others', inStop(g(theirs, S)), 'unchanged', 'whole'],
  [
    'under the matcher of others',
    inStop(`{"matcher":"x","hooks":[${theirs},${S}]}`),
    inStop(`{"matcher":"x","hooks":[${theirs}]}`, G),
    'outdated',
  ],
  ['in an event that is not wanted', `{"hooks":{"Own":[${g(S)}],"Stop":[${g(S)}]}}`, inStop(g(S)), 'outdated'],
  [
    'in the middle of one',
    `{"hooks":{"Own":[1,${g(S)},2],"Stop":[${g(S)}]}}`,
    `{"hooks":{"Own":[1,2],"Stop":[${g(S)}]}}`,
    'outdated',
  ],
  [
    'at the start of one',
    `{"hooks":{"Own":[${g(S)} , 2],"Stop":[${g(S)}]}}`,
    `{"hooks":{"Own":[2],"Stop":[${g(S)}]}}`,
    'outdated',
  ],
  [
    'in a list that was there empty',
    `{"hooks":{"Own":[ ${g(S)}],"Stop":[${g(S)}]}}`,
    `{"hooks":{"Own":[],"Stop":[${g(S)}]}}`,
    'outdated',
  ],
  ['nothing of ours', inStop(g(theirs)), inStop(g(theirs), G), 'absent'],
  [
    'a person’s own form of it',
    inStop(g(S.replace('exit 0 ', 'exit 1 '))),
    inStop(g(S.replace('exit 0 ', 'exit 1 ')), G),
    'absent',
  ],
])('HKI-2 HKI-8 install converges: %s', (_, text, expected, state) => {
  expect([after(text), standingOf(text, stop)]).toMatchObject([expected, { state }]);
});

test('HKI-8 Codex’s hooks with the former text are out of date, get the present one in their place, and go', () => {
  const wanted = codexHookSet({ place, takesNewEvents: true });
  const present = after(undefined, wanted) ?? '';
  const former = present.replaceAll('exec /bin/sh -c', 'exec sh -c');
  const events = new Set(wanted.entries.map(({ event }) => event));
  expect(former).not.toBe(present);
  expect(standingOf(former, wanted)).toMatchObject({ state: 'outdated', missing: [], outdated: [...events] });
  expect(after(former, wanted)).toBe(present);
  expect(uninstallHooks(former, wanted.format, true)).toEqual({ kind: 'edited', text: undefined });
});

function reversed(json: string): string {
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(json) as object).reverse()));
}

const pre = JSON.stringify(hook('Pre'));
const preGuard = JSON.stringify(guard);

test.each<[string, string, string, object]>([
  [
    'one of two is missing',
    `{"hooks":{"Stop":[${G}],"Pre":[${g(pre)}]}}`,
    `{"hooks":{"Stop":[${G}],"Pre":[${g(pre)},${preGuard}]}}`,
    { state: 'partial', missing: ['Pre'], outdated: [], disabled: false },
  ],
  [
    'an event is missing',
    `{"disableAllHooks":true,"hooks":{"Stop":[${G}]}}`,
    `{"disableAllHooks":true,"hooks":{"Stop":[${G}],"Pre":[${g(pre)},${preGuard}]}}`,
    { state: 'partial', missing: ['Pre'], outdated: [], disabled: true },
  ],
  [
    'the asking one stays the asking one',
    `{"hooks":{"Stop":[${G}],"Pre":[${preGuard.replace('Edit', 'Write')}]}}`,
    `{"hooks":{"Stop":[${G}],"Pre":[${preGuard},${g(pre)}]}}`,
    { state: 'outdated', missing: ['Pre'], outdated: ['Pre'], disabled: false },
  ],
  [
    'the two in one group',
    `{"hooks":{"Stop":[${G}],"Pre":[${g(pre, JSON.stringify((guard['hooks'] as readonly JsonObject[])[0]))}]}}`,
    `{"hooks":{"Stop":[${G}],"Pre":[${g(pre)},${preGuard}]}}`,
    { state: 'outdated', missing: ['Pre'], outdated: ['Pre'], disabled: false },
  ],
  [
    'nothing',
    '{"disableAllHooks":"true"}',
    `{"disableAllHooks":"true","hooks":{"Stop":[${G}],"Pre":[${g(pre)},${preGuard}]}}`,
    { state: 'absent', missing: ['Stop', 'Pre'], outdated: [], disabled: false },
  ],
])('HKI-5 what is missing and what is older: %s', (_, text, expected, standing) => {
  expect([standingOf(text, two), after(text, two)]).toEqual([standing, expected]);
});

test('HKI-5 no file, and one without text, have none of ours', () => {
  const absent = { state: 'absent', missing: ['Stop', 'Pre'], outdated: [], disabled: false };
  expect([undefined, '', '\uFEFF \r\n', '{}'].map((text) => standingOf(text, two))).toEqual(Array(4).fill(absent));
});

test.each<[string, string, boolean, string | undefined]>([
  ['a group that held others too', inStop(g(theirs, S)), false, inStop(g(theirs))],
  [
    'repeated keys, all of them',
    `{"hooks":{"Stop":[1,${G}],"Stop":[${G},2]},"hooks":{"Stop":[3,${G}]}}`,
    false,
    '{"hooks":{"Stop":[1],"Stop":[2]},"hooks":{"Stop":[3]}}',
  ],
  ['any event', `{"hooks":{"A":[${g(oldHook)}],"B":[5],"C":[${G}]}}`, false, '{"hooks":{"B":[5]}}'],
  ['a file of another program’s form', `{ "hooks": {\n"Stop": [ ${G} ] } }`, false, '{ "hooks": {\n"Stop": [] } }'],
  ['that, when we made it', `\n{"hooks": {\n"Stop":\n[${G}\n]}}\n`, true, undefined],
  ['that, when we did not', `\n{"hooks": {\n"Stop":\n[${G}\n]}}\n`, false, '\n{}\n'],
  ['a file that we made, with something of the person’s', `{"a":1,"hooks":{"Stop":[${G}]}}`, true, '{"a":1}'],
  ['what is left of a file that we made', '{ }\n', true, undefined],
  ['that, without any text', '\n', true, undefined],
  ['a file that we made and the person emptied before we came back', `{ \n"hooks":{"Stop":[${G}]}\n}`, true, '{}'],
])('HKI-6 uninstall takes ours from %s', (_, text, weMadeIt, expected) => {
  expect(uninstallHooks(text, stop.format, weMadeIt)).toEqual({ kind: 'edited', text: expected });
});

test('HKI-2 Copilot’s file has its version, which alone does not keep it', () => {
  const set = copilotHookSet({ place, takesNewEvents: false });
  const made = after(undefined, set) ?? '';
  expect(JSON.parse(made)).toEqual({
    version: 1,
    hooks: Object.fromEntries(set.entries.map(({ event, element }) => [event, [element]])),
  });
  const sorted = JSON.stringify({ version: 1, ...(JSON.parse(made) as object) });
  const uninstall = (text: string, weMadeIt?: boolean) => uninstallHooks(text, set.format, weMadeIt);
  const own = '{\n  "version": 1\n}\n';
  expect([
    uninstall(made, true),
    uninstall(made),
    uninstall(sorted, true),
    uninstall(sorted),
    uninstall(after(own, set) ?? ''),
    uninstall(own, true),
    uninstall(own),
  ]).toEqual([
    { kind: 'edited', text: undefined },
    { kind: 'edited', text: own },
    { kind: 'edited', text: undefined },
    { kind: 'edited', text: '{"version":1}' },
    { kind: 'edited', text: own },
    { kind: 'edited', text: undefined },
    { kind: 'unchanged' },
  ]);
});

test('HKI-2 a file that was there stays, though another program has written it as we write one that we make', () => {
  const rewritten = `${JSON.stringify(JSON.parse(after('{}\n', stop) ?? ''), null, 2)}\n`;
  expect(uninstallHooks(rewritten, stop.format)).toEqual({ kind: 'edited', text: '{}\n' });
});

test('HKI-6 hooks of another home stay where only those of one are to go', () => {
  const text = after(undefined, stop) ?? '';
  expect(uninstallHooks(text, stop.format, false, ['/elsewhere'])).toEqual({ kind: 'unchanged' });
  expect(uninstallHooks(text, stop.format, true, ['/elsewhere', place.home])).toEqual({
    kind: 'edited',
    text: undefined,
  });
});

/** Of the processor, not of the clock, and the least disturbed of several runs: the machine has other work too. */
function leastCost(work: () => void, enough = 0): number {
  let least = Infinity;
  for (let run = 0; run < 5 && least >= enough; run++) {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, user + system);
  }
  return least;
}

test.each<[string, (count: number) => string]>([
  [
    'lines',
    (count) => `{\n${Array.from({ length: count }, (_, i) => `  "key${i}": "${'x'.repeat(20)}"`).join(',\n')}\n}\n`,
  ],
  ['one line', (count) => `{"a":[${Array(count).fill('{"b":"cd"}').join(',')}],"hooks":{}}`],
  ['hooks of others', (count) => inStop(...Array<string>(count).fill(g(theirs)))],
  ['hooks of ours', (count) => inStop(...Array<string>(Math.ceil(count / 4)).fill(g(oldHook)))],
  ['escapes', (count) => `{"a":"${'\\u00e9\\n'.repeat(count)}"}`],
])('HKI-2 eight times the text takes about eight times the work: %s', (_, textOf) => {
  const set = claudeHookSet({ place, takesNewEvents: true });
  const work = (text: string) => () => {
    const installed = after(text, set) ?? '';
    uninstallHooks(installed, set.format);
    standingOf(installed, set);
  };
  const small = textOf(5_000);
  const big = textOf(40_000);
  work(small)();
  // What grows with the square would take 64 times.
  const most = 20 * leastCost(work(small));
  expect(leastCost(work(big), most)).toBeLessThan(most);
});
