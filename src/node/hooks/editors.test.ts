import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { programsOf } from '../../../forwarder/launchPlaces.ts';
import { parseHomeSettings } from '../../protocol/discovery.ts';
import { readSettings } from '../../protocol/settings.ts';
import { homeAt } from '../machine/home.ts';
import { writeHomeSettings } from '../ownerWorld.ts';
import { createEditors, editorProgram, type EditorHost, noteEditor, type RunningEditor } from './editors.ts';
import { listeningLog, testFolder } from './hooks.testkit.ts';

describe('FWD-7 what starts the editor that we run in', () => {
  const desktop: RunningEditor = {
    platform: 'linux',
    appHost: 'desktop',
    remoteName: undefined,
    appRoot: '/usr/share/code/resources/app',
    execPath: '/usr/share/code/code',
    appImage: undefined,
  };
  const mounted = '/tmp/.mount_CursorAb12/usr/share/cursor/cursor';
  const bundle = '/Users/u/My.apps/Visual Studio Code.app';
  const cases: readonly (readonly [string, Partial<RunningEditor>, string | undefined])[] = [
    ['Linux', {}, '/usr/share/code/code'],
    ['a snap', { execPath: '/snap/code/172/usr/share/code/code' }, '/snap/bin/code'],
    ['an AppImage', { execPath: mounted, appImage: '/home/u/Cursor.AppImage' }, '/home/u/Cursor.AppImage'],
    ['an editor below another AppImage', { appImage: '/home/u/Other.AppImage' }, '/usr/share/code/code'],
    ['macOS', { platform: 'darwin', appRoot: `${bundle}/Contents/Resources/app`, execPath: `${bundle}/x` }, bundle],
    ['macOS without a bundle', { platform: 'darwin', appRoot: '/src/vscode' }, undefined],
    ['Windows', { platform: 'win32', execPath: 'C:\\VS Code\\Code.exe' }, 'C:\\VS Code\\Code.exe'],
    ['a window that shows another machine', { remoteName: 'ssh-remote', execPath: '/srv/node' }, undefined],
    ['a browser’s server', { appHost: 'server', execPath: '/srv/node' }, undefined],
    ['a browser', { appHost: 'web' }, undefined],
    ['a codespace', { appHost: 'codespaces' }, undefined],
  ];
  test.each(cases)('FWD-7 %s', (_title, changes, program) => {
    expect(editorProgram({ ...desktop, ...changes })).toBe(program);
  });

  test('FWD-7 each activation notes it, for the forwarder to read: the last first, none for a server', async () => {
    using folder = testFolder();
    const file = folder.at('home', 'editors.json');
    const log = listeningLog();
    const root = process.platform === 'darwin' ? '/Applications/E.app/Contents/app' : '/e/app';
    const here: EditorHost = { appHost: 'desktop', remoteName: undefined, appRoot: root };
    const note = async (name: string, host: EditorHost) => {
      const extension = folder.folder(name);
      noteEditor(file, { app: 'E', extension, execPath: `/${name}/code`, version: '1.0.0' }, host, log);
      await expect
        .poll(async () => (await createEditors(file, log).list()).some((copy) => copy.extension === extension))
        .toBe(true);
    };
    await note('one', here);
    await note('two', here);
    await note('three', { ...here, remoteName: 'wsl' });
    const expected =
      process.platform === 'darwin' ? ['/Applications/E.app', '/Applications/E.app'] : ['/two/code', '/one/code'];
    expect(programsOf(readFileSync(file, 'utf8'))).toEqual(expected);
  });
});

describe('FWD-7 OPS-2 the setting, where the forwarder reads it', () => {
  test.each(['interactive', 'always', 'never'] as const)('FWD-7 OPS-2 %s', async (autoLaunch) => {
    using folder = testFolder();
    const home = homeAt(folder.folder('home'));
    await writeHomeSettings(home, readSettings({ autoLaunch, 'collector.port': 4_321 }).settings);
    const text = readFileSync(home.settings, 'utf8');
    expect(parseHomeSettings(text)).toEqual({ version: 1, collectorPort: 4_321, autoLaunch });
    // The entry looks for these very characters, for a shell reads no JSON.
    expect(text.includes('"autoLaunch":"never"')).toBe(autoLaunch === 'never');
  });

  test.each([undefined, 'sometimes', true, null, 7])(
    'FWD-7 a file that says %j is one that says nothing',
    (autoLaunch) => {
      const text = JSON.stringify({ version: 1, collectorPort: 4_321, autoLaunch });
      expect(parseHomeSettings(text)).toEqual({ version: 1, collectorPort: 4_321 });
    },
  );

  test('FWD-7 interactive is what it is without a word', () => {
    expect(readSettings({}).settings.autoLaunch).toBe('interactive');
    expect(readSettings({ autoLaunch: 'sometimes' }).settings.autoLaunch).toBe('interactive');
  });
});
