import { expect, test } from 'vitest';
import { deliveriesOf } from './deliveries.ts';

const at = '2026-01-01T00:00:00.000Z';

test('RLY-1 a delivery names the event that it is made of, so that it can be found in the conversation', () => {
  const kept = {
    ...{ session: 's', place: 'discord 1', channel: '1' },
    receipts: [
      { id: 'started/s', kind: 'started', at, state: 'sent', when: at },
      { id: '019b-1', kind: 'reply', at, state: 'givenUp', when: at, why: 'old' },
    ],
  };
  const waiting = { session: 's', key: 'm/1', at, text: 'Sure?', state: 'queued' };
  const queued = [
    { ...waiting, id: 'question/s/main/call', kind: 'question' },
    { ...waiting, id: '019b-2', kind: 'reply' },
    { ...waiting, id: '019b-3', kind: 'reply', session: 'another' },
  ];
  expect(deliveriesOf('s', { session: kept, queued, held: undefined })).toEqual([
    { kind: 'started', at, state: 'sent', when: at },
    { kind: 'reply', at, event: '019b-1', state: 'givenUp', when: at, why: 'old' },
    { kind: 'question', at, state: 'waiting' },
    { kind: 'reply', at, event: '019b-2', state: 'waiting' },
  ]);
});

test('RLY-1 what waits says why, where that is known', () => {
  const message = { session: 's', key: 'm/1', at, text: 'Sure?', state: 'queued', id: 'e', kind: 'reply' };
  const held = (value: string | undefined) => deliveriesOf('s', { session: undefined, queued: [message], held: value });
  expect(held('token')).toEqual([{ kind: 'reply', at, event: 'e', state: 'waiting', why: 'token' }]);
});
