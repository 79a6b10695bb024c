import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EDITORS_FILE_NAME } from '../src/protocol/discovery.ts';
import { homeAt } from '../src/node/machine/home.ts';
import { namedCandidate, programsOf, usualCandidates } from './launchPlaces.ts';
import type { Places } from './launchPlaces.ts';

const linux: Places = { platform: 'linux', variables: {}, person: '/home/u', editors: [], isInProject: () => false };
const mac: Places = { ...linux, platform: 'darwin', person: '/Users/u' };
const windows: Places = { ...linux, platform: 'win32', person: 'C:\\Users\\u' };
const files = (places: Places) => usualCandidates(places).map(({ file }) => file);

describe('FWD-7 the person’s word: MASCOT_APP_PATH', () => {
  const bundle = '/Applications/Cursor.app';
  const opened = { file: bundle, isBundle: true, program: '/usr/bin/open', args: ['-g', '-a', bundle] };
  it.each([
    [linux, '/opt/my editor', { file: '/opt/my editor', isBundle: false, program: '/opt/my editor', args: [] }],
    [linux, 'code', 'not absolute'],
    [linux, './code', 'not absolute'],
    [linux, `/${'x'.repeat(5000)}`, 'not absolute'],
    [mac, bundle, opened],
    [mac, `${bundle}/`, opened],
    [mac, `${bundle}/Contents/MacOS/Cursor`, opened],
    [
      mac,
      '/usr/local/bin/code',
      { file: '/usr/local/bin/code', isBundle: false, program: '/usr/local/bin/code', args: [] },
    ],
    [windows, 'D:/Code/Code.exe', { file: 'D:/Code/Code.exe', isBundle: false, program: 'D:/Code/Code.exe', args: [] }],
    [windows, '\\Code\\Code.exe', 'not absolute'],
    [windows, 'Code.exe', 'not absolute'],
    [windows, '\\\\host\\share\\Code.exe', 'not absolute'],
    [windows, '//host/share/Code.exe', 'not absolute'],
  ])('FWD-7 on %j: %s', (places, named, expected) => {
    expect(namedCandidate({ ...places, variables: { MASCOT_APP_PATH: named } })).toEqual(expected);
  });

  it('FWD-7 without it nothing is named', () => {
    expect([linux, mac, windows].map(namedCandidate)).toEqual([undefined, undefined, undefined]);
  });
});

describe('FWD-7 else the editor that last ran the extension, else the usual places', () => {
  it('FWD-7 Linux: the PATH first, by its absolute folders alone', () => {
    const PATH = '/home/u/bin:bin::.:/usr/bin:./node_modules/.bin';
    const found = files({ ...linux, variables: { PATH }, editors: ['/usr/share/code/code', 'relative/code'] });
    expect(found.slice(0, 8)).toEqual([
      '/usr/share/code/code',
      '/home/u/bin/code',
      '/usr/bin/code',
      '/home/u/bin/code-insiders',
      '/usr/bin/code-insiders',
      '/home/u/bin/codium',
      '/usr/bin/codium',
      '/home/u/bin/cursor',
    ]);
    expect(found).toEqual(
      expect.arrayContaining([
        '/snap/bin/code',
        '/snap/bin/codium',
        '/var/lib/flatpak/exports/bin/com.visualstudio.code',
        '/home/u/.local/share/flatpak/exports/bin/com.vscodium.codium',
        '/usr/local/bin/windsurf',
      ]),
    );
    expect(found.filter((file) => !file.startsWith('/'))).toEqual([]);
    expect(new Set(found).size).toBe(found.length);
  });

  it('FWD-7 a PATH of thousands of folders is not searched to its end', () => {
    const PATH = Array.from({ length: 5000 }, (_, n) => `/${n}`).join(':');
    expect(files({ ...linux, variables: { PATH } }).length).toBeLessThan(1_100);
  });

  it('FWD-7 macOS: bundles, started in the background so that no key goes astray', () => {
    const [last, ...usual] = usualCandidates({ ...mac, editors: ['/Users/u/Applications/Code.app'] });
    expect(last).toEqual({
      file: '/Users/u/Applications/Code.app',
      isBundle: true,
      program: '/usr/bin/open',
      args: ['-g', '-a', '/Users/u/Applications/Code.app'],
    });
    expect(usual.map(({ file }) => file)).toEqual(
      ['/Applications', '/Users/u/Applications'].flatMap((folder) =>
        ['Visual Studio Code', 'Visual Studio Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'].map(
          (name) => `${folder}/${name}.app`,
        ),
      ),
    );
  });

  it('FWD-7 Windows: the programs themselves, the person’s own before everybody’s', () => {
    const variables = { LOCALAPPDATA: 'C:\\Users\\u\\AppData\\Local', ProgramFiles: 'C:\\Program Files' };
    const found = files({ ...windows, variables, editors: ['D:\\VS\\Code.exe'] });
    expect(found.slice(0, 4)).toEqual([
      'D:\\VS\\Code.exe',
      'C:\\Users\\u\\AppData\\Local\\Programs\\Microsoft VS Code\\Code.exe',
      'C:\\Users\\u\\AppData\\Local\\Programs\\Microsoft VS Code Insiders\\Code - Insiders.exe',
      'C:\\Users\\u\\AppData\\Local\\Programs\\VSCodium\\VSCodium.exe',
    ]);
    expect(found.slice(6, 7)).toEqual(['C:\\Program Files\\Microsoft VS Code\\Code.exe']);
    const far = { LOCALAPPDATA: '\\\\host\\x', ProgramFiles: '//host/y' };
    expect(files({ ...windows, variables: far, editors: ['\\\\host\\Code.exe', '//host/Code.exe'] })).toEqual([]);
    expect(files({ ...windows, variables: { LOCALAPPDATA: 'relative', ProgramFiles: '\\x' } })).toEqual([]);
  });
});

describe('FWD-7 the list of editors', () => {
  it('FWD-7 lies where the extension writes it', () => {
    expect(homeAt('/h').editors).toBe(join('/h', EDITORS_FILE_NAME));
  });

  it.each([
    [
      '{"version":1,"editors":[{"program":"/a"},{"app":"x"},{"program":7},{"program":""},null,{"program":"/b"}]}',
      ['/a', '/b'],
    ],
    ['{"version":2,"editors":[{"program":"/a"}]}', []],
    ['{"version":1,"editors":{"program":"/a"}}', []],
    ['{"version":1}', []],
    ['[]', []],
    ['{', []],
    ['', []],
  ])('FWD-7 %s names %j', (text, programs) => {
    expect(programsOf(text)).toEqual(programs);
  });

  it('FWD-7 is read no further than anybody’s list is long', () => {
    const editors = Array.from({ length: 1000 }, (_, n) => ({ program: `/${n}` }));
    expect(programsOf(JSON.stringify({ version: 1, editors }))).toHaveLength(50);
  });
});
