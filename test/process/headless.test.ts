import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Headless, startHeadless, temporaryFolder } from './headless.testkit.ts';

let folder: ReturnType<typeof temporaryFolder>;
let running: Headless[] = [];
beforeEach(() => {
  folder = temporaryFolder();
  running = [];
});
afterEach(async () => {
  for (const headless of running) await headless.end('SIGKILL');
  folder.remove();
});
function start(options?: Parameters<typeof startHeadless>[1]): Headless {
  const headless = startHeadless(folder.dir, options);
  running.push(headless);
  return headless;
}
const prompt = (text: string, changes: Record<string, unknown> = {}) => ({
  hook_event_name: 'UserPromptSubmit',
  session_id: 's',
  cwd: '/p',
  prompt: text,
  ...changes,
});

test('OPS-2 it says when it is ready, serves, and stops cleanly on SIGTERM: no port file, no claim', async () => {
  const headless = start();
  const { url, portFile } = await headless.ready;
  expect(headless.portFile()).toMatchObject({
    url,
    version: 1,
    generation: 1,
    app: 'headless',
    pid: headless.child.pid,
  });
  expect(statSync(portFile).mode & 0o777).toBe(0o600);
  expect((await headless.post(prompt('hello'))).status).toBe(200);
  expect(await headless.get('/api/state')).toMatchObject({ sessions: [{ id: 's', title: 'hello' }] });
  expect(await headless.end('SIGTERM')).toBe(0);
  expect(existsSync(portFile)).toBe(false);
  expect(readdirSync(headless.home).filter((name) => name.startsWith('owner'))).toEqual([]);
});

test('OPS-2 what forwarders need of the settings is written beside the port file', async () => {
  const settings = path.join(folder.dir, 'settings-given.json');
  writeFileSync(settings, '{"agentMascot.collector.port": 49321}');
  const headless = start({
    args: [
      '--storage',
      path.join(folder.dir, 'store'),
      '--home',
      path.join(folder.dir, 'home'),
      '--settings',
      settings,
    ],
  });
  await headless.ready;
  expect(JSON.parse(readFileSync(path.join(headless.home, 'settings.json'), 'utf8'))).toEqual({
    version: 1,
    collectorPort: 49321,
    autoLaunch: 'interactive',
  });
});

test.each([
  [['--port', '0'], '--storage DIR is missing'],
  [['--storage', 'x', '--wrong'], '--wrong'],
])('OPS-2 %j is wrong usage: exit 2, with what is right', async (args, words) => {
  const headless = start({ args });
  const [code] = (await once(headless.child, 'exit')) as [number];
  expect(code).toBe(2);
  expect(headless.stderr()).toContain(words);
  expect(headless.stderr()).toContain('Usage: ');
});

test('STO-2 killed under load and started again: every acknowledged event is there, once', async () => {
  const acknowledged = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const headless = start();
    await headless.ready;
    /** Until the server dies: what fails then was not acknowledged. */
    const ingest = async (client: number) => {
      for (let i = 0; ; i++) {
        const reply = await headless.post(prompt(`r${round}c${client}n${i}`));
        if (reply.status === 200) acknowledged.add(((await reply.json()) as { id: string }).id);
      }
    };
    const clients = Array.from({ length: 8 }, (_, client) => ingest(client).catch(() => undefined));
    const target = acknowledged.size + 60 + round * 17;
    while (acknowledged.size < target) await new Promise((resolve) => setImmediate(resolve));
    await headless.end('SIGKILL');
    await Promise.all(clients);
  }
  const last = start();
  await last.ready;
  const stored: string[] = [];
  let cursor = '';
  do {
    const page = (await last.get(`/api/sessions/s/events?limit=500${cursor}`)) as {
      items: { id: string }[];
      next: string | null;
    };
    stored.push(...page.items.map(({ id }) => id));
    cursor = page.next === null ? '' : `&cursor=${encodeURIComponent(page.next)}`;
  } while (cursor !== '');
  expect([...acknowledged].filter((id) => !stored.includes(id))).toEqual([]);
  expect(new Set(stored).size).toBe(stored.length);
  expect(last.portFile()?.generation).toBe(5);
});

test('COL-8 after a restart the state is the same as before', async () => {
  const first = start();
  await first.ready;
  await first.post(prompt('one'));
  await first.post({
    hook_event_name: 'PermissionRequest',
    session_id: 's',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  });
  const { sessions, agents } = await first.get('/api/state');
  await first.end('SIGKILL');
  const second = start();
  expect(await (await second.ready, second.get('/api/state'))).toMatchObject({ sessions, agents });
});

describe('two at once', () => {
  test('MWN-3 of five that start at the same instant one owns; when it is killed, another takes over', async () => {
    const five = Array.from({ length: 5 }, () => start());
    const ready = await Promise.race(five.map(async (headless) => (await headless.ready, headless)));
    const instance = ready.portFile()?.instance;
    expect((await ready.post(prompt('before'))).status).toBe(200);
    const others = five.filter((headless) => headless !== ready);
    await ready.end('SIGKILL');
    const next = await Promise.race(others.map(async (headless) => (await headless.ready, headless)));
    expect(next.portFile()).not.toMatchObject({ instance });
    expect((await next.post(prompt('after'))).status).toBe(200);
    expect(await next.get('/api/sessions/s')).toMatchObject({ counts: { prompts: 2 } });
  });

  test('OPS-2 the second says on standard error what it waits for, once', async () => {
    const first = start();
    await first.ready;
    const second = start();
    await new Promise<void>((resolve) => second.child.stderr?.once('data', () => resolve()));
    expect(second.stderr()).toContain('waiting for it to end');
    await first.end('SIGTERM');
    await second.ready;
    expect(second.stderr().match(/waiting for it to end/g)).toHaveLength(1);
  });

  test('STO-1 two homes on one storage: the second is refused with what to do, and nothing of the first is lost', async () => {
    const storage = path.join(folder.dir, 'store');
    const first = start();
    await first.ready;
    await first.post(prompt('of the first'));
    const other = start({ args: ['--storage', storage, '--port', '0', '--home', path.join(folder.dir, 'other-home')] });
    const [code] = (await once(other.child, 'exit')) as [number];
    expect([code, other.stderr()]).toEqual([1, expect.stringContaining('the same AGENT_MASCOT_HOME')]);
    await first.end('SIGTERM');
    const turns: string[] = [];
    for (const name of ['home', 'other-home', 'home']) {
      const next = start({ args: ['--storage', storage, '--port', '0', '--home', path.join(folder.dir, name)] });
      const { portFile } = await next.ready;
      const { url, token } = JSON.parse(readFileSync(portFile, 'utf8')) as { url: string; token: string };
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      await fetch(`${url}/ingest`, { method: 'POST', headers, body: JSON.stringify(prompt(`turn ${turns.length}`)) });
      const reply = await fetch(`${url}/api/sessions/s`, { headers });
      turns.push(JSON.stringify(((await reply.json()) as { counts: { prompts: number } }).counts.prompts));
      await next.end('SIGTERM');
    }
    expect(turns).toEqual(['2', '3', '4']);
  });

  test('STO-1 one with a storage of its own opens the store that was there first', async () => {
    const first = start({ storage: 'store-one' });
    await first.ready;
    await first.post(prompt('kept'));
    await first.end('SIGTERM');
    const second = start({ storage: 'store-two' });
    await second.ready;
    expect(await second.get('/api/sessions/s')).toMatchObject({ title: 'kept' });
    expect(existsSync(second.storage)).toBe(false);
  });
});

test('MWN-2 an owner that was deposed acknowledges nothing and leaves; when the claim is free it takes its turn again', async () => {
  const headless = start();
  await headless.ready;
  await headless.post(prompt('before'));
  const claim = path.join(headless.home, 'owner.json');
  writeFileSync(claim, readFileSync(claim, 'utf8').replace(/"instance":"[^"]+"/, '"instance":"somebody-else"'));
  const early = { ...prompt('while another owns'), _meta: { delivery_id: 'sent twice' } };
  const refused = await headless.post(early);
  expect([refused.status, await refused.json()]).toEqual([500, { ok: false, error: expect.any(String) as string }]);
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while (headless.portFile()) await turn();
  rmSync(claim);
  while (headless.portFile()?.generation !== 2) await turn();
  // Whatever was refused is kept by its sender, and counts once.
  for (const hook of [early, prompt('after')]) expect((await headless.post(hook)).status).toBe(200);
  expect(await headless.get('/api/sessions/s')).toMatchObject({ counts: { prompts: 3 } });
});

test('MSK-1 nothing unmasked is on disk: journal, image, port file, whatever the folders hold', async () => {
  const secret = ['sk-ant-', 'api03-', 'Ab1'.repeat(30), 'AA'].join('');
  const headless = start();
  await headless.ready;
  await headless.post(prompt(`my key is ${secret}`, { tool_input: { env: { ANTHROPIC_API_KEY: secret } } }));
  const everything = () =>
    [headless.storage, headless.home]
      .flatMap((dir) => readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()))
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name)).toString('latin1'))
      .join('\n');
  expect(everything()).toContain('my key is');
  expect(everything()).not.toContain(secret);
  await headless.end('SIGTERM');
  expect(everything()).toContain('my key is');
  expect(everything()).not.toContain(secret);
});

test('FWD-6 what forwarders kept while nobody ran is taken in at the start and removed', async () => {
  const spool = path.join(folder.dir, 'home', 'spool');
  mkdirSync(spool, { recursive: true });
  for (const [index, word] of ['first', 'second'].entries()) {
    const collected_at = new Date(Date.UTC(2026, 0, 1) + index).toISOString();
    writeFileSync(
      path.join(spool, `000000000000${index}-x.json`),
      `${JSON.stringify(prompt(word, { _meta: { collected_at } }))}\n`,
    );
  }
  const headless = start();
  await headless.ready;
  while (readdirSync(spool).length > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await headless.get('/api/sessions/s')).toMatchObject({ title: 'first', counts: { prompts: 2 } });
});
