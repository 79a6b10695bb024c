/**
 * Copies all that its store holds, until it is killed. Each line says what it did: `+count` a push was committed, `upToDate`, `trouble`.
 * It may write as long as the file `owner` of its folder bears its generation.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { openEventStore } from '../../src/node/store/eventStore.ts';
import { silentLog, unsyncedFileSystem, wasm } from '../../src/node/store/store.testkit.ts';
import { machineWith } from './sinkMachine.testkit.ts';
import { tellParent } from './tellParent.testkit.ts';

export interface SinkChildOptions {
  readonly folder: string;
  readonly generation: number;
  readonly machine: string;
  readonly url: string;
}

const { folder, generation, machine, url } = JSON.parse(process.argv[3] ?? '') as SinkChildOptions;
const say = (line: string) => tellParent(`${line}\n`);

const { store } = await openEventStore({
  folder,
  generation,
  wasm: await wasm,
  log: silentLog,
  mayWrite: () => readFileSync(path.join(folder, 'owner'), 'utf8') === String(generation),
  fs: unsyncedFileSystem,
  sealAfterBytes: 1e9,
});
const one = machineWith(store, machine, url);
for (const kind of ['upToDate', 'trouble'] as const) void one.standing(kind).then(() => say(kind));
one.start((pushes) => void say(`+${pushes}`));
