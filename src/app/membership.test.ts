import { expect, test } from 'vitest';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import type { Snapshot } from '../protocol/state.ts';
import type { ServerFrame } from '../protocol/wire.ts';
import { startMembership } from './membership.ts';
import type { OwnerWorld } from './ownerRole.ts';
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

const empty: Snapshot = { revision: 0, owner: null, sessions: [], agents: [], workItems: [] };
const patchOf = (revision: number): ServerFrame => ({
  type: 'patch',
  revision,
  sessions: [],
  agents: [],
  removedSessions: [],
  removedAgents: [],
  events: [],
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
    memorySessions: () => 5,
    exclusions: () => Promise.resolve({ excludes: () => false, dispose: () => undefined }),
    pastSessions: () => ({ last: () => Promise.resolve([]) }),
    sources: () => Promise.resolve(noSources()),
    openStore: () =>
      Promise.resolve({ store: { ...memoryStore(), close: () => note('store closed') }, unreduced: [], damage: [] }),
    listen: () => Promise.resolve({ port: 1, url: 'http://127.0.0.1:1', close: () => note('server closed') }),
    publish: () => note('published'),
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
  return { clock, claims, links, steps, failures, start };
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
  links.up = false;
  const membership = start();
  await turn();
  expect(membership.status()).toBe('connecting');
  links.up = true;
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
    openStore: () => Promise.resolve({ store, unreduced: [], damage: [] }),
    listen: ({ pipeline }) => {
      ingest = (payload) => pipeline.ingest(hookEnvelopeSchema.parse(payload));
      return Promise.resolve({ port: 1, url: 'http://127.0.0.1:1', close: () => Promise.resolve() });
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
