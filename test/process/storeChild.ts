/** Appends and checkpoints until it is killed; prints a line with the number of each event that was acknowledged. */
import { writeSync } from 'node:fs';
import { openEventStore } from '../../src/node/store/eventStore.ts';
import { record, wasm } from '../../src/node/store/store.testkit.ts';

const [folder = '', generation = '1', first = '0'] = process.argv.slice(2);
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (message: string) => console.error(message) };
const { store } = await openEventStore({
  folder,
  wasm: await wasm,
  log,
  generation: Number(generation),
  mayWrite: () => true,
  checkpointAfterBytes: 30_000,
});

for (let number = Number(first); ;) {
  const from = number;
  number += 1 + (from % 5);
  const batch = Array.from({ length: number - from }, (_, index) =>
    record(from + index, { text: 'x'.repeat((from * 37) % 3000) }),
  );
  await store.append(batch);
  // Written in one call, and at once: what the parent reads was acknowledged before the kill.
  writeSync(1, batch.map(({ event }) => `${event.id}\n`).join(''));
  if (number % 11 === 0) void store.checkpoint();
}
