import { expect, test } from 'vitest';
import { sessionEventOf } from '../sessionEvents.ts';
import { anEvent } from '../event.testkit.ts';
import { reduceAll } from '../reduce.ts';
import { eventRow, idHere, idThere, rowAsJson, saidRow, sessionRow, textThere, workRow } from './rows.ts';
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

test('SNK-1 CNV-4 what an agent was told of other sessions does not go with its own', () => {
  const payload = {
    source: 'startup',
    sessions: 2,
    tokens: 9,
    text: 'their words',
  };
  const told = sessionEventOf(anEvent(1, 'context_loaded', payload), () => true);
  expect(told?.details).toHaveProperty('text');
  const row = eventRow(told!, 'me');
  expect(row).toMatchObject({
    event_type: 'context_loaded',
    details: { source: 'startup', sessions: '2', tokens: '9' },
  });
  expect(JSON.stringify(row)).not.toContain('their words');
});

test('SNK-1 counts of any size fit into their columns', () => {
  const { session } = reduceAll([anEvent(0, 'user_prompt', { prompt: 'x' })])!;
  const counts = { ...session.counts, tokensIn: 1e300, tokensOut: -1e300, prompts: 1.5, replies: NaN };
  expect(sessionRow({ ...session, counts }, 'me')).toMatchObject({
    tokens_in: Number.MAX_SAFE_INTEGER,
    tokens_out: Number.MIN_SAFE_INTEGER,
    prompts: 2,
    replies: 0,
  });
});

test('SNK-1 STA-2 a minute of silence after a turn is no wait for the person, a permission is', () => {
  const waits = (...events: Parameters<typeof anEvent>[]) =>
    sessionRow(reduceAll(events.map((each) => anEvent(...each)))!.session, 'me');
  const silent = waits([0, 'turn_ended', {}], [1, 'notification', { notification_type: 'idle_prompt' }]);
  expect(silent).toMatchObject({ phase: 'waiting_question', waits: false });
  expect(waits([0, 'agent_blocked', { reason: 'permission', tool_name: 'Bash' }])).toMatchObject({ waits: true });
});

test.each(['plain', '', 'x\0', 'x\ud800', 'x\ufffd', '"x', '"', '"x"', '\\u0000'])(
  'SNK-1 CNV-4 the id %j is another one there for each, and found again',
  (id) => {
    const there = idThere(id);
    expect([textThere(there), idHere(there)]).toEqual([there, id]);
  },
);

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
  ['28000', 'no pg_hba.conf entry for host "10.0.0.1", user "u", database "d", no encryption', 'tls'],
  ['28000', 'no pg_hba.conf entry for host "10.0.0.1", user "u", database "d", SSL encryption', 'password'],
  [undefined, 'Connection terminated unexpectedly', 'unreachable'],
  ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN db', 'host'],
  ['21000', 'cannot affect row a second time', 'data'],
  ['22P02', 'invalid input syntax', 'data'],
  ['53100', 'disk full', 'full'],
  ['XX000', 'odd', 'other'],
] as const)('SNK-1 %s is told by its kind', (code, message, kind) => {
  expect(troubleKind(code, message)).toBe(kind);
  // Without a network no host has an address.
  expect(mayPass(kind)).toBe(['unreachable', 'host', 'other'].includes(kind));
});
