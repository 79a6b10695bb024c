/**
 * Stores events, takes some away and erases sessions until it is killed. Each line says what was acknowledged: `+id,id session`
 * stored, `-id session` taken away, `?id session` about to be taken away, `=session` erased.
 */
import { readFileSync } from 'node:fs';
import { openLogStore } from '../../src/node/store/openLogStore.ts';
import { nodeFileSystem } from '../../src/node/files/fileSystem.ts';
import { sealHere } from '../../src/node/store/sealHere.ts';
import { sealerInThread } from '../../src/node/log/sealerThread.ts';
import { loadSqlite } from '../../src/node/store/sqlite.ts';
import { record } from '../../src/node/store/store.testkit.ts';
import { tellParent } from './tellParent.testkit.ts';

const [sealerProgram = '', folder = '', generation = '1', first = '0'] = process.argv.slice(2);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message: string) => console.error(message) };
const { store } = await openLogStore({
  folder,
  sqlite: await loadSqlite(readFileSync(process.env['STORE_CHILD_WASM'] ?? '')),
  log,
  generation: Number(generation),
  mayWrite: () => true,
  sealer: sealerInThread(sealerProgram, sealHere(nodeFileSystem), log),
  sealAfterBytes: 40_000,
});

const complain = (error: unknown) => console.error(error);
for (let number = Number(first); ;) {
  const from = number;
  number += 1 + (from % 5);
  const session = `s${Math.floor(from / 30)}`;
  const text = 'x'.repeat((from * 37) % 3000);
  const batch = Array.from({ length: number - from }, (_, index) =>
    record(from + index, { session, type: 'user_prompt', payload: { prompt: `${from + index} ${text}` } }),
  );
  await store.append(batch);
  // One line: of a batch that is told in part the next process would begin another, perhaps of another session.
  tellParent(`+${batch.map(({ event }) => event.id).join(',')} ${session}\n`);
  const [old] = store.events(session);
  if (from % 7 === 0 && old) {
    tellParent(`?${old.id} ${session}\n`);
    await store.trim({ sessionId: session, remove: [old.id] });
    tellParent(`-${old.id} ${session}\n`);
  }
  if (from % 30 < 5 && from > 60) {
    const gone = `s${Math.floor(from / 30) - 2}`;
    tellParent(`?${gone} *\n`);
    await store.erase({ sessions: [gone] });
    tellParent(`=${gone}\n`);
    store.wipe().catch(complain);
  }
}
