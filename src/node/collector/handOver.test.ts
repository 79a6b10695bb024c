import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { hookMetaSchema, type HookMeta } from '../../protocol/hook.ts';
import { completed, type Place } from './handOver.ts';

const made = Date.now();
const here: Place = { platform: process.platform, host: hostname() };
const start = { hook_event_name: 'SessionStart', session_id: 's', cwd: '/p/q' };

async function metaOf(head: Record<string, string>, place = here, payload: object = start): Promise<HookMeta> {
  const whole = { head, payload: JSON.stringify(payload), whole: true };
  const body = (await completed(whole, { name: '.12-7-a.hook', made }, place)) as { _meta: unknown };
  return hookMetaSchema.parse(body._meta);
}
const known = { provider: 'claude', event: 'SessionStart', host: here.host, ppid: String(process.pid), cwd: '/own' };

test('FWD-2 a hand-over becomes what the forwarder would have sent', async () => {
  const head = { ...known, CLAUDE_PROJECT_DIR: '/p', TERM_SESSION_ID: 't', AGENT_MASCOT_MEMORY: '0' };
  const { ancestors, agent_pid, agent_started_at, pid_namespace, tty, fingerprint, ...told } = await metaOf(head);
  expect(told).toEqual({
    workspace_id: 'p',
    terminal_session_id: 't',
    collected_at: new Date(made).toISOString(),
    delivery_id: `12-7-a@${Math.trunc(made)}`,
    provider: 'claude',
    event: 'SessionStart',
    cwd: '/p/q',
    project_dir: '/p',
    host: here.host,
    memory: false,
  });
  expect(ancestors?.[0]).toBe(process.pid);
  if (process.platform === 'linux') {
    expect([typeof agent_pid, typeof agent_started_at, pid_namespace?.slice(0, 5)]).toEqual([
      'number',
      'string',
      'pid:[',
    ]);
    expect(fingerprint).toMatch(/^[0-9a-f]{16}$/);
  }
  expect(tty === undefined || typeof tty === 'string').toBe(true);
});

test('FWD-12 a variable that the entry does not tell is none, whatever a file says', async () => {
  const head = { ...known, MASCOT_TOKEN: 'x', AGENT_MASCOT_HOME: '/x', CLAUDE_ENV_FILE: '/x', toString: 'x' };
  expect(await metaOf(head)).toEqual(await metaOf(known));
});

test.runIf(process.platform === 'linux').each([
  ['a container that shares the home', { host: 'inside' }, here],
  ['an entry that found no name of its host', { host: '' }, here],
  ['the shells of Windows', {}, { ...here, platform: 'win32' }],
  ['a parent that is gone', { ppid: '2147483646' }, here],
  ['no number', { ppid: 'x' }, here],
])('FWD-2 no pid is claimed for %s', async (_what, changes, place) => {
  const head = Object.fromEntries(Object.entries({ ...known, ...changes }).filter(([, value]) => value !== ''));
  const meta = await metaOf(head, place);
  expect(meta).toMatchObject({ ancestors: [] });
  expect([meta.agent_pid, meta.pid_namespace, meta.fingerprint]).toEqual([undefined, undefined, undefined]);
  expect(meta.host).toBe(head['host']);
});

test.runIf(process.platform === 'linux')('FWD-2 a pid that somebody younger has got is nobody’s', async () => {
  const child = spawn('sleep', ['30']);
  try {
    await once(child, 'spawn');
    const whole = { head: { ...known, ppid: String(child.pid) }, payload: JSON.stringify(start), whole: true };
    const at = async (moment: number) => {
      const body = (await completed(whole, { name: 'a.hook', made: moment })) as { _meta: HookMeta };
      return body._meta.ancestors?.[0];
    };
    expect([await at(Date.now() + 100), await at(Date.now() - 60_000)]).toEqual([child.pid, undefined]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('FWD-2 on a Mac the parent alone is known, and no process is started to know more', async () => {
  const { host: _told, ...nameless } = known;
  const meta = await metaOf(nameless, { platform: 'darwin', host: 'mac' });
  expect(meta).toMatchObject({ ancestors: [process.pid], host: 'mac' });
  expect(meta.agent_pid).toBe(undefined);
});

test('FWD-9 what is too large is cut', async () => {
  const whole = { head: known, payload: JSON.stringify({ ...start, big: 'y'.repeat(8 * 1024 * 1024) }), whole: true };
  const body = (await completed(whole, { name: 'a.hook', made })) as { big: string; session_id: string };
  expect([body.session_id, body.big.length <= 256 * 1024, body.big.includes('bytes')]).toEqual(['s', true, true]);
});

test.each(['', '[]', '"x"', '{"a":', 'null'])('FWD-6 %j is no payload', async (payload) => {
  expect(await completed({ head: known, payload, whole: false }, { name: 'a.hook', made })).toBe(undefined);
});
