import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { belowNobody, type Run, runScript, unusedPort, usualPort } from '../../forwarder/forwarder.testkit.ts';
import { type Headless, startHeadless } from './headless.testkit.ts';
import { runHook } from './hookEntry.testkit.ts';

const script = path.join(import.meta.dirname, '../../dist/forwarder/mascot.mjs');
const own = '\ufeff{\r\n\t"permissions": {"allow": [ "Bash(ls)" ]},\r\n\t"hooks": { }\r\n}';

let person: string;
let headless: Headless | undefined;
beforeEach(async () => {
  person = realpathSync(mkdtempSync(path.join(tmpdir(), 'mascot hooks-')));
  mkdirSync(at('home'));
  usualPort(at('home'), await unusedPort());
});
afterEach(async () => {
  await headless?.end('SIGKILL');
  headless = undefined;
  rmSync(person, { recursive: true, force: true, maxRetries: 5 });
});

const at = (...parts: readonly string[]) => path.join(person, ...parts);
const settings = () => at('.claude', 'settings.json');
const read = (file = settings()) => readFileSync(file, 'utf8');

function write(text: string, file = settings()): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

const mascot = (...args: readonly string[]): Promise<Run> =>
  runScript(script, {
    ...{ args, cwd: person, nodeArgs: belowNobody },
    env: { HOME: person, AGENT_MASCOT_HOME: at('home') },
  });

async function json<T>(...args: readonly string[]): Promise<T & { readonly code: number | null }> {
  const { code, stdout, stderr } = await mascot(...args, '--json');
  expect(stderr).toBe('');
  return { ...(JSON.parse(stdout) as T), code };
}

interface Results {
  readonly results: readonly {
    readonly scope: string;
    readonly file: string;
    readonly outcome: string;
    readonly backup?: string;
    readonly diff?: string;
    readonly reason?: string;
  }[];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('HKI-9 hooks from a terminal, with the built program', () => {
  test('HKI-9 HKI-2 install, whole, install again, uninstall: byte for byte what it was', async () => {
    write(own);
    const installed = await mascot('hooks', 'install', '--yes');
    expect([installed.code, installed.stderr]).toEqual([0, '']);
    const [, backup = ''] = /^Backup: {2}(.*)$/m.exec(installed.stdout) ?? [];
    expect(read(backup)).toBe(own);
    expect(existsSync(at('home', 'bin', 'hook'))).toBe(true);
    const status = await json<{ scopes: unknown[] }>('hooks', 'status', '--scope', 'user');
    expect(status.scopes).toEqual([
      { scope: 'user', file: settings(), state: 'whole', recorded: true, missing: [], outdated: [], disabled: false },
    ]);
    const whole = read();
    const again = await json<Results>('hooks', 'install', '--yes');
    expect([again.code, again.results.map(({ outcome }) => outcome), read()]).toEqual([0, ['unchanged'], whole]);
    const away = await mascot('hooks', 'uninstall', '--yes');
    expect([away.code, read()]).toEqual([0, own]);
  });

  test('HKI-2 a file that we made goes again, for every agent', async () => {
    const scopes = ['user', 'codex', 'gemini', 'copilot'];
    const args = ['--yes', ...scopes.flatMap((scope) => ['--scope', scope])];
    const installed = await json<Results>('hooks', 'install', ...args);
    expect(installed.results.map(({ scope, outcome }) => `${scope} ${outcome}`)).toEqual(
      scopes.map((scope) => `${scope} written`),
    );
    expect(installed.results.map(({ file }) => path.relative(person, file))).toEqual([
      '.claude/settings.json',
      '.codex/hooks.json',
      '.gemini/settings.json',
      '.copilot/hooks/agent-mascot.json',
    ]);
    const status = await json<{ scopes: { state: string }[] }>('hooks', 'status', ...args.slice(1));
    expect(status.scopes.map(({ state }) => state)).toEqual(['whole', 'whole', 'whole', 'whole']);
    await mascot('hooks', 'uninstall', ...args);
    expect(installed.results.filter(({ file }) => existsSync(file))).toEqual([]);
  });

  test('HKI-9 without a terminal and without --yes the difference is printed and nothing written', async () => {
    write('{\n  "model": "opus"\n}\n');
    const run = await mascot('hooks', 'install');
    expect([run.code, read()]).toEqual([1, '{\n  "model": "opus"\n}\n']);
    expect(run.stdout).toMatch(/^\+.*"SessionStart"/m);
    expect(run.stderr).toContain('give --yes');
    const { code, results } = await json<Results>('hooks', 'install');
    expect([code, results[0]?.outcome]).toEqual([1, 'not-confirmed']);
    expect(results[0]?.diff).toContain('"SessionStart"');
    expect(existsSync(at('home', 'backups'))).toBe(false);
  });

  test.each([
    ['{\n  "a": 1,\n}', ':2:9: a comma before a closing bracket', '  2 |   "a": 1,'],
    ['{\n  // why\n}', ':2:3: a comment', '  2 |   // why'],
    ['{"hooks": []}', ':1:11: "hooks" is not an object', '  1 | {"hooks": []}'],
    ['{"hooks": {"Stop": {}}}', ':1:20: the hooks of an event are not a list, Stop', '  1 | {"hooks"'],
    ['{"a"', ':1:', '  1 | {"a"'],
  ])(
    'HKI-2 the broken file %j is left as it is, its place is named, and it ends with 1',
    async (text, place, shown) => {
      write(text);
      // Where it is JSON, there is nothing of ours to take out.
      for (const action of isJson(text) ? ['install'] : ['install', 'uninstall']) {
        const run = await mascot('hooks', action, '--yes');
        expect([run.code, run.stdout, read()]).toEqual([1, '', text]);
        expect(run.stderr).toContain(`${settings()}${place}`);
        expect(run.stderr).toContain(shown);
        expect(run.stderr).toContain('Claude Code ignores the whole file');
      }
    },
  );

  test('HKI-2 a read-only file is refused, with what to do', async () => {
    write('{}');
    chmodSync(settings(), 0o444);
    const run = await mascot('hooks', 'install', '--yes');
    expect([run.code, read()]).toEqual([1, '{}']);
    expect(run.stderr).toMatch(/settings\.json could not be written \(EACCES\)\. .*chmod u\+w/);
  });

  test('HKI-2 a link stays a link, and is told of', async () => {
    const kept = at('dotfiles', 'settings.json');
    write(own, kept);
    mkdirSync(at('.claude'));
    symlinkSync(kept, settings());
    const run = await mascot('hooks', 'install', '--yes');
    expect([run.code, lstatSync(settings()).isSymbolicLink()]).toEqual([0, true]);
    expect(run.stdout).toContain(`Note: this file is a link; ${kept}`);
    expect(read(kept)).toContain('#agent-mascot');
    await mascot('hooks', 'uninstall', '--yes');
    expect([lstatSync(settings()).isSymbolicLink(), read(kept)]).toEqual([true, own]);
  });

  test('HKI-1 HKI-4 a project: its own file, and one that is shared', async () => {
    mkdirSync(at('project', '.git'), { recursive: true });
    mkdirSync(at('project', 'src'));
    const run = await runScript(script, {
      args: ['hooks', 'install', '--yes', '--scope', 'local', '--scope=project'],
      cwd: at('project', 'src'),
      env: { HOME: person, AGENT_MASCOT_HOME: at('home') },
    });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toContain('Note: This file is shared');
    expect(readdirSync(at('project', '.claude')).sort()).toEqual(['settings.json', 'settings.local.json']);
    expect(read(at('project', '.claude', 'settings.json'))).toContain('m=\\"$HOME/.agent-mascot\\"');
    const named = await json<Results>('hooks', 'uninstall', '--yes', '--scope', 'local', '--project', at('project'));
    expect(named.results[0]?.outcome).toBe('written');
    const unnamed = await mascot('hooks', 'install', '--scope', 'local');
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('needs a project')]);
  });

  test('SEC-8 HKI-4 hooks in a person’s own files have the home’s absolute path, which a project’s HOME can’t redirect', async () => {
    const inHome = { HOME: person, AGENT_MASCOT_HOME: at('.agent-mascot') };
    mkdirSync(at('.agent-mascot'));
    usualPort(at('.agent-mascot'), await unusedPort());
    const options = [
      '--scope',
      'user',
      '--scope',
      'local',
      '--scope',
      'codex',
      '--scope',
      'gemini',
      '--scope',
      'copilot',
    ];
    mkdirSync(at('project', '.git'), { recursive: true });
    const run = await runScript(script, {
      args: ['hooks', 'install', '--yes', ...options],
      cwd: at('project'),
      nodeArgs: belowNobody,
      env: inHome,
    });
    expect([run.code, run.stderr]).toEqual([0, '']);
    const named = (...file: readonly string[]) => /m=\\"([^"\\]*)\\"/.exec(read(at(...file)))?.[1];
    expect({
      user: named('.claude', 'settings.json'),
      local: named('project', '.claude', 'settings.local.json'),
      codex: named('.codex', 'hooks.json'),
      gemini: named('.gemini', 'settings.json'),
      copilot: named('.copilot', 'hooks', 'agent-mascot.json'),
    }).toEqual({
      user: at('.agent-mascot'),
      local: at('.agent-mascot'),
      // HKI-8: the text that it trusts stays the same.
      codex: '$HOME/.agent-mascot',
      gemini: at('.agent-mascot'),
      copilot: at('.agent-mascot'),
    });
    const hooks = JSON.parse(read()) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
    const command = hooks.hooks['Stop']?.[0]?.hooks[0]?.command ?? '';
    mkdirSync(at('project', '.agent-mascot', 'bin'), { recursive: true });
    writeFileSync(at('project', '.agent-mascot', 'bin', 'hook'), `touch '${at('planted')}'`);
    const ran = spawnSync('sh', ['-c', command], { input: '{}', env: { HOME: at('project') }, encoding: 'utf8' });
    expect([ran.status, ran.stdout, existsSync(at('planted'))]).toEqual([0, '', false]);
    expect(readdirSync(at('.agent-mascot', 'spool')).filter((name) => name.endsWith('.hook'))).toHaveLength(1);
  });

  test('SEC-8 the command that lies in a home serves that home, whatever a variable names', async () => {
    await mascot('hooks', 'install', '--yes');
    await mascot('hooks', 'uninstall', '--yes');
    mkdirSync(at('prepared'));
    const run = await runScript(at('home', 'bin', 'mascot.mjs'), {
      ...{ args: ['hooks', 'install', '--yes'], cwd: person, nodeArgs: belowNobody },
      env: { HOME: person, AGENT_MASCOT_HOME: at('prepared') },
    });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect([read().includes(at('home', '')), read().includes('prepared'), readdirSync(at('prepared'))]).toEqual([
      true,
      false,
      [],
    ]);
  });

  test('SEC-8 HKI-2 reports hooks of older releases with $HOME as outdated, rewrites them in place, and uninstalls them whole', async () => {
    const env = { HOME: person, AGENT_MASCOT_HOME: at('.agent-mascot') };
    const call = (...args: readonly string[]) => runScript(script, { args, cwd: person, nodeArgs: belowNobody, env });
    mkdirSync(at('.agent-mascot'));
    write(own);
    await call('hooks', 'install', '--yes');
    const present = read();
    const older = present.replaceAll(`m=\\"${at('.agent-mascot')}\\"`, 'm=\\"$HOME/.agent-mascot\\"');
    expect(older).not.toBe(present);
    write(older);
    const status = await call('hooks', 'status', '--scope', 'user', '--json');
    expect(status.stdout).toMatch(/"state":\s*"outdated"/);
    expect((await call('hooks', 'install', '--yes')).code).toBe(0);
    expect(read()).toBe(present);
    write(older);
    await call('hooks', 'uninstall', '--yes');
    expect(read()).toBe(own);
    // Also without the record of installed hooks.
    write(older);
    rmSync(at('.agent-mascot', 'installed.json'), { force: true });
    await call('remove-everything', '--yes');
    expect(read()).toBe(own);
  });

  test('HKI-5 repair puts vanished hooks back', async () => {
    await mascot('hooks', 'install', '--yes');
    write('{"model":"opus"}');
    const status = await json<{ scopes: { state: string }[] }>('hooks', 'status', '--scope', 'user');
    expect(status.scopes[0]?.state).toBe('vanished');
    const run = await json<Results>('hooks', 'repair', '--yes');
    expect([run.code, run.results.map(({ scope, outcome }) => `${scope} ${outcome}`)]).toEqual([0, ['user written']]);
  });

  test('HKI-9 a project is excluded, listed, and included again', async () => {
    mkdirSync(at('quiet'));
    const excluded = async () => (await json<{ excluded: readonly string[] }>('hooks', 'excluded')).excluded;
    const refused = await mascot('hooks', 'exclude', 'quiet');
    expect([refused.code, refused.stderr, await excluded()]).toEqual([
      1,
      'Nothing was changed: give --yes to change it.\n',
      [],
    ]);
    expect((await mascot('hooks', 'exclude', 'quiet', '--yes')).code).toBe(0);
    expect(await excluded()).toEqual([at('quiet')]);
    expect([(await mascot('hooks', 'include', 'quiet')).code, await excluded()]).toEqual([1, [at('quiet')]]);
    expect((await mascot('hooks', 'include', 'quiet', '--yes')).code).toBe(0);
    expect((await mascot('hooks', 'include', 'quiet', '--yes')).code).toBe(1);
  });

  test('HKI-6 remove everything leaves the person’s file as it was, and no home', async () => {
    write(own);
    await mascot('hooks', 'install', '--yes');
    const refused = await mascot('remove-everything');
    expect([refused.code, existsSync(at('home'))]).toEqual([1, true]);
    const run = await mascot('remove-everything', '--yes');
    expect([run.stderr, run.code, read(), existsSync(at('home'))]).toEqual(['', 0, own, false]);
  });
});

interface Findings {
  readonly findings: readonly { readonly code: string; readonly level: string; readonly text: string }[];
}

describe('HKI-5 the doctor on a real machine', () => {
  const codes = ({ findings }: Findings) => findings.map(({ code, level }) => `${level} ${code}`);

  test('HKI-5 HKI-8 with a collector a test event arrives through the installed command, and is shown nowhere', async () => {
    headless = startHeadless(person);
    await headless.ready;
    await mascot('hooks', 'install', '--yes');
    const examined = await json<Findings>('hooks', 'doctor');
    expect(codes(examined).filter((code) => !/newEvents|scope\.absent/.test(code))).toEqual([
      'good scope.whole',
      'good entry.good',
      'good runtime.node',
      'good collector.live',
      'good spool.empty',
      'good trial.arrived',
      'good cost.hooks',
    ]);
    expect(examined.code).toBe(0);
    expect(await headless.get('/api/state')).toMatchObject({ sessions: [], agents: [] });
    expect(await headless.get('/api/sessions')).toMatchObject({ items: [] });
  });

  test('SEC-8 NRM-7 with hooks of the person and of the shared project, counts and answers each event once', async () => {
    headless = startHeadless(person);
    await headless.ready;
    await mascot('hooks', 'install', '--yes');
    mkdirSync(at('shop', '.git'), { recursive: true });
    const hook = { cwd: at('shop'), transcript_path: at('.claude', 'projects', 'shop', 'b.jsonl') };
    const before = { ...hook, hook_event_name: 'UserPromptSubmit', session_id: 'a', prompt: 'mend the till' };
    await headless.post(before);
    const twins = (event: string, more: object) => {
      const input = JSON.stringify({ ...hook, hook_event_name: event, session_id: 'b', ...more });
      // As the person's own settings and a shared project's name it.
      return Promise.all(
        [at('home'), '$HOME/home'].map((home) => runHook({ home, event, input, env: { HOME: person } })),
      );
    };
    const starts = await twins('SessionStart', { source: 'startup' });
    expect(starts.map(({ stdout }) => stdout.includes('mend the till')).sort()).toEqual([false, true]);
    expect(starts.map(({ stdout }) => stdout).filter((text) => text === '')).toHaveLength(1);
    for (const prompt of ['one', 'two', 'three']) await twins('UserPromptSubmit', { prompt });
    await twins('Stop', { stop_hook_active: false });
    await expect
      .poll(async () => (await headless?.get('/api/sessions/b/statistics'))?.['replies'], { timeout: 5_000 })
      .toBe(1);
    expect(await headless.get('/api/sessions/b/statistics')).toMatchObject({ prompts: 3 });
  });

  test('HKI-5 without a collector, and with a harmed entry, it says so and ends with 1; --fix mends the entry', async () => {
    await mascot('hooks', 'install', '--yes');
    writeFileSync(at('home', 'bin', 'hook'), 'exit 7');
    const harmed = await json<Findings>('hooks', 'doctor');
    expect(harmed.code).toBe(1);
    expect(codes(harmed)).toEqual(
      expect.arrayContaining(['error entry.missing', 'warning collector.none', 'note trial.skipped']),
    );
    const mended = await json<Findings>('hooks', 'doctor', '--fix');
    expect(mended.code).toBe(0);
    expect(codes(mended)).toContain('good entry.good');
  });

  test('HKI-5 an installed command that prints, or whose event gets lost, is an error', async () => {
    headless = startHeadless(person);
    await headless.ready;
    await mascot('hooks', 'install', '--yes');
    writeFileSync(at('home', 'bin', 'hook'), 'echo loud; exit 3');
    const { code, findings } = await json<Findings>('hooks', 'doctor');
    expect(code).toBe(1);
    const trial = findings.filter((finding) => finding.code.startsWith('trial.'));
    expect(trial.map(({ text }) => text)).toEqual([
      'This user: the installed command printed something or ended with 0: an agent would show it (loud)',
      'This user: a test event through the installed command did not arrive within 3 s',
    ]);
  });
});
