/** Fills a store, tells `ready`, and erases what it was told to; `erased` once that is durable, `wiped` when no file holds it. */
import { readFileSync, writeSync } from 'node:fs';
import { compactInThread } from '../../src/node/store/compactThread.ts';
import { openEventStore } from '../../src/node/store/eventStore.ts';
import { record, sessionRow, wasm } from '../../src/node/store/store.testkit.ts';

const [folder = '', what = 'gone', size = 'here', compactProgram = ''] = process.argv.slice(2);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message: string) => console.error(message) };
const { store } = await openEventStore({
  folder,
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
writeSync(1, 'ready\n');
await store.erase({ sessions: what === 'all' ? 'all' : [what], at: '2026-06-01T00:00:00.000Z' });
writeSync(1, 'erased\n');
await store.wipe();
writeSync(1, 'wiped\n');
setInterval(() => undefined, 1_000);
