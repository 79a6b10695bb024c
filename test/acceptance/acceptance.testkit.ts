import { afterEach } from 'vitest';
import { collectorUnderTest } from '../../src/node/collector/collector.testkit.ts';
import { sseReader } from '../../src/node/collector/sse.testkit.ts';

type Fields = Record<string, unknown>;

/** A collector on a socket, and what an HTTP client sees of it. */
async function startOutside(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  const items = async (path: string) => (await parts.get(path)).json()['items'] as readonly Fields[];
  return {
    ...parts,
    /** Posts payloads one after the other, some milliseconds apart; fails unless each is accepted. */
    async tell(...hooks: readonly Fields[]): Promise<void> {
      for (const hook of hooks) {
        parts.clock.advance(5);
        const answer = await parts.post(hook);
        if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      }
    },
    items,
    agents: () => items('/api/agents'),
    sessions: () => items('/api/sessions'),
    events: (session: string) => items(`/api/sessions/${encodeURIComponent(session)}/events`),
    stream: () => sseReader(parts.collector.port, parts.token),
  };
}

/** `open` starts a collector, which ends with its test. */
export function useOutside() {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const collector of opened.splice(0)) await collector.close();
  });
  return {
    async open(options?: Parameters<typeof collectorUnderTest>[0]) {
      const outside = await startOutside(options);
      opened.push(outside.collector);
      return outside;
    },
  };
}
