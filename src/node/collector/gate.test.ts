import { describe, expect, test } from 'vitest';
import { type Capability, capabilityOf } from './capabilities.ts';
import { refusal } from './gate.ts';
import { routesAt } from './routes.ts';

const token = 'right';
const gate = (open = false) => ({
  port: () => 4820,
  token: () => token,
  personToken: () => 'person',
  unauthenticatedIngest: () => open,
});
function needsOf(method: string, path: string): Capability | undefined {
  const route = routesAt(path).routes.find((each) => each.method === method);
  return route && capabilityOf(route);
}
const good = { host: '127.0.0.1:4820', authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const status = (method: string, path: string, headers: Record<string, string | undefined>, open = false) =>
  refusal(gate(open), { method, needs: needsOf(method, path), headers })?.status ?? 200;

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
    ['a host with a dot at its end', 403, 'POST', '/ingest', { ...good, host: 'localhost.:4820' }],
    ['a host in capitals', 403, 'POST', '/ingest', { ...good, host: 'LOCALHOST:4820' }],
    ['a host without a port', 403, 'POST', '/ingest', { ...good, host: '127.0.0.1' }],
    ['a host with an empty port', 403, 'POST', '/ingest', { ...good, host: '127.0.0.1:' }],
    ['a port that is written otherwise', 403, 'POST', '/ingest', { ...good, host: '127.0.0.1:04820' }],
    ['a name below localhost', 403, 'POST', '/ingest', { ...good, host: 'evil.localhost:4820' }],
    ['somebody’s name before the host', 403, 'POST', '/ingest', { ...good, host: 'me@127.0.0.1:4820' }],
    ['our host as somebody’s name', 403, 'POST', '/ingest', { ...good, host: '127.0.0.1:4820@evil.example' }],
    ['loopback in other words', 403, 'POST', '/ingest', { ...good, host: '127.1:4820' }],
    ['loopback as a number', 403, 'POST', '/ingest', { ...good, host: '2130706433:4820' }],
    ['IPv6 loopback at length', 403, 'POST', '/ingest', { ...good, host: '[0:0:0:0:0:0:0:1]:4820' }],
    ['IPv4 in IPv6', 403, 'POST', '/ingest', { ...good, host: '[::ffff:127.0.0.1]:4820' }],
    ['two hosts in one', 403, 'POST', '/ingest', { ...good, host: '127.0.0.1:4820, evil.example' }],
    ['an empty host', 403, 'POST', '/ingest', { ...good, host: '' }],
    ['an empty origin', 403, 'POST', '/ingest', { ...good, origin: '' }],
    ['an image in a page', 403, 'GET', '/health', { host: good.host, 'sec-fetch-site': 'cross-site' }],
    ['a page of another port', 403, 'GET', '/api/state', { ...good, 'sec-fetch-site': 'same-site' }],
    ['a page of the same port', 403, 'GET', '/api/state', { ...good, 'sec-fetch-site': 'same-origin' }],
    ['a person at a browser', 200, 'GET', '/health', { host: good.host, 'sec-fetch-site': 'none' }],
    ['Node’s own fetch', 200, 'GET', '/api/state', { ...good, 'sec-fetch-mode': 'cors' }],
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

test('SEC-1 the token that lets in is the one of now, and the former is refused from then on', () => {
  let now = 'first';
  const changing = { ...gate(), token: () => now };
  const answers = () =>
    ['first', 'second'].map(
      (given) =>
        refusal(changing, { method: 'POST', needs: 'report', headers: { ...good, authorization: `Bearer ${given}` } })
          ?.status ?? 200,
    );
  const before = answers();
  now = 'second';
  expect([before, answers()]).toEqual([
    [200, 401],
    [401, 200],
  ]);
});
