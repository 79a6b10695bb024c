import { describe, expect, test } from 'vitest';
import { refusal } from './gate.ts';

const token = 'right';
const gate = (open = false) => ({ port: () => 4820, token, unauthenticatedIngest: () => open });
const good = { host: '127.0.0.1:4820', authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const status = (method: string, path: string, headers: Record<string, string | undefined>, open = false) =>
  refusal(gate(open), { method, path, headers })?.status ?? 200;

describe('SEC-1, SEC-2 who may come in', () => {
  const table: readonly [string, number, string, string, Record<string, string | undefined>][] = [
    ['a good post', 200, 'POST', '/ingest', good],
    ['a good read', 200, 'GET', '/api/state', { host: good.host, authorization: good.authorization }],
    ['localhost by name', 200, 'POST', '/ingest', { ...good, host: 'localhost:4820' }],
    ['IPv6 loopback by name', 200, 'POST', '/ingest', { ...good, host: '[::1]:4820' }],
    ['JSON with a charset', 200, 'POST', '/ingest', { ...good, 'content-type': 'application/json; charset=utf-8' }],
    ['the scheme in small letters', 200, 'POST', '/ingest', { ...good, authorization: `bearer ${token}` }],
    ['no token', 401, 'POST', '/ingest', { ...good, authorization: undefined }],
    ['a wrong token', 401, 'POST', '/ingest', { ...good, authorization: 'Bearer wrong' }],
    ['a longer token', 401, 'POST', '/ingest', { ...good, authorization: `Bearer ${token}x` }],
    ['a beginning of the token', 401, 'POST', '/ingest', { ...good, authorization: 'Bearer righ' }],
    ['an empty token', 401, 'POST', '/ingest', { ...good, authorization: 'Bearer ' }],
    ['another scheme', 401, 'POST', '/ingest', { ...good, authorization: `Basic ${token}` }],
    ['a web page', 403, 'POST', '/ingest', { ...good, origin: 'https://evil.example' }],
    ['a page without an origin of its own', 403, 'POST', '/ingest', { ...good, origin: 'null' }],
    ['a page of this machine', 403, 'GET', '/api/state', { ...good, origin: 'http://127.0.0.1:4820' }],
    ['a rebound name', 403, 'POST', '/ingest', { ...good, host: 'evil.example:4820' }],
    ['a rebound name that looks like ours', 403, 'POST', '/ingest', { ...good, host: '127.0.0.1.evil.example:4820' }],
    ['another port', 403, 'POST', '/ingest', { ...good, host: '127.0.0.1:80' }],
    ['no host', 403, 'POST', '/ingest', { ...good, host: undefined }],
    ['plain text, as a form can send it', 415, 'POST', '/ingest', { ...good, 'content-type': 'text/plain' }],
    ['a type that begins like ours', 415, 'POST', '/ingest', { ...good, 'content-type': 'application/jsonp' }],
    ['no type', 415, 'POST', '/ingest', { ...good, 'content-type': undefined }],
    ['health without a token', 200, 'GET', '/health', { host: good.host }],
    ['health from a page', 403, 'GET', '/health', { host: good.host, origin: 'https://evil.example' }],
    ['health from a rebound name', 403, 'GET', '/health', { host: 'evil.example:4820' }],
    ['a post to health', 401, 'POST', '/health', { host: good.host }],
  ];
  test.each(table)('SEC-2 %s: %i', (_name, expected, method, path, headers) => {
    expect(status(method, path, headers)).toBe(expected);
  });
});

test('SEC-4 the opened door is for posting events alone, and never for a page', () => {
  const bare = { host: good.host, 'content-type': 'application/json' };
  expect([
    status('POST', '/ingest', bare, true),
    status('POST', '/api/hook', bare, true),
    status('GET', '/api/state', bare, true),
    status('GET', '/ws', bare, true),
    status('POST', '/ingest', { ...bare, origin: 'https://evil.example' }, true),
    status('POST', '/ingest', { ...bare, 'content-type': 'text/plain' }, true),
  ]).toEqual([200, 200, 401, 401, 403, 415]);
});
