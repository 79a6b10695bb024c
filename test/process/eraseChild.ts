/**
 * Fills a store, and erases what it was told to: tells `erased` once that is durable, `wiped` when no file holds it. It ends, as
 * by a kill from outside, right before the one step of the disk that it was told.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { nodeFileSystem, type FileSystem } from '../../src/node/files/fileSystem.ts';
import { compactInThread } from '../../src/node/store/compactThread.ts';
import { openEventStore } from '../../src/node/store/eventStore.ts';
import { record, sessionRow, wasm } from '../../src/node/store/store.testkit.ts';
import { tellParent } from './tellParent.testkit.ts';

const [compactProgram = '', folder = '', what = 'gone', size = 'here', lastStep = ''] = process.argv.slice(2);
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
  compact: compactInThread(compactProgram, readFileSync(process.env['STORE_CHILD_WASM'] ?? '')),
  ...(size === 'here' ? {} : { imageHereUpToBytes: 0 }),
});

for (let round = 0; round < 3; round++) {
  const batch = Array.from({ length: 60 }, (_, index) => {
    const session = index % 2 === 0 ? 'gone' : 'kept';
    return record(round * 60 + index, { session, text: `${session}-words ${'x'.repeat(500)}` });
  });
  await store.append(batch);
  store.saveSessions([sessionRow('gone', 'gone-words in the row'), sessionRow('kept', '2026-01-01')]);
  // The last round is in the journal alone; the images are the one in place and its backup.
  if (round < 2) await store.checkpoint();
}
erasing = true;
await store.erase({ sessions: what === 'all' ? 'all' : [what] });
tellParent('erased\n');
await store.wipe();
tellParent('wiped\n');
reach('rest');
