import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readStatusFile } from './statusFile.ts';
import { recordedFile } from './transcripts.testkit.ts';

const old = { pid: 7, sessionId: 's', cwd: '/p', startedAt: 1, kind: 'interactive', entrypoint: 'cli' };

test('SES-5 the recorded file of 2.1.327, without what is nobody’s business', () => {
  expect(readStatusFile(recordedFile('session-status-file.json'))).toEqual({
    pid: 33892,
    sessionId: '331e919c-3445-4d3f-828e-6ad64c2de7ae',
    cwd: '/home/dev/project',
    status: 'busy',
    statusUpdatedAt: 1795002901577,
    procStart: '158556',
    entrypoint: 'cli',
    version: '2.1.327',
    pidDomain: 'linux:0123:pid:[4026532178]',
  });
});

test('SES-5 the file of 2.1.100 tells no status', () => {
  expect(readStatusFile(JSON.stringify(old))).toEqual({ pid: 7, sessionId: 's', cwd: '/p', entrypoint: 'cli' });
});

test.each([
  [
    { status: 'waiting', waitingFor: 'permission prompt' },
    { status: 'waiting', waitingFor: 'permission prompt' },
  ],
  [{ status: 'dreaming', statusUpdatedAt: 'now', procStart: 158556 }, {}],
])('SES-5 %j: what is not as we know it is as good as absent', (fields, read) => {
  const base = { pid: 7, sessionId: 's', cwd: '/p', entrypoint: 'cli' };
  expect(readStatusFile(JSON.stringify({ ...old, ...fields }))).toEqual({ ...base, ...read });
});

test.each([
  '',
  '{',
  'null',
  '[]',
  '7',
  recordedFile('session-status-file.json').slice(0, -20),
  JSON.stringify({ ...old, pid: '7' }),
  JSON.stringify({ ...old, pid: -1 }),
  JSON.stringify({ ...old, sessionId: '' }),
  JSON.stringify({ ...old, cwd: undefined }),
  JSON.stringify({ ...old, more: 'x'.repeat(70_000) }),
])('SES-5 %.40s is no status file', (content) => {
  expect(readStatusFile(content)).toBeUndefined();
});

test('SES-5 no content makes it throw', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (content) => void readStatusFile(content)));
});
