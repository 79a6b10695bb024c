import { expect, test } from 'vitest';
import { fakeClock } from '../testkit/fakes.testkit.ts';
import { memoryStore } from '../testkit/memoryStore.testkit.ts';
import { line, own, setUpWatch, START, statusFolder, transcript } from './watch.testkit.ts';

const project = '/home/dev/project';

function setUp(isExcluded: boolean) {
  const state = { isExcluded };
  const isBelow = (folder: string) => folder === project || folder.startsWith(`${project}/`);
  const lab = setUpWatch(memoryStore(), fakeClock(START), (folder) => state.isExcluded && isBelow(folder));
  const shown = () => [lab.hub.snapshot().sessions.map(({ id }) => id), lab.store.eventCount()];
  return { ...lab, state, shown };
}

test.each([
  ['shown without the exclusion', false, [['s'], 1]],
  ['not shown with it', true, [[], 0]],
])('HKI-9 a session found by its transcript is %s', async (_name, isExcluded, expected) => {
  const { sources, pass, shown } = setUp(isExcluded);
  sources.write(transcript, line.user(0, 'go'), { ...line.user(1, 'and there'), cwd: '/elsewhere' });
  sources.find({ path: transcript, modifiedAt: START, size: 1 });
  await pass(3_500);
  expect(shown()).toEqual(expected);
});

test.each([
  ['shown without the exclusion', false, [['s'], 1]],
  ['not shown with it', true, [[], 0]],
])('HKI-9 a session found by its status file is %s', async (_name, isExcluded, expected) => {
  const { sources, pass, shown } = setUp(isExcluded);
  sources.putFile(statusFolder, '42.json', own('idle', 0));
  await pass(3_500);
  expect(shown()).toEqual(expected);
});

test('HKI-9 a session that is excluded while it runs is followed no more, and its last lines bring it back to nobody', async () => {
  const { hook, sources, state, leftOut, pass, rest, shown } = setUp(false);
  await hook('UserPromptSubmit', { prompt: 'go' });
  const before = [shown(), sources.followed()];
  state.isExcluded = true;
  leftOut.sweep();
  await rest();
  sources.write(transcript, line.interrupted(500));
  sources.putFile(statusFolder, '42.json', own('idle', 600));
  await pass(10_000);
  await hook('Stop');
  await pass(10_000);
  expect([before, shown(), sources.followed()]).toEqual([[[['s'], 1], [transcript]], [[], 1], []]);
});
