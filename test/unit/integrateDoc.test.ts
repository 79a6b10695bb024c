import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { editorNames } from '../../forwarder/environment.ts';
import { tables } from '../../src/domain/postgres/tables.ts';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

/** Files that list the names of variables they read. */
const lists = ['forwarder/environment.ts', 'src/cli/agentAround.ts', 'src/protocol/providers.ts'];
const listed = /'([A-Z][A-Z0-9_]{1,}|(?:Program|Common|System)\w+(?:\(x86\))?|windir|ComSpec)'/g;
const looked = /\benv(?:ironment)?(?:\.([A-Z][A-Z0-9_]+)\b|\['(\w+)'\])/g;
/** `${X-}` or `${X:-…}` in the hook; its own variables have small letters. */
const inShell = /\$\{([A-Z][A-Z0-9_]+)[-:]/g;

function sources(): readonly string[] {
  return globSync('{src,forwarder}/**/*.ts', { cwd: root }).filter((file) => !/\.(test|testkit)\.ts$/.test(file));
}

function variablesRead(): ReadonlySet<string> {
  const found = sources().flatMap((file) => {
    const text = read(file);
    const isList = lists.includes(file.replaceAll(path.sep, '/'));
    return [...text.matchAll(looked), ...(isList ? text.matchAll(listed) : [])].map(([, one, other]) => one ?? other);
  });
  const shell = [...read('forwarder/hook').matchAll(inShell)].map(([, name]) => name);
  const runs = [
    ...(/const names = (\[.*'PATH'.*\]);/.exec(read('src/node/hooks/runProgram.ts'))?.[1]?.matchAll(listed) ?? []),
  ];
  return new Set(
    [...editorNames, ...found, ...shell, ...runs.map(([, name]) => name)].filter((name) => name !== undefined),
  );
}

test('A9-doc every environment variable that is read is in docs/integrate.md', () => {
  const page = read('docs/integrate.md');
  const names = variablesRead();
  // One variable of each kind of place, to show that the search works.
  expect([...names]).toEqual(
    expect.arrayContaining([
      'TERM_SESSION_ID',
      'MASCOT_APP_PATH',
      'CODEX_CI',
      'CODEX_HOME',
      'APPIMAGE',
      'HOSTNAME',
      'USER',
    ]),
  );
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('A9-doc docs/integrate.md names each table of the team database with its key', () => {
  const rows = read('docs/integrate.md').split('\n');
  const missing = Object.values(tables).filter(
    ({ name, key }) => !rows.some((row) => row.startsWith(`| \`${name}\``) && row.includes(`\`${key}\``)),
  );
  expect(missing).toEqual([]);
});
