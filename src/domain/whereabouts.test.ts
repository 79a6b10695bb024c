import { expect, test } from 'vitest';
import { aSession } from '../../test/webview/fixtures.ts';
import type { Session } from '../protocol/state.ts';
import { nearestAncestor, whereaboutsOf } from './whereabouts.ts';

const here = { host: 'mill', pidNamespace: 'pid:[1]' };

test.each<[string, Partial<Session>, object]>([
  ['a process of this machine', { agentPid: 7, host: 'mill', pidNamespace: 'pid:[1]' }, { place: 'near', pid: 7 }],
  ['one that did not say where', { agentPid: 7 }, { place: 'near', pid: 7 }],
  ['another machine', { agentPid: 7, host: 'barn' }, { place: 'far', host: 'barn' }],
  ['a container', { agentPid: 7, host: 'mill', pidNamespace: 'pid:[2]' }, { place: 'container' }],
  ['no pid, as under a shared daemon', { host: 'mill' }, { place: 'unknown' }],
  ['a session that ended', { agentPid: 7, state: 'completed' }, { place: 'over' }],
  ['a process that is gone', { agentPid: 7, state: 'stale', endReason: 'process_gone' }, { place: 'over' }],
  ['one that was not heard of for a day', { agentPid: 7, state: 'stale' }, { place: 'near', pid: 7 }],
])('UI-3 where a session is: %s', (_name, changes, expected) => {
  expect(whereaboutsOf(aSession({ id: 's', ...changes }), here)).toEqual(expected);
});

test('UI-3 the nearest shell above the process is meant, exactly or none', () => {
  expect([
    nearestAncestor([9, 8, 7, 1], [7, undefined, 8]),
    nearestAncestor([9, 8], [9]),
    nearestAncestor([9, 8], [7, undefined]),
    nearestAncestor([], [undefined]),
  ]).toEqual([2, 0, undefined, undefined]);
});
