import { expect, test } from 'vitest';
import { emptyCast } from '../domain/cast.ts';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import type { Snapshot } from '../protocol/state.ts';
import type { ServerFrame } from '../protocol/wire.ts';
import { startMembership } from './membership.ts';
import type { Listening, OpenedStore, OwnerWorld } from './ownerRole.ts';
import { ClaimLostError, type EventStore } from './ports.ts';
import {
  fakeClaims,
  fakeClock,
  fakeLinks,
  IDLE_MS,
  logLines,
  noSources,
  recordChanges,
} from './testkit/fakes.testkit.ts';
import { memoryStore } from './testkit/memoryStore.testkit.ts';
import { noWork } from './testkit/work.testkit.ts';

const empty: Snapshot = { revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] };
const patchOf = (revision: number): ServerFrame => ({
  type: 'patch',
  revision,
  sessions: [],
  agents: [],
  removedSessions: [],
  removedAgents: [],
  workItems: [],
  removedWorkItems: [],
  events: [],
});

const openedStore = (changes: Partial<OpenedStore> = {}): OpenedStore => ({
  store: memoryStore(),
  unreduced: [],
  damage: [],
  takenOver: Promise.resolve(),
  holds: () => Promise.resolve(true),
  ...changes,
});
const listeningAt = (changes: Partial<Listening> = {}): Listening => ({
  port: 1,
  url: 'http://127.0.0.1:1',
  cut: () => undefined,
  close: () => Promise.resolve(),
  ...changes,
});

function setUp() {
  const clock = fakeClock();
  const log = logLines();
  const claims = fakeClaims();
  const links = fakeLinks();
  const steps: string[] = [];
  const note = (step: string) => {
    steps.push(step);
    return Promise.resolve();
  };
  const world: OwnerWorld = {
    clock,
    log,
    projects: { locate: (path) => Promise.resolve({ path }) },
    app: 'test',
    version: '1',
    newToken: () => 'token',
    idleMs: () => IDLE_MS,
    contextBudget: () => 0,
    memoryRules: () =>
      Promise.resolve({ sessions: () => 5, tokens: () => 1_000, agentWords: () => true, excludes: () => false }),
    retention: () => ({ days: 90, megabytes: 200 }),
    logging: () =>
      Promise.resolve({ excludes: () => false, enabled: () => true, marker: () => '', dispose: () => undefined }),
    tracking: noWork.tracking,
    mascot: 'mascot',
    instructions: () => Promise.resolve([]),
    waiting: { find: () => Promise.resolve({ names: [], left: [] }), remove: () => Promise.resolve([]) },
    exclusions: () => Promise.resolve({ excludes: () => false, dispose: () => undefined }),
    pastSessions: () => ({ last: () => Promise.resolve([]) }),
    sources: () => Promise.resolve(noSources()),
    cast: { read: () => Promise.resolve(emptyCast), update: () => Promise.resolve() },
    openStore: () => Promise.resolve(openedStore({ store: { ...memoryStore(), close: () => note('store closed') } })),
    listen: () => Promise.resolve(listeningAt({ close: () => note('server closed') })),
    publish: () => note('published'),
    published: () => Promise.resolve('ours'),
    closeHome: () => Promise.resolve(),
    unpublish: () => note('unpublished'),
    watchSpool: () => Promise.resolve({ close: () => note('spool closed') }),
  };
  const failures: unknown[] = [];
  const start = (changes: Partial<OwnerWorld> = {}) =>
    startMembership({
      world: { ...world, ...changes },
      claims,
      links,
      onOwner: () => void note('owner'),
      onFailure: (error) => void failures.push(error),
    });
  /** Ticks of a second, each with time for what it causes. */
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) {
      for (let part = 0; part < 4; part++) {
        clock.advance(250);
        await turn();
      }
    }
  };
  return { clock, claims, links, steps, failures, log, world, start, seconds };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('COL-1 the first window owns, and a clean stop undoes every step in turn', async () => {
  const { start, steps, claims } = setUp();
  const membership = start();
  await turn();
  expect([membership.status(), membership.owns()]).toEqual(['live', true]);
  await membership.stop();
  expect(steps).toEqual(['published', 'owner', 'spool closed', 'unpublished', 'server closed', 'store closed']);
  expect(claims.holder()).toBeUndefined();
});

test('MWN-1 another window follows: it mirrors, asks again after a gap, and takes over when its owner goes', async () => {
  const { start, claims, links } = setUp();
  await claims.take();
  const membership = start();
  await turn();
  links.send({ type: 'snapshot', protocol: 1, revision: 4, state: { ...empty, revision: 4 } });
  await turn();
  expect([membership.status(), membership.snapshot().revision, membership.owns()]).toEqual(['live', 4, false]);
  const { changes } = recordChanges(membership);
  links.send(patchOf(5));
  links.send(patchOf(5));
  links.send(patchOf(7));
  await turn();
  expect([changes.map(({ type }) => type), links.resyncs()]).toEqual([['patch'], 1]);
  claims.seize();
  links.close();
  await turn();
  expect(claims.holder()?.generation).toBe(2);
  await membership.stop();
});

test('MWN-1 while the owner can’t be reached the window says so and tries again', async () => {
  const { start, claims, links, clock } = setUp();
  await claims.take();
  links.instead = 'silent';
  const membership = start();
  await turn();
  expect(membership.status()).toBe('connecting');
  links.instead = undefined;
  clock.advance(250);
  await turn();
  links.send({ type: 'snapshot', protocol: 1, revision: 1, state: { ...empty, revision: 1 } });
  await turn();
  expect(membership.status()).toBe('live');
  await membership.stop();
});

test('COL-1 a start that fails half-way gives everything back, is told, and is tried again', async () => {
  const { start, steps, failures, claims, clock } = setUp();
  let tries = 0;
  const membership = start({
    publish: () => (++tries === 1 ? Promise.reject(new Error('disk full')) : Promise.resolve()),
  });
  await turn();
  expect(membership.status()).toBe('stopped');
  expect(failures.map(String)).toEqual(['Error: disk full']);
  expect(steps).toEqual(['server closed', 'store closed']);
  expect(claims.holder()).toBeUndefined();
  clock.advance(5_000);
  await turn();
  expect(membership.status()).toBe('live');
  await membership.stop();
});

test('COL-1 stopping while starting leaves nothing open', async () => {
  const { start, steps, claims } = setUp();
  const membership = start();
  await membership.stop();
  expect(claims.holder()).toBeUndefined();
  expect(steps.filter((step) => step.endsWith('closed'))).toHaveLength(3);
});

test('MWN-2 an owner whose claim was taken over notices at its next write, stops and follows', async () => {
  const store = memoryStore();
  const { start, claims, links } = setUp();
  let ingest: ((payload: Record<string, unknown>) => Promise<unknown>) | undefined;
  const membership = start({
    openStore: () => Promise.resolve(openedStore({ store })),
    listen: ({ pipeline }) => {
      ingest = (payload) => pipeline.ingest(hookEnvelopeSchema.parse(payload));
      return Promise.resolve(listeningAt());
    },
  });
  await turn();
  claims.seize();
  await claims.take();
  store.failAppendsWith(new Error('fenced'));
  await expect(ingest?.({ hook_event_name: 'Stop' })).rejects.toThrow('fenced');
  await turn();
  links.send({ type: 'snapshot', protocol: 1, revision: 3, state: { ...empty, revision: 3 } });
  await turn();
  expect([membership.status(), membership.snapshot().revision, claims.holder()?.generation]).toEqual(['live', 3, 2]);
  await membership.stop();
});

test('STO-6 a window that owns: its source tells the progress of a take-over, and its end', async () => {
  const { start, clock } = setUp();
  let advance: Parameters<OwnerWorld['openStore']>[1] = () => undefined;
  let finish: () => void = () => undefined;
  const takenOver = new Promise<void>((resolve) => (finish = resolve));
  const membership = start({
    openStore(_claim, onTakeOver) {
      advance = onTakeOver;
      // Events may be taken over before the store is given to the owner.
      advance({ done: 1, of: 10 });
      clock.advance(1_000);
      advance({ done: 2, of: 10 });
      return Promise.resolve(openedStore({ takenOver }));
    },
  });
  await turn();
  const seen = [membership.snapshot().takeOver];
  clock.advance(1_000);
  advance({ done: 4, of: 10 });
  await turn();
  seen.push(membership.snapshot().takeOver);
  finish();
  await turn();
  seen.push(membership.snapshot().takeOver);
  expect(seen).toEqual([{ done: 2, of: 10 }, { done: 4, of: 10 }, undefined]);
  await membership.stop();
});

test('STO-6 a window that mirrors: shows the progress of its owner’s take-over, and its end', async () => {
  const { start, claims, links } = setUp();
  await claims.take();
  const membership = start();
  await turn();
  const takeOver = { done: 10, of: 100 };
  links.send({ type: 'snapshot', protocol: 1, revision: 4, state: { ...empty, revision: 4, takeOver } });
  await turn();
  const seen = [membership.snapshot().takeOver];
  for (const frame of [
    { ...patchOf(5), takeOver: { done: 40, of: 100 } },
    patchOf(6),
    { ...patchOf(7), takeOver: null },
  ]) {
    links.send(frame);
    await turn();
    seen.push(membership.snapshot().takeOver);
  }
  expect(seen.map((each) => each?.done)).toEqual([10, 40, 40, undefined]);
  await membership.stop();
});

test('COL-1 a step of stopping that hangs does not keep the claim', async () => {
  const { start, claims, clock } = setUp();
  const membership = start({ watchSpool: () => Promise.resolve({ close: () => new Promise<void>(() => undefined) }) });
  await turn();
  const stopped = membership.stop();
  await turn();
  clock.advance(5_000);
  await stopped;
  expect(claims.holder()).toBeUndefined();
});

const snapshotOf = (revision: number): ServerFrame => ({
  type: 'snapshot',
  protocol: 1,
  revision,
  state: { ...empty, revision },
});

test('MWN-2 a hung owner is told as connecting, deposed after six silent ticks, and its state stays in sight until then', async () => {
  const { start, claims, links, seconds } = setUp();
  await claims.take();
  const membership = start();
  await turn();
  links.send(snapshotOf(9));
  await seconds(30);
  expect([membership.status(), membership.owns(), links.pings() > 25]).toEqual(['live', false, true]);
  links.answers = false;
  const seen: unknown[] = [];
  for (let second = 0; second < 7; second++) {
    await seconds(1);
    seen.push([membership.status(), membership.owns(), claims.holder()?.generation]);
  }
  expect(seen).toEqual([
    ['live', false, 1],
    ['live', false, 1],
    ['live', false, 1],
    ['connecting', false, 1],
    ['connecting', false, 1],
    ['connecting', false, 1],
    ['live', true, 2],
  ]);
  await membership.stop();
});

test('MWN-2 an owner that takes half a minute to start is left alone while it touches its claim, and deposed once it does not', async () => {
  const { start, claims, links, seconds } = setUp();
  const slow = await claims.take();
  links.instead = 'silent';
  const membership = start();
  for (let second = 0; second < 30; second++) {
    await slow?.touch();
    await seconds(1);
  }
  expect([membership.owns(), claims.holder()?.generation]).toEqual([false, 1]);
  await seconds(8);
  expect([membership.owns(), claims.holder()?.generation]).toEqual([true, 2]);
  await membership.stop();
});

test('MWN-2 an owner that answers without a stream, or whose port refuses us, is not deposed', async () => {
  for (const instead of ['answered', 'refused'] as const) {
    const { start, claims, links, seconds } = setUp();
    await claims.take();
    links.instead = instead;
    const membership = start();
    await seconds(60);
    expect([instead, membership.owns(), claims.holder()?.generation]).toEqual([instead, false, 1]);
    await membership.stop();
  }
});

test('MWN-2 an owner that goes on in the moment in which it is to be deposed is followed', async () => {
  const { start, claims, links, seconds } = setUp();
  const stopped = await claims.take();
  links.instead = 'silent';
  const { take } = claims;
  claims.take = async (hung) => {
    if (hung && claims.touches() === 0) await stopped?.touch();
    return await take(hung);
  };
  const membership = start();
  await seconds(9);
  expect([membership.owns(), claims.touches()]).toEqual([false, 1]);
  links.instead = undefined;
  await seconds(1);
  links.send(snapshotOf(4));
  await turn();
  expect([membership.status(), membership.snapshot().revision, claims.holder()?.generation]).toEqual(['live', 4, 1]);
  await membership.stop();
});

test('MWN-2 of two that follow a hung owner one takes over and the other follows that one', async () => {
  const { start, claims, links, seconds, log } = setUp();
  await claims.take();
  const two = [start(), start()];
  await turn();
  links.send(snapshotOf(1));
  links.answers = false;
  await seconds(9);
  expect([two.filter((membership) => membership.owns()).length, claims.holder()?.generation]).toEqual([1, 2]);
  expect(log.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  await Promise.all(two.map((membership) => membership.stop()));
});

test('MWN-2 a deposed owner notices without a write: it stops listening, makes no claim of its own, and follows', async () => {
  const { start, claims, links, steps, clock } = setUp();
  const membership = start();
  await turn();
  clock.sleep(60_000);
  claims.seize();
  await claims.take();
  clock.advance(0);
  await turn();
  links.send(snapshotOf(3));
  await turn();
  expect([membership.status(), membership.owns(), membership.snapshot().revision]).toEqual(['live', false, 3]);
  expect(steps.slice(-4)).toEqual(['spool closed', 'unpublished', 'server closed', 'store closed']);
  expect(claims.holder()?.generation).toBe(2);
  await membership.stop();
});

test('MWN-2 one that was deposed while it started publishes nothing', async () => {
  const { start, claims, steps, failures, seconds } = setUp();
  const membership = start({
    async listen() {
      claims.seize();
      await claims.take();
      return listeningAt();
    },
  });
  await seconds(1);
  expect([membership.owns(), steps.includes('published'), failures, claims.holder()?.generation]).toEqual([
    false,
    false,
    [],
    2,
  ]);
  await membership.stop();
});

test('MWN-2 COL-2 a port file that a former owner has overwritten or removed is written again', async () => {
  const { start, steps, seconds } = setUp();
  let published = true;
  const membership = start({ published: () => Promise.resolve(published ? 'ours' : 'other') });
  await seconds(4);
  published = false;
  await seconds(2);
  published = true;
  await seconds(4);
  expect(steps).toEqual(['published', 'owner', 'published']);
  await membership.stop();
});

test('MWN-1 an owner that ends before its first snapshot is not shown as an empty one', async () => {
  const { start, claims, links } = setUp();
  await claims.take();
  const membership = start();
  const { changes } = recordChanges(membership);
  await turn();
  links.close();
  await turn();
  expect([membership.status(), changes]).toEqual(['connecting', []]);
  await membership.stop();
});

test('MWN-1 between an owner that closes and the next the last state stays and nothing is said', async () => {
  const { start, claims, links, clock } = setUp();
  await claims.take();
  const membership = start();
  await turn();
  links.send(snapshotOf(4));
  await turn();
  const { changes } = recordChanges(membership);
  links.instead = 'silent';
  links.close();
  clock.advance(1_000);
  await turn();
  expect([membership.status(), membership.snapshot().revision, changes]).toEqual(['live', 4, []]);
  await membership.stop();
});

test('MWN-1 an owner of another protocol is told once, asked now and then whether it lives, and succeeded when it ends', async () => {
  const { start, claims, links, failures, seconds } = setUp();
  await claims.take();
  const membership = start();
  await turn();
  for (let second = 0; second < 60; second++) {
    links.close('protocol');
    await seconds(1);
  }
  expect([failures.map(String), membership.status()]).toEqual([
    [expect.stringContaining('another version of Agent Mascot')],
    'stopped',
  ]);
  expect(links.connects()).toBeLessThan(40);
  expect(claims.holder()?.generation).toBe(1);
  claims.seize();
  links.close('protocol');
  await seconds(3);
  expect([membership.owns(), membership.status()]).toEqual([true, 'live']);
  await membership.stop();
});

test('STO-1 a window that may not open the store keeps out of the way of one that may, and follows it', async () => {
  const { start, claims, links, failures, seconds } = setUp();
  const older = start({ openStore: () => Promise.reject(new Error('written by a newer version')) });
  await turn();
  expect([failures.length, claims.holder()]).toEqual([1, undefined]);
  const newer = start();
  await seconds(1);
  links.send(snapshotOf(2));
  await turn();
  expect([newer.owns(), older.owns(), older.status(), failures.length]).toEqual([true, false, 'live', 1]);
  await Promise.all([older.stop(), newer.stop()]);
});

test('MWN-2 a last image that takes longer than half a second does not keep the claim from the next window', async () => {
  const { start, claims, clock } = setUp();
  const never = () => new Promise<void>(() => undefined);
  const membership = start({
    openStore: () => Promise.resolve(openedStore({ store: { ...memoryStore(), close: never } })),
  });
  await turn();
  const stopped = membership.stop();
  await turn();
  clock.advance(500);
  await stopped;
  expect([claims.holder(), clock.pending()]).toEqual([undefined, 0]);
});

for (const write of ['append', 'trim'] as const) {
  test(`MWN-2 an owner whose store refuses its ${write} steps down though it holds the home, and takes part again`, async () => {
    const { start, claims, steps, failures } = setUp();
    const stores: EventStore[] = [];
    let opened = 0;
    const membership = start({
      openStore() {
        const store = memoryStore();
        const refuse = () => Promise.reject(new ClaimLostError('the store is another’s'));
        return Promise.resolve(
          openedStore({ store: ++opened === 1 ? { ...store, append: refuse, trim: refuse } : store }),
        );
      },
      listen({ store }) {
        stores.push(store);
        return Promise.resolve(listeningAt({ close: () => Promise.resolve(void steps.push('server closed')) }));
      },
    });
    await turn();
    const refused = write === 'append' ? stores[0]?.append([]) : stores[0]?.trim({ sessionId: 's' });
    await expect(refused).rejects.toThrow('the store is another’s');
    await turn();
    await turn();
    const again = ['published', 'owner', 'spool closed', 'unpublished', 'server closed', 'published', 'owner'];
    expect([steps, membership.owns(), claims.holder()?.generation, failures]).toEqual([again, true, 2, []]);
    await stores[1]?.append([]);
    await membership.stop();
  });
}

test('MWN-2 without a write it learns within two seconds that its store is another’s, and its spool drops nothing then', async () => {
  const { start, claims, seconds } = setUp();
  let holds = true;
  let opened = 0;
  const spools: boolean[] = [];
  let asked: (() => Promise<boolean>) | undefined;
  const membership = start({
    openStore: () => Promise.resolve(openedStore(++opened === 1 ? { holds: () => Promise.resolve(holds) } : {})),
    watchSpool(_pipeline, tenure) {
      asked ??= () => tenure.holds();
      return Promise.resolve({ close: () => Promise.resolve() });
    },
  });
  await seconds(3);
  spools.push((await asked?.()) ?? false);
  holds = false;
  spools.push((await asked?.()) ?? false);
  const before = claims.holder()?.generation;
  await seconds(2);
  expect([before, claims.holder()?.generation, membership.owns(), spools]).toEqual([1, 2, true, [true, false]]);
  await membership.stop();
});

test('MWN-2 a store that is taken away while it is opened is no failure for the person: it takes part again', async () => {
  const { start, claims, failures, seconds } = setUp();
  let tries = 0;
  const membership = start({
    openStore: () => (++tries === 1 ? Promise.reject(new ClaimLostError()) : Promise.resolve(openedStore())),
  });
  await seconds(1);
  expect([membership.owns(), claims.holder()?.generation, failures]).toEqual([true, 2, []]);
  await membership.stop();
});
