import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { installHooks } from '../../domain/hooks/settingsEdit.ts';
import { createClaims } from '../cluster/claim.ts';
import { homeAt } from '../machine/home.ts';
import { agentPlaces } from './agentPlaces.ts';
import { listeningLog, testFolder, type TestFolder } from './hooks.testkit.ts';
import { createInstallRecord } from './installRecord.ts';
import { createHookInstaller } from '../../app/hooks/installer.ts';
import { removeEverything } from './removal.ts';
import { filesWithHooks } from './removeHooks.ts';
import { createScopes } from './scopes.ts';
import { createSettingsFiles } from './settingsFiles.ts';
import { settingsFolders } from './settingsFolders.ts';

const proof = 'k'.repeat(43);
const port = {
  version: 1,
  url: 'http://127.0.0.1:1',
  port: 1,
  token: 't',
  pid: 1,
  instance: 'i',
  generation: 1,
  startedAt: '',
  app: 'a',
};

/** All that this product leaves below a person's folder. */
function usedMachine(folder: TestFolder, homeName = 'person/.agent-mascot') {
  const home = homeAt(folder.at(homeName));
  const store = folder.at('storage', 'store');
  const contents: Readonly<Record<string, string>> = {
    'proof.key': proof,
    'person.key': proof,
    'collector.json': JSON.stringify(port),
    'settings.json': '{"version":1,"collectorPort":4317}',
    'store.json': JSON.stringify({ version: 1, folder: store, app: 'Editor' }),
    generation: '3\n',
    'owner.json.sweep': '',
    'collector.json.01234567-89ab-cdef-0123-456789abcdef': JSON.stringify(port),
    'hooks.log': 'a line',
    'launch-29391840': '',
    'guard.on': '',
    'excluded.json': '{"version":1,"projects":[]}',
    'editors.json': '{}',
    'cast.json': '{"version":1,"mascots":[]}',
    'cast.json.broken': '{',
    'windows/01234567-89ab-cdef-0123-456789abcdef.window': '{}',
    'windows/01234567-89ab-cdef-0123-456789abcdef.window.tmp': '{',
    'windows/01234567-89ab-cdef-0123-456789abcdef.ask-01234567-89ab-cdef-0123-456789abcdef': '{}',
    'windows/claim-0123456789abcdef0123456789abcdef': '',
    'excluded.json.broken': '{',
    'excluded.json.last': '{"version":1,"projects":[]}',
    'excluded.json.last.0123456789ab.tmp': '',
    'collector.json.0123456789ab.tmp': '',
    'bin/hook': 'x',
    'bin.untrusted/hook': 'x',
    'bin.untrusted-2/version.json': 'x',
    'remote.json': '{"url":"https://collector.example","token":"t"}',
    'remote.json.untrusted': '{}',
    'store.json.untrusted': '{}',
    'proof.key.untrusted-2': 'x',
    'person.key.untrusted': 'x',
    'bin/mascot': 'x',
    'bin/mascot.mjs': 'x',
    'bin/forward-to-mascot.mjs': 'x',
    'bin/runtime': 'x',
    'bin/version.json': 'x',
    'bin/hook.0123456789ab.tmp': 'x',
    'spool/1763496930123-0b5c.json': 'x',
    'spool/.1763496930123-0b5c.json.tmp': 'x',
    'spool/12-34-0b5c.hook': 'x',
    'spool/.12-34-0b5c.hook': 'x',
    'spool/dropped.count': '1\n',
    'spool.days': '20774',
  };
  for (const [name, content] of Object.entries(contents)) folder.write(`${homeName}/${name}`, content);
  const stored = [
    'agent-mascot.sqlite',
    'agent-mascot.backup.sqlite',
    'agent-mascot-3-000017.sqlite',
    'journal-3-000001.bin',
    'agent-mascot-3-000018.sqlite.0123456789ab.tmp',
    'index-g7.db',
    'index-g7.db.0123456789ab.tmp',
    'log/000000000001-g3.sealed',
    'log/000000000001-g3-r2.sealed.00000000000a.tmp',
    'log/000000000042-g7.seg',
    'log/carried-out.json',
    'log/damaged/000000000040-g6.seg.from-96',
  ];
  for (const name of [
    ...stored,
    'damaged/agent-mascot.sqlite',
    'damaged/agent-mascot-3-000016.sqlite.2',
    'damaged/journal-3-000001.bin.2',
    'damaged/journal-3-000001.bin.from-96',
    'damaged/journal-3-000001.bin.from-96.2',
  ])
    folder.write(`storage/store/${name}`, 'x');
  folder.write('storage/store/generation', '3\n');
  const log = listeningLog();
  const record = createInstallRecord(home.installed, log);
  const files = createSettingsFiles({ backups: home.backups });
  const scopes = createScopes({
    home: home.folder,
    places: agentPlaces({}, folder.at('person')),
    platform: 'linux',
    programs: () => Promise.resolve([]),
  });
  return { home, store, record, files, scopes, storage: folder.at('other-storage', 'store') };
}
type Machine = ReturnType<typeof usedMachine>;

async function install(
  folder: TestFolder,
  machine: Machine,
  texts: Readonly<Record<string, string | undefined>>,
  project?: string,
) {
  for (const scope of await machine.scopes.all(project)) {
    if (!(scope.id in texts)) continue;
    const before = texts[scope.id];
    if (before !== undefined) folder.write(path.relative(folder.path, scope.file), before);
    const edit = installHooks(before, scope.wanted);
    if (edit.kind !== 'edited') throw new Error(`${scope.id}: ${edit.kind}`);
    await machine.files.replace(scope.file, before, edit.text);
    const made = before === undefined;
    await machine.record.add({
      scope: scope.id,
      file: scope.file,
      project: scope.project,
      made,
      format: scope.wanted.format,
      at: 'now',
    });
  }
}

function everyFile(folder: TestFolder): readonly string[] {
  const names = readdirSync(folder.path, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder.path, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

describe('HKI-6 removing everything', () => {
  test('HKI-6 no trace stays: hooks in all files and projects, the home, what is stored; each settings file is what it was', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    const project = folder.folder('project');
    const texts = {
      user: '\uFEFF{\r\n\t"model": "x"\r\n}',
      codex: '{}',
      gemini: undefined,
      copilot: undefined,
      local: '',
      project: '{"a":[1,\n2]}',
    };
    await install(folder, machine, texts, project);
    const removed = await removeEverything(machine);
    expect(removed.failed).toEqual([]);
    expect(everyFile(folder)).toEqual([
      'person/.claude/settings.json',
      'person/.codex/hooks.json',
      'project/.claude/settings.json',
      'project/.claude/settings.local.json',
    ]);
    const text = (name: string) => readFileSync(folder.at(name), 'utf8');
    expect([
      text('person/.claude/settings.json'),
      text('person/.codex/hooks.json'),
      text('project/.claude/settings.json'),
      text('project/.claude/settings.local.json'),
    ]).toEqual([texts.user, texts.codex, texts.project, texts.local]);
    expect([machine.home.folder, machine.store].map(existsSync)).toEqual([false, false]);
    expect(removed.done).toContain(`hooks in ${folder.at('person/.gemini/settings.json')}`);
    expect(await removeEverything(machine)).toEqual({ done: [], failed: [] });
  });

  test('HKI-6 hooks go from the person’s own files even if the record is lost', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    await install(folder, machine, { user: '{"model":"x"}', codex: '{ }' });
    writeFileSync(machine.home.installed, 'lost');
    expect((await removeEverything(machine)).failed).toEqual([]);
    expect(readFileSync(folder.at('person/.claude/settings.json'), 'utf8')).toBe('{"model":"x"}');
    expect(readFileSync(folder.at('person/.codex/hooks.json'), 'utf8')).toBe('{ }');
    expect(existsSync(machine.home.folder)).toBe(false);
  });

  test('HKI-6 a settings file that is broken is left, told with its place, and can be tried again; one that was never ours says nothing', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    await install(folder, machine, { user: '{"model":"x"}', codex: '{}' });
    const file = folder.at('person/.claude/settings.json');
    const whole = readFileSync(file, 'utf8');
    writeFileSync(file, `${whole.slice(0, -1)},\n}`);
    folder.write('person/.gemini/settings.json', '{ // mine\n}');
    const first = await removeEverything(machine);
    const [{ what = '', why = '' } = {}, ...others] = first.failed;
    expect([what, why]).toEqual([
      file,
      expect.stringMatching(/^our hooks stay in it: it is broken at line \d+, column \d+/),
    ]);
    expect(others.map((one) => one.what)).toEqual([machine.home.folder]);
    const { bin, installed, storeLocation } = machine.home;
    // What named the store goes with it, or it would be missed.
    const left = [installed, bin, machine.store, storeLocation].map((place) => existsSync(place));
    expect(left).toEqual([true, false, false, false]);
    writeFileSync(file, whole);
    expect((await removeEverything(machine)).failed).toEqual([]);
    expect([readFileSync(file, 'utf8'), existsSync(machine.home.folder)]).toEqual(['{"model":"x"}', false]);
  });

  test.each([
    ['nothing but its claim’s generation', { generation: '1\n' }],
    ['what a killed owner leaves before it', { 'owner.json': '{"instance":"i","generation":1,"pid":2147483646}' }],
    ['a claim half made', { [`owner.json.${'0'.repeat(36)}`]: '', 'generation.0123456789ab.tmp': '' }],
    ['only what was damaged', { generation: '2\n', 'damaged/agent-mascot.sqlite': 'x' }],
  ])('HKI-6 a store with %s goes too', async (_what, files) => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    for (const [name, content] of Object.entries(files)) folder.write(`other-storage/store/${name}`, content);
    expect((await removeEverything(machine)).failed).toEqual([]);
    expect([everyFile(folder), existsSync(machine.storage)]).toEqual([[], false]);
  });

  test('HKI-6 a folder with a generation that is not ours, or with more than ours, is no store', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    for (const [name, content] of Object.entries({ generation: '1\n', 'notes.txt': 'mine' }))
      folder.write(`other-storage/store/${name}`, content);
    await removeEverything(machine);
    expect(everyFile(folder)).toEqual(['other-storage/store/generation', 'other-storage/store/notes.txt']);
    rmSync(folder.at('other-storage/store/notes.txt'));
    folder.write('other-storage/store/generation', 'first');
    await removeEverything(machine);
    expect(everyFile(folder)).toEqual(['other-storage/store/generation']);
  });

  test('HKI-6 only what bears our names, and where the name is everybody’s our content, goes; the rest stays and is named', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    const foreign = [
      'person/.agent-mascot/notes.txt',
      'person/.agent-mascot/bin/my-tool',
      'person/.agent-mascot/backups/mine.json',
      'storage/store/holiday.sqlite',
      'storage/store/damaged/photo.png',
    ];
    for (const name of foreign) folder.write(name, 'mine');
    folder.write('person/.agent-mascot/settings.json', '{"theirs":true}');
    folder.write('elsewhere/hook', 'theirs');
    symlinkSync(folder.at('elsewhere'), folder.at('person/.agent-mascot/linked'));
    const { failed } = await removeEverything(machine);
    expect(everyFile(folder)).toEqual(
      [
        ...foreign,
        'person/.agent-mascot/settings.json',
        'person/.agent-mascot/linked',
        // The listing goes through the link; the removal must not.
        'person/.agent-mascot/linked/hook',
        'elsewhere/hook',
      ].toSorted(),
    );
    expect(failed.map(({ what, why }) => `${path.relative(folder.path, what)}: ${why}`)).toEqual([
      'storage/store/damaged: it holds what is not ours: photo.png',
      expect.stringMatching(
        /^storage\/store: it holds what is not ours: (damaged, holiday.sqlite|holiday.sqlite, damaged)$/,
      ),
      'person/.agent-mascot/bin: it holds what is not ours: my-tool',
      'person/.agent-mascot/backups: it holds what is not ours: mine.json',
      expect.stringMatching(/^person\/\.agent-mascot: it holds what is not ours: /),
    ]);
  });

  test('HKI-6 a variable or a file that names somebody’s own folder costs them nothing', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    const theirs = [
      'bin/hook',
      'bin/mascot',
      'spool/mail.json',
      'settings.json',
      'owner.json',
      'generation',
      'hooks.log',
      'backups/x',
    ];
    for (const name of theirs) folder.write(`theirs/${name}`, '{"version":1,"collectorPort":1}');
    const before = everyFile(folder).filter((name) => name.startsWith('theirs/'));
    const moved = {
      ...machine,
      home: homeAt(folder.at('theirs')),
      record: createInstallRecord(folder.at('none'), listeningLog()),
    };
    expect(await removeEverything(moved)).toEqual({ done: [], failed: [] });
    writeFileSync(machine.home.storeLocation, JSON.stringify({ version: 1, folder: folder.at('theirs'), app: 'x' }));
    expect((await removeEverything(machine)).failed).toEqual([]);
    expect(everyFile(folder).filter((name) => name.startsWith('theirs/'))).toEqual(before);
  });

  test('HKI-6 while another process runs the collector only the hooks go, and it is said why', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    await install(folder, machine, { user: '{"model":"x"}' });
    // Held by this process: whose it is makes no difference.
    const claim = await createClaims(machine.home, () => Promise.resolve()).take();
    const kept = everyFile(folder).filter((name) => !name.startsWith('person/.claude') && !name.includes('backups'));
    const { failed } = await removeEverything(machine);
    const why = `the process ${process.pid} runs the collector there: close the other windows, and try again`;
    expect(failed).toEqual([{ what: machine.home.folder, why }]);
    expect(everyFile(folder)).toEqual(expect.arrayContaining([...kept]));
    expect(readFileSync(folder.at('person/.claude/settings.json'), 'utf8')).toBe('{"model":"x"}');
    await claim?.release();
    expect((await removeEverything(machine)).failed).toEqual([]);
    expect(everyFile(folder)).toEqual(['person/.claude/settings.json']);
  });

  test('HKI-6 a store that another home’s owner writes stays, and the home with it, which alone knows the store', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    const place = { claim: path.join(machine.store, 'owner.json'), generation: path.join(machine.store, 'generation') };
    const claim = await createClaims(place, () => Promise.resolve()).take();
    const before = everyFile(folder);
    expect((await removeEverything(machine)).failed.map(({ what }) => what)).toEqual([machine.store]);
    // Taking the home's claim counts, and a dead sweeper's file is in nobody's way.
    expect(before.filter((name) => !everyFile(folder).includes(name) && !name.endsWith('.sweep'))).toEqual([]);
    await claim?.release();
    expect((await removeEverything(machine)).failed).toEqual([]);
    expect(everyFile(folder)).toEqual([]);
  });

  test('HKI-6 a home or a store that is a link is left and told', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder, 'real/.agent-mascot');
    folder.folder('person');
    symlinkSync(folder.at('real', '.agent-mascot'), folder.at('person', '.agent-mascot'));
    const before = everyFile(folder);
    const { failed } = await removeEverything({ ...machine, home: homeAt(folder.at('person', '.agent-mascot')) });
    expect(failed.map(({ what }) => what)).toEqual([folder.at('person', '.agent-mascot')]);
    expect(everyFile(folder).filter((name) => name.startsWith('real/'))).toEqual(
      before.filter((name) => name.startsWith('real/')),
    );
  });

  test('HKI-6 the files that are named before are the ones that are changed', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    const [project, other] = [folder.folder('project'), folder.folder('other')];
    await install(folder, machine, { user: '{}', local: '{}' }, project);
    // A clone of a colleague's: nobody installed there from here.
    await install(folder, machine, { project: '{}' }, other);
    await machine.record.remove(path.join(other, '.claude', 'settings.json'));
    folder.write('person/.gemini/settings.json', '{"theirs":1}');
    const before = new Map(everyFile(folder).map((name) => [name, readFileSync(folder.at(name), 'utf8')]));
    const named = (await filesWithHooks(machine)).map((file) => path.relative(folder.path, file));
    await removeEverything(machine);
    const changed = [...before.keys()].filter(
      (name) =>
        name.endsWith('.json') &&
        /\.(claude|gemini|codex|copilot)\//.test(name) &&
        readFileSync(folder.at(name), 'utf8') !== before.get(name),
    );
    expect(named.toSorted()).toEqual(changed.toSorted());
    expect(named.toSorted()).toEqual(['person/.claude/settings.json', 'project/.claude/settings.local.json']);
  });

  test('HKI-6 hooks of another home in a file that we never recorded stay', async () => {
    using folder = testFolder();
    const machine = usedMachine(folder);
    await install(folder, machine, { user: '{"model":"x"}', codex: '{}' });
    const theirs = createScopes({
      home: folder.at('other-home'),
      places: agentPlaces({}, folder.at('person')),
      platform: 'linux',
      programs: () => Promise.resolve([]),
    });
    const file = folder.at('person/.gemini/settings.json');
    const gemini = (await theirs.all()).find(({ id }) => id === 'gemini');
    const edit = gemini && installHooks('{}', gemini.wanted);
    if (edit?.kind !== 'edited') throw new Error('nothing was installed');
    folder.write('person/.gemini/settings.json', edit.text ?? '');
    writeFileSync(machine.home.installed, 'lost');
    expect((await filesWithHooks(machine)).includes(file)).toBe(false);
    expect((await removeEverything(machine)).failed).toEqual([]);
    expect([readFileSync(file, 'utf8'), readFileSync(folder.at('person/.claude/settings.json'), 'utf8')]).toEqual([
      edit.text,
      '{"model":"x"}',
    ]);
  });

  test.each(['uninstalling', 'removing everything'] as const)(
    'HKI-6 folders that we made go with the file when they are empty, by %s; others stay',
    async (way) => {
      using folder = testFolder();
      const machine = usedMachine(folder);
      folder.folder('person/.codex');
      const installer = createHookInstaller({ ...machine, folders: settingsFolders, now: () => 'now' });
      const scopes = await machine.scopes.all(folder.folder('project'));
      const chosen = scopes.filter(({ id }) => id !== 'user' && id !== 'project');
      for (const scope of chosen) {
        const plan = await installer.plan('install', scope);
        if (plan.kind === 'change') await installer.carryOut(plan);
      }
      folder.write('person/.gemini/mine.txt', 'mine');
      if (way === 'removing everything') expect((await removeEverything(machine)).failed).toEqual([]);
      else {
        for (const scope of chosen) {
          const plan = await installer.plan('uninstall', scope);
          if (plan.kind === 'change') await installer.carryOut(plan);
        }
      }
      expect(
        readdirSync(folder.at('person'))
          .filter((name) => name !== '.agent-mascot')
          .toSorted(),
      ).toEqual(['.codex', '.gemini']);
      expect(readdirSync(folder.at('project'))).toEqual([]);
    },
  );
});
