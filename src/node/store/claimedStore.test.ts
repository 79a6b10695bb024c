import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Claim, ClaimLostError } from '../../app/ports.ts';
import { createClaims } from '../cluster/claim.ts';
import { ownProcess } from '../machine/processes.ts';
import { openClaimedStore } from './claimedStore.ts';
import { record, silentLog, temporaryFolder, wasm } from './store.testkit.ts';

/** The home's claim of an owner that lives as long as this test. */
async function ownerOf(
  home: string,
  generation: number,
  holds: () => boolean | Promise<boolean> = () => true,
): Promise<Claim> {
  const instance = `${home} ${generation}`;
  const nothing = () => Promise.resolve();
  return {
    instance,
    generation,
    home,
    ...(await ownProcess()),
    holds: async () => holds(),
    touch: nothing,
    release: nothing,
  };
}
const openFor = async (folder: string, claim: Claim, inUseAfterMs = 100) =>
  openClaimedStore({ folder, wasm: await wasm, log: silentLog, claim, inUseAfterMs });
const claimIn = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, 'owner.json'), 'utf8')) as Record<string, unknown>;
const fenced = expect.objectContaining({ name: 'StoreFencedError' });
const inUse = expect.objectContaining({ name: 'StoreInUseError' });

test('MWN-2 the next owner of the home passes over the store’s claim of the one before it, which then holds nothing', async () => {
  await using folder = await temporaryFolder();
  const former = await openFor(folder.path, await ownerOf('home', 4));
  expect([await former.holds(), claimIn(folder.path)]).toMatchObject([true, { home: 'home', homeGeneration: 4 }]);
  const next = await openFor(folder.path, await ownerOf('home', 5));
  await expect(former.store.append([record(1)])).rejects.toThrow(fenced);
  await expect(former.store.trim({ sessionId: 's', forget: true })).rejects.toThrow(ClaimLostError);
  await former.store.close();
  await next.store.append([record(1)]);
  expect([await former.holds(), await next.holds()]).toEqual([false, true]);
  await next.store.close();
});

test('MWN-2 one that was stopped before it took the store, and goes on, leaves its successor’s claim where it is', async () => {
  await using folder = await temporaryFolder();
  const next = await openFor(folder.path, await ownerOf('home', 5));
  // It asks for the home for the first time, is stopped, and still has the answer of then.
  await expect(openFor(folder.path, await ownerOf('home', 4))).rejects.toThrow(inUse);
  let asked = 0;
  await expect(openFor(folder.path, await ownerOf('home', 4, () => ++asked === 1))).rejects.toThrow(fenced);
  await next.store.append([record(1)]);
  expect(await next.holds()).toBe(true);
  await next.store.close();
});

test('MWN-2 what an older version holds is passed over by an owner of the home, and by none that has lost it right before it removes', async () => {
  await using folder = await temporaryFolder();
  const older = async () => {
    const place = { claim: path.join(folder.path, 'owner.json'), generation: path.join(folder.path, 'generation') };
    rmSync(place.claim, { force: true });
    const claim = await createClaims(place, () => Promise.resolve(), { home: { home: 'home', generation: 1 } }).take();
    const { homeGeneration: _unknownThen, ...file } = claimIn(folder.path);
    writeFileSync(place.claim, JSON.stringify(file));
    return claim;
  };
  for (const yeses of [1, 2]) {
    let asked = 0;
    const claim = await older();
    await expect(openFor(folder.path, await ownerOf('home', 2, () => ++asked <= yeses))).rejects.toThrow(fenced);
    expect([yeses, asked > yeses, await claim?.holds()]).toEqual([yeses, true, true]);
  }
  const claim = await older();
  const { store } = await openFor(folder.path, await ownerOf('home', 2));
  expect(await claim?.holds()).toBe(false);
  await store.close();
});

test('MWN-3 the claim of another home is passed over by nobody', async () => {
  await using folder = await temporaryFolder();
  const one = await openFor(folder.path, await ownerOf('home', 1));
  await expect(openFor(folder.path, await ownerOf('another', 9))).rejects.toThrow(inUse);
  expect(await one.holds()).toBe(true);
  await one.store.close();
});

test('MWN-2 a store that is given back while the next one asks for it is not told as in use', async () => {
  await using folder = await temporaryFolder();
  const leaving = await openFor(folder.path, await ownerOf('a home that was removed', 1));
  let asked = 0;
  // Between two tries of the next one.
  const claim = await ownerOf('home', 1, async () => {
    if (++asked === 3) await leaving.store.close();
    return true;
  });
  const next = await openFor(folder.path, claim, 60_000);
  await next.store.append([record(1)]);
  await next.store.close();
});
