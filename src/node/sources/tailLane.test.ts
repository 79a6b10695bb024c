import { expect, test } from 'vitest';
import { SetAside } from './gate.ts';
import { createTailLane } from './tailLane.ts';

const noError = (error: unknown) => {
  throw error;
};

test('TRN-4 who may be found has a turn when nobody who is followed wants one', async () => {
  const turns: string[] = [];
  const lane = createTailLane(1, noError);
  const done = new Promise<void>((resolve) => {
    const enter = (name: string, when: 'soon' | 'later', more = 0) =>
      lane.enter(async () => {
        turns.push(name);
        if (name === 'found2') followed.poke();
        if (name === 'found3') resolve();
        return more-- > 0;
      }, when);
    const followed = enter('followed', 'soon');
    const found = ['found1', 'found2', 'found3'].map((name) => enter(name, 'later'));
    found.forEach(({ poke }) => poke());
    const long = enter('long', 'soon', 2);
    const stopped = enter('stopped', 'soon');
    [long, followed, stopped, long].forEach(({ poke }) => poke());
    stopped.stop();
  });
  await done;
  // The first one had begun before the others came.
  expect(turns).toEqual(['found1', 'long', 'followed', 'long', 'long', 'found2', 'followed', 'found3']);
});

test('TRN-1 a buffer that a pending call may still write into is not used again', async () => {
  const buffers: Buffer[] = [];
  const errors: unknown[] = [];
  const lane = createTailLane(10, (error) => errors.push(error));
  const failures = [new Error('mine'), new SetAside(), undefined];
  await new Promise<void>((resolve) => {
    for (const failure of failures) {
      const { poke } = lane.enter(async (buffer) => {
        buffers.push(buffer);
        if (failure) throw failure;
        resolve();
        return false;
      }, 'soon');
      poke();
    }
  });
  expect([buffers[1] === buffers[0], buffers[2] === buffers[1], buffers[2]?.length]).toEqual([true, false, 10]);
  expect(errors).toEqual([failures[0]]);
});
