import { expect, test } from 'vitest';
import type { Heard } from '../../domain/relay/answers.ts';
import { receiptsIn, receiver, type RelayBench, relayTests, reply, webhook } from './relay.testkit.ts';

const { bench } = relayTests();

/** The next owner has it to say, once. */
async function expectSaidBy(first: RelayBench, desk: ReturnType<typeof receiver>): Promise<void> {
  const next = bench({ ...webhook, send: desk.send, store: first.store, clock: first.clock });
  await next.pass(60_000);
  expect([desk.kinds(), receiptsIn(next)]).toEqual([
    ['started', 'reply'],
    ['started sent', 'reply sent'],
  ]);
}

test('RLY-2 a window that closes while the connection is being made leaves the reply to the next owner', async () => {
  const desk = receiver();
  let isOut = false;
  const first = bench({
    ...webhook,
    send(request, abandon) {
      if (!request.body?.includes('"reply"')) return desk.send(request, abandon);
      isOut = true;
      return new Promise<Heard>((resolve) => {
        abandon.onAbandoned(() => resolve({ kind: 'unsent', why: 'the window closes' }));
      });
    },
  });
  await first.tell('session_started', { source: 'startup' });
  void first.tell('turn_ended', reply('Done.'));
  await first.until(() => isOut);
  const closing = first.close();
  first.clock.advance(1_000);
  await closing;
  await expectSaidBy(first, desk);
});

test('RLY-2 a window that closes while it is noted that a reply leaves leaves it to the next owner', async () => {
  const desk = receiver();
  let closing: Promise<void> | undefined;
  const first = bench({
    ...webhook,
    send: desk.send,
    beforePut(save) {
      const isReply = save.some(
        ({ value }) => JSON.stringify(value).includes('"state":"trying"') && desk.got.length === 1,
      );
      if (isReply) closing ??= first.close();
    },
  });
  await first.tell('session_started', { source: 'startup' });
  await first.tell('turn_ended', reply('Done.'));
  expect(desk.kinds()).toEqual(['started']);
  await closing;
  await expectSaidBy(first, desk);
});
