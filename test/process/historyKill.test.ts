import { beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../../src/domain/random.testkit.ts';
import { openStoreIn } from '../../src/node/store/logStore.testkit.ts';
import { temporaryFolder } from '../../src/node/store/store.testkit.ts';
import { isThorough } from '../thorough.testkit.ts';
import { buildPrograms, toldUntilKilled } from './storePrograms.testkit.ts';

/** Side by side, so that two processors have enough to do. */
const lanes = 2;
const killsInLane = Number(process.env['HISTORY_KILLS'] ?? (isThorough ? 200 : 30)) / lanes;
const seed = Number(process.env['HISTORY_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** What the killed processes told, all together. */
class Told {
  /** By id, the session of each event that was stored. */
  readonly stored = new Map<string, string>();
  readonly gone = new Set<string>();
  readonly perhapsGone = new Set<string>();
  readonly erased = new Set<string>();
  readonly perhapsErased = new Set<string>();

  add(line: string): void {
    const [what = '', session = ''] = line.slice(1).split(' ');
    if (line.startsWith('+')) for (const id of what.split(',')) this.stored.set(id, session);
    else if (line.startsWith('-')) this.gone.add(what);
    else if (line.startsWith('=')) this.erased.add(what);
    else (session === '*' ? this.perhapsErased : this.perhapsGone).add(what);
  }

  mustBeThere(id: string, session: string): boolean {
    return !this.perhapsGone.has(id) && !this.perhapsErased.has(session);
  }
}

describe.skipIf(process.platform === 'win32')('STO-2 a store over the log that is killed', () => {
  let programs: AsyncDisposable & { readonly path: string };
  beforeAll(async () => {
    programs = await temporaryFolder();
    await buildPrograms(programs.path, 'historyChild.ts', 'src/node/log/sealerWorker.ts');
    return () => programs[Symbol.asyncDispose]();
  });

  it.concurrent.each(Array.from({ length: lanes }, (_, lane) => [seed + lane] as const))(
    `STO-2 STO-6 CNV-5 SIGKILL ${killsInLane} times at any instant (seed %d, first pinned by HISTORY_KILL_SEED): what was stored is there once, what was taken away or erased stays away`,
    async (laneSeed) => {
      await using folder = await temporaryFolder();
      const random = randomFrom(laneSeed);
      const told = new Told();
      let next = 0;
      for (let kill = 1; kill <= killsInLane; kill++) {
        const lines = await toldUntilKilled(programs.path, [folder.path, 2 * kill, next], random() * 150);
        for (const line of lines) told.add(line);
        const { store, damage } = await openStoreIn(folder.path, { generation: 2 * kill + 1, sealAfterBytes: 40_000 });
        const where = `kill ${kill}`;
        const sessions = new Set(told.stored.values());
        const found = [...sessions].flatMap((session) => store.events(session).map(({ id }) => id));
        const there = new Set(found);
        expect(there.size, `${where}: twice`).toBe(found.length);
        const lost = [...told.stored].filter(([id, session]) => !there.has(id) && told.mustBeThere(id, session));
        expect(lost, `${where}: lost`).toEqual([]);
        expect(
          [...told.gone].filter((id) => there.has(id)),
          `${where}: back`,
        ).toEqual([]);
        const living = [...told.erased].filter((session) => store.newestEvents(session, 1).length > 0);
        expect(living, `${where}: erased, and back`).toEqual([]);
        expect(
          damage.filter((sentence) => !sentence.includes('incomplete')),
          where,
        ).toEqual([]);
        next = 1 + Math.max(-1, ...[...told.stored.keys()].map((id) => Number(id.slice(4))));
        await store.close();
      }
      expect(told.stored.size).toBeGreaterThan(killsInLane);
      expect(told.erased.size).toBeGreaterThan(0);
    },
    240_000,
  );
});
