import { expect, test } from 'vitest';
import { aSession } from '../../test/webview/fixtures.ts';
import type { Session } from '../protocol/state.ts';
import { nearestAncestor, whereaboutsOf } from './whereabouts.ts';

const here = { host: 'mill', pidNamespace: 'pid:[1]' };

const startedAt = '2026-01-01T00:00:00.000Z';
const near = { place: 'near', pid: 7, startedAt: undefined };

test.each<[string, Partial<Session>, object]>([
  ['a process of this machine', { agentPid: 7, host: 'mill', pidNamespace: 'pid:[1]' }, near],
  ['one that did not say where', { agentPid: 7 }, near],
  ['one that said when it began', { agentPid: 7, agentStartedAt: startedAt }, { ...near, startedAt }],
  ['another machine', { agentPid: 7, host: 'barn' }, { place: 'far', host: 'barn', unless: undefined }],
  [
    'another machine, or another name of this one',
    { agentPid: 7, host: 'barn', agentStartedAt: startedAt, pidNamespace: 'pid:[1]' },
    { place: 'far', host: 'barn', unless: { ...near, startedAt } },
  ],
  [
    'another machine, where it has other numbers',
    { agentPid: 7, host: 'barn', agentStartedAt: startedAt, pidNamespace: 'pid:[2]' },
    { place: 'far', host: 'barn', unless: undefined },
  ],
  ['a container', { agentPid: 7, host: 'mill', pidNamespace: 'pid:[2]' }, { place: 'container' }],
  ['no pid, as under a shared daemon', { host: 'mill' }, { place: 'unknown' }],
  ['a session that ended', { agentPid: 7, state: 'completed' }, { place: 'over' }],
  ['a process that is gone', { agentPid: 7, state: 'stale', endReason: 'process_gone' }, { place: 'over' }],
  ['one that was not heard of for a day', { agentPid: 7, state: 'stale' }, { place: 'over' }],
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
