import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startMembership, type Membership } from '../app/membership.ts';
import { logLines } from '../app/testkit/fakes.testkit.ts';
import { parsePortFile, type PortFile } from '../protocol/discovery.ts';
import { readSettings } from '../protocol/settings.ts';
import { createClaims } from './cluster/claim.ts';
import { createOwnerLinks } from './cluster/ownerLink.ts';
import { streamReader } from './collector/collector.testkit.ts';
import { homeAt, prepareHome } from './machine/home.ts';
import { createOwnerWorld } from './ownerWorld.ts';
import { temporaryFolder } from './store/store.testkit.ts';

/** Every look comes after this, so that no test waits for seconds. */
const TICK_MS = 20;

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

function setUp() {
  const at = (name: string) => path.join(folder.path, name);
  // Nothing of whoever runs the tests is looked at.
  for (const name of ['HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME']) vi.stubEnv(name, at('person'));
  mkdirSync(at('assets'));
  copyFileSync(createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm'), at('assets/sql-wasm.wasm'));
  const home = homeAt(at('home'));
  const log = logLines();
  const failures: unknown[] = [];
  const world = createOwnerWorld({
    home,
    storage: at('store'),
    assets: at('assets'),
    app: 'test',
    version: '1',
    log,
    settings: () => readSettings({}).settings,
    anyPort: true,
  });
  const membership = startMembership({
    world,
    claims: createClaims(home, () => prepareHome(home, log)),
    links: createOwnerLinks(home, { app: 'test', version: '1' }),
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
