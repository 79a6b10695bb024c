import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FolderSystem, isWithin, lastPart, writtenFolder } from './folders.ts';

test.each([
  ['/w/shop', 'shop'],
  ['/w/shop//', 'shop'],
  ['C:\\Work\\Shop', 'Shop'],
  ['C:\\Work\\Shop\\', 'Shop'],
  ['C:/Work\\a.ts', 'a.ts'],
  ['\\\\wsl.localhost\\Ubuntu\\w', 'w'],
  ['C:\\', 'C:'],
  ['shop', 'shop'],
  ['/', '/'],
  ['', ''],
])('UI-1 what %j is called by its last part: %j', (path, name) => {
  expect(lastPart(path)).toBe(name);
});

describe('HKI-9 whether a folder lies within another', () => {
  const table: readonly [string, string, FolderSystem, boolean][] = [
    ['/w/shop', '/w/shop', 'linux', true],
    ['/w/shop/src/deep', '/w/shop', 'linux', true],
    ['/w/shop/', '/w/shop', 'linux', true],
    ['/w/shop', '/w/shop///', 'linux', true],
    ['/w/shop-two', '/w/shop', 'linux', false],
    ['/w', '/w/shop', 'linux', false],
    ['/w/Shop', '/w/shop', 'linux', false],
    ['/w/Shop/a', '/w/shop', 'mac', true],
    ['/w/cafe\u0301/a', '/w/caf\u00e9', 'mac', true],
    ['/w/cafe\u0301/a', '/w/caf\u00e9', 'linux', false],
    ['/w/a\\b', '/w/a', 'linux', false],
    ['C:\\Work\\Shop\\src', 'c:/work/shop', 'windows', true],
    ['C:\\Work\\Shopping', 'c:/work/shop', 'windows', false],
    ['/anything/at/all', '/', 'linux', true],
    ['/w', '', 'linux', false],
    ['', '/w', 'linux', false],
    ['', '', 'linux', false],
  ];
  test.each(table)('HKI-9 %j in %j on %s: %s', (folder, root, system, expected) => {
    expect(isWithin(folder, root, system)).toBe(expected);
  });

  test('HKI-9 every folder is within itself and within its parents, whatever it is called', () => {
    const name = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' }).filter((text) => !/[/\\]/.test(text));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), name, (parts, more) => {
        const folder = `/${parts.join('/')}`;
        for (const system of ['linux', 'mac', 'windows'] as const) {
          expect(isWithin(folder, folder, system)).toBe(true);
          expect(isWithin(`${folder}/${more}`, folder, system)).toBe(true);
          expect(isWithin(folder, `${folder}/${more}`, system)).toBe(false);
        }
      }),
    );
  });
});

describe('HKI-9 a folder as it is written in the settings', () => {
  const table: readonly [string, FolderSystem, string | undefined][] = [
    ['/w/shop', 'linux', '/w/shop'],
    [' /w/shop ', 'linux', '/w/shop'],
    ['~', 'linux', '/home/dev'],
    ['~/shop', 'linux', '/home/dev/shop'],
    ['~\\shop', 'windows', '/home/dev/shop'],
    ['~\\shop', 'linux', undefined],
    ['~other/shop', 'linux', undefined],
    ['shop', 'linux', undefined],
    ['./shop', 'linux', undefined],
    ['', 'linux', undefined],
    ['C:\\w', 'windows', 'C:\\w'],
    ['\\\\server\\share', 'windows', '\\\\server\\share'],
    ['C:\\w', 'linux', undefined],
    ['/w', 'windows', undefined],
    [`/${'x'.repeat(5_000)}`, 'linux', undefined],
  ];
  test.each(table)('HKI-9 %j on %s is %j', (text, system, expected) => {
    expect(writtenFolder(text, '/home/dev', system)).toBe(expected);
  });
});
