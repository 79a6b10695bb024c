import { mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './forwarder.testkit.ts';
import { isNetworkPath, projectOf } from './project.ts';

describe('SEC-6 what lies in the session’s project', () => {
  it.each([
    ['linux', ['/w/p'], '/w/p/bin/code', true],
    ['linux', ['/w/p/'], '/w/p', true],
    ['linux', ['/w/p'], '/w/other/../p/code', true],
    ['linux', ['/w/p'], '/w/p2/code', false],
    ['linux', ['/w/p'], '/w/P/code', false],
    ['darwin', ['/w/p'], '/w/P/code', true],
    ['linux', ['/w/a', undefined, '/w/p'], '/w/p/code', true],
    ['linux', ['p', ''], '/w/p/code', false],
    // Nothing at all could be started.
    ['linux', ['/'], '/usr/bin/code', false],
    ['win32', ['C:\\Work\\p'], 'c:/work/P/Code.exe', true],
    ['win32', ['C:\\Work\\p'], 'C:\\Work\\pp\\Code.exe', false],
    ['win32', ['//host/p'], '//host/p/Code.exe', false],
    ['win32', ['C:\\'], 'C:\\Code.exe', false],
  ] as const)('SEC-6 on %s with %j: %s %s', (platform, folders, asked, expected) => {
    expect(projectOf(folders, platform)(asked)).toBe(expected);
  });

  it.skipIf(process.platform === 'win32')('SEC-6 by its name and behind links, also where nothing is yet', () => {
    const folder = realpathSync(temporaryFolder('project'));
    const at = (...names: string[]) => path.join(folder, ...names);
    mkdirSync(at('real', 'bin'), { recursive: true });
    mkdirSync(at('out'));
    symlinkSync(at('real'), at('link'));
    symlinkSync(at('out'), at('real', 'outwards'));
    const asked = [
      at('link', 'bin'),
      at('real', 'new', 'code'),
      at('link', 'new', 'code'),
      at('real', 'outwards'),
      at('out'),
    ];
    const expected = [true, true, true, true, false];
    expect([at('real'), at('link')].map((project) => asked.map(projectOf([project])))).toEqual([expected, expected]);
    rmSync(folder, { recursive: true });
  });

  it('SEC-6 another machine is told by its name alone, on Windows', () => {
    const asked = ['\\\\host\\x', '//host/x', '\\/host', '\\\\?\\C:\\x', 'C:\\x', '\\x'];
    expect(asked.map((name) => isNetworkPath('win32', name))).toEqual([true, true, true, true, false, false]);
    expect(isNetworkPath('linux', '//host/x')).toBe(false);
  });
});
