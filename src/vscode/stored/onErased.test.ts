import { expect, test } from 'vitest';
import { startFollower } from '../../app/followerRole.ts';
import { createHub } from '../../app/hub.ts';
import type { LinkHandlers } from '../../app/ports.ts';
import { fakeClock, logLines } from '../../app/testkit/fakes.testkit.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { serverFrameSchema, WIRE_VERSION } from '../../protocol/wire.ts';
import { onErased } from './onErased.ts';

test('CNV-4 another window learns that a session was erased which the state does not hold, each time once', async () => {
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const log = logLines();
  const clock = fakeClock(0);
  const hub = createHub({ store: memoryStore(), clock, log, owner, unreduced: [], idleMs: () => 1 });
  let handlers: LinkHandlers | undefined;
  /** As the stream does on every reset. */
  const send = () => {
    const state = hub.snapshot();
    const frame = { type: 'snapshot', protocol: WIRE_VERSION, revision: state.revision, state };
    handlers?.onFrame(serverFrameSchema.parse(JSON.parse(JSON.stringify(frame))));
  };
  hub.onChange(({ type }) => type === 'reset' && send());
  const link = { resync: () => undefined, ping: () => undefined, dispose: () => undefined };
  const follower = await startFollower({
    links: {
      connect: (given) => {
        handlers = given;
        queueMicrotask(send);
        return Promise.resolve({ ...link, explain: () => Promise.resolve(undefined) });
      },
    },
    log,
    instance: 'i',
    onSign: () => undefined,
    abandoned: new Promise(() => undefined),
  });
  if (typeof follower === 'string') throw new Error(follower);
  let told = 0;
  onErased(follower.source, () => told++);
  send();
  expect(told).toBe(0);
  hub.erase(['of long ago']);
  await expect.poll(() => told).toBe(1);
  send();
  expect(told).toBe(1);
  hub.erase([]);
  await expect.poll(() => told).toBe(2);
  hub.dispose();
});
