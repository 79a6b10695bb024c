/**
 * Appends to a log, compresses it and takes sessions out of it until it is killed. Each line says what was acknowledged: `+n` the
 * record that bears the number is on disk, `-session` nothing gives its records any more, `=session` no file holds them.
 */
import { nodeFileSystem } from '../../src/node/files/fileSystem.ts';
import { openLog } from '../../src/node/log/recordLog.testkit.ts';
import { removalDraft } from '../../src/node/log/removal.ts';
import { sealHere } from '../../src/node/store/sealHere.ts';
import { silentLog } from '../../src/node/store/store.testkit.ts';
import { sealerInThread } from '../../src/node/log/sealerThread.ts';
import { tellParent } from './tellParent.testkit.ts';

const [sealerProgram = '', folder = '', generation = '1', first = '0'] = process.argv.slice(2);
const { log } = await openLog(folder, {
  fs: nodeFileSystem,
  generation: Number(generation),
  sealer: sealerInThread(sealerProgram, sealHere(nodeFileSystem), silentLog),
  sealAfterBytes: 60_000,
});

const complain = (error: unknown) => console.error(error);
for (let number = Number(first); ;) {
  const from = number;
  number += 1 + (from % 5);
  const session = `s${Math.floor(from / 40)}`;
  await log.append(
    Array.from({ length: number - from }, (_, index) => ({
      kind: 'event' as const,
      session,
      at: from + index,
      body: Buffer.from(`<${session}> ${'x'.repeat((from * 37) % 3000)}`),
    })),
  );
  tellParent(Array.from({ length: number - from }, (_, index) => `+${from + index} ${session}\n`).join(''));
  log.compress().catch(complain);
  if (from % 40 < 5 && from > 80) {
    const gone = `s${Math.floor(from / 40) - 1}`;
    await log.append([removalDraft('erase', { sessions: [gone] }, 0)]);
    tellParent(`-${gone}\n`);
    log.carryOut().then(() => tellParent(`=${gone}\n`), complain);
  }
}
