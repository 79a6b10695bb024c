import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { InstalledFile } from '../../app/hooks/hookPorts.ts';
import { faultyFileSystem } from '../files/faultyFs.testkit.ts';
import { nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';
import { createEditors, otherCopies, type EditorCopy } from './editors.ts';
import { createExclusions } from './excludedProjects.ts';
import { listeningLog, testFolder } from './hooks.testkit.ts';
import { createInstallRecord } from './installRecord.ts';

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
    await record.add(installedIn('/a', { made: true }));
    await record.remove('/nowhere');
    await record.remove('/b');
    expect(await createInstallRecord(file, log).list()).toEqual([copilot, installedIn('/a', { made: true })]);
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
    const fs: FileSystem = {
      ...nodeFileSystem,
      async chmod(name, mode) {
        await nodeFileSystem.chmod(name, mode);
        if (met++ < 2) await other.add(installedIn(`/other-${met}`));
      },
    };
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
