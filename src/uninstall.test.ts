import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { installHooks } from './domain/hooks/settingsEdit.ts';
import { claudeHookSet } from './domain/providers/claude/hookSet.ts';
import { testFolder, type TestFolder } from './node/hooks/hooks.testkit.ts';

describe.skipIf(process.platform === 'win32')('HKI-6 uninstalling the extension', () => {
  /** The built program (npm run build) with the parts it shares with others. */
  function putProgram(extension: string): string {
    const built = path.join(import.meta.dirname, '../dist');
    for (const name of ['uninstall.js', 'parts'])
      cpSync(path.join(built, name), path.join(extension, 'dist', name), { recursive: true });
    return path.join(extension, 'dist', 'uninstall.js');
  }

  const persons = '{ "model": "x" }';
  function machine(folder: TestFolder) {
    const edit = installHooks(
      persons,
      claudeHookSet({ place: { system: 'posix', home: '$HOME/.agent-mascot' }, takesNewEvents: true }),
    );
    const settings = folder.write('.claude/settings.json', edit.kind === 'edited' ? (edit.text ?? '') : '');
    folder.write('.agent-mascot/bin/hook', 'x');
    folder.write('.agent-mascot/proof.key', 'x');
    folder.write('storage/store/agent-mascot.sqlite', 'x');
    folder.write(
      '.agent-mascot/store.json',
      JSON.stringify({ version: 1, folder: folder.at('storage', 'store'), app: 'x' }),
    );
    const extension = extensionOf(folder, 'one', '1.0.0');
    const program = putProgram(folder.at(extension));
    const editors = (names: readonly string[]) =>
      folder.write(
        '.agent-mascot/editors.json',
        JSON.stringify({
          version: 1,
          editors: names.map((name) => ({
            app: 'x',
            extension: folder.at(name),
            execPath: 'x',
            version: '1.0.0',
            at: 'now',
          })),
        }),
      );
    const uninstall = () => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--type=extension-post-uninstall'], {
        env: { HOME: folder.path, PATH: process.env['PATH'] ?? '' },
        encoding: 'utf8',
        timeout: 5_000,
      });
      return { status, stdout, stderr };
    };
    return { settings, extension, editors, uninstall };
  }
  function extensionOf(folder: TestFolder, editor: string, version: string): string {
    const name = `${editor}/extensions/us.agent-mascot-${version}`;
    folder.write(`${name}/package.json`, '{}');
    return name;
  }

  test('HKI-6 the last copy takes hooks, home and stored data with it, by Node alone', () => {
    using folder = testFolder();
    const { settings, extension, editors, uninstall } = machine(folder);
    editors([extension, 'gone/extension']);
    expect(uninstall()).toMatchObject({ status: 0, stdout: '' });
    expect(readFileSync(settings, 'utf8')).toBe(persons);
    expect(['.agent-mascot', 'storage/store'].map((name) => existsSync(folder.at(name)))).toEqual([false, false]);
  });

  test.each([
    ['another editor', (folder: TestFolder) => extensionOf(folder, 'two', '0.9.0')],
    ['a newer version beside', (folder: TestFolder) => extensionOf(folder, 'one', '1.1.0')],
  ])('HKI-6 while %s has the extension all stays, the hooks too', (_what, another) => {
    using folder = testFolder();
    const { settings, extension, editors, uninstall } = machine(folder);
    const other = another(folder);
    editors([extension, other]);
    const before = readFileSync(settings, 'utf8');
    const { status, stderr } = uninstall();
    expect([status, stderr]).toEqual([
      0,
      `agent-mascot: All is left as it is: it is still used by ${folder.at(other)}.\n`,
    ]);
    expect([readFileSync(settings, 'utf8'), existsSync(folder.at('.agent-mascot/bin/hook'))]).toEqual([before, true]);
  });

  test('HKI-6 a settings file that is broken is left and told; where nothing is, nothing happens', () => {
    using folder = testFolder();
    const { settings, uninstall } = machine(folder);
    execFileSync('sh', ['-c', 'printf , >>"$1"', 'sh', settings]);
    const { status, stderr } = uninstall();
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`left: ${settings} (our hooks stay in it: it is broken at line `),
    ]);
    using empty = testFolder();
    const file = putProgram(empty.at('one/extensions/us.agent-mascot-1.0.0'));
    const quiet = spawnSync(process.execPath, [file], { env: { HOME: empty.path }, encoding: 'utf8' });
    expect([quiet.status, quiet.stdout, quiet.stderr, existsSync(empty.at('.agent-mascot'))]).toEqual([
      0,
      '',
      '',
      false,
    ]);
  });
});
