import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPipeline } from '../../app/pipeline.ts';
import { fakeClock, keepsAll, logLines } from '../../app/testkit/fakes.testkit.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { watchTurns } from '../turns.testkit.ts';
import { type SpoolWatch, watchSpool } from './spool.ts';

/** As many as show what grows with their number; 100,000 by hand, which take a minute to make. */
const FILES = Number(process.env['SPOOL_FILES'] ?? 10_000);
/** In units of about 10 ms. A turn takes one, or five with a garbage collection; all files at once would take hundreds. */
const TURN_MAX = 10;

let folder = '';
let watching: SpoolWatch | undefined;
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'mascot-spool-large-')), 'spool');
  mkdirSync(folder, { mode: 0o700 });
});
afterEach(async () => {
  await watching?.close();
  rmSync(path.dirname(folder), { recursive: true, force: true, maxRetries: 5 });
});

const hook = (prompt: string, session: string) => ({
  hook_event_name: 'UserPromptSubmit',
  session_id: session,
  prompt,
});

test(
  `FWD-6 SEC-3 ${FILES} files at the start: all are taken in, in order, nobody is held up, live hooks come in between`,
  { timeout: 300_000 },
  async () => {
    for (let n = 0; n < FILES; n++) {
      const at = 1_700_000_000_000 + n;
      const _meta = { delivery_id: `d${n}`, collected_at: new Date(at).toISOString() };
      writeFileSync(path.join(folder, `${at}-d${n}.json`), JSON.stringify({ ...hook(`p${n}`, `s${n % 50}`), _meta }));
    }
    const kept = memoryStore();
    const order: string[] = [];
    let most = 0;
    const store = {
      ...kept,
      // A disk's own pace, so that a queue could grow.
      append: async (records: Parameters<typeof kept.append>[0]) => {
        most = Math.max(most, records.length);
        await new Promise((resolve) => setTimeout(resolve, 1));
        for (const { event } of records) if (event.session_id !== 'live') order.push(event.ts);
        await kept.append(records);
      },
    };
    const hub = { commit: () => undefined, remake: () => undefined, state: () => undefined };
    const projects = { locate: (place: string) => Promise.resolve({ path: place }) };
    const log = logLines();
    const pipeline = createPipeline({ ...keepsAll(), store, hub, projects, clock: fakeClock(Date.now()), log });
    const memoryBefore = process.memoryUsage().rss;
    const turns = watchTurns();
    watching = watchSpool(folder, pipeline, log);
    const waits: number[] = [];
    while (order.length < FILES) {
      const since = performance.now();
      const raw = hook(`live ${waits.length}`, 'live');
      await pipeline.ingest({ name: 'UserPromptSubmit', meta: { delivery_id: `live${waits.length}` }, raw });
      waits.push(performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { longest, longestMs } = turns.stop();
    while (readdirSync(folder).length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(order.toSorted());
    expect(new Set(order).size).toBe(FILES);
    expect(log.lines).toEqual([]);
    // A round at a time, and whoever came live meanwhile.
    expect(most).toBeLessThan(200);
    expect(waits.length).toBeGreaterThan(5);
    expect(longest).toBeLessThan(TURN_MAX);
    if (process.env['SPOOL_FILES'] !== undefined) {
      const worst = Math.max(...waits).toFixed(0);
      const grown = ((process.memoryUsage().rss - memoryBefore) / 1024 / 1024).toFixed(0);
      console.log(`longest turn ${longestMs.toFixed(1)} ms, live hooks waited ${worst} ms at most, ${grown} MB more`);
    }
  },
);
