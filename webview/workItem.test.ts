import { expect, test } from 'vitest';
import type { WorkItem } from '../src/protocol/work.ts';
import { aSession, aWorkItem } from '../test/webview/fixtures.ts';
import { workItemOf } from './workItem.ts';

const session = aSession({ id: 's', project: '/p' });
const item = (id: string, changes: Partial<WorkItem> = {}) => aWorkItem({ id, project: '/p', ...changes });

const by = (session: string, at: string) => [{ session, at }];
const cases: readonly (readonly [string, readonly WorkItem[], string | undefined])[] = [
  ['nothing where nothing runs', [item('a', { status: 'pending' }), item('b', { status: 'done' })], undefined],
  ['nothing of another project', [item('a', { project: '/p/below' })], undefined],
  [
    'the one that was started last',
    [item('a', { startedAt: '2' }), item('b', { startedAt: '3' }), item('c', { startedAt: '1' })],
    'b',
  ],
  [
    'its own before a later one',
    [item('a', { startedAt: '1', workers: by('s', '1') }), item('b', { startedAt: '2', workers: by('t', '2') })],
    'a',
  ],
  [
    'the last of its own that it said to work on',
    [item('a', { startedAt: '1', workers: by('s', '3') }), item('b', { startedAt: '2', workers: by('s', '2') })],
    'a',
  ],
];
test.each(cases)('UI-1 GRD-1 a session is shown with %s', (_name, items, id) => {
  expect(workItemOf(session, items)?.id).toBe(id);
});
