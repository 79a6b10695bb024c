import { chownSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Claim } from '../../app/ports.ts';
import { ownProcess } from '../machine/processes.ts';
import { openClaimedStore } from './claimedStore.ts';
import { silentLog, temporaryFolder, wasm } from './store.testkit.ts';

const nothing = () => Promise.resolve();

// Only the superuser can give a folder away.
test.runIf(process.getuid?.() === 0)(
  'STO-1 SEC-1 a store in a folder of another account is refused, and nothing is written there',
  async () => {
    await using folder = await temporaryFolder();
    const claim: Claim = {
      instance: 'i',
      generation: 1,
      home: 'home',
      ...(await ownProcess()),
      holds: () => Promise.resolve(true),
      touch: nothing,
      release: nothing,
    };
    const open = async () => openClaimedStore({ folder: folder.path, wasm: await wasm, log: silentLog, claim });
    chownSync(folder.path, 1, 1);
    await expect(open()).rejects.toThrow(`${folder.path} belongs to another user (1)`);
    expect(readdirSync(folder.path)).toEqual([]);
    chownSync(folder.path, 0, 0);
    await (await open()).store.close();
  },
);
