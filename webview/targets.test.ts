import { expect, test } from 'vitest';
import { folderName, shortTarget } from './targets.ts';

const place = { project: '/home/sam/harbour', cwd: '/home/sam/harbour/packages/ui' };
const table = [
  ['/home/sam/harbour/src/app.ts', 'src/app.ts'],
  ['/home/sam/harbour/packages/ui/panel.ts', 'panel.ts'],
  ['/home/sam/harbour/a/b/c/d.ts', 'c/d.ts'],
  ['/home/sam/harbour-other/src/app.ts', 'src/app.ts'],
  ['/etc/hosts', 'etc/hosts'],
  ['C:\\work\\app\\main.ts', 'app/main.ts'],
  ['https://www.example.org/docs/page/', 'example.org/docs/page'],
  ['npm test', 'npm test'],
  ['  two\n lines ', 'two lines'],
  ['/usr/bin/env -S node', '/usr/bin/env -S node'],
  ['x'.repeat(200), `${'x'.repeat(79)}…`],
  ['/', '/'],
] as const;
for (const [target, expected] of table) {
  test(`UI-2 ${JSON.stringify(target.slice(0, 40))} is shown as ${JSON.stringify(expected.slice(0, 40))}`, () => {
    expect(shortTarget(target, place)).toBe(expected);
  });
}

test('UI-2 a project is called by its folder, on every system', () => {
  expect(['/home/sam/harbour', 'C:\\work\\harbour\\', 'harbour', ''].map(folderName)).toEqual([
    'harbour',
    'harbour',
    'harbour',
    '',
  ]);
});
