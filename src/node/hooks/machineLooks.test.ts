import { chmodSync, chownSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { takesNewEvents } from '../../domain/hooks/claudeVersions.ts';
import { agentPlaces } from './agentPlaces.ts';
import { findClaudePrograms } from './claudePrograms.ts';
import { listCodexHooks } from './codexServer.ts';
import { testFolder, type TestFolder } from './hooks.testkit.ts';
import { findManagedPolicies, policyFolders } from './managedPolicy.ts';
import { agentsHere, createScopes, setsFor } from './scopes.ts';

const posix = describe.skipIf(process.platform === 'win32');

posix('HKI-7 every Claude Code of this machine', () => {
  const PACKAGE = 'lib/node_modules/@anthropic-ai/claude-code';

  function npmPackage(folder: TestFolder, prefix: string, version: string): string {
    folder.write(
      `${prefix}/${PACKAGE}/package.json`,
      JSON.stringify({ name: '@anthropic-ai/claude-code', version, bin: { claude: 'cli.js' } }),
    );
    return folder.write(`${prefix}/${PACKAGE}/cli.js`, '#!/bin/sh\ntouch "$HOME/was-run"\n', 0o755);
  }
  const script = (text: string) => `#!/bin/sh\n${text}\n`;

  /** Without what this machine itself has. */
  async function found(folder: TestFolder, env: NodeJS.ProcessEnv = {}) {
    const programs = await findClaudePrograms({ PATH: '', HOME: folder.at('home'), ...env });
    const own = programs.filter(({ file }) => file.startsWith(folder.path));
    return own.map(({ file, version }) => `${path.relative(folder.path, file)} ${version ?? 'unknown'}`).toSorted();
  }

  test('HKI-7 all are found wherever they are, each once, and none is run to learn its version', async () => {
    using folder = testFolder();
    const ran = script('touch "$HOME/was-run"; echo 9.9.9');
    npmPackage(folder, 'node-a', '2.1.327');
    folder.folder('node-a/bin');
    symlinkSync('../lib/node_modules/@anthropic-ai/claude-code/cli.js', folder.at('node-a', 'bin', 'claude'));
    npmPackage(folder, 'home/.nvm/versions/node/v18.0.0', '1.0.80');
    for (const version of ['2.1.90', '2.1.327'])
      folder.write(`home/.local/share/claude/versions/${version}`, ran, 0o755);
    folder.folder('home/.local/bin');
    symlinkSync(folder.at('home/.local/share/claude/versions/2.1.327'), folder.at('home/.local/bin/claude'));
    folder.write('home/.claude/local/claude', ran, 0o755);
    folder.write(
      'home/.claude/local/node_modules/@anthropic-ai/claude-code/package.json',
      '{"name":"@anthropic-ai/claude-code","version":"2.0.77"}',
    );
    const local = folder.write('home/.claude/local/node_modules/@anthropic-ai/claude-code/cli.js', ran, 0o755);
    folder.folder('home/.claude/local/node_modules/.bin');
    symlinkSync(local, folder.at('home/.claude/local/node_modules/.bin/claude'));
    folder.write(
      'home/.vscode/extensions/anthropic.claude-code-2.1.300-linux-x64/resources/native-binary/claude',
      ran,
      0o755,
    );
    folder.write('home/.vscode/extensions/anthropic.claude-code-1.0.1/package.json', '{}');
    folder.write('home/.vscode/extensions/.obsolete', '{"anthropic.claude-code-1.0.1":true}');
    folder.write(
      'home/.vscode-server/extensions/anthropic.claude-code-2.1.200-linux-x64/resources/claude-code/cli.js',
      '',
    );
    folder.write('home/.cursor/extensions/anthropic.claude-code-2.1.100/package.json', '{}');
    folder.write('brew/Caskroom/claude-code/2.1.250/claude', ran, 0o755);
    folder.write('plain/claude', 'not a program', 0o644);
    folder.folder('also/claude');
    const PATH = ['node-a/bin', 'home/.local/bin', 'brew/Caskroom/claude-code/2.1.250', 'plain', 'also', 'gone']
      .map((name) => folder.at(name))
      .join(':');
    expect(await found(folder, { PATH: `${PATH}:relative:` })).toEqual([
      'brew/Caskroom/claude-code/2.1.250/claude 2.1.250',
      'home/.claude/local/node_modules/.bin/claude 2.0.77',
      'home/.cursor/extensions/anthropic.claude-code-2.1.100/package.json 2.1.100',
      'home/.local/bin/claude 2.1.327',
      'home/.local/share/claude/versions/2.1.90 2.1.90',
      'home/.nvm/versions/node/v18.0.0/lib/node_modules/@anthropic-ai/claude-code/cli.js 1.0.80',
      'home/.vscode-server/extensions/anthropic.claude-code-2.1.200-linux-x64/resources/claude-code/cli.js 2.1.200',
      'home/.vscode/extensions/anthropic.claude-code-2.1.300-linux-x64/resources/native-binary/claude 2.1.300',
      'node-a/bin/claude 2.1.327',
    ]);
    expect(existsSync(folder.at('home', 'was-run'))).toBe(false);
  });

  test('HKI-7 only one that neither path nor package tells is run: with no secret, no input, and not for long', async () => {
    using folder = testFolder();
    folder.folder('home');
    folder.write('tells/claude', script('[ -z "$SECRET" ] && cat && echo "2.1.99 (Claude Code)"'), 0o755);
    folder.write('fails/claude', script('echo 2.1.99; exit 1'), 0o755);
    folder.write('other/claude', script('echo "something else 3.0.0"'), 0o755);
    folder.write('hangs/claude', script('echo $$ >"$HOME/pid"; sleep 60 & wait'), 0o755);
    folder.write('floods/claude', script('while :; do echo 2.1.99 and much more; done'), 0o755);
    const names = ['tells', 'fails', 'other', 'hangs', 'floods'];
    const PATH = [...names.map((name) => folder.at(name)), '/usr/bin', '/bin'].join(':');
    expect(await found(folder, { PATH, SECRET: 'x' })).toEqual([
      'fails/claude unknown',
      'floods/claude unknown',
      'hangs/claude unknown',
      'other/claude unknown',
      'tells/claude 2.1.99',
    ]);
    const group = -Number(readFileSync(folder.at('home', 'pid'), 'utf8'));
    await groupEnded(group);
  });

  test('SEC it is run in the person’s own folder, with nothing of the project’s on its way', async () => {
    using folder = testFolder();
    folder.write('home/beside/helper', script('touch "$HOME/was-run"'), 0o755);
    folder.write('here/claude', script('helper; [ "$(pwd -P)" = "$HOME" ] && echo 2.1.99'), 0o755);
    const PATH = [folder.at('here'), 'beside', '/usr/bin', '/bin'].join(':');
    expect(await found(folder, { PATH })).toEqual(['here/claude 2.1.99']);
    expect(existsSync(folder.at('home', 'was-run'))).toBe(false);
  });

  test('SEC what another account could have written is not run, whatever name leads to it', async () => {
    using folder = testFolder();
    folder.folder('home');
    const text = script('echo "$0" >>"$HOME/was-run"; echo 2.1.99');
    folder.write('group/claude', text, 0o775);
    folder.write('others/claude', text, 0o757);
    chmodSync(path.dirname(folder.write('open/claude', text, 0o755)), 0o777);
    symlinkSync(folder.at('open/claude'), path.join(folder.folder('leads'), 'claude'));
    const isRoot = process.getuid?.() === 0;
    if (isRoot) {
      chownSync(folder.write('their-file/claude', text, 0o755), 12_345, 12_345);
      chownSync(path.dirname(folder.write('their-folder/claude', text, 0o755)), 12_345, 12_345);
    }
    // Where the link stands does not matter: what it leads to is what runs.
    folder.write('good/claude', text, 0o755);
    chmodSync(folder.folder('links'), 0o777);
    symlinkSync(folder.at('good/claude'), folder.at('links/claude'));
    const names = ['leads', 'group', 'others', 'open', 'their-file', 'their-folder', 'links'];
    const PATH = [...names.map((name) => folder.at(name)), '/usr/bin', '/bin'].join(':');
    const theirs = isRoot ? ['their-file/claude unknown', 'their-folder/claude unknown'] : [];
    const unknown = ['group/claude unknown', 'leads/claude unknown', 'others/claude unknown', ...theirs];
    expect(await found(folder, { PATH })).toEqual(['links/claude 2.1.99', ...unknown].toSorted());
    expect(readFileSync(folder.at('home/was-run'), 'utf8')).toBe(`${folder.at('good/claude')}\n`);
  });

  test('HKI-7 an unknown or an old version among newer ones means the twelve that all know', async () => {
    using folder = testFolder();
    const home = folder.at('home');
    const versions = ['2.1.327', '2.1.101'].map((version) =>
      folder.write(`home/.local/share/claude/versions/${version}`, '', 0o755),
    );
    const programs = async () =>
      (await findClaudePrograms({ PATH: '', HOME: home })).filter(({ file }) => file.startsWith(folder.path));
    expect(takesNewEvents((await programs()).map(({ version }) => version))).toBe(true);
    const events = async () => {
      const scopes = createScopes({
        home: path.join(home, '.agent-mascot'),
        places: agentPlaces({}, home),
        platform: 'linux',
        programs,
      });
      const all = await scopes.all('/project');
      return Object.fromEntries(
        all.map(({ id, wanted }) => [id, new Set(wanted.entries.map(({ event }) => event)).size]),
      );
    };
    expect(await events()).toMatchObject({ user: 19, local: 19, project: 12 });
    folder.write('home/.local/share/claude/versions/2.1.100', '', 0o755);
    expect(await events()).toMatchObject({ user: 12, local: 12, project: 12, codex: 13 });
    expect(versions.length).toBe(2);
  });
});

describe('HKI-1 where hooks can be installed', () => {
  const person = path.resolve('/home/dev');
  const found = async (env: NodeJS.ProcessEnv, home: string, platform: NodeJS.Platform = 'linux') => {
    const scopes = createScopes({
      home,
      places: agentPlaces(env, person),
      platform,
      programs: () => Promise.reject(new Error('no disk')),
    });
    return (await scopes.all('/work/app')).map(({ id, provider, file, project, wanted }) => ({
      id,
      provider,
      file,
      project,
      command: JSON.stringify(wanted.entries[0]?.element),
      count: wanted.entries.length,
    }));
  };

  test.skipIf(process.platform === 'win32')('HKI-1 six files, the agents’ own variables honoured', async () => {
    const files = async (env: NodeJS.ProcessEnv) =>
      (await found(env, '/home/dev/.agent-mascot')).map(({ id, file }) => `${id} ${file}`);
    expect(await files({ CLAUDE_CONFIG_DIR: '', CODEX_HOME: '' })).toEqual([
      'user /home/dev/.claude/settings.json',
      'local /work/app/.claude/settings.local.json',
      'project /work/app/.claude/settings.json',
      'codex /home/dev/.codex/hooks.json',
      'gemini /home/dev/.gemini/settings.json',
      'copilot /home/dev/.copilot/hooks/agent-mascot.json',
    ]);
    const moved = await files({ CLAUDE_CONFIG_DIR: '/elsewhere/claude', CODEX_HOME: 'codex home' });
    expect([moved[0], moved[3]]).toEqual([
      'user /elsewhere/claude/settings.json',
      'codex /home/dev/codex home/hooks.json',
    ]);
    const scopes = createScopes({
      home: '/h',
      places: agentPlaces({}, person),
      platform: 'linux',
      programs: () => Promise.resolve([]),
    });
    expect((await scopes.all()).map(({ id }) => id)).toEqual(['user', 'codex', 'gemini', 'copilot']);
  });

  test.skipIf(process.platform === 'win32')(
    'HKI-1 in the person’s own folder, by whatever name, no scope of a project shares the user’s file',
    async () => {
      using folder = testFolder();
      const own = folder.folder('person');
      symlinkSync(own, folder.at('link'));
      folder.folder('linked');
      symlinkSync(folder.folder('person/.claude'), folder.at('linked', '.claude'));
      const scopes = createScopes({
        home: folder.at('home'),
        places: agentPlaces({}, own),
        platform: 'linux',
        programs: () => Promise.resolve([]),
      });
      const ids = async (project: string) =>
        (await scopes.all(project)).filter(({ provider }) => provider === 'claude').map(({ id }) => id);
      for (const project of [own, folder.at('link'), folder.at('linked')])
        expect(await ids(project)).toEqual(['user', 'local']);
      expect(await ids(folder.folder('project'))).toEqual(['user', 'local', 'project']);
    },
  );

  test('HKI-5 a file that the record names is a scope of its own, with what is wanted there', async () => {
    const scopes = createScopes({
      home: '/h',
      places: agentPlaces({}, person),
      platform: 'linux',
      programs: () => Promise.resolve([]),
    });
    const format = { shape: 'grouped', commandKey: 'command' } as const;
    for (const usual of await scopes.all('/work/app')) {
      const installed = { scope: usual.id, file: '/else', project: usual.project, made: false, format, at: '' };
      const scope = await scopes.of(installed);
      expect(scope).toEqual({ ...usual, file: '/else' });
      expect(setsFor(scope).length).toBeGreaterThan(0);
    }
  });

  test.skipIf(process.platform === 'win32')(
    'HKI-4 SEC-8 the shared scope’s command and Codex’s say $HOME; the others name the home by its whole path',
    async () => {
      const texts = async (home: string, platform?: NodeJS.Platform) =>
        Object.fromEntries(
          (await found({}, home, platform)).map(({ id, command }) => [
            id,
            /m=\\"([^"\\]+)\\"/.exec(command)?.[1] ?? 'no shell',
          ]),
        );
      const usual = '$HOME/.agent-mascot';
      const own = '/home/dev/.agent-mascot';
      expect(await texts(own)).toEqual({
        user: own,
        local: own,
        project: usual,
        codex: usual,
        gemini: own,
        copilot: own,
      });
      expect(await texts('/opt/mascot')).toMatchObject({
        user: '/opt/mascot',
        local: '/opt/mascot',
        project: usual,
        codex: '/opt/mascot',
      });
      expect(await texts('C:\\Users\\dev\\.agent-mascot', 'win32')).toMatchObject({ user: 'no shell', project: usual });
    },
  );

  test('HKI-1 which agents were used here', async () => {
    using folder = testFolder();
    folder.folder('.claude');
    folder.folder('.copilot');
    folder.write('.gemini', 'a file');
    expect([...(await agentsHere(agentPlaces({}, folder.path)))]).toEqual(['claude', 'copilot']);
  });
});

describe('HKI-5 policies of the machine', () => {
  test('HKI-5 those that forbid our hooks are named, also the added ones; others and broken ones are not', async () => {
    using folder = testFolder();
    folder.write('a/managed-settings.json', '\uFEFF{"allowManagedHooksOnly":true}');
    folder.write('a/managed-settings.d/10-off.json', '{"disableAllHooks":true}');
    folder.write('a/managed-settings.d/20-fine.json', '{"disableAllHooks":false,"allowManagedHooksOnly":"true"}');
    folder.write('a/managed-settings.d/.30-hidden.json', '{"disableAllHooks":true}');
    folder.write('a/managed-settings.d/notes.txt', '{"disableAllHooks":true}');
    folder.write('b/managed-settings.json', '{"disableAllHooks":true');
    folder.folder('c/managed-settings.json');
    const folders = ['a', 'b', 'c', 'gone'].map((name) => folder.at(name));
    expect(await findManagedPolicies(folders)).toEqual([
      folder.at('a/managed-settings.json'),
      folder.at('a/managed-settings.d/10-off.json'),
    ]);
    expect((['linux', 'darwin', 'win32'] as const).map((platform) => policyFolders(platform).length)).toEqual([
      1, 1, 2,
    ]);
  });
});

posix('HKI-8 asking Codex', () => {
  /** A stand-in that speaks as the recorded program does. */
  function fakeCodex(folder: TestFolder, onLine: string): NodeJS.ProcessEnv {
    folder.write(
      'bin/codex',
      `#!${process.execPath}
const { writeFileSync } = require('node:fs');
writeFileSync(process.env.HOME + '/pid', String(process.pid));
const say = (message) => console.log(JSON.stringify(message));
const notes = [];
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  notes.push(message.method);
  ${onLine}
});
process.on('SIGTERM', () => {});
setInterval(() => {}, 1000);
`,
      0o755,
    );
    chmodSync(folder.at('bin', 'codex'), 0o755);
    return { PATH: `${folder.at('bin')}:/usr/bin:/bin`, HOME: folder.path, SECRET: 'x', CODEX_HOME: folder.path };
  }

  test('HKI-8 the list that it gives for a folder, after an introduction; then nothing of it is left running', async () => {
    using folder = testFolder();
    const env = fakeCodex(
      folder,
      `if (message.method === 'initialize') { console.log('noise'); say({ method: 'other/note' }); say({ id: message.id, result: {} }); }
       if (message.method === 'hooks/list') say({ id: message.id, result: { notes, cwds: message.params.cwds, secret: process.env.SECRET ?? null, home: process.env.CODEX_HOME } });`,
    );
    const answer = await listCodexHooks({ env, cwd: folder.path });
    const result = {
      notes: ['initialize', 'initialized', 'hooks/list'],
      cwds: [folder.path],
      secret: null,
      home: folder.path,
    };
    expect(answer).toEqual({ kind: 'answer', result });
    await groupEnded(-Number(readFileSync(folder.at('pid'), 'utf8')));
  });

  test.each([
    ['does not answer', '', 'codex did not answer within 0.4 s'],
    ['ends', 'process.exit(3);', 'codex ended without an answer'],
    ['knows no such question', 'say({ id: message.id, error: { code: -32601 } });', 'this codex can’t tell'],
  ])('HKI-8 one that %s is told of, and ended', async (_what, onLine, why) => {
    using folder = testFolder();
    const env = fakeCodex(folder, onLine);
    const limitMs = onLine === '' ? 400 : 5_000;
    expect(await listCodexHooks({ env, cwd: folder.path, limitMs })).toEqual({ kind: 'none', why });
    if (existsSync(folder.at('pid'))) await groupEnded(-Number(readFileSync(folder.at('pid'), 'utf8')));
  });

  test('SEC it runs in the person’s own folder, and is asked about the project', async () => {
    using folder = testFolder();
    const env = fakeCodex(folder, 'say({ id: message.id, result: [process.cwd(), message.params?.cwds] });');
    const project = folder.folder('project');
    const answer = await listCodexHooks({ env, cwd: project });
    expect(answer).toEqual({ kind: 'answer', result: [folder.path, [project]] });
    await groupEnded(-Number(readFileSync(folder.at('pid'), 'utf8')));
  });

  test('SEC one that another account could have written, or that a relative folder holds, is not run', async () => {
    using folder = testFolder();
    const env = fakeCodex(folder, '');
    expect(await listCodexHooks({ env: { ...env, PATH: 'bin:/usr/bin:/bin' }, cwd: folder.path })).toEqual({
      kind: 'none',
      why: 'codex is not on the PATH',
    });
    chmodSync(folder.at('bin', 'codex'), 0o777);
    expect(await listCodexHooks({ env, cwd: folder.path })).toEqual({
      kind: 'none',
      why: `others may write ${folder.at('bin', 'codex')}, so it is not run`,
    });
    chmodSync(folder.at('bin', 'codex'), 0o755);
    // Whoever may write a folder above can put another `bin` there.
    chmodSync(folder.path, 0o777);
    expect((await listCodexHooks({ env, cwd: folder.path })).kind).toBe('none');
    expect(existsSync(folder.at('pid'))).toBe(false);
  });

  test('HKI-8 without Codex there is nobody to ask', async () => {
    using folder = testFolder();
    const answer = await listCodexHooks({ env: { PATH: folder.path, HOME: folder.path }, cwd: folder.path });
    expect(answer).toEqual({ kind: 'none', why: 'codex is not on the PATH' });
  });
});

/** Killing is asked for, and done by the system a moment later. */
async function groupEnded(group: number): Promise<void> {
  for (;;) {
    try {
      process.kill(group, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}
