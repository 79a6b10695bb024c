import { beforeAll, describe, expect, it } from 'vitest';
import { openIn, temporaryFolder } from '../../src/node/store/store.testkit.ts';
import { buildPrograms, toldUntilKilled } from './storePrograms.testkit.ts';
import { randomFrom } from '../../src/domain/random.testkit.ts';
import { isThorough } from '../thorough.testkit.ts';

/** Side by side, so that two processors have enough to do. */
const lanes = 4;
const killsInLane = Number(process.env['STORE_KILLS'] ?? (isThorough ? 200 : 80)) / lanes;
const seed = Number(process.env['STORE_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

describe.skipIf(process.platform === 'win32')('STO-2 a store that is killed', () => {
  let programs: AsyncDisposable & { readonly path: string };
  beforeAll(async () => {
    programs = await temporaryFolder();
    await buildPrograms(programs.path, 'storeChild.ts');
    return () => programs[Symbol.asyncDispose]();
  });

  it.concurrent.each(Array.from({ length: lanes }, (_, lane) => [seed + lane] as const))(
    `STO-2 SIGKILL ${killsInLane} times at any instant (seed %d, first pinned by STORE_KILL_SEED): what was acknowledged is there once, what was taken away is gone`,
    async (laneSeed) => {
      await using folder = await temporaryFolder();
      const random = randomFrom(laneSeed);
      const acknowledged = new Set<string>();
      const gone = new Set<string>();
      const perhaps = new Set<string>();
      let next = 0;
      for (let kill = 1; kill <= killsInLane; kill++) {
        const told = await toldUntilKilled(programs.path, [folder.path, 2 * kill, next], random() * 150);
        expect(told.length).toBeGreaterThan(0);
        for (const line of told) {
          const set = line.startsWith('+') ? acknowledged : line.startsWith('-') ? gone : perhaps;
          set.add(line.slice(1));
        }
        const reopened = await openIn(folder.path, { generation: 2 * kill + 1 });
        const ids = reopened.store.events('s').map((event) => event.id);
        const there = new Set(ids);
        const where = `kill ${kill}`;
        expect(there.size, `${where}: twice`).toBe(ids.length);
        const lost = [...acknowledged].filter((id) => !there.has(id) && !perhaps.has(id));
        expect(lost, `${where}: lost`).toEqual([]);
        const back = [...gone].filter((id) => there.has(id));
        expect(back, `${where}: back`).toEqual([]);
        expect(
          reopened.damage.filter((sentence) => !sentence.includes('incomplete')),
          where,
        ).toEqual([]);
        next = 1 + Math.max(...ids.map((id) => Number(id.slice(4))));
        // Every other time as the next process would find it after a clean stop.
        if (kill % 2 === 0) await reopened.store.close();
      }
      expect(acknowledged.size).toBeGreaterThan(killsInLane);
      expect(gone.size).toBeGreaterThan(0);
    },
    240_000,
  );
});
