import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Run, runScript } from '../../forwarder/forwarder.testkit.ts';
import { type Headless, startHeadless, temporaryFolder } from './headless.testkit.ts';

const script = path.join(import.meta.dirname, '../../dist/forwarder/mascot.mjs');
const ownSettings = '{ "permissions": { "allow": ["Bash(ls)"] } }';

let folder: ReturnType<typeof temporaryFolder>;
let headless: Headless;
beforeEach(async () => {
  folder = temporaryFolder();
  headless = startHeadless(folder.dir);
  await headless.ready;
  mkdirSync(at('.claude'));
  writeFileSync(at('.claude', 'settings.json'), ownSettings);
  for (const name of ['own', 'other']) {
    mkdirSync(at(name, '.git'), { recursive: true });
    const hook = (event: string, fields: object) =>
      headless.post({ hook_event_name: event, session_id: `s-${name}`, cwd: at(name), ...fields });
    expect((await hook('SessionStart', { source: 'startup' })).status).toBe(200);
    expect((await hook('UserPromptSubmit', { prompt: `a needle in ${name}` })).status).toBe(200);
  }
});
afterEach(async () => {
  await headless.end('SIGKILL');
  folder.remove();
});

const at = (...parts: readonly string[]) => path.join(folder.dir, ...parts);
const environment = (more: Record<string, string>) => ({ HOME: folder.dir, AGENT_MASCOT_HOME: headless.home, ...more });

type Mascot = (...args: readonly string[]) => Promise<Run>;

const withVariable: Mascot = (...args) =>
  runScript(script, { args, cwd: at('own'), env: environment({ CLAUDECODE: '1', MASCOT_SESSION_ID: 's-own' }) });

/** Runs `mascot` below an agent that hides its variables: the parent is a shell with an agent's name. */
const belowAgent: Mascot = (...args) => {
  const agent = at('codex');
  if (!existsSync(agent)) symlinkSync('/bin/sh', agent);
  // Without another command after it, the shell would replace itself by the program.
  const text = '"$@"; exit $?';
  return runScript('-c', {
    ...{ node: agent, args: [text, 'codex', process.execPath, script, ...args] },
    ...{ cwd: at('own'), env: environment({}) },
  });
};

const agents: readonly (readonly [string, Mascot])[] = [
  ['known by its variables', withVariable],
  ...(process.platform === 'linux' ? [['known by its process alone', belowAgent] as const] : []),
];

describe.each(agents)('SEC-7 inside an agent that is %s', (_how, mascot) => {
  test('SEC-7 HKI-9 installs, uninstalls, excludes and removes nothing, whatever the flags', async () => {
    const commands = [
      ...['install', 'uninstall', 'repair', 'exclude', 'include'].map((name) => ['hooks', name, '--yes']),
      ['hooks', 'exclude', at('other'), '--yes', '--json'],
      ['hooks', 'doctor', '--fix'],
      ['remove-everything', '--yes'],
      ['remove-everything', '--yes', '--json'],
    ];
    for (const command of commands) {
      const { code, stdout, stderr } = await mascot(...command);
      expect([command, code, stdout]).toEqual([command, 1, '']);
      expect(stderr).toMatch(/^mascot: agents can’t run ".*" \(an agent runs this: .*\): run it in a terminal .*\n$/);
    }
    expect(readFileSync(at('.claude', 'settings.json'), 'utf8')).toBe(ownSettings);
    expect(existsSync(path.join(headless.home, 'excluded.json'))).toBe(false);
    const { items } = (await headless.get('/api/sessions')) as { items: readonly { id: string }[] };
    expect(items.map(({ id }) => id).toSorted()).toEqual(['s-other', 's-own']);
  });

  test('SEC-7 reads only the agent’s own project, even if another is named, and says so', async () => {
    const outputs = new Map<string, string>();
    for (const command of [
      'status',
      'sessions',
      'search a needle',
      `search a needle --project ${at('other')}`,
      'sessions --json',
      'work list --all',
      `work list --project ${at('other')}`,
    ]) {
      const { code, stdout } = await mascot(...command.split(' '));
      expect([command, code]).toEqual([command, 0]);
      outputs.set(command, stdout);
      expect([command, stdout.match(/in other|s-other/)]).toEqual([command, null]);
    }
    expect(outputs.get('search a needle')).toMatch(/needle in own\nOnly this project is shown: an agent runs this/);
    expect(outputs.get('sessions')).toContain('s-own');
    const { code, stderr } = await mascot('report', 's-other');
    expect([code, stderr]).toEqual([1, expect.stringContaining('this belongs to another project')]);
    // MEM-5: only the session's own agent reads all of it, and a process alone does not show which session that is.
    const own = await mascot('report', 's-own');
    if (mascot === withVariable) expect(own.stdout).toContain('a needle in own');
    else expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('only its own session')]);
  });

  test('SEC-7 GRD-1 it makes, starts, ends and lists work items of its own project, and of no other', async () => {
    const did = async (...args: readonly string[]) => (await mascot('work', ...args)).code;
    expect([await did('create', 'a', '--start'), await did('end', 'a'), await did('show', 'a')]).toEqual([0, 0, 0]);
    expect((await mascot('work', 'list')).stdout).toContain('a   done');
    expect(await did('create', 'b', '--project', at('other'))).toBe(1);
    expect(await did('create', 'b', '--session', 's-other')).toBe(1);
    expect((await mascot('event', 'decision', '--summary', 'So', '--session', 's-other')).code).toBe(1);
    expect((await mascot('event', 'decision', '--summary', 'So', '--session', 's-own')).code).toBe(0);
  });
});

test('SEC-7 HKI-9 tail inside an agent prints what changes in its own project, and nothing of another', async () => {
  const env = { PATH: process.env['PATH'] ?? '', ...environment({ MASCOT_SESSION_ID: 's-own' }) };
  const child = spawn(process.execPath, [script, 'tail', '--json'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const hook = (event: string, name: string) =>
      headless.post({ hook_event_name: event, session_id: `s-${name}`, cwd: at(name), prompt: 'go' });
    let [text, warning] = ['', ''];
    child.stderr.on('data', (piece: Buffer) => (warning += piece.toString()));
    const told = new Promise<void>((resolve) => {
      child.stdout.on('data', (piece: Buffer) => {
        text += piece.toString();
        if (/interactable[^]*"busy"[^]*\n/.test(text)) resolve();
      });
    });
    // The test could miss a short change, so both phases are repeated.
    let turn = 0;
    const turns = setInterval(() => {
      const event = turn++ % 2 === 0 ? 'Stop' : 'UserPromptSubmit';
      void hook(event, 'other').then(() => hook(event, 'own'));
    }, 1_500);
    await told.finally(() => clearInterval(turns));
    expect(text).toContain('"session":"s-own"');
    expect(text).not.toContain('s-other');
    expect(warning).toMatch(/^Only this project is shown/);
  } finally {
    child.kill('SIGKILL');
  }
});

test('SEC-7 the port file’s token erases nothing; the person’s, in a file that others can’t read, does', async () => {
  const erase = (token: string) =>
    fetch(`${headless.portFile()?.url}/api/erase`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"all":true}',
    });
  const refused = await erase(headless.portFile()?.token ?? '');
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('person.key')]);
  expect((await headless.get('/api/sessions'))['items']).toHaveLength(2);
  const erased = await erase(readFileSync(path.join(headless.home, 'person.key'), 'utf8').trim());
  expect([erased.status, await erased.json()]).toEqual([200, expect.objectContaining({ sessions: 2 })]);
});
