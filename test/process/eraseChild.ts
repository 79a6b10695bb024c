/**
 * Fills a store, and erases what it was told to: tells `erased` once that is durable, `wiped` when no file holds it. It ends, as
 * by a kill from outside, right before the one step of the disk that it was told.
 */
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../src/node/files/fileSystem.ts';
import { sealHere } from '../../src/node/store/sealHere.ts';
import { sealerInThread } from '../../src/node/log/sealerThread.ts';
import { openEventStore } from '../../src/node/store/eventStore.ts';
import { record, sessionRow, wasm } from '../../src/node/store/store.testkit.ts';
import { tellParent } from './tellParent.testkit.ts';

const [sealerProgram = '', folder = '', what = 'gone', where = 'here', lastStep = ''] = process.argv.slice(2);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message: string) => console.error(message) };

let erasing = false;
function reach(step: string): void {
  if (erasing && step === lastStep) process.kill(process.pid, 'SIGKILL');
}

const fs: FileSystem = {
  ...nodeFileSystem,
  async open(file, flags, mode) {
    reach(`open ${path.basename(file)}`);
    const opened = await nodeFileSystem.open(file, flags, mode);
    return {
      ...opened,
      write: (bytes, position) => {
        reach(`write ${path.basename(file)}`);
        return opened.write(bytes, position);
      },
    };
  },
  rename: (from, to) => {
    reach(`rename ${path.basename(to)}`);
    return nodeFileSystem.rename(from, to);
  },
  unlink: (file) => {
    reach(`unlink ${path.basename(file)}`);
    return nodeFileSystem.unlink(file);
  },
};

const { store } = await openEventStore({
  folder,
  fs,
  wasm: await wasm,
  log,
  generation: 1,
  mayWrite: () => true,
  // Two rounds make one sealed segment.
  sealAfterBytes: 70_000,
  sealer: where === 'here' ? undefined : sealerInThread(sealerProgram, sealHere(nodeFileSystem), log),
});

for (let round = 0; round < 3; round++) {
  const batch = Array.from({ length: 60 }, (_, index) => {
    const session = index % 2 === 0 ? 'gone' : 'kept';
    return record(round * 60 + index, { session, text: `${session}-words ${'x'.repeat(500)}` });
  });
  await store.append(batch);
  store.saveSessions([sessionRow('gone', 'gone-words in the row'), sessionRow('kept', '2026-01-01')]);
  // The last round is not sealed.
  if (round < 2) await store.checkpoint();
}
erasing = true;
await store.erase({ sessions: what === 'all' ? 'all' : [what] });
tellParent('erased\n');
await store.wipe();
tellParent('wiped\n');
reach('rest');
