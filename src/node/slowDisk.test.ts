import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createHub } from '../app/hub.ts';
import { createPipeline } from '../app/pipeline.ts';
import { fakeClock, IDLE_MS, keepsAll, logLines } from '../app/testkit/fakes.testkit.ts';
import { readHook } from '../domain/readHook.ts';
import { nodeFileSystem, type FileSystem } from './files/fileSystem.ts';
import { idsIn, openIn, temporaryFolder } from './store/store.testkit.ts';

/** A disk that takes bytes at once and is sure of them only when it is let. */
function slowDisk() {
  let syncs = 0;
  let isSlow = true;
  let sure = Promise.withResolvers<void>();
  const fs: FileSystem = {
    ...nodeFileSystem,
    async open(file, flags, mode) {
      const handle = await nodeFileSystem.open(file, flags, mode);
      return {
        ...handle,
        async datasync() {
          syncs++;
          if (isSlow) await sure.promise;
          await handle.datasync();
        },
      };
    },
  };
  return {
    fs,
    syncs: () => syncs,
    /** Those that are asked for now. */
    letThrough() {
      sure.resolve();
      sure = Promise.withResolvers();
    },
    becomeQuick() {
      isSlow = false;
      sure.resolve();
    },
  };
}

async function pipelineOn(folder: string, fs: FileSystem) {
  const opened = await openIn(folder, { fs });
  const { store, unreduced } = opened;
  const [clock, log] = [fakeClock(Date.UTC(2026, 0, 1)), logLines()];
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const hub = createHub({ store, clock, log, owner, unreduced, idleMs: () => IDLE_MS });
  const projects = { locate: (path: string) => Promise.resolve({ path }) };
  const pipeline = createPipeline({ ...keepsAll(), store, hub, projects, clock, log });
  const acknowledged: number[] = [];
  const send = async (number: number) => {
    const payload = { hook_event_name: 'PreToolUse', session_id: 's', cwd: '/p', tool_name: 'Read' };
    const collected_at = new Date(Date.UTC(2026, 0, 1) + number).toISOString();
    const meta = { delivery_id: `${number}`, collected_at, provider: 'claude' };
    const read = readHook({ ...payload, tool_use_id: `t${number}`, _meta: meta });
    if (!read.ok) throw new Error(read.error);
    await pipeline.ingest(read.hook);
    acknowledged.push(number);
  };
  return { opened, hub, send, acknowledged };
}

const EVENTS = 600;

test('STO-2 STO-4 on a slow disk those that wait share a sync, none is acknowledged before it, and reading goes on', async () => {
  await using folder = await temporaryFolder();
  const disk = slowDisk();
  const { opened, hub, send, acknowledged } = await pipelineOn(folder.path, disk.fs);
  const first = send(0);
  await expect.poll(disk.syncs).toBe(1);
  const others = Array.from({ length: EVENTS - 1 }, (_, n) => send(n + 1));
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  expect([disk.syncs(), acknowledged, idsIn(opened), hub.snapshot().sessions]).toEqual([1, [], [], []]);

  disk.letThrough();
  await first;
  await expect.poll(disk.syncs).toBe(2);
  expect([acknowledged, idsIn(opened).length, hub.snapshot().sessions.length]).toEqual([[0], 1, 1]);
  disk.becomeQuick();
  await Promise.all(others);
  expect([disk.syncs(), acknowledged, idsIn(opened).length]).toEqual([2, [...Array(EVENTS).keys()], EVENTS]);
  hub.dispose();
  await opened.store.close();
});
