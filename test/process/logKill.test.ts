import { beforeAll, describe, expect, it } from 'vitest';
import { randomFrom } from '../../src/domain/random.testkit.ts';
import { bytesBelow, inflatedBlocks, openLog, recordsIn } from '../../src/node/log/recordLog.testkit.ts';
import { temporaryFolder } from '../../src/node/store/store.testkit.ts';
import { isThorough } from '../thorough.testkit.ts';
import { buildPrograms, toldUntilKilled } from './storePrograms.testkit.ts';

/** Side by side, so that two processors have enough to do. */
const lanes = 2;
const killsInLane = Number(process.env['LOG_KILLS'] ?? (isThorough ? 200 : 30)) / lanes;
const seed = Number(process.env['LOG_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** All that the files of a log hold, compressed or not. */
function textIn(folder: string): string {
  const texts = [...bytesBelow(folder).values()].flatMap((bytes) => [bytes, ...inflatedBlocks(bytes)]);
  return Buffer.concat(texts).toString('latin1');
}

describe.skipIf(process.platform === 'win32')('STO-6 a log that is killed', () => {
  let programs: AsyncDisposable & { readonly path: string };
  beforeAll(async () => {
    programs = await temporaryFolder();
    await buildPrograms(programs.path, 'logChild.ts', 'src/node/log/sealerWorker.ts');
    return () => programs[Symbol.asyncDispose]();
  });

  it.concurrent.each(Array.from({ length: lanes }, (_, lane) => [seed + lane] as const))(
    `STO-6 CNV-5 SIGKILL ${killsInLane} times at any instant (seed %d, first pinned by LOG_KILL_SEED): what was acknowledged is there once, in order; what was removed stays away, and leaves the files`,
    async (laneSeed) => {
      await using folder = await temporaryFolder();
      const random = randomFrom(laneSeed);
      const sessionOf = new Map<number, string>();
      const removed = new Set<string>();
      const wiped = new Set<string>();
      let next = 0;
      for (let kill = 1; kill <= killsInLane; kill++) {
        const told = await toldUntilKilled(programs.path, [folder.path, 2 * kill, next], random() * 150);
        for (const line of told) {
          const [what = '', session = ''] = line.slice(1).split(' ');
          if (line.startsWith('+')) sessionOf.set(Number(what), session);
          else (line.startsWith('-') ? removed : wiped).add(what);
        }
        const { log, damage } = await openLog(folder.path, { generation: 2 * kill + 1, sealAfterBytes: 60_000 });
        const found = recordsIn(log).filter(({ kind }) => kind === 'event');
        const numbers = found.map(({ at }) => at);
        const where = `kill ${kill}`;
        expect(numbers, `${where}: in order, once`).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
        const there = new Set(numbers);
        const lost = [...sessionOf].filter(([number, session]) => !there.has(number) && !isPerhapsRemoved(session));
        expect(lost, `${where}: lost`).toEqual([]);
        // The kill came after such a removal was on disk and before it could be told: it holds in every later life.
        for (const [number, session] of sessionOf) if (!there.has(number)) removed.add(session);
        expect(
          found.filter(({ session = '' }) => removed.has(session)),
          `${where}: back`,
        ).toEqual([]);
        const text = textIn(folder.path);
        expect(
          [...wiped].filter((session) => text.includes(`<${session}>`)),
          `${where}: still in a file`,
        ).toEqual([]);
        expect(
          damage.filter((sentence) => !sentence.includes('incomplete')),
          where,
        ).toEqual([]);
        next = 1 + Math.max(-1, ...numbers, ...sessionOf.keys());
        if (kill % 5 === 0) {
          await log.carryOut();
          for (const session of removed) wiped.add(session);
        }
        await log.close();
      }
      expect(sessionOf.size).toBeGreaterThan(killsInLane);
      expect(wiped.size).toBeGreaterThan(0);

      /** Its removal may have been on disk before it could be told. */
      function isPerhapsRemoved(session: string): boolean {
        const newest = Math.max(...[...sessionOf.values()].map((each) => Number(each.slice(1))));
        return removed.has(session) || Number(session.slice(1)) >= newest - 1;
      }
    },
    240_000,
  );
});
