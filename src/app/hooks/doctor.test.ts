import { describe, expect, test } from 'vitest';
import { type Finding, type FindingCode, findingText, findingWords } from '../../domain/hooks/findings.ts';
import { installHooks } from '../../domain/hooks/settingsEdit.ts';
import { createDoctor } from './doctor.ts';
import type { CollectorState, DoctorWorld } from './doctorPorts.ts';
import type { FileContent, InstalledFile, Scope } from './hookPorts.ts';
import { memoryFiles, memoryFolders, memoryRecord, recorded, scopeAt, scopesOf, stopCommand } from './hooks.testkit.ts';
import { createHookInstaller } from './installer.ts';

const user = scopeAt('user');
const codex = scopeAt('codex');

interface Case {
  readonly scopes?: readonly Scope[];
  readonly texts?: Readonly<Record<string, string>>;
  readonly contents?: Readonly<Record<string, FileContent>>;
  readonly installed?: readonly InstalledFile[];
  readonly world?: Partial<DoctorWorld>;
  readonly isAlone?: boolean;
}

const answers = <T>(value: T) => ({ call: () => Promise.resolve(value) }).call;

/** A machine on which everything is as it should be. */
const goodWorld: DoctorWorld = {
  entry: answers({ state: 'good', folder: '/home/dev/.agent-mascot/bin', bytes: 2_727, version: '1.2.3' } as const),
  runtime: answers({ kind: 'node', version: '24.1.0', file: '/usr/bin/node' } as const),
  collector: answers<CollectorState>({ kind: 'live', url: 'http://127.0.0.1:4820' }),
  spool: answers({ folder: '/spool', count: 0, kilobytes: 0, dropped: 0, megabytesMax: 64 }),
  trial: answers({ arrivedMs: 42, seconds: 3, code: 0, said: '' }),
  cost: answers({ p50: 2.3, p95: 3.1, nothing: 1.4 }),
  logLines: answers(undefined),
  managedPolicies: answers([]),
  claudePrograms: answers([{ file: '/usr/bin/claude', version: '2.1.327' }]),
  codexTrust: answers({ kind: 'known', trusted: 14, untrusted: 0, changed: 0 } as const),
  codexInline: answers(undefined),
  agentsHere: answers(new Set(['claude'] as const)),
};

const dropped = { folder: '/s', count: 0, kilobytes: 0, dropped: 9, droppedOn: '2026-11-17', megabytesMax: 64 };

const refusing = (code: string) => ({
  collector: answers<CollectorState>({
    kind: 'live',
    url: 'http://127.0.0.1:4820',
    storing: { ok: false, code, folder: '/store', since: '2026-11-18T11:00:00.000Z', refused: 4 },
  }),
});

function wholeText(scope: Scope, before = '{}'): string {
  const edit = installHooks(before, scope.wanted);
  if (edit.kind !== 'edited' || edit.text === undefined) throw new Error(`not installed: ${edit.kind}`);
  return edit.text;
}

function examine({
  scopes = [user],
  texts,
  contents = {},
  installed = [],
  world = {},
  isAlone,
}: Case): Promise<readonly Finding[]> {
  const files = memoryFiles(texts ?? Object.fromEntries(scopes.map((scope) => [scope.file, wholeText(scope)])));
  for (const [file, content] of Object.entries(contents)) files.contents.set(file, content);
  const installer = createHookInstaller({
    files,
    folders: memoryFolders(),
    scopes: scopesOf(...scopes),
    record: memoryRecord(...installed),
    now: () => '2026-11-18T12:00:00.000Z',
  });
  return createDoctor({ installer, files, world: { ...goodWorld, ...world } }).examine('/home/dev/project', isAlone);
}

test('HKI-5 STO-3 while nothing can be stored no test event is sent, and nothing is advised but to mend the disk', async () => {
  const sent: string[] = [];
  const spool = answers({ folder: '/s', count: 3, kilobytes: 7, dropped: 0, megabytesMax: 64 });
  const trial = (command: string) => {
    sent.push(command);
    return Promise.resolve({ arrivedMs: null, seconds: 3, code: 0, said: '' });
  };
  const findings = await examine({ world: { ...refusing('ENOSPC'), spool, trial } });
  const bad = findings.filter(({ level }) => level === 'error' || level === 'warning');
  expect([sent, bad.map(({ code }) => code), findings.flatMap(({ fix }) => fix ?? [])]).toEqual([
    [],
    ['storing.full'],
    [{ kind: 'explain', topic: 'disk' }],
  ]);
});

test('HKI-5 a machine where all is well, in the order in which a person would look', async () => {
  const findings = await examine({});
  expect(findings.map(({ level, ...rest }) => `${level}: ${findingText(rest)}`)).toEqual([
    'good: This user: all 2 hooks are in /home/dev/user.json',
    'good: The entry in /home/dev/.agent-mascot/bin is of this version (2727 bytes)',
    'good: Runtime: Node 24.1.0 (/usr/bin/node)',
    'good: The collector answers at http://127.0.0.1:4820',
    'good: Nothing waits in the spool',
    'good: This user: a test event through the installed command arrived after 42 ms',
    'good: One hook takes 2.3 ms (p95 3.1); a hook that does nothing 1.4 ms here',
  ]);
});

test('SEC-7 HKI-5 run for an agent, it leaves out the hooks in other projects', async () => {
  const own = { ...scopeAt('local'), file: '/home/dev/project/own.json', project: '/home/dev/project' };
  const other = { ...scopeAt('project'), file: '/home/dev/other/settings.json', project: '/home/dev/other' };
  const texts = async (isAlone: boolean) =>
    (await examine({ scopes: [user, own, other], isAlone })).map((finding) => findingText(finding)).join('\n');
  expect(await texts(false)).toContain('/home/dev/other');
  expect(await texts(true)).not.toContain('/home/dev/other');
  expect(await texts(true)).toContain('/home/dev/project/own.json');
});

const scope = 'This user';
const file = user.file;
const install = { kind: 'install', scope: 'user' };
const partialText = JSON.stringify({
  hooks: { Stop: [{ hooks: [{ type: 'command', command: stopCommand, timeout: 10 }] }] },
});

/** One row a code: how it comes about, and the finding. */
const table: readonly (readonly [Case, Pick<Finding, 'code' | 'level'> & Partial<Finding>])[] = [
  [{ texts: {} }, { code: 'scope.absent', level: 'note', values: { scope, file }, fix: install as never }],
  [{}, { code: 'scope.whole', level: 'good', values: { scope, file, count: 2 } }],
  [
    { texts: { [file]: partialText } },
    { code: 'scope.partial', level: 'warning', values: { scope, file, events: 'SessionStart' }, fix: install as never },
  ],
  [
    {
      texts: {
        [file]: wholeText(user).replace('"timeout": 10', '"timeout": 11').replace('"timeout":10', '"timeout":11'),
      },
    },
    { code: 'scope.outdated', level: 'warning', values: { scope, file }, fix: install as never },
  ],
  [
    { texts: { [file]: '{}' }, installed: [recorded(user)] },
    { code: 'scope.vanished', level: 'error', values: { scope, file }, fix: install as never },
  ],
  [
    { contents: { [file]: { kind: 'unreadable', why: 'EACCES' } } },
    { code: 'scope.unreadable', level: 'error', values: { scope, file, why: 'EACCES' }, fix: { kind: 'open', file } },
  ],
  [
    { texts: { [file]: '{\n  "a": 1,\n}' } },
    {
      code: 'scope.broken',
      level: 'error',
      values: { scope, file, line: 2, column: 9, reason: 'a comma before a closing bracket', agent: 'Claude Code' },
      fix: { kind: 'open', file, line: 2, column: 9 },
    },
  ],
  [
    { texts: { [file]: wholeText(user, '{"disableAllHooks":true}') } },
    { code: 'scope.disabled', level: 'error', values: { scope, file }, fix: { kind: 'open', file } },
  ],
  [
    { world: { managedPolicies: answers(['/etc/claude-code/managed-settings.json']) } },
    {
      code: 'scope.managed',
      level: 'error',
      values: { file: '/etc/claude-code/managed-settings.json' },
      fix: { kind: 'explain', topic: 'managed' },
    },
  ],
  [
    {
      world: {
        claudePrograms: answers([
          { file: '/a', version: '2.1.327' },
          { file: '/b', version: '2.0.77' },
          { file: '/c' },
        ]),
      },
    },
    {
      code: 'scope.newEvents',
      level: 'note',
      values: { scope, file, agent: 'Claude Code', versions: '2.0.77, /c' },
    },
  ],
  [{ scopes: [codex] }, { code: 'codex.trusted', level: 'good', values: { scope: 'Codex', count: 14 } }],
  [
    { scopes: [codex], world: { codexTrust: answers({ kind: 'known', trusted: 11, untrusted: 3, changed: 0 }) } },
    {
      code: 'codex.untrusted',
      level: 'warning',
      values: { scope: 'Codex', count: 3, all: 14 },
      fix: { kind: 'explain', topic: 'codex-trust' },
    },
  ],
  [
    { scopes: [codex], world: { codexTrust: answers({ kind: 'known', trusted: 13, untrusted: 0, changed: 1 }) } },
    {
      code: 'codex.changed',
      level: 'warning',
      values: { scope: 'Codex', count: 1, all: 14 },
      fix: { kind: 'explain', topic: 'codex-trust' },
    },
  ],
  [
    { scopes: [codex], world: { codexTrust: answers({ kind: 'unknown', why: 'no codex' }) } },
    {
      code: 'codex.unknown',
      level: 'note',
      values: { scope: 'Codex', why: 'no codex' },
      fix: { kind: 'explain', topic: 'codex-trust' },
    },
  ],
  [
    { scopes: [codex], world: { codexInline: answers('/home/dev/.codex/config.toml') } },
    {
      code: 'codex.inline',
      level: 'note',
      values: { scope: 'Codex', file: '/home/dev/.codex/config.toml' },
      fix: { kind: 'open', file: '/home/dev/.codex/config.toml' },
    },
  ],
  [{}, { code: 'entry.good', level: 'good', values: { folder: '/home/dev/.agent-mascot/bin', bytes: 2_727 } }],
  [
    { world: { entry: answers({ state: 'missing', folder: '/bin', bytes: 0, version: '1.2.3' }) } },
    { code: 'entry.missing', level: 'error', values: { folder: '/bin' }, fix: { kind: 'refresh' } },
  ],
  [
    { texts: {}, world: { entry: answers({ state: 'missing', folder: '/bin', bytes: 0, version: '1.2.3' }) } },
    { code: 'entry.missing', level: 'note', values: { folder: '/bin' }, fix: { kind: 'refresh' } },
  ],
  [
    { world: { entry: answers({ state: 'newer', folder: '/bin', bytes: 9, version: '9.0.0' }) } },
    { code: 'entry.newer', level: 'note', values: { folder: '/bin', version: '9.0.0' } },
  ],
  [{}, { code: 'runtime.node', level: 'good', values: { version: '24.1.0', file: '/usr/bin/node' } }],
  [
    { world: { runtime: answers({ kind: 'editor', file: '/opt/code' }) } },
    { code: 'runtime.editor', level: 'good', values: { file: '/opt/code' } },
  ],
  [
    { world: { runtime: answers({ kind: 'none' }) } },
    { code: 'runtime.none', level: 'warning', values: {}, fix: { kind: 'explain', topic: 'node' } },
  ],
  [{}, { code: 'collector.live', level: 'good', values: { url: 'http://127.0.0.1:4820' } }],
  [
    { world: { collector: answers({ kind: 'none' }) } },
    { code: 'collector.none', level: 'warning', values: {}, fix: { kind: 'reload' } },
  ],
  [
    { world: { collector: answers({ kind: 'dead', why: 'refused' }) } },
    { code: 'collector.dead', level: 'error', values: { why: 'refused' }, fix: { kind: 'reload' } },
  ],
  [{}, { code: 'spool.empty', level: 'good', values: {} }],
  [
    { world: { spool: answers({ folder: '/s', count: 3, kilobytes: 7, dropped: 0, megabytesMax: 64 }) } },
    { code: 'spool.waiting', level: 'warning', values: { count: 3, kilobytes: 7 }, fix: { kind: 'reload' } },
  ],
  [
    {
      world: {
        collector: answers({ kind: 'none' }),
        spool: answers({ folder: '/s', count: 3, kilobytes: 7, dropped: 0, megabytesMax: 64 }),
      },
    },
    { code: 'spool.waiting', level: 'note', values: { count: 3, kilobytes: 7 }, fix: { kind: 'reload' } },
  ],
  [
    { world: { spool: answers(dropped) } },
    { code: 'spool.dropped', level: 'note', values: { count: 9, date: '2026-11-17', megabytes: 64, days: 30 } },
  ],
  [
    { world: { spool: answers(dropped), collector: answers({ kind: 'none' }) } },
    {
      code: 'spool.dropped',
      level: 'warning',
      values: { count: 9, date: '2026-11-17', megabytes: 64, days: 30 },
      fix: { kind: 'reload' },
    },
  ],
  ...(
    [
      ['ENOSPC', 'storing.full'],
      ['EROFS', 'storing.unwritable'],
      ['EIO', 'storing.failed'],
    ] as const
  ).map(([why, code]): readonly [Case, Finding] => [
    { world: { ...refusing(why), spool: answers({ ...dropped, count: 3 }) } },
    { code, level: 'error', values: { folder: '/store', why, count: 3 }, fix: { kind: 'explain', topic: 'disk' } },
  ]),
  [
    { world: refusing('ENOSPC') },
    { code: 'trial.skipped', level: 'note', values: { why: 'the collector can store nothing now' } },
  ],
  [
    {
      world: {
        spool: answers({ folder: '/s', count: 0, kilobytes: 0, dropped: 0, megabytesMax: 64, blocked: 'EROFS' }),
      },
    },
    {
      code: 'spool.blocked',
      level: 'error',
      values: { folder: '/s', why: 'EROFS' },
      fix: { kind: 'explain', topic: 'disk' },
    },
  ],
  [{}, { code: 'trial.arrived', level: 'good', values: { scope, ms: 42 } }],
  [
    { world: { trial: answers({ arrivedMs: null, seconds: 3, code: 0, said: '' }) } },
    { code: 'trial.lost', level: 'error', values: { scope, seconds: 3 }, fix: { kind: 'refresh' } },
  ],
  [
    { world: { trial: answers({ arrivedMs: 5, seconds: 3, code: 1, said: 'oh' }) } },
    { code: 'trial.noisy', level: 'error', values: { scope, code: 1, said: 'oh' }, fix: { kind: 'refresh' } },
  ],
  [{ texts: {} }, { code: 'trial.skipped', level: 'note', values: { why: 'no hooks are installed' } }],
  [
    { texts: { [file]: wholeText(user).replaceAll(/m=\\"[^"]*\\"/g, 'm=\\"/elsewhere\\"') } },
    {
      code: 'trial.skipped',
      level: 'note',
      values: { why: 'the installed hooks are not of this version: only what this version writes is run' },
    },
  ],
  [
    { world: { collector: answers({ kind: 'none' }) } },
    { code: 'trial.skipped', level: 'note', values: { why: 'no collector is running' } },
  ],
  [{}, { code: 'cost.hooks', level: 'good', values: { p50: 2.3, p95: 3.1, nothing: 1.4 } }],
  [
    { world: { logLines: answers({ file: '/l', count: 2, newest: 'last' }) } },
    { code: 'log.lines', level: 'note', values: { count: 2, newest: 'last' }, fix: { kind: 'open', file: '/l' } },
  ],
];

describe('HKI-5 every finding', () => {
  test.each(table.map(([given, finding], row) => [finding.code, row, given, finding] as const))(
    'HKI-5 %s (row %i)',
    async (code, _row, given, finding) => {
      expect((await examine(given)).filter((each) => each.code === code)).toEqual([finding]);
    },
  );

  test('HKI-5 the table has every code, every problem but a note has a fix, and no place in the words stays empty', () => {
    const codes = new Set(table.map(([, { code }]) => code));
    expect((Object.keys(findingWords) as FindingCode[]).filter((code) => !codes.has(code))).toEqual([]);
    for (const [, { code, level, fix, values = {} }] of table) {
      if (level === 'warning' || level === 'error') expect(fix, code).toBeDefined();
      expect(findingText({ code, values })).not.toMatch(/\{\w+\}/);
    }
  });
});

test.each([
  ['that runs something', stopCommand.replace(/m="[^"]*"/, 'm="$(date)"')],
  ['of the project’s own folder', stopCommand.replace(/m="[^"]*"/, 'm="./x"')],
  ['of another home', stopCommand.replace(/m="[^"]*"/, 'm="/elsewhere"')],
])('SEC-6 HKI-5 a command in a project’s file %s is never run, whatever it looks like', async (_, command) => {
  const project = scopeAt('project');
  const ran: string[] = [];
  const findings = await examine({
    scopes: [user, project],
    texts: { [project.file]: JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: 'command', command }] }] } }) },
    world: {
      trial: (text) => (ran.push(text), goodWorld.trial(text)),
      cost: (text) => (ran.push(text), goodWorld.cost(text)),
    },
  });
  expect([ran, findings.filter(({ code }) => /^(trial|cost)/.test(code)).map(({ code }) => code)]).toEqual([
    [],
    ['trial.skipped'],
  ]);
});

describe('HKI-5 what is not told', () => {
  const codesOf = async (given: Case) => (await examine(given)).map(({ code }) => code);

  test('HKI-5 one installed file of Claude Code is enough; agents that were never used are not missed', async () => {
    const local = scopeAt('local');
    const codes = await codesOf({ scopes: [user, local, codex], texts: { [local.file]: wholeText(local) } });
    expect(codes.filter((code) => code.startsWith('scope.'))).toEqual(['scope.whole']);
    const used = await codesOf({
      scopes: [user, codex],
      texts: {},
      world: { agentsHere: answers(new Set(['codex'] as const)) },
    });
    expect(used.filter((code) => code.startsWith('scope.'))).toEqual(['scope.absent', 'scope.absent']);
  });

  test('HKI-8 nothing of Codex without hooks of ours in its file, nothing of policies without Claude Code’s', async () => {
    const codes = await codesOf({
      scopes: [codex],
      texts: {},
      world: { managedPolicies: answers(['/etc/p']), codexInline: answers('/c') },
    });
    expect(codes.filter((code) => /codex|managed|newEvents/.test(code))).toEqual([]);
  });
});

test('HKI-5 a test event goes once through each text, and never through one that asks or guards', async () => {
  const local = scopeAt('local');
  const tried: string[] = [];
  await examine({
    scopes: [user, local, codex],
    world: {
      trial: (command) => {
        tried.push(command);
        return goodWorld.trial(command);
      },
    },
  });
  expect(tried.map((command) => /set -- ([\w ]+)/.exec(command)?.[1])).toEqual([
    'claude Stop',
    'codex UserPromptSubmit',
  ]);
});
