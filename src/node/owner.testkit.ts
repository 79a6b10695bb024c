import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';
import { type Membership, startMembership } from '../app/membership.ts';
import { logLines } from '../app/testkit/fakes.testkit.ts';
import { readSettings } from '../protocol/settings.ts';
import { createClaims } from './cluster/claim.ts';
import { createOwnerLinks } from './cluster/ownerLink.ts';
import { ownerHeaders, readOwner } from './cluster/portFile.ts';
import { homeAt, prepareHome } from './machine/home.ts';
import { createOwnerWorld, type MachineParts } from './ownerWorld.ts';
import { temporaryFolder } from './store/store.testkit.ts';

/** What a window that may own has on its machine, all of it below one folder: a home, a store, and the person's own files. */
export function machineIn(folder: string, changes: Partial<MachineParts> = {}) {
  const at = (name: string) => path.join(folder, name);
  // Nothing of whoever runs the tests is looked at.
  for (const name of ['HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME']) vi.stubEnv(name, at('person'));
  if (!existsSync(at('assets'))) {
    mkdirSync(at('assets'));
    copyFileSync(createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm'), at('assets/sql-wasm.wasm'));
  }
  const home = homeAt(at('home'));
  const log = logLines();
  const world = createOwnerWorld({
    home,
    storage: at('store'),
    assets: at('assets'),
    app: 'test',
    version: '1',
    log,
    settings: () => readSettings({}).settings,
    anyPort: true,
    runtime: '/an editor/code',
    ...changes,
  });
  const claims = createClaims(home, () => prepareHome(home, log));
  const links = createOwnerLinks(home, { app: 'test', version: '1' });
  return { home, log, member: { world, claims, links } };
}

/** An owner as a window starts it: real store, real server, real spool. `started` gets it before it owns. */
export async function startOwner(
  folder: string,
  started: (membership: Membership) => void,
  changes?: Partial<MachineParts>,
) {
  const { home, log, member } = machineIn(folder, changes);
  await new Promise<void>((resolve, reject) => {
    started(startMembership({ ...member, onOwner: () => resolve(), onFailure: reject }));
  });
  const owner = await readOwner(home);
  if (!owner) throw new Error('the owner has no port file');
  return { home, log, url: owner.url, headers: { ...ownerHeaders(owner), 'content-type': 'application/json' } };
}

/** For each test of a file a folder of its own, and owners in it that end with the test. */
export function ownerTests() {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  const running: Membership[] = [];
  beforeEach(async () => {
    folder = await temporaryFolder();
  });
  async function stop(): Promise<void> {
    for (const membership of running.splice(0)) await membership.stop();
  }
  afterEach(async () => {
    await stop();
    vi.unstubAllEnvs();
    await folder[Symbol.asyncDispose]();
  });
  return {
    stop,
    folder: () => folder.path,
    start: (changes?: Partial<MachineParts>) =>
      startOwner(folder.path, (membership) => void running.push(membership), changes),
  };
}
