import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildForwarder, type Bundles } from '../../forwarder/forwarder.testkit.ts';
import { TRIAL_EVENT, TRIAL_FIELD } from '../../src/protocol/handOver.ts';
import { type Headless, startHeadless, temporaryFolder } from './headless.testkit.ts';
import { leftIn, prepareHome, programs, quiet, runHook, startHook } from './hookEntry.testkit.ts';

let folder: ReturnType<typeof temporaryFolder>;
let bundles: Bundles;
const running: Headless[] = [];
let home = '';
beforeAll(async () => {
  bundles = await buildForwarder();
});
afterAll(() => bundles.remove());
beforeEach(() => {
  folder = temporaryFolder();
  home = prepareHome(path.join(folder.dir, 'home'), bundles.forwarder);
});
afterEach(async () => {
  for (const headless of running.splice(0)) await headless.end('SIGKILL');
  folder.remove();
});
async function start(): Promise<Headless> {
  const headless = startHeadless(folder.dir);
  running.push(headless);
  await headless.ready;
  return headless;
}

const prompt = (text: string, session = 's') =>
  JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: session, cwd: '/p', prompt: text });
const tell = (input: string, event = 'UserPromptSubmit') => runHook({ home, event, input });

/** Files get the kernel's coarse time, which is some milliseconds behind. */
async function fileClockAfter(moment: number): Promise<void> {
  const probe = path.join(folder.dir, 'clock');
  for (;;) {
    writeFileSync(probe, '');
    if (Math.trunc(statSync(probe).mtimeMs) > moment) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Event {
  readonly ts: string;
  readonly event_type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly raw?: Readonly<Record<string, unknown>>;
}
async function eventsOf(headless: Headless, session = 's'): Promise<readonly Event[]> {
  const events: Event[] = [];
  for (let cursor = ''; ;) {
    const page = await headless.get(`/api/sessions/${session}/events?limit=500${cursor}`);
    events.push(...((page['items'] ?? []) as Event[]));
    if (typeof page['next'] !== 'string') return events;
    cursor = `&cursor=${encodeURIComponent(page['next'])}`;
  }
}
const prompts = async (headless: Headless, session?: string) =>
  (await eventsOf(headless, session)).map(({ payload }) => payload['prompt'] ?? payload['text']);

describe('with a collector', () => {
  test('FWD-6 FWD-11 50 hooks at once are 50 events, none twice, and nothing lies about after 2 s', async () => {
    const headless = await start();
    const texts = Array.from({ length: 50 }, (_, n) => `prompt ${n}`);
    const ended = await Promise.all(texts.map((text) => tell(prompt(text))));
    const since = performance.now();
    expect(ended.every((each) => each.code === 0 && each.stdout + each.stderr === '')).toBe(true);
    await until(() => leftIn(home).length === 0);
    expect(performance.now() - since).toBeLessThan(2_000);
    expect((await prompts(headless)).toSorted()).toEqual(texts.toSorted());
    const times = await headless.get('/api/hook-times');
    expect([times['count'], Number(times['p50']) > 0, Number(times['p95']) < 2_000]).toEqual([50, true, true]);
  });

  test('FWD-2 FWD-11 it is told of as by the forwarder: who, where, when; once, whichever way it comes', async () => {
    const headless = await start();
    const began = Date.now();
    await fileClockAfter(began);
    const begin = new Date(began).toISOString();
    await tell(prompt('one'));
    await until(() => leftIn(home).length === 0);
    const [event] = await eventsOf(headless);
    expect(event).toMatchObject({ event_type: 'user_prompt' });
    expect([event!.ts >= begin, event!.ts <= new Date().toISOString()]).toEqual([true, true]);
    const state = await headless.get('/api/sessions/s');
    expect(JSON.stringify(state)).toContain(hostname());
  });

  test('FWD-9 8 MB are cut and shown', async () => {
    const headless = await start();
    const payload = { ...(JSON.parse(prompt('big')) as object), extra: 'y'.repeat(8 * 1024 * 1024) };
    expect(await tell(JSON.stringify(payload))).toEqual(quiet);
    await until(() => leftIn(home).length === 0);
    expect(await prompts(headless)).toEqual(['big']);
  });

  test('MSK-1 FWD-11 a hook that was killed is taken in if its payload is whole, and removed if not, within 2 s', async () => {
    const headless = await start();
    for (const [input, session] of [
      [prompt('whole', 'whole'), 'whole'],
      [prompt('sk-torn-secret', 'torn').slice(0, -5), 'torn'],
    ] as const) {
      const hook = startHook({ home, event: 'UserPromptSubmit' });
      hook.child.stdin?.write(input);
      await until(() => leftIn(home).some(({ text }) => text.endsWith(input)));
      process.kill(-hook.child.pid!, 'SIGKILL');
      await hook.ended;
      const since = performance.now();
      await until(() => leftIn(home).length === 0);
      expect([session, performance.now() - since < 2_000]).toEqual([session, true]);
    }
    expect(await prompts(headless, 'whole')).toEqual(['whole']);
    const { sessions } = (await headless.get('/api/state')) as { sessions: { id: string }[] };
    expect(sessions.map(({ id }) => id)).toEqual(['whole']);
  });

  test('FWD-6 one that is still being written is waited for, however long it takes', async () => {
    const headless = await start();
    const hook = startHook({ home, event: 'UserPromptSubmit' });
    const input = prompt('slow');
    hook.child.stdin?.write(input.slice(0, 20));
    await until(() => leftIn(home).some(({ text }) => text.endsWith(input.slice(0, 20))));
    // Its quiet is longer than that of one that was killed.
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    hook.child.stdin?.end(input.slice(20));
    expect(await hook.ended).toEqual(quiet);
    await until(() => leftIn(home).length === 0);
    expect(await prompts(headless)).toEqual(['slow']);
  });

  test('FWD-6 a session’s start whose Node and shell were killed is taken in', async () => {
    const headless = await start();
    const PATH = programs(path.join(folder.dir, 'bin'), 'exec sleep 30');
    const input = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's', source: 'startup', cwd: '/p' });
    const hook = startHook({ home, event: 'SessionStart', input, env: { PATH } });
    await until(() => leftIn(home).some(({ handOver }) => handOver?.whole === true));
    process.kill(-hook.child.pid!, 'SIGKILL');
    await hook.ended;
    await until(() => leftIn(home).length === 0);
    expect((await eventsOf(headless)).map(({ event_type }) => event_type)).toEqual(['session_started']);
  });

  test('FWD-1 a session’s start goes through Node, once', async () => {
    const headless = await start();
    const input = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's', source: 'startup', cwd: '/p' });
    expect(await runHook({ home, event: 'SessionStart', input })).toMatchObject({ code: 0, stderr: '' });
    expect((await eventsOf(headless)).map(({ event_type }) => event_type)).toEqual(['session_started']);
    expect(leftIn(home)).toEqual([]);
  });

  test('FWD-11 a spool that somebody removed is made again and watched again', async () => {
    const headless = await start();
    rmSync(path.join(home, 'spool'), { recursive: true });
    expect(await tell(prompt('one'))).toEqual(quiet);
    await until(() => existsSync(path.join(home, 'spool')) && leftIn(home).length === 0);
    expect(await prompts(headless)).toEqual(['one']);
  });

  test('HKI-5 a trial arrives by either way, and is no session’s', async () => {
    const headless = await start();
    const trial = (id: string) => ({ hook_event_name: TRIAL_EVENT, [TRIAL_FIELD]: id, session_id: 'trial', cwd: '/p' });
    expect(await headless.get('/api/hook-trials/by-spool')).toEqual({ error: 'no test event of this id has come' });
    expect(await tell(JSON.stringify(trial('by-spool')), 'PreToolUse')).toEqual(quiet);
    await until(() => leftIn(home).length === 0);
    expect((await headless.post(trial('by-post'))).status).toBe(200);
    for (const id of ['by-spool', 'by-post'])
      expect(await headless.get(`/api/hook-trials/${id}`)).toEqual({ arrived: true, ms: expect.any(Number) as number });
    expect(await headless.get('/api/state')).toMatchObject({ sessions: [] });
    expect(await headless.get('/api/sessions')).toMatchObject({ items: [] });
    expect(await headless.get('/api/hook-times')).toMatchObject({ count: 0 });
  });
});

describe('without one', () => {
  test('FWD-6 what waits is taken in by the next one, in order, beside what forwarders left', async () => {
    for (let n = 0; n < 5; n++) {
      await tell(prompt(`prompt ${2 * n}`));
      await fileClockAfter(Date.now());
      const at = Date.now();
      const name = `${at}-x${n}.json`;
      const _meta = { collected_at: new Date(at).toISOString() };
      const event = { ...(JSON.parse(prompt(`prompt ${2 * n + 1}`)) as object), _meta };
      const draft = path.join(home, 'spool', `.${name}.tmp`);
      writeFileSync(draft, `${JSON.stringify(event)}\n`);
      renameSync(draft, path.join(home, 'spool', name));
      await fileClockAfter(at);
    }
    const headless = await start();
    await until(() => leftIn(home).length === 0);
    expect((await prompts(headless)).slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => `prompt ${n}`));
    expect(await headless.get('/api/hook-times')).toEqual({ count: 0, p50: null, p95: null });
  });

  test('FWD-6 killed while it takes in: nothing is lost, nothing comes twice', async () => {
    await tell(prompt('prompt 0'));
    const spool = path.join(home, 'spool');
    const [first] = leftIn(home);
    const texts = Array.from({ length: 400 }, (_, n) => `prompt ${n}`);
    for (const [n, text] of texts.entries()) {
      writeFileSync(path.join(spool, `1-1-copy${n}.hook`), first!.text.replace('prompt 0"', `${text}"`));
    }
    rmSync(path.join(spool, first!.name));
    for (let kill = 0; kill < 3; kill++) {
      const headless = startHeadless(folder.dir);
      running.push(headless);
      const before = readdirSync(spool).length;
      // Between the first file's removal and the last one's.
      await until(() => readdirSync(spool).length < before);
      await headless.end('SIGKILL');
    }
    const headless = await start();
    await until(() => leftIn(home).length === 0);
    expect((await prompts(headless)).toSorted()).toEqual(texts.toSorted());
  });

  test('FWD-6 the mounted entry of a container tells its own name, and no pid of ours', async () => {
    mkdirSync(path.join(home, 'spool'), { recursive: true });
    await tell(prompt('inside'));
    const [left] = leftIn(home);
    writeFileSync(path.join(home, 'spool', left!.name), left!.text.replace(`host=${hostname()}`, 'host=inside'));
    const headless = await start();
    await until(() => leftIn(home).length === 0);
    expect(await prompts(headless)).toEqual(['inside']);
    expect(JSON.stringify(await headless.get('/api/sessions/s'))).not.toContain(`"${process.pid}"`);
  });
});

test.skipIf(process.platform === 'win32')('HKI-4 mascot finds itself through links, and says what it needs', () => {
  const bin = path.join(home, 'bin');
  execFileSync('cp', [path.join(import.meta.dirname, '../../forwarder/mascot.sh'), path.join(bin, 'mascot')]);
  writeFileSync(path.join(bin, 'mascot.mjs'), 'console.log(process.argv.slice(2).join())');
  const link = path.join(folder.dir, 'a link');
  execFileSync('ln', ['-s', path.join('home', 'bin', 'mascot'), link]);
  expect(execFileSync('sh', [link, 'a', 'b c'], { encoding: 'utf8' })).toBe('a,b c\n');
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
