import { createHmac } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startMembership, type Membership } from '../app/membership.ts';
import type { ListenParts } from '../app/ownerRole.ts';
import type { Pipeline } from '../app/ports.ts';
import { memoryStore } from '../app/testkit/memoryStore.testkit.ts';
import { noWork } from '../app/testkit/work.testkit.ts';
import { CHALLENGE_HEADER, parsePortFile, type PortFile, PROOF_HEADER, proofText } from '../protocol/discovery.ts';
import type { Storing } from '../protocol/reading.ts';
import type { TakeOverProgress } from '../protocol/state.ts';
import { streamReader } from './collector/collector.testkit.ts';
import { refreshBin } from './machine/binFolder.ts';
import { type Home, prepareHome } from './machine/home.ts';
import { machineIn } from './owner.testkit.ts';
import type { MachineParts } from './ownerWorld.ts';
import { temporaryFolder } from './store/store.testkit.ts';

/** Every look comes after this, so that no test waits for seconds. */
const TICK_MS = 20;

const oldStore = path.join(import.meta.dirname, '../../test/recordings/oldStores/closed-1.json');

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let running: Membership[] = [];
beforeEach(async () => {
  folder = await temporaryFolder();
  running = [];
});
afterEach(async () => {
  for (const membership of running) await membership.stop();
  vi.unstubAllEnvs();
  await folder[Symbol.asyncDispose]();
});

function setUp(changes: Partial<MachineParts> = {}) {
  const at = (name: string) => path.join(folder.path, name);
  const { home, log, member } = machineIn(folder.path, changes);
  const { world } = member;
  const failures: unknown[] = [];
  const membership = startMembership({
    ...member,
    tickMs: TICK_MS,
    onOwner: () => undefined,
    onFailure: (error) => void failures.push(error),
  });
  running.push(membership);
  const portFile = () => (existsSync(home.portFile) ? parsePortFile(readFileSync(home.portFile, 'utf8')) : undefined);
  const portFileOf = (isIt: (found: PortFile) => boolean) =>
    vi.waitFor(
      () => {
        const found = portFile();
        if (!found || !isIt(found)) throw new Error(`not published: ${log.lines.join('; ')}`);
        return found;
      },
      { interval: 5, timeout: 5_000 },
    );
  const post = async ({ url, token }: PortFile, prompt: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt });
    return (await fetch(`${url}/ingest`, { method: 'POST', headers, body })).status;
  };
  return { at, home, world, log, failures, portFile, portFileOf, post };
}

test('MWN-2 STO-3 an owner whose store’s claim was deleted steps down, takes the store again, and stores', async () => {
  const { at, failures, portFileOf, post } = setUp();
  const first = await portFileOf(() => true);
  const answers = [await post(first, 'one')];
  rmSync(at('store/owner.json'));
  const again = await portFileOf(({ generation }) => generation === first.generation + 1);
  answers.push(await post(again, 'two'));
  expect([answers, existsSync(at('store/owner.json')), failures]).toEqual([[200, 200], true, []]);
});

test('COL-2 SEC-1 a port file with another token than the one in force is not ours, nor is one of another owner', async () => {
  const { world, portFileOf } = setUp();
  const { instance, token } = await portFileOf(() => true);
  const asked = [world.published({ instance }, token), world.published({ instance }, 'former')];
  asked.push(world.published({ instance: 'former' }, token));
  expect(await Promise.all(asked)).toEqual(['ours', 'other', 'other']);
});

test('MWN-2 a write that finds the store’s claim gone is refused, and the owner steps down for that', async () => {
  const { at, portFileOf, post } = setUp();
  const first = await portFileOf(() => true);
  rmSync(at('store/owner.json'));
  expect([500, 'gone']).toContain(await post(first, 'one').catch(() => 'gone'));
  const again = await portFileOf(({ generation }) => generation === first.generation + 1);
  expect(await post(again, 'one')).toBe(200);
});

test.runIf(process.platform !== 'win32')(
  'SEC-1 FWD-3 a home that was opened to others is closed, the former token refused, and nothing written any more after',
  async () => {
    const { home, log, portFileOf, post } = setUp();
    const first = await portFileOf(() => true);
    const reader = await streamReader(first.port, { authorization: `Bearer ${first.token}` });
    await reader.until(1);
    chmodSync(home.folder, 0o777);
    const again = await portFileOf(({ token }) => token !== first.token);
    await reader.closed;
    expect([statSync(home.folder).mode & 0o777, await post(first, 'old'), await post(again, 'new')]).toEqual([
      0o700, 401, 200,
    ]);
    expect({ ...again, token: '' }).toEqual({ ...first, token: '' });
    const written = () => [home.portFile, home.settings].map((file) => statSync(file).mtimeMs);
    const before = written();
    await new Promise((resolve) => setTimeout(resolve, 10 * TICK_MS));
    expect(written()).toEqual(before);
    expect(log.lines.filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringContaining(`${home.folder} was open to others and is private again`),
      expect.stringContaining('the collector has a new token'),
    ]);
  },
);

test('STO-1 a store.json that is not understood fails the start, is left as it is, and no store is begun', async () => {
  const storeLocation = path.join(folder.path, 'home', 'store.json');
  mkdirSync(path.dirname(storeLocation), { mode: 0o700 });
  writeFileSync(storeLocation, 'edited');
  const { at, failures } = setUp();
  await vi.waitFor(() => expect(failures).toEqual([expect.objectContaining({ name: 'StoreLocationError' })]));
  expect([readFileSync(storeLocation, 'utf8'), existsSync(at('store'))]).toEqual(['edited', false]);
});

/** As `chmod -R` would have it. */
const openings: readonly (readonly [string, (home: Home) => void | Promise<void>])[] = [
  [
    'its port file could be read',
    (home) => {
      chmodSync(home.portFile, 0o644);
      chmodSync(home.folder, 0o755);
    },
  ],
  [
    'its key could be read',
    (home) => {
      chmodSync(home.proofKey, 0o640);
      chmodSync(home.folder, 0o750);
    },
  ],
  ['what hooks run could be written', (home) => chmodSync(home.bin, 0o777)],
  ['its port file was taken away', (home) => rmSync(home.portFile)],
  ['its key was taken away', (home) => rmSync(home.proofKey)],
  ['the person’s token was taken away', (home) => rmSync(home.personKey)],
  [
    'the person’s token could be read',
    (home) => {
      chmodSync(home.personKey, 0o640);
      chmodSync(home.folder, 0o750);
    },
  ],
  [
    'another window has closed it before the owner looks',
    async (home) => {
      chmodSync(home.portFile, 0o644);
      chmodSync(home.folder, 0o755);
      await prepareHome(home);
    },
  ],
  [
    'another window has closed a home that could be written',
    async (home) => {
      chmodSync(home.folder, 0o722);
      await prepareHome(home);
    },
  ],
];
test.runIf(process.platform !== 'win32').each(openings)(
  'SEC-1 COL-2 the token ends with a living owner when %s',
  async (_what, open) => {
    const { home, portFileOf, post } = setUp();
    const first = await portFileOf(() => true);
    const key = readFileSync(home.proofKey, 'utf8');
    const person = readFileSync(home.personKey, 'utf8').trim();
    const wasRead = (file: string) => existsSync(file) && (statSync(file).mode & 0o044) !== 0;
    await open(home);
    const isKeyKept = existsSync(home.proofKey) && !wasRead(home.proofKey);
    const isPersonKept = existsSync(home.personKey) && !wasRead(home.personKey);
    const again = await portFileOf(({ token }) => token !== first.token);
    expect([await post(first, 'old'), await post(again, 'new')]).toEqual([401, 200]);
    expect(await post({ ...again, token: person }, 'person')).toBe(isPersonKept ? 200 : 401);
    expect(readFileSync(home.personKey, 'utf8').trim() === person).toBe(isPersonKept);
    expect(statSync(home.personKey).mode & 0o777).toBe(0o600);
    const modes = [home.folder, home.bin, home.portFile, home.proofKey].map((file) => statSync(file).mode & 0o777);
    expect(modes).toEqual([0o700, 0o700, 0o600, 0o600]);
    expect(readFileSync(home.proofKey, 'utf8') === key).toBe(isKeyKept);
    const { headers } = await fetch(`${again.url}/health`, { headers: { [CHALLENGE_HEADER]: 'a word' } });
    const byKey = createHmac('sha256', readFileSync(home.proofKey, 'utf8').trim());
    expect(headers.get(PROOF_HEADER)).toBe(byKey.update(proofText('a word', again.port)).digest('hex'));
  },
);

test.runIf(process.platform !== 'win32')(
  'FWD-3 SEC-1 a home that others may only look into, where nothing is theirs to read, is let be',
  async () => {
    const { home, world, portFileOf } = setUp();
    const { instance, token } = await portFileOf(() => true);
    chmodSync(home.folder, 0o755);
    expect(await world.published({ instance }, token)).toBe('ours');
  },
);

test.runIf(process.getuid?.() === 0)(
  'SEC-1 the token ends too when the home can’t be closed, for another account has put its own folder there',
  async () => {
    const { home, log, portFile, portFileOf, post } = setUp();
    const first = await portFileOf(() => true);
    chmodSync(home.folder, 0o777);
    renameSync(home.spool, `${home.spool}.moved`);
    mkdirSync(home.spool);
    chownSync(home.spool, 1, 1);
    await vi.waitFor(async () => expect(await post(first, 'old')).toBe(401), { timeout: 5_000 });
    await vi.waitFor(() => expect(log.lines.join()).toContain(`${home.spool} belongs to another user`));
    const person = readFileSync(home.personKey, 'utf8').trim();
    expect(await post({ ...first, token: person }, 'the person’s, which others may know as well')).toBe(401);
    // No new one is shown to those who may still come in.
    expect([undefined, first.token]).toContain(portFile()?.token);
  },
);

test.runIf(process.platform !== 'win32').each([
  ['the owner’s own look', () => Promise.resolve()],
  ['another window’s', (home: Home) => prepareHome(home)],
])('SEC-1 STO-1 what hooks run and where the store is are written anew after %s', async (_whose, look) => {
  const { at, home, portFileOf } = setUp();
  mkdirSync(at('assets/forwarder'));
  for (const name of ['hook', 'mascot.mjs']) writeFileSync(at(`assets/forwarder/${name}`), `our ${name}`);
  await refreshBin(home, at('assets/forwarder'), '1', '/an editor/code');
  const first = await portFileOf(() => true);
  const location = readFileSync(home.storeLocation, 'utf8');
  chmodSync(home.folder, 0o770);
  chmodSync(home.storeLocation, 0o660);
  const planted = { hook: 'theirs', 'version.json': '{"version":"999.0.0"}', git: 'theirs' };
  for (const [name, text] of Object.entries(planted)) writeFileSync(path.join(home.bin, name), text);
  await look(home);
  await portFileOf(({ token }) => token !== first.token);
  const inBin = readdirSync(home.bin).map((name) => readFileSync(path.join(home.bin, name), 'utf8'));
  expect(inBin).toEqual(['our hook', 'our mascot.mjs', '/an editor/code\n', '{"version":"1"}\n']);
  expect([readFileSync(home.storeLocation, 'utf8'), existsSync(`${home.storeLocation}.untrusted`)]).toEqual([
    location,
    false,
  ]);
});

test('STO-1 MWN-2 an owner that is deposed while it records where the store is replaces nothing', async () => {
  const { home, world, portFileOf } = setUp();
  const { instance, generation } = await portFileOf(() => true);
  await running[0]?.stop();
  rmSync(home.storeLocation);
  // Its draft is written, and then another one comes.
  const holds = () => Promise.resolve(!readdirSync(home.folder).some((name) => name.startsWith('store.json.')));
  const nothing = () => Promise.resolve();
  const claim = { instance, generation: generation + 1, home: 'h', pid: process.pid, startedAt: '' };
  const opening = world.openStore(
    { ...claim, kernelStart: undefined, holds, touch: nothing, release: nothing },
    nothing,
  );
  await expect(opening).rejects.toThrow(expect.objectContaining({ name: 'StoreFencedError' }));
  expect(readdirSync(home.folder).filter((name) => name.startsWith('store'))).toEqual([]);
});

test('STO-6 the store of an earlier release: its owner is called with the progress, up to all of its events', async () => {
  const { home, member } = machineIn(folder.path);
  await prepareHome(home);
  const old = JSON.parse(readFileSync(oldStore, 'utf8')) as { readonly files: Readonly<Record<string, string>> };
  mkdirSync(path.join(folder.path, 'store'));
  for (const [name, packed] of Object.entries(old.files))
    writeFileSync(path.join(folder.path, 'store', name), gunzipSync(Buffer.from(packed, 'base64')));
  const claim = await member.claims.take();
  if (!claim) throw new Error('nobody else is there');
  const seen: TakeOverProgress[] = [];
  const opened = await member.world.openStore(claim, (progress) => seen.push(progress));
  await opened.takenOver;
  const { done, of } = seen.at(-1) ?? { done: 0, of: 0 };
  expect([done > 0, of]).toEqual([true, done]);
  await opened.store.close();
  await claim.release();
});

test('STO-3 a store that refused before anybody listened is told of', async () => {
  const told: Storing[] = [];
  const { world, home } = setUp({ onStoring: (storing) => void told.push(storing) });
  await prepareHome(home);
  const full: Storing = { ok: false, code: 'ENOSPC', folder: '/store', since: '', refused: 1 };
  const never = () => {
    throw new Error('not asked');
  };
  const silent = () => ({ dispose: () => undefined });
  const pipeline: Pipeline = {
    ingest: never,
    record: never,
    erasures: never,
    between: never,
    storing: () => full,
    onStoring: silent,
  };
  const source: ListenParts['source'] = {
    ...{ snapshot: never, status: never, onChange: silent },
    ...{ onSessionEvents: silent, storyTo: () => 0, storyAfter: never },
  };
  const store = memoryStore();
  const listening = await world.listen({
    source,
    store,
    pipeline,
    memory: { recall: never },
    agentWords: never,
    replies: { to: never },
    ...noWork,
    notes: { say: never, isTaken: never },
    recast: never,
    erase: never,
    retentionPlanned: () => [],
    token: () => 't',
  });
  expect(told).toEqual([full]);
  await listening.close();
  expect(told).toEqual([full, { ok: true }]);
});
