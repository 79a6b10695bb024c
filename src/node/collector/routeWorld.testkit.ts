import type { EventStore } from '../../app/ports.ts';
import { noWork } from '../../app/testkit/work.testkit.ts';
import { createHookTimes } from './hookTimes.ts';
import { memoryOver } from './memory.testkit.ts';
import type { RouteWorld } from './route.ts';
import { createTrials } from './trials.ts';

/** For tests that look at other parts: nothing waits, is told, changed or erased. */
export function idleParts() {
  return {
    trials: createTrials(),
    hookTimes: createHookTimes(),
    recast: () => Promise.resolve('unknown' as const),
    memory: { recall: () => Promise.resolve(undefined) },
    agentWords: () => true,
    replies: { to: () => Promise.resolve(undefined) },
    ...noWork,
    notes: { say: () => Promise.resolve(false), isTaken: () => false },
    spool: () => Promise.resolve({ waiting: 0, bytes: 0, dropped: 0 }),
    storing: () => ({ ok: true }),
    erase: () => Promise.resolve({ sessions: 0, events: 0, left: [] }),
    keeping: () => ({ folders: [], retentionDays: 0, retentionMegabytes: 0, retentionPlanned: [], logging: true }),
    projects: { locate: (path: string) => Promise.resolve({ path }) },
    pipeline: { ingest: () => Promise.reject(new Error('unused')) },
    proofKey: () => 'a-key-of-the-test',
    personToken: () => 'a-persons-token-of-the-test',
  };
}

/** A store of which no session is live. */
export function worldOver(store: EventStore, now: number): RouteWorld {
  const world = {
    ...idleParts(),
    store,
    source: {
      snapshot: () => ({ revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] }),
      status: () => 'live' as const,
      onChange: () => ({ dispose: () => undefined }),
    },
    events: { join: () => undefined },
    now: () => now,
    log: { warn: () => undefined },
    port: () => 0,
  };
  return { ...world, memory: memoryOver(world) };
}
