import { expect, test } from 'vitest';
import { rowAsJson, saidRow, workRow } from './rows.ts';
import { upsertInto } from './statements.ts';
import { tables } from './tables.ts';
import { mayPass, troubleKind } from './trouble.ts';

test('SNK-1 what PostgreSQL has no letter for is replaced, and nothing else', () => {
  const content = '\0 \ud800 😀 \\u0000 \\ud800 \\\\';
  expect(JSON.parse(rowAsJson({ content }))).toEqual({ content: '\ufffd \ufffd 😀 \\u0000 \\ud800 \\\\' });
});

test('SNK-1 RLY-3 what leaves is masked once more', () => {
  const said = { id: 'e', sessionId: 's', agentId: 'a', role: 'user', skillName: 'user_prompt', ts: 't' } as const;
  const secret = ['ghp', '_', 'Zx81kQp09LmNv72RtYw34BsDe65UaCf1JhG8'].join('');
  expect(JSON.stringify(saidRow({ ...said, content: `use ${secret}` }, 'me'))).not.toContain(secret);
  const item = { key: 'k', id: 'i', title: 't', status: 'running', createdAt: 't' } as const;
  const empty = { dependencies: [], workers: [], sessions: [], touches: [] };
  const work = { ...item, ...empty, project: `/p/${secret}`, files: [`notes/${secret}`] };
  expect(JSON.stringify(workRow(work, 'me'))).not.toContain(secret);
});

test('SNK-1 a row that is there as it should be is not written again, and what was taken from it here stays', () => {
  const text = upsertInto(tables.interactions);
  expect(text).toContain('IS DISTINCT FROM');
  expect(text).toContain('coalesce(excluded.content, t.content)');
});

test.each([
  ['28P01', 'password authentication failed', 'password'],
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND db', 'host'],
  ['ECONNREFUSED', '', 'unreachable'],
  ['57P01', 'terminating connection', 'unreachable'],
  ['42501', 'permission denied', 'rights'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'tls'],
  [undefined, 'The server does not support SSL connections', 'tls'],
  [undefined, 'Connection terminated unexpectedly', 'unreachable'],
  ['22P02', 'invalid input syntax', 'data'],
  ['53100', 'disk full', 'full'],
  ['XX000', 'odd', 'other'],
] as const)('SNK-1 %s is told by its kind', (code, message, kind) => {
  expect(troubleKind(code, message)).toBe(kind);
  expect(mayPass(kind)).toBe(['unreachable', 'other'].includes(kind));
});
