import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildForwarder, type Bundles } from '../../forwarder/forwarder.testkit.ts';
import { droppedIn } from '../../src/protocol/handOver.ts';
import { SPOOL_MAX_BYTES } from '../../src/protocol/limits.ts';
import { type Headless, startHeadless, temporaryFolder } from './headless.testkit.ts';
import { hasShell, leftIn, prepareHome, programs, quiet, runHook, shells } from './hookEntry.testkit.ts';
import { randomFrom } from '../../src/domain/random.testkit.ts';

const seed = Number(process.env['SPOOL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const ROUNDS = 10;
/** 200 hooks in all; one in five by the forwarder, which costs as much as ten entries. */
const HOOKS = 20;

let folder: ReturnType<typeof temporaryFolder>;
let bundles: Bundles;
let home = '';
const running: Headless[] = [];
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

function start(): Headless {
  const headless = startHeadless(folder.dir);
  running.push(headless);
  return headless;
}
const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};

const prompt = (text: string) =>
  JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: text });

/** As people run it by hand: it posts, and spools what nobody takes. */
function forward(text: string): Promise<number | null> {
  const child: ChildProcess = spawn(process.execPath, [bundles.forwarder, '--provider', 'claude'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder.dir, AGENT_MASCOT_HOME: home },
  });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(prompt(text));
  return new Promise((resolve) => child.once('exit', resolve));
}

interface Stored {
  readonly ts: string;
  readonly payload: Readonly<Record<string, unknown>>;
}
async function stored(headless: Headless): Promise<readonly Stored[]> {
  const events: Stored[] = [];
  for (let cursor = ''; ;) {
    const page = await headless.get(`/api/sessions/s/events?limit=500${cursor}`);
    events.push(...((page['items'] ?? []) as Stored[]));
    if (typeof page['next'] !== 'string') return events;
    cursor = `&cursor=${encodeURIComponent(page['next'])}`;
  }
}

describe('FWD-6 with real processes', () => {
  test(
    `FWD-6 STO-2 ${ROUNDS * HOOKS} hooks while the collector is killed ${ROUNDS} times (seed ${seed}): all there, once, in order`,
    { timeout: 240_000 },
    async () => {
      const random = randomFrom(seed);
      const expected: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const texts = Array.from({ length: HOOKS }, (_, n) => `r${round} n${n}`);
        expected.push(...texts);
        const headless = start();
        const hooks = texts.map((text, n) =>
          n % 5 === 0 ? forward(text) : runHook({ home, event: 'UserPromptSubmit', input: prompt(text) }),
        );
        // Somewhere between its start, its first files and its last.
        if (random() < 0.7) await headless.ready;
        await new Promise((resolve) => setTimeout(resolve, random() * 400));
        await headless.end('SIGKILL');
        await Promise.all(hooks);
      }
      const last = start();
      await last.ready;
      await until(() => leftIn(home).length === 0);
      const events = await stored(last);
      const prompts = events.map(({ payload }) => String(payload['prompt'] ?? payload['text']));
      expect(prompts.toSorted()).toEqual(expected.toSorted());
      const moments = events.map(({ ts }) => ts);
      expect(moments).toEqual(moments.toSorted());
      // Rounds follow each other, so their moments do.
      const rounds = prompts.map((text) => Number(/^r(\d+)/.exec(text)?.[1]));
      expect(rounds).toEqual(rounds.toSorted((a, b) => a - b));
      expect(await last.get('/api/stats')).toMatchObject({ spool: { waiting: 0, bytes: 0, dropped: 0 } });
    },
  );
});

describe('FWD-6 one hook in 256', () => {
  /** The entry itself, with its turn at every hook. */
  function everyHook(): void {
    const entry = path.join(home, 'bin', 'hook');
    const text = readFileSync(entry, 'utf8');
    expect(text.split('*00)')).toHaveLength(3);
    writeFileSync(entry, text.replaceAll('*00)', '*)'));
  }

  test.each(shells.filter(hasShell).map((shell) => ({ shell, name: shell.join(' ') })))(
    'FWD-6 FWD-11 in $name it starts the sweep, and the agent waits for none of it',
    async ({ shell }) => {
      everyHook();
      const told = path.join(folder.dir, 'told');
      const PATH = programs(
        path.join(folder.dir, 'bin'),
        `echo "$@" >"${told}.new"; mv "${told}.new" "${told}"; exec sleep 3`,
      );
      const since = performance.now();
      expect(await runHook({ home, shell, input: prompt('x'), env: { PATH } })).toEqual(quiet);
      // mksh keeps a copy of standard error open until Node has ended, which takes a tenth of a second where nothing sleeps.
      if (shell[0] !== 'mksh') expect(performance.now() - since).toBeLessThan(2_500);
      await until(() => existsSync(told));
      expect(readFileSync(told, 'utf8')).toMatch(
        /\/bin\/forward-to-mascot\.mjs --installed --cwd=\/\S* --sweep-spool\n$/,
      );
      expect(leftIn(home)).toHaveLength(1);
    },
  );

  test('FWD-6 a session of weeks without a collector keeps to 64 MB, and says how much went', async () => {
    everyHook();
    const spool = path.join(home, 'spool');
    mkdirSync(spool, { mode: 0o700 });
    for (let n = 0; n < 70; n++) {
      const file = path.join(spool, `${n}-1-old.hook`);
      writeFileSync(file, '');
      truncateSync(file, 1024 * 1024);
      utimesSync(file, 1_700_000_000 + n, 1_700_000_000 + n);
    }
    expect(await runHook({ home, input: prompt('x') })).toEqual(quiet);
    const count = path.join(spool, 'dropped.count');
    // 63 of the old ones and the new one, and the count.
    await until(() => existsSync(count) && readdirSync(spool).length === 65);
    const sizes = readdirSync(spool).map((name) => statSync(path.join(spool, name)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(SPOOL_MAX_BYTES);
    expect(droppedIn(readFileSync(count, 'utf8'))).toBe(7);
    const headless = start();
    await headless.ready;
    await until(() => headless.stderr().includes('7 event(s) were lost'));
    expect(await headless.get('/api/stats')).toMatchObject({ spool: { dropped: 7 } });
  });
});

describe('SEC-1 FWD-3 the token', () => {
  const everything = (place: string): string =>
    readdirSync(place, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');

  test('SEC-1 is new for each owner, said nowhere, and gone from the disk with its owner', async () => {
    const tokens: string[] = [];
    const keys: string[] = [];
    let heard = '';
    const first = start();
    await first.ready;
    // It waits for its turn, and takes over while the first one goes.
    for (const headless of [first, start()]) {
      if (headless !== first) await first.end('SIGTERM');
      await headless.ready;
      const { token = '', url = '', pid = 0 } = headless.portFile() ?? {};
      tokens.push(token);
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
      expect((await headless.post({ hook_event_name: 'Stop', session_id: 's' })).status).toBe(200);
      const refused: string[] = [];
      for (const authorization of ['Bearer wrong', `Bearer ${token}x`, `Basic ${token}`]) {
        const answer = await fetch(`${url}/api/state`, { headers: { authorization } });
        refused.push(await answer.text());
        expect(answer.status).toBe(401);
      }
      heard += refused.join('') + (await (await fetch(`${url}/api/state?token=${token}`)).text());
      if (process.platform === 'linux') {
        heard += readFileSync(`/proc/${pid}/cmdline`, 'latin1') + readFileSync(`/proc/${pid}/environ`, 'latin1');
      }
      keys.push(readFileSync(path.join(home, 'proof.key'), 'utf8').trim());
    }
    await running[1]?.end('SIGTERM');
    heard += running.map((each) => each.stderr()).join('');
    expect(new Set(tokens).size).toBe(2);
    expect(new Set(keys).size).toBe(1);
    const all = everything(folder.dir);
    for (const token of tokens) expect([heard.includes(token), all.includes(token)]).toEqual([false, false]);
    for (const key of keys) expect(heard.includes(key)).toBe(false);
  });

  test.runIf(process.getuid)('FWD-3 a forwarder gives nothing to an open home, and says what to do', async () => {
    const headless = start();
    await headless.ready;
    chmodSync(home, 0o777);
    await runHook({
      home,
      event: 'SessionStart',
      input: JSON.stringify({ hook_event_name: 'SessionStart', session_id: 'o', source: 'startup', cwd: '/p' }),
    });
    expect(readFileSync(path.join(home, 'hooks.log'), 'utf8')).toContain(
      `the folder ${home} can be written by others (chmod 700 it)`,
    );
  });
});
