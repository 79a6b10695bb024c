/**
 * Appends, takes away and checkpoints until it is killed. Each line says what was acknowledged: `+id` stored, `-id` gone; and
 * `?id` what is about to go.
 */
import { readFileSync } from 'node:fs';
import { compactInThread } from '../../src/node/store/compactThread.ts';
import { openEventStore } from '../../src/node/store/eventStore.ts';
import { record, wasm } from '../../src/node/store/store.testkit.ts';
import { tellParent } from './tellParent.testkit.ts';

const [compactProgram = '', folder = '', generation = '1', first = '0'] = process.argv.slice(2);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message: string) => console.error(message) };
const { store } = await openEventStore({
  folder,
  wasm: await wasm,
  log,
  generation: Number(generation),
  mayWrite: () => true,
  checkpointAfterBytes: 30_000,
  compact: compactInThread(compactProgram, readFileSync(process.env['STORE_CHILD_WASM'] ?? '')),
  // Small ones here, larger ones beside: a kill hits both.
  imageHereUpToBytes: 250_000,
});

/** What the parent reads was acknowledged before the kill. */
function tell(mark: '+' | '-' | '?', ids: readonly string[]): void {
  tellParent(ids.map((id) => `${mark}${id}\n`).join(''));
}

for (let number = Number(first); ;) {
  const from = number;
  number += 1 + (from % 5);
  const batch = Array.from({ length: number - from }, (_, index) =>
    record(from + index, { text: 'x'.repeat((from * 37) % 3000) }),
  );
  await store.append(batch);
  tell(
    '+',
    batch.map(({ event }) => event.id),
  );
  if (from % 7 === 0 && from > 60) {
    const old = [`evt-${from - 60}`, `evt-${from - 59}`];
    tell('?', old);
    await store.trim({ sessionId: 's', remove: old, strip: [`evt-${from - 58}`] });
    tell('-', old);
  }
  if (number % 11 === 0) store.checkpoint().catch((error: unknown) => console.error(error));
}
