import { execFileSync, spawn } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSettings } from '../../protocol/settings.ts';
import { compareVersions, refreshBin } from './binFolder.ts';
import { readCommandLine, UsageError } from './commandLine.ts';
import { defaultHome, homeAt, prepareHome } from './home.ts';
import { isProvenDead, ownProcess } from './processes.ts';
import { createProjects } from './projects.ts';

let dir = '';
beforeEach(() => {
  dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'mascot-machine-')));
});
afterEach(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
const at = (...names: string[]) => path.join(dir, ...names);
const folder = (...names: string[]) => {
  mkdirSync(at(...names), { recursive: true });
  return at(...names);
};

describe('SES-6 a session’s project', () => {
  test('SES-6 is the top of the repository, from any folder in it, through links', async () => {
    folder('repo', '.git');
    folder('repo', 'src', 'deep');
    symlinkSync(at('repo', 'src'), at('link'));
    const { locate } = createProjects();
    const place = { path: at('repo'), folder: at('repo', 'src', 'deep') };
    expect(await locate(at('repo', 'src', 'deep'))).toEqual(place);
    expect(await locate(at('link', 'deep'))).toEqual(place);
  });

  test('SES-6 is the folder itself outside a repository, also one that is gone', async () => {
    const { locate } = createProjects();
    expect(await locate(folder('plain'))).toEqual({ path: at('plain'), folder: at('plain') });
    const gone = at('gone', 'for', 'good');
    expect(await locate(gone)).toEqual({ path: gone, folder: gone });
  });

  test('SES-6 is the same for all worktrees of one repository, with a label; a submodule is a project of its own', async () => {
    const meta = folder('repo', '.git', 'worktrees', 'feature');
    writeFileSync(path.join(meta, 'commondir'), '../..\n');
    writeFileSync(path.join(meta, 'gitdir'), `${at('feature', '.git')}\n`);
    folder('feature', 'src');
    writeFileSync(at('feature', '.git'), `gitdir: ${meta}\n`);
    const near = folder('repo', '.git', 'worktrees', 'near');
    writeFileSync(path.join(near, 'commondir'), '../..\n');
    writeFileSync(path.join(near, 'gitdir'), '../../../../near/.git\n');
    folder('near');
    writeFileSync(at('near', '.git'), 'gitdir: ../repo/.git/worktrees/near\n');
    symlinkSync(at('feature'), at('to-feature'));
    folder('repo', '.git', 'modules', 'lib');
    folder('repo', 'lib');
    writeFileSync(at('repo', 'lib', '.git'), 'gitdir: ../.git/modules/lib\n');
    const { locate } = createProjects();
    expect(await locate(at('feature', 'src'))).toEqual({
      path: at('repo'),
      worktree: 'feature',
      folder: at('feature', 'src'),
    });
    expect(await locate(at('near'))).toEqual({ path: at('repo'), worktree: 'near', folder: at('near') });
    expect(await locate(at('to-feature'))).toEqual({ path: at('repo'), worktree: 'feature', folder: at('feature') });
    expect(await locate(at('repo', 'lib'))).toMatchObject({ path: at('repo', 'lib') });
  });

  describe('SES-6 a folder that only says that it is another repository’s worktree is its own project', () => {
    type Fake = (meta: string) => void;
    const fakes: readonly (readonly [string, Fake])[] = [
      [
        'a git folder of its own, with the other one’s commondir',
        () => {
          folder('evil', '.gd');
          writeFileSync(at('evil', '.gd', 'commondir'), at('repo', '.git'));
          writeFileSync(at('evil', '.gd', 'gitdir'), at('evil', '.git'));
          writeFileSync(at('evil', '.git'), 'gitdir: .gd\n');
        },
      ],
      [
        'the same, laid out as git does it',
        () => {
          const meta = folder('evil', 'worktrees', 'x');
          writeFileSync(path.join(meta, 'commondir'), at('repo', '.git'));
          writeFileSync(path.join(meta, 'gitdir'), at('evil', '.git'));
          writeFileSync(at('evil', '.git'), `gitdir: ${meta}\n`);
        },
      ],
      ['the git folder of a true worktree', (meta) => writeFileSync(at('evil', '.git'), `gitdir: ${meta}\n`)],
      ['a link to a true worktree’s file', () => symlinkSync(at('feature', '.git'), at('evil', '.git'))],
      [
        'the place that git keeps for it, without a way back',
        () => {
          writeFileSync(path.join(folder('repo', '.git', 'worktrees', 'evil'), 'commondir'), '../..\n');
          writeFileSync(at('evil', '.git'), 'gitdir: ../repo/.git/worktrees/evil\n');
        },
      ],
    ];
    test.each(fakes)('SES-6 %s', async (_name, fake) => {
      const meta = folder('repo', '.git', 'worktrees', 'feature');
      writeFileSync(path.join(meta, 'commondir'), '../..\n');
      writeFileSync(path.join(meta, 'gitdir'), `${at('feature', '.git')}\n`);
      folder('feature');
      writeFileSync(at('feature', '.git'), `gitdir: ${meta}\n`);
      folder('evil');
      fake(meta);
      expect(await createProjects().locate(at('evil'))).toEqual({ path: at('evil'), folder: at('evil') });
    });
  });

  test('SES-6 a folder that does not answer, or beyond all measure, is its own project, and holds up nobody', async () => {
    folder('pipe', 'gitdir');
    writeFileSync(at('pipe', '.git'), 'gitdir: gitdir\n');
    if (process.platform !== 'win32') execFileSync('mkfifo', [at('pipe', 'gitdir', 'commondir')]);
    folder('repo', '.git');
    const { locate } = createProjects();
    expect(await Promise.all([locate(at('pipe')), locate(at('repo'))])).toMatchObject([
      { path: at('pipe') },
      { path: at('repo') },
    ]);
    expect((await locate(`/${'a/'.repeat(100_000)}`)).path.length).toBeLessThanOrEqual(4096);
    expect(await createProjects(0).locate(at('repo'))).toMatchObject({ path: at('repo') });
  });

  test('SES-6 a broken worktree pointer still is a project', async () => {
    folder('broken');
    writeFileSync(at('broken', '.git'), 'nonsense');
    expect(await createProjects().locate(at('broken'))).toMatchObject({ path: at('broken') });
  });
});

describe('MWN-3 whether a process is the one meant', () => {
  test('MWN-3 this one is, and is not when its start is another', async () => {
    const own = await ownProcess();
    expect(await isProvenDead(own)).toBe(false);
    expect(await isProvenDead({ pid: own.pid, startedAt: '' })).toBe(false);
    const other = new Date(Date.parse(own.startedAt) - 60_000).toISOString();
    expect(await isProvenDead({ pid: own.pid, startedAt: other })).toBe(process.platform === 'linux');
    // The clock was set since: the kernel's own count of the start is what holds.
    expect(await isProvenDead({ ...own, startedAt: other })).toBe(false);
    expect(await isProvenDead({ ...own, kernelStart: 'another boot:1' })).toBe(process.platform === 'linux');
  });

  test('MWN-3 a process that ended is dead', async () => {
    const child = spawn(process.execPath, ['-e', '0']);
    await new Promise((resolve) => child.once('exit', resolve));
    expect(await isProvenDead({ pid: child.pid ?? 0, startedAt: '' })).toBe(true);
  });

  test.runIf(process.platform === 'linux')(
    'MWN-3 a killed process that nobody has taken notice of is dead',
    async () => {
      // The shell replaces itself by a program that never waits for its child, which outlives the change: a shell would wait.
      const parent = spawn('sh', ['-c', 'sleep 0.5 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] });
      try {
        const pid = Number(
          await new Promise((resolve) => parent.stdout.once('data', (text: Buffer) => resolve(text.toString()))),
        );
        const state = () => /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
        while (state() !== 'Z') await new Promise((resolve) => setImmediate(resolve));
        expect(await isProvenDead({ pid, startedAt: '' })).toBe(true);
      } finally {
        parent.kill('SIGKILL');
      }
    },
  );
});

describe('FWD-8 the forwarder’s stable place', () => {
  const built = (text: string) => {
    writeFileSync(path.join(folder('built'), 'forward-to-mascot.mjs'), text);
    return at('built');
  };
  const installed = () => readFileSync(at('home', 'bin', 'forward-to-mascot.mjs'), 'utf8');

  test('FWD-8 it is copied there, refreshed, and left alone by an older extension', async () => {
    const home = homeAt(at('home'));
    await prepareHome(home);
    expect(await refreshBin(home, built('one'), '1.2.0')).toBe('refreshed');
    expect(await refreshBin(home, built('one'), '1.2.0')).toBe('current');
    expect(await refreshBin(home, built('two'), '1.10.0')).toBe('refreshed');
    expect(await refreshBin(home, built('old'), '1.9.9')).toBe('newer');
    expect(installed()).toBe('two');
  });

  test('FWD-8 a broken version file counts as nothing installed', async () => {
    const home = homeAt(at('home'));
    await prepareHome(home);
    writeFileSync(at('home', 'bin', 'version.json'), '{');
    expect(await refreshBin(home, built('one'), '1.0.0')).toBe('refreshed');
  });

  test.each([
    ['1.2.3', '1.2.3', 0],
    ['1.10.0', '1.9.9', 1],
    ['0.9.0', '1.0.0', -1],
    ['nonsense', '0.0.0', -1],
  ])('FWD-8 version %s against %s', (a, b, sign) => expect(Math.sign(compareVersions(a, b))).toBe(sign));
});

test.runIf(process.platform !== 'win32')('COL-2 the home is private, and is made private again', async () => {
  folder('home');
  await prepareHome(homeAt(at('home')));
  expect(statSync(at('home')).mode & 0o777).toBe(0o700);
});

test('COL-2 AGENT_MASCOT_HOME moves the home', () => {
  expect(defaultHome({ AGENT_MASCOT_HOME: '/x/y' })).toBe('/x/y');
  expect(defaultHome({})).toBe(path.join(homedir(), '.agent-mascot'));
});

describe('OPS-2 the headless command line', () => {
  const read = (...argv: string[]) => readCommandLine(argv, { AGENT_MASCOT_HOME: '/home-of-env' });

  test('OPS-2 storage, port, home and a settings file', () => {
    writeFileSync(
      at('s.json'),
      '\uFEFF{ "agentMascot.collector.port": 5000, "collector.allowUnauthenticatedIngest": true, "other.thing": 1 }',
    );
    expect(read('--storage', 's', '--settings', at('s.json'))).toEqual({
      storage: path.resolve('s'),
      home: '/home-of-env',
      settings: {
        ...readSettings({}).settings,
        'collector.port': 5000,
        'collector.allowUnauthenticatedIngest': true,
      },
      anyPort: false,
      capped: [],
    });
    expect(read('--storage', 's', '--port', '0', '--home', '/h')).toMatchObject({ anyPort: true, home: '/h' });
    expect(read('--storage', 's', '--port', '4999')).toMatchObject({
      anyPort: false,
      settings: { 'collector.port': 4999 },
    });
    expect(read('--help')).toBeUndefined();
  });

  test.each([
    [[], '--storage DIR is missing'],
    [['--storage', 's', '--port', '70000'], 'from 0 to 65535'],
    [['--storage', 's', '--port', 'x'], 'from 0 to 65535'],
    [['--storage', 's', '--nonsense'], 'nonsense'],
    [['--storage', 's', '--settings', '/nowhere.json'], "can't be used"],
  ])('OPS-2 %j is refused with what is wrong', (argv, words) => {
    expect(() => read(...argv)).toThrow(UsageError);
    expect(() => read(...argv)).toThrow(words);
  });

  test.each(['{', '[]', '{"agentMascot.collector.port": "x"}'])('OPS-2 a settings file with %s is refused', (text) => {
    writeFileSync(at('bad.json'), text);
    expect(() => read('--storage', 's', '--settings', at('bad.json'))).toThrow(UsageError);
  });
});

test('STO-4 lowers a limit of history that is larger than any disk, with one sentence', () => {
  const read = (megabytes: unknown) => {
    const { settings, rejected, capped } = readSettings({ 'retention.megabytes': megabytes });
    return [settings['retention.megabytes'], rejected.length, capped.length];
  };
  expect(read(2_000_000)).toEqual([1_000_000, 0, 1]);
  expect(read(1_000_000)).toEqual([1_000_000, 0, 0]);
  expect(read(19)).toEqual([2_000, 1, 0]);
  expect(read('much')).toEqual([2_000, 1, 0]);
  expect(readSettings({ 'retention.megabytes': 2_000_000 }).capped).toEqual([
    'agentMascot.retention.megabytes: the value is too large, so the maximum of 1000000 is used.',
  ]);
});
