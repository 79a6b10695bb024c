import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');

/** The titles that docs/traps.md names. */
function named(): readonly string[] {
  const rows = readFileSync(path.join(root, 'docs/traps.md'), 'utf8').split('\n');
  return rows.flatMap((row) => /^\|.*\| +`(.+)` +\|$/.exec(row)?.[1] ?? []);
}

/** Of tests and of the cases from which tests are made. */
function sources(): string {
  const files = ['src', 'test', 'webview', 'forwarder'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.join(root, folder, name),
    ),
  );
  const tests = files.filter(
    (file) => /(?:\.test\.ts|agent-kit[\\/]cases\.ts)$/.test(file) && !file.endsWith('traps.test.ts'),
  );
  return [...tests, path.join(root, 'src/domain/traps.test.ts')].map((file) => readFileSync(file, 'utf8')).join('\n');
}

test('STA-5 every trap in docs/traps.md is held by the test that it names', () => {
  const titles = named();
  const all = sources();
  expect(titles.length).toBeGreaterThan(40);
  expect(titles.filter((title) => !all.includes(`'${title}'`))).toEqual([]);
});
