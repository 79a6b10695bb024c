import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { installHooks } from '../../domain/hooks/settingsEdit.ts';
import { codexHookSet } from '../../domain/providers/codex/hookSet.ts';
import { inlineHooksFile, readCodexTrust } from './codexTrust.ts';
import { testFolder, type TestFolder } from './hooks.testkit.ts';

const wanted = codexHookSet({ place: { system: 'posix', home: '$HOME/.agent-mascot' }, takesNewEvents: true });
const commands = wanted.entries.map(
  ({ element }) => (element['hooks'] as unknown as { command: string }[])[0]?.command ?? '',
);
const somebodys = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]}}';

function codexFolder(folder: TestFolder): string {
  const edit = installHooks(somebodys, wanted);
  return folder.write('codex/hooks.json', edit.kind === 'edited' ? (edit.text ?? '') : '');
}

/** A stand-in that lists hooks of a file as the recorded program does. */
function fakeCodex(folder: TestFolder, file: string, statuses: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const hooks = Object.entries(statuses).map(([command, trustStatus], at) => ({
    key: `${file}:stop:${at}:0`,
    sourcePath: file,
    command,
    trustStatus,
    enabled: true,
  }));
  const result = JSON.stringify({ data: [{ cwd: '/', hooks, warnings: [], errors: [] }] });
  folder.write(
    'bin/codex',
    `#!${process.execPath}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ id, result: method === 'hooks/list' ? ${result} : {} }));
});
`,
    0o755,
  );
  return { PATH: folder.at('bin'), HOME: folder.path };
}

describe.skipIf(process.platform === 'win32')('HKI-8 whether Codex trusts our hooks', () => {
  test('HKI-8 as it says itself, each hook by its command, also when it knows the file by the name behind a link', async () => {
    using folder = testFolder();
    const file = codexFolder(folder);
    symlinkSync(folder.at('codex'), folder.at('link'));
    const [first = '', second = '', third = '', ...rest] = commands;
    const statuses = { mine: 'untrusted', [first]: 'untrusted', [second]: 'modified', [third]: 'trusted' };
    const env = fakeCodex(folder, file, {
      ...statuses,
      ...Object.fromEntries(rest.map((command) => [command, 'trusted'])),
    });
    const known = { kind: 'known', trusted: commands.length - 2, untrusted: 1, changed: 1 };
    expect(await readCodexTrust({ file, commands, env })).toEqual(known);
    expect(await readCodexTrust({ file: folder.at('link', 'hooks.json'), commands, env })).toEqual(known);
  });

  test('HKI-8 by what it has written down where it can’t be asked', async () => {
    using folder = testFolder();
    const file = codexFolder(folder);
    const env = { PATH: folder.at('nothing'), HOME: folder.path };
    const why = 'codex is not on the PATH';
    expect(await readCodexTrust({ file, commands, env })).toEqual({ kind: 'unknown', why });
    const trust = (key: string) => `[hooks.state."${file}:${key}"]\ntrusted_hash = "sha256:00"\n`;
    // Somebody's own is the first at Stop; ours comes after it.
    folder.write(
      'codex/config.toml',
      ['stop:0:0', 'stop:1:0', 'session_start:0:0', 'pre_tool_use:1:0'].map(trust).join('\n'),
    );
    const trusted = { kind: 'known', trusted: 3, untrusted: commands.length - 3, changed: 0 };
    expect(await readCodexTrust({ file, commands, env })).toEqual(trusted);
  });

  test('HKI-8 a list without our file says nothing about it', async () => {
    using folder = testFolder();
    const file = codexFolder(folder);
    const env = fakeCodex(folder, '/another/hooks.json', { mine: 'trusted' });
    expect(await readCodexTrust({ file, commands, env })).toEqual({
      kind: 'unknown',
      why: 'codex lists none of our hooks',
    });
  });

  test('HKI-8 hooks in the settings themselves are found; what Codex remembers of others is none', async () => {
    using folder = testFolder();
    folder.write('one/config.toml', '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "x"\n');
    folder.write('two/config.toml', '[hooks.state."/x:stop:0:0"]\ntrusted_hash = "sha256:00"\n');
    folder.folder('three/config.toml');
    const files = await Promise.all(['one', 'two', 'three', 'four'].map((name) => inlineHooksFile(folder.at(name))));
    expect(files).toEqual([folder.at('one', 'config.toml'), undefined, undefined, undefined]);
  });
});
