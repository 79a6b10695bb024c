import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Line, malformed, MARK, type Operation, randomOf, type Target, wellFormed } from './fuzz.testkit.ts';
import { isThorough } from '../thorough.testkit.ts';
import { type Headless, startHeadless, temporaryFolder } from './headless.testkit.ts';

/** As many as fit beside the other tests; `npm run fuzz` sends a hundred thousand. */
const requests = Number(process.env['AGENT_MASCOT_FUZZ_REQUESTS'] ?? (isThorough ? 20_000 : 6_000));

/** Seeds that found something once, and how many requests that took; what they found stands in the tables of the kit as well. */
const pinned: readonly (readonly [requests: number, seed: number])[] = [
  // An object in a text's place, with a length that can't be compared, was an internal error.
  [2_000, 3],
];
const given = process.env['AGENT_MASCOT_FUZZ_SEED']?.split(',').map((seed) => [requests, Number(seed)] as const);
const runs = given ?? [...pinned, [requests, Date.now() % 2 ** 31] as const];

/** A few dozen agents and windows at once; more only wait for the same two processors. */
const LINES = 48;

/** Of memory after the second half, over that after the first: both did the same. Nothing but a leak makes it half as much again. */
const GROWTH_MAX = 1.5;

/** Files that a checkpoint or a status file has open for a moment. */
const FILES_SLACK = 8;

let folder: ReturnType<typeof temporaryFolder> | undefined;
let headless: Headless | undefined;
afterEach(async () => {
  await headless?.end('SIGKILL');
  folder?.remove();
});

const root = path.join(import.meta.dirname, '../..');
const { paths } = JSON.parse(readFileSync(path.join(root, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, unknown>>;
};
const operations: readonly Operation[] = Object.entries(paths).flatMap(([where, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: where })),
);

test.each(runs)(
  'SEC-3 COL-4 %i odd requests to every route leave nothing behind: AGENT_MASCOT_FUZZ_SEED=%i',
  { timeout: 60_000 + requests * 5 },
  async (requests, seed) => {
    folder = temporaryFolder();
    headless = startHeadless(folder.dir);
    const { url } = await headless.ready;
    const token = headless.portFile()?.token ?? '';
    expect(token.length).toBeGreaterThan(40);
    const target: Target = { port: Number(new URL(url).port), token, operations };
    const statuses = new Map<number, number>();
    const count = (status: number) => void statuses.set(status, (statuses.get(status) ?? 0) + 1);

    const running = headless;
    // Before it, so that what the storm leaves can't hide in it; but for the store, which has been opened by one event.
    expect((await headless.post({ hook_event_name: 'Stop', session_id: 'first' })).status).toBe(200);
    const files = openFiles(headless);
    await storm(target, { seed: seed + 1, requests: Math.floor(requests / 2), count });
    const between = memoryOf(headless);
    await storm(target, { seed: seed + 2, requests: Math.ceil(requests / 2), count });
    const after = memoryOf(headless);

    const broken = [...statuses].filter(([status]) => status >= 500 && status !== 503);
    expect([broken, headless.child.exitCode, headless.child.signalCode], headless.stderr()).toEqual([[], null, null]);
    // Not all of them at the door: each kind of answer was reached.
    for (const status of [200, 400, 401, 403, 404, 405, 415, 431])
      expect([status, statuses.get(status)]).not.toEqual([status, undefined]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const real = { hook_event_name: 'UserPromptSubmit', session_id: 'after', cwd: '/p', prompt: 'still here' };
    expect((await headless.post(real)).status).toBe(200);
    expect(await headless.get('/api/sessions/after')).toMatchObject({ title: 'still here', counts: { prompts: 1 } });
    expect(after / between, `${between} and then ${after} kB`).toBeLessThan(GROWTH_MAX);
    await expect.poll(() => openFiles(running)).toBeLessThanOrEqual(files + FILES_SLACK);
    expect(headless.stderr()).not.toMatch(/unhandled|uncaught|exceptions?warning|MaxListeners|failed inside/i);
    expect(headless.stderr()).not.toContain(token);
    expect(headless.stderr()).not.toContain(MARK);
  },
);

interface Storm {
  readonly seed: number;
  readonly requests: number;
  readonly count: (status: number) => void;
}

async function storm(target: Target, { seed, requests: all, count }: Storm): Promise<void> {
  let left = all;
  const work = async (line: Line, own: number) => {
    const random = randomOf(seed * 1_000 + own);
    while (left-- > 0) {
      if (random.chance(0.7)) await line.ask(wellFormed(random, target));
      else await line.throw(malformed(random, target), random.chance(0.5) ? 'at once' : 'at the answer');
    }
    line.end();
  };
  await Promise.all(Array.from({ length: LINES }, (_, own) => work(new Line(target.port, count), own)));
}

/** What the kernel tells of a process; nothing elsewhere, where these two checks say nothing. */
const isLinux = process.platform === 'linux';

function openFiles({ child }: Headless): number {
  return isLinux ? readdirSync(`/proc/${child.pid}/fd`).length : 0;
}

function memoryOf({ child }: Headless): number {
  return isLinux ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) : 1;
}
