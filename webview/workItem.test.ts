import { expect, test } from 'vitest';
import type { WorkItem } from '../src/protocol/work.ts';
import { aSession, aWorkItem } from '../test/webview/fixtures.ts';
import { workItemOf } from './workItem.ts';

const session = aSession({ id: 's', project: '/p' });
const item = (id: string, changes: Partial<WorkItem> = {}) => aWorkItem({ id, project: '/p', ...changes });

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
    [item('a', { startedAt: '1', startedBy: 's' }), item('b', { startedAt: '2', startedBy: 't' })],
    'a',
  ],
  [
    'the last of its own',
    [item('a', { startedAt: '2', startedBy: 's' }), item('b', { startedAt: '1', startedBy: 's' })],
    'a',
  ],
];
test.each(cases)('UI-1 GRD-1 a session is shown with %s', (_name, items, id) => {
  expect(workItemOf(session, items)?.id).toBe(id);
});
