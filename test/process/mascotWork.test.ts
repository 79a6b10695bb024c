import { spawn } from 'node:child_process';
import { mkdirSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { belowNobody, type Run, runScript } from '../../forwarder/forwarder.testkit.ts';
import { type Headless, startHeadless, temporaryFolder } from './headless.testkit.ts';

const script = path.join(import.meta.dirname, '../../dist/forwarder/mascot.mjs');

let folder: ReturnType<typeof temporaryFolder>;
let headless: Headless;
let project = '';
beforeEach(async () => {
  folder = temporaryFolder();
  project = path.join(folder.dir, 'project');
  mkdirSync(path.join(project, '.git'), { recursive: true });
  headless = startHeadless(folder.dir);
  await headless.ready;
});
afterEach(async () => {
  await headless.end('SIGKILL');
  folder.remove();
});

/** In the shell of the session `s`, unless another environment is given. */
async function mascot(args: readonly string[], env: Record<string, string> = { MASCOT_SESSION_ID: 's' }): Promise<Run> {
  const all = { AGENT_MASCOT_HOME: headless.home, HOME: folder.dir, ...env };
  const nodeArgs = env['MASCOT_SESSION_ID'] === '' ? belowNobody : [];
  return runScript(script, { args, env: all, cwd: project, nodeArgs });
}

let calls = 0;
async function hook(name: string, fields: object = {}, pid?: number): Promise<void> {
  const linux = process.platform === 'linux' ? { pid_namespace: readlinkSync('/proc/self/ns/pid') } : {};
  const agent = pid === undefined ? {} : { host: hostname(), agent_pid: pid, ...linux };
  const _meta = { collected_at: new Date().toISOString(), provider: 'claude', ...agent };
  const answer = await headless.post({ hook_event_name: name, session_id: 's', cwd: project, ...fields, _meta });
  expect(answer.status).toBe(200);
}
async function edit(file: string): Promise<void> {
  const call = { tool_name: 'Edit', tool_use_id: `t${++calls}`, tool_input: { file_path: path.join(project, file) } };
  await hook('PreToolUse', call);
  await hook('PostToolUse', { ...call, tool_response: {} });
}

const said = ({ code, stdout, stderr }: Run) => [code, stdout.trimEnd(), stderr.trimEnd()];

test('GRD-1 EVT-3 an agent makes its work items, logs what it decides, and the report of its session has all of it', async () => {
  await hook('SessionStart', { source: 'startup' });
  await hook('UserPromptSubmit', { prompt: 'Mend the login' });
  expect(said(await mascot(['work', 'create', 'design', '--title', '로그인 설계', '--start']))).toEqual([
    0,
    'Created and started "design". Edits belong to it now. When it is done: mascot work end design',
    '',
  ]);
  expect(said(await mascot(['work', 'create', 'fix-login', '--title', '-1 is no id', '--needs', 'design']))).toEqual([
    0,
    'Created "fix-login" (pending). Once design ended, start it with: mascot work start fix-login',
    '',
  ]);
  expect(said(await mascot(['work', 'start', 'fix-login']))).toEqual([
    1,
    '',
    'mascot: "fix-login" waits for design: end that first',
  ]);
  await edit('docs/design.md');
  expect(said(await mascot(['work', 'end', 'design']))).toEqual([0, 'Ended "design" (done).', '']);
  expect((await mascot(['work', 'start', 'fix-login'])).code).toBe(0);
  await edit('src/login.ts');
  expect(said(await mascot(['event', 'decision', '--summary', 'Keep the cookie']))).toEqual([
    0,
    'Logged the decision.',
    '',
  ]);

  const list = await mascot(['work', 'list']);
  expect(
    list.stdout
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/\s+/g, ' ')),
  ).toEqual(['* fix-login running now - -1 is no id', ' design done now - 로그인 설계', '']);
  const shown = await mascot(['work', 'show', 'fix-login', '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    startedBy: 's',
    touches: [{ session: 's', files: ['src/login.ts'] }],
  });
  expect((await mascot(['work', 'show', 'design'])).stdout).toContain(
    '  Session s edited 1 file:\n    docs/design.md\n',
  );
  expect((await mascot(['status'])).stdout).toMatch(
    /Guard +off: edits need no work item\nWork +fix-login {2}-1 is no id/,
  );

  const report = await mascot(['report']);
  expect(report.stdout).toContain('> Mend the login');
  expect(report.stdout).toContain('- `src/login.ts`');
  expect(report.stdout).toMatch(/\*\*Keep the cookie\*\* · .* · for `fix-login`/);
  expect(report.stdout).toMatch(/- `design` 로그인 설계 · done · started .*, done .* · files edited for it: 1/);
});

test.runIf(process.platform === 'linux')(
  'GRD-1 EVT-3 an agent that tells its shells nothing is known by the processes above them',
  async () => {
    await hook('SessionStart', { source: 'startup' }, process.pid);
    expect(said(await mascot(['event', 'escalation', '--summary', 'A key is needed'], {}))).toEqual([
      0,
      'Logged the escalation.',
      '',
    ]);
    expect((await mascot(['work', 'create', 'a', '--start'], {})).code).toBe(0);
    const { stdout } = await mascot(['work', 'show', 'a', '--json'], {});
    expect(JSON.parse(stdout)).toMatchObject({ startedBy: 's', project });
  },
);

test('GRD-1 EVT-3 HKI-9 a person without a session works in the project around; what can’t be is said with what to do', async () => {
  const nobody = { MASCOT_SESSION_ID: '' };
  expect((await mascot(['work', 'create', 'mine'], nobody)).code).toBe(0);
  expect(said(await mascot(['work', 'create', 'mine'], nobody))).toEqual([
    1,
    '',
    'mascot: this project has a work item "mine" already: it is pending; start it (mascot work start mine), or choose another id',
  ]);
  expect(said(await mascot(['work', 'end', 'mine'], nobody))).toEqual([
    1,
    '',
    'mascot: "mine" does not run: start it first, or cancel it',
  ]);
  expect(said(await mascot(['work', 'end', 'mine', '--cancel'], nobody))).toEqual([0, 'Ended "mine" (cancelled).', '']);
  const event = await mascot(['event', 'decision', '--summary', 'x', '--session', 'nobody'], nobody);
  expect(said(event)).toEqual([1, '', expect.stringContaining('not known which session')]);
  expect((await mascot(['work', 'list'], nobody)).stdout).toContain('mine  cancelled');
  expect((await mascot(['report'], nobody)).code).toBe(1);
});

test('EVT-1 GRD-1 HKI-9 tail tells of work items and of what agents decide', async () => {
  await hook('SessionStart', { source: 'startup' });
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder.dir, AGENT_MASCOT_HOME: headless.home };
  const child = spawn(process.execPath, [script, 'tail', '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: { readonly kind: string }[] = [];
  const told = (kind: string) => lines.some((line) => line.kind === kind);
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as (typeof lines)[number]));
  try {
    // It says nothing of what was there before it looked.
    for (let round = 0; !told('work') || !told('event'); round++) {
      await mascot(['work', 'create', `item-${round}`]);
      await mascot(['event', 'decision', '--summary', 'Use SQLite']);
    }
  } finally {
    child.kill('SIGKILL');
  }
  expect(lines).toContainEqual(expect.objectContaining({ kind: 'work', from: 'new', to: 'pending', project }));
  expect(lines).toContainEqual(
    expect.objectContaining({ kind: 'event', event: 'decision', session: 's', summary: 'Use SQLite' }),
  );
});
