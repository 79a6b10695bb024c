import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { InstalledFile } from '../../app/hooks/hookPorts.ts';
import { faultyFileSystem, meddledFileSystem } from '../files/faultyFs.testkit.ts';
import { createEditors, otherCopies, type EditorCopy } from './editors.ts';
import { createExclusions } from './excludedProjects.ts';
import { listeningLog, testFolder } from './hooks.testkit.ts';
import { createInstallRecord } from './installRecord.ts';
import { createJsonFile } from './jsonFile.ts';

function installedIn(file: string, changes: Partial<InstalledFile> = {}): InstalledFile {
  return {
    scope: 'user',
    file,
    made: false,
    format: { shape: 'grouped', commandKey: 'command' },
    at: '2026-11-18T20:00:00.000Z',
    ...changes,
  };
}

describe('HKI-5 the record of where hooks were installed', () => {
  test('HKI-5 it outlives the process, private, with one entry for a file', async () => {
    using folder = testFolder();
    const file = folder.at('home', 'installed.json');
    const log = listeningLog();
    const record = createInstallRecord(file, log);
    const copilot = installedIn('/c', {
      scope: 'copilot',
      made: true,
      format: { shape: 'flat', commandKey: 'bash', head: { version: 1 } },
    });
    expect(await record.list()).toEqual([]);
    await Promise.all([
      record.add(installedIn('/a')),
      record.add(copilot),
      record.add(installedIn('/b', { scope: 'local', project: '/p' })),
    ]);
    await record.quieten('/a', true);
    await record.quieten('/nowhere', true);
    expect((await createInstallRecord(file, log).list()).find((one) => one.file === '/a')).toEqual(
      installedIn('/a', { quiet: true }),
    );
    await record.add(installedIn('/a', { made: true, madeFolders: ['/x/y', '/x'] }));
    await record.remove('/nowhere');
    await record.remove('/b');
    expect(await createInstallRecord(file, log).list()).toEqual([
      copilot,
      installedIn('/a', { made: true, madeFolders: ['/x/y', '/x'] }),
    ]);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(log.warnings).toEqual([]);
  });

  test.each(['{', '', '[]', '{"version":2,"files":[]}', '{"version":1,"files":[{"file":"/a"}]}'])(
    'HKI-5 one that holds %j counts as empty, and is kept aside when it is written',
    async (text) => {
      using folder = testFolder();
      const file = folder.write('installed.json', text);
      const log = listeningLog();
      const record = createInstallRecord(file, log);
      expect([await record.list(), readFileSync(file, 'utf8'), log.warnings]).toEqual([[], text, []]);
      await record.add(installedIn('/a'));
      await record.add(installedIn('/b'));
      expect((await record.list()).map((entry) => entry.file)).toEqual(['/a', '/b']);
      expect([readFileSync(`${file}.broken`, 'utf8'), log.warnings.length]).toEqual([text, 1]);
    },
  );

  test('HKI-5 what another program noted meanwhile is not lost', async () => {
    using folder = testFolder();
    const file = folder.at('installed.json');
    const log = listeningLog();
    const other = createInstallRecord(file, log);
    let met = 0;
    const fs = meddledFileSystem(async () => {
      if (met++ < 2) await other.add(installedIn(`/other-${met}`));
    });
    await createInstallRecord(file, log, fs).add(installedIn('/mine'));
    expect((await other.list()).map((entry) => entry.file)).toEqual(['/other-1', '/other-2', '/mine']);
  });

  test('HKI-5 whichever call fails, the old or the new record is there, whole', async () => {
    using calm = testFolder();
    const counted = faultyFileSystem();
    const silent = listeningLog();
    await createInstallRecord(calm.write('installed.json', '{"version":1,"files":[]}'), silent, counted).add(
      installedIn('/a'),
    );
    for (let nth = 1; nth <= counted.calls.length; nth++) {
      using folder = testFolder();
      const file = folder.write('installed.json', '{"version":1,"files":[]}');
      const fs = faultyFileSystem();
      fs.arm({ nth, code: 'EIO' });
      const added = await createInstallRecord(file, silent, fs)
        .add(installedIn('/a'))
        .then(
          () => true,
          () => false,
        );
      const { files } = JSON.parse(readFileSync(file, 'utf8')) as { files: unknown[] };
      expect(added ? [1] : [0, 1], `call ${nth}`).toContain(files.length);
    }
  });
});

describe('HKI-9 excluded projects', () => {
  test('HKI-9 a folder and what is below it, by its real path, known before the first question and to all who ask', async () => {
    using folder = testFolder();
    const file = folder.at('home', 'excluded.json');
    const project = folder.folder('projects/secret');
    symlinkSync(project, folder.at('link'));
    const log = listeningLog();
    using first = disposing(createExclusions(file, log));
    expect([first.excludes(project), await first.list()]).toEqual([false, []]);
    await first.add(`${folder.at('link')}/`);
    await first.add(project);
    using second = disposing(createExclusions(file, log));
    const asked = [project, `${project}/`, `${project}/src/deep`, `${project}er`, folder.at('projects'), '/', ''];
    const expected = [true, true, true, false, false, false, false];
    expect([first, second].map(({ excludes }) => asked.map(excludes))).toEqual([expected, expected]);
    expect(await first.list()).toEqual([project]);
    expect([await first.remove(folder.at('link')), await first.remove(project), first.excludes(project)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(log.warnings).toEqual([]);
  });

  test('HKI-9 what `mascot` writes in a terminal counts without a restart, and so does a file that is broken later', async () => {
    using folder = testFolder();
    const file = folder.at('home', 'excluded.json');
    mkdirSync(folder.at('home'));
    const log = listeningLog();
    using watching = disposing(createExclusions(file, log));
    using terminal = disposing(createExclusions(file, log));
    expect(watching.excludes('/gone/project')).toBe(false);
    await terminal.add('/gone/project');
    await until(() => watching.excludes('/gone/project/x'));
    await terminal.remove('/gone/project');
    await until(() => !watching.excludes('/gone/project/x'));
    writeFileSync(file, '{');
    await terminal.add('/another');
    await until(() => watching.excludes('/another'));
    expect(readFileSync(`${file}.broken`, 'utf8')).toBe('{');
  });
});

describe('HKI-9 a list that is broken or can’t be read switches nothing off', () => {
  const listed = (...projects: readonly string[]) => `${JSON.stringify({ version: 1, projects }, null, 2)}\n`;
  const damages: readonly (readonly [string, (file: string) => void])[] = [
    ['cut off', (file) => writeFileSync(file, listed('/secret').slice(0, 20))],
    ['empty', (file) => writeFileSync(file, '')],
    ['of another version', (file) => writeFileSync(file, '{"version":2,"projects":[]}')],
    [
      'impossible to read',
      (file) => {
        symlinkSync('excluded.json', path.join(path.dirname(file), 'loop'));
        symlinkSync('loop', `${file}.loop`);
        renameSync(`${file}.loop`, file);
      },
    ],
  ];
  const isOff = expect.stringMatching(/excluded\.json is of no use, .*stay excluded\.$/) as string;

  test.each(damages)(
    'HKI-9 while it is %s the last known one holds, told once, and the next good one counts',
    async (_, damage) => {
      using folder = testFolder();
      const file = folder.write('excluded.json', listed('/secret'));
      const log = listeningLog();
      using watching = disposing(createExclusions(file, log));
      expect(watching.excludes('/secret/x')).toBe(true);
      await until(() => existsSync(`${file}.last`));
      damage(file);
      await until(() => log.warnings.length > 0);
      expect([watching.excludes('/secret/x'), await watching.list(), log.warnings]).toEqual([
        true,
        ['/secret'],
        [isOff],
      ]);
      const good = folder.write('good', listed('/other'));
      renameSync(good, file);
      await until(() => watching.excludes('/other'));
      expect([watching.excludes('/secret'), log.warnings.length]).toEqual([false, 1]);
    },
  );

  test.each(damages)(
    'HKI-9 who starts while it is %s goes by the private copy of the last good one',
    async (_, damage) => {
      using folder = testFolder();
      const file = folder.at('excluded.json');
      using before = disposing(createExclusions(file, listeningLog()));
      await before.add('/secret');
      await before.add('/more');
      if (process.platform !== 'win32') expect(statSync(`${file}.last`).mode & 0o777).toBe(0o600);
      damage(file);
      const log = listeningLog();
      using starting = disposing(createExclusions(file, log));
      expect([starting.excludes('/secret'), await starting.list()]).toEqual([true, ['/more', '/secret']]);
      expect(log.warnings).toEqual([isOff]);
    },
  );

  test('HKI-9 a change while it is broken begins with the last good one, and the file is there all the time', async () => {
    using folder = testFolder();
    const file = folder.at('excluded.json');
    using before = disposing(createExclusions(file, listeningLog()));
    await before.add('/secret');
    writeFileSync(file, '{');
    using terminal = disposing(createExclusions(file, listeningLog()));
    await terminal.add('/other');
    expect([await terminal.list(), readFileSync(`${file}.broken`, 'utf8')]).toEqual([['/other', '/secret'], '{']);
    writeFileSync(file, '{{');
    await terminal.add('/other');
    expect([readFileSync(file, 'utf8'), readFileSync(`${file}.broken`, 'utf8')]).toEqual([
      listed('/other', '/secret'),
      '{{',
    ]);
    writeFileSync(file, '{{{');
    expect([await terminal.remove('/secret'), await terminal.list()]).toEqual([true, ['/other']]);
  });

  test('HKI-9 without a copy it is said that nothing is excluded', async () => {
    using folder = testFolder();
    const file = folder.write('excluded.json', '{');
    const log = listeningLog();
    using starting = disposing(createExclusions(file, log));
    expect([starting.excludes('/secret'), await starting.list()]).toEqual([false, []]);
    expect(log.warnings).toEqual([expect.stringMatching(/NO project of this list is excluded/)]);
  });

  test('HKI-9 a list that the person removed is empty, and no copy brings it back', async () => {
    using folder = testFolder();
    const file = folder.at('excluded.json');
    using watching = disposing(createExclusions(file, listeningLog()));
    await watching.add('/secret');
    rmSync(file);
    expect([await watching.list(), watching.excludes('/secret')]).toEqual([[], false]);
    writeFileSync(file, '{');
    using starting = disposing(createExclusions(file, listeningLog()));
    expect(starting.excludes('/secret')).toBe(false);
  });

  test('HKI-9 whichever call fails while a broken one is written anew, it is never missing', async () => {
    const change = { version: 1, files: [] };
    const counted = await brokenUpdate();
    for (let nth = 1; nth <= counted.calls; nth++) {
      const { text } = await brokenUpdate(nth);
      expect(['{', `${JSON.stringify(change, null, 2)}\n`], `call ${nth}`).toContain(text);
    }

    async function brokenUpdate(nth?: number) {
      using folder = testFolder();
      const file = folder.write('list.json', '{');
      const fs = faultyFileSystem();
      if (nth !== undefined) fs.arm({ nth, code: 'EIO' });
      const schema = z.object({ version: z.number(), files: z.array(z.string()) });
      const kept = createJsonFile(file, schema, { version: 0, files: [] }, listeningLog(), fs);
      await kept.update(() => change).catch(() => undefined);
      return { text: existsSync(file) ? readFileSync(file, 'utf8') : undefined, calls: fs.calls.length };
    }
  });
});

describe('HKI-6 copies of the extension that use a home', () => {
  const copy = (extension: string, changes: Partial<EditorCopy> = {}): EditorCopy => ({
    app: 'Editor',
    extension,
    execPath: '/editor',
    version: '1.0.0',
    at: '2026-11-18T20:00:00.000Z',
    ...changes,
  });

  test('HKI-6 each is known by its folder, the newest first; those that are gone are forgotten', async () => {
    using folder = testFolder();
    const editors = createEditors(folder.at('home', 'editors.json'), listeningLog());
    const [one, two, gone] = [folder.folder('one'), folder.folder('two'), folder.at('gone')];
    for (const extension of [gone, one, two]) await editors.note(copy(extension));
    await editors.note(copy(one, { version: '1.1.0' }));
    expect(await editors.list()).toEqual([copy(one, { version: '1.1.0' }), copy(two)]);
  });

  test('HKI-6 another editor’s copy and another version beside ours keep the home; a removed one and ours do not', async () => {
    using folder = testFolder();
    const installed = (name: string) => {
      folder.write(`${name}/package.json`, '{}');
      return folder.at(name);
    };
    const own = installed('a/extensions/us.agent-mascot-1.0.0');
    const other = installed('b/extensions/us.agent-mascot-0.9.0');
    installed('a/extensions/us.agent-mascot-two-2.0.0');
    folder.folder('a/extensions/us.agent-mascot-0.8.0');
    symlinkSync(own, folder.at('alias'));
    const noted = [copy(own), copy(folder.at('alias')), copy(folder.at('gone'))];
    expect(await otherCopies(noted, own)).toEqual([]);
    expect(await otherCopies([...noted, copy(other)], own)).toEqual([other]);
    folder.write('b/extensions/.obsolete', '{"us.agent-mascot-0.9.0":true}');
    expect(await otherCopies([...noted, copy(other)], own)).toEqual([]);
    const newer = installed('a/extensions/us.agent-mascot-1.1.0');
    expect(await otherCopies([], own)).toEqual([newer]);
    folder.write('a/extensions/.obsolete', '{"us.agent-mascot-1.1.0":true}');
    expect(await otherCopies([], own)).toEqual([]);
  });
});

function disposing<T extends { dispose(): void }>(part: T): T & Disposable {
  return Object.assign(part, { [Symbol.dispose]: () => part.dispose() });
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await wait(10);
}
