import { describe, expect, test } from 'vitest';
import { type Heard, readAnswer } from './answers.ts';
import { threadName } from './chatText.ts';
import { type Draft, isToldOf, isWait, waitDrafts } from './drafts.ts';
import { englishRelayWord } from './relayWords.ts';
import { learnLimits, limitedUntil, noLimits, sooner } from './rateLimits.ts';
import { isRepeated, withPrompt, withReply } from './replies.ts';
import type { RelaySession } from './records.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const ROUTE = 'POST /channels/1/messages';

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Heard {
  return { kind: 'answer', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}

const waits = (heard: Heard, route = ROUTE) => limitedUntil(learnLimits(noLimits, ROUTE, heard, NOW), route) - NOW;

describe('RLY-2 how long a service wants us to wait', () => {
  test.each<[string, Heard, number]>([
    ['seconds with decimals in the body', answer(429, { retry_after: 64.5671 }), 64_568],
    ['seconds of the header where the body has none', answer(429, {}, { 'retry-after': '2' }), 2_000],
    ['a moment', answer(429, {}, { 'retry-after': new Date(NOW + 90_000).toUTCString() }), 90_000],
    ['a moment that is over', answer(429, {}, { 'retry-after': new Date(NOW - 90_000).toUTCString() }), 100],
    ['at once, which it does not mean', answer(429, { retry_after: 0 }), 100],
    ['less than nothing', answer(429, { retry_after: -3 }, { 'retry-after': '' }), -NOW],
    ['longer than any honest limit', answer(429, { retry_after: 1e9 }), 24 * 3_600_000],
    ['nothing that could be read', answer(429, { retry_after: 'soon' }, { 'retry-after': 'soon' }), -NOW],
    [
      'nothing left until then',
      answer(200, {}, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '0.25' }),
      250,
    ],
    ['something left', answer(200, {}, { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset-after': '9' }), -NOW],
  ])('RLY-2 %s', (_, heard, ms) => {
    expect(waits(heard)).toBe(ms);
  });

  test.each<[string, Heard, boolean]>([
    [
      'shared by all of this channel',
      answer(429, { retry_after: 1, global: false }, { 'x-ratelimit-scope': 'shared' }),
      false,
    ],
    [
      'of this bot on this route',
      answer(429, { retry_after: 1, global: false }, { 'x-ratelimit-scope': 'user' }),
      false,
    ],
    ['of this bot everywhere', answer(429, { retry_after: 1 }, { 'x-ratelimit-scope': 'global' }), true],
    ['everywhere, by the body', answer(429, { retry_after: 1, global: true }), true],
    ['of this address, by the network before Discord', answer(429, '<html>1015</html>', { 'retry-after': '1' }), true],
  ])('RLY-2 a limit %s holds up other routes: %s', (_, heard, isGlobal) => {
    expect(waits(heard, 'POST /channels/2/messages')).toBe(isGlobal ? 1_000 : -NOW);
  });

  test('RLY-2 a clock that is set back leaves a limit as long as it was', () => {
    const limits = learnLimits(noLimits, ROUTE, answer(429, { retry_after: 10 }), NOW);
    expect(limitedUntil(sooner(limits, 3_600_000), ROUTE)).toBe(NOW - 3_600_000 + 10_000);
  });
});

describe('RLY-2 what an answer says', () => {
  test.each<[string, Heard, string]>([
    ['a limit with its time', answer(429, { retry_after: 1 }), 'later'],
    ['a limit without one', answer(429, '<html>Too many requests</html>'), 'again'],
    ['a page of the network before it', answer(403, '<html>error 1020</html>'), 'again'],
    ['a page of a proxy', answer(407, ''), 'again'],
    ['a page where a thread should be', answer(404, '<html>'), 'again'],
    ['no permission, in its own words', answer(403, { code: 50013 }), 'refused'],
    ['too slow', answer(408, ''), 'again'],
    ['an error of its own', answer(500, { message: 'oops' }), 'unsure'],
    ['a gateway that reached nobody', answer(502, { message: 'Bad Gateway' }), 'again'],
    ['a gateway before Discord, which says nothing of what was behind it', answer(502, '<html>'), 'unsure'],
    ['a gateway that waited in vain', answer(504, ''), 'unsure'],
    ['not now', answer(503, { message: 'Service Unavailable' }), 'again'],
    [
      'a proxy that broke off, perhaps after it was taken',
      answer(503, 'upstream connect error or disconnect/reset before headers. reset reason: connection termination'),
      'unsure',
    ],
    [
      'a proxy that reached nobody',
      answer(503, 'upstream connect error or disconnect/reset before headers. reset reason: remote connection failure'),
      'again',
    ],
    ['a proxy with nobody behind it', answer(503, 'no healthy upstream'), 'again'],
    ['a proxy that wants somebody to sign in first', answer(302, ''), 'again'],
    ['a page of a network that wants the same', answer(200, '<html>Welcome</html>'), 'unsure'],
    [
      'an address that is held off for a while',
      answer(403, { code: 40333, message: 'internal network error' }),
      'again',
    ],
  ])('RLY-2 %s', (_, heard, kind) => {
    expect(readAnswer(heard, 'discord', 'say').kind).toBe(kind);
  });

  test.each<[string, Heard, object]>([
    ['no, in any words', answer(403, '<html>'), { kind: 'refused', why: 'token' }],
    ['yes, in any words', answer(200, '<html>'), { kind: 'done' }],
    ['elsewhere', answer(302, ''), { kind: 'refused', ends: 'target', why: 'redirected' }],
    ['not now, without a time', answer(503, ''), { kind: 'unsure' }],
    ['not now, with a time', answer(503, '', { 'retry-after': '3' }), { kind: 'again' }],
  ])('RLY-2 of a webhook is believed: %s', (_, heard, outcome) => {
    expect(readAnswer(heard, 'webhook', 'say')).toMatchObject(outcome);
  });

  test('RLY-2 a channel that did not answer as Discord does is looked at again', () => {
    expect(readAnswer(answer(200, '<html>'), 'discord', 'look').kind).toBe('again');
  });

  test.each([
    [40067, 'tagRequired'],
    [50024, 'wrongKind'],
    [200001, 'blocked'],
  ])('RLY-2 Discord’s %i has words of its own', (code, why) => {
    expect(readAnswer(answer(400, { code }), 'discord', 'start')).toEqual({ kind: 'refused', ends: 'thread', why });
  });
});

describe('RLY-2 one reply, told twice', () => {
  const at = (second: number) => new Date(NOW + second * 1_000).toISOString();
  const session = withReply({ promptAt: at(0) } as RelaySession, { text: 'Line one.\r\n\r\nLine two.', at: at(2) });
  const long = 'word '.repeat(380);

  test.each<[string, boolean, { text: string; at: string }, RelaySession?]>([
    ['with other white space', true, { text: 'Line one.\n\nLine two.  ', at: at(3) }],
    [
      'late, after another reply',
      true,
      { text: 'Line one. Line two.', at: at(1) },
      withReply(session, { text: 'B', at: at(3) }),
    ],
    ['late, after the next prompt', true, { text: 'Line one. Line two.', at: at(1) }, { ...session, promptAt: at(5) }],
    [
      'cut at another place',
      true,
      { text: `${long}...`, at: at(3) },
      withReply(session, { text: `${long}and so on`, at: at(2) }),
    ],
    [
      'in answer to the next prompt',
      false,
      { text: 'Line one. Line two.', at: at(6) },
      { ...session, promptAt: at(5) },
    ],
    ['with other words', false, { text: 'Line one. Line three.', at: at(3) }],
  ])('RLY-2 %s: %s', (_, isSame, said, known = session) => {
    expect(isRepeated(known, said)).toBe(isSame);
  });
});

test('RLY-2 after the clock was set back the same words are news with each prompt, and a prompt told again is none', () => {
  const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();
  const before = withReply({ promptAt: at(0) } as RelaySession, { text: 'Done.', at: at(2) });
  expect(withPrompt(before, at(0), at(3))).toBeUndefined();
  expect(withPrompt(before, at(-1), at(3))).toBeUndefined();
  let said: RelaySession = before;
  for (const seconds of [-3_600, -3_500]) {
    said = { ...said, ...withPrompt(said, at(seconds), at(seconds)) };
    const again = { text: 'Done.', at: at(seconds + 2) };
    expect(isRepeated(said, again)).toBe(false);
    said = withReply(said, again);
    expect(isRepeated(said, again)).toBe(true);
  }
});

describe('RLY-1 one wait, told twice', () => {
  const at = (seconds: number) => new Date(NOW + seconds * 1_000).toISOString();
  const draft = (call: string | undefined, agentId = 's/main'): Draft => ({
    ...{ id: `permission/${agentId}/${call ?? at(2)}`, kind: 'permission', at: at(2), text: '' },
    wait: { agentId, since: at(2), call },
  });
  const told = (tail: string, state = 'sent') =>
    ({ id: `permission/s/main/${tail}`, kind: 'permission', at: at(0), state }) as const;

  test.each<[string, boolean, Draft, ReturnType<typeof told>]>([
    ['by a source that knows the call, after one that does not', true, draft('t1'), told(at(0))],
    ['by a source that does not, after one that does', true, draft(undefined), told('t1')],
    ['of two calls', false, draft('t2'), told('t1')],
    ['of another agent', false, draft(undefined, 's/helper'), told(at(0))],
    ['after the first was answered', false, draft(undefined), told(at(0), 'withdrawn')],
  ])('RLY-1 %s: %s', (_, isSame, wait, before) => {
    expect(isToldOf(wait, before)).toBe(isSame);
  });

  test('RLY-1 it lasts by its call where that is known, and by its moment where not', () => {
    const now = (since: number, toolUseId?: string) => ({ since: at(since), toolUseId });
    const since = at(2);
    expect(isWait({ agentId: 's/main', since, call: 't1' }, now(3, 't2'))).toBe(false);
    expect(isWait({ agentId: 's/main', since, call: 't1' }, now(60, 't1'))).toBe(true);
    expect(isWait({ agentId: 's/main', since }, now(3, 't2'))).toBe(true);
    expect(isWait({ agentId: 's/main', since }, now(60, 't2'))).toBe(false);
  });
});

test('RLY-3 CNV-4 whoever was sent for by a private turn is not told of, though it asks later', () => {
  const wait = { kind: 'permission', since: new Date(NOW).toISOString(), tool: 'fire_person' } as const;
  const agents = [
    { agent: { id: 's/main', wait } },
    { agent: { id: 's/helper', wait }, unlogged: true as const },
  ] as unknown as Parameters<typeof waitDrafts>[0]['agents'];
  expect(waitDrafts({ agents }, englishRelayWord).map(({ wait: of }) => of?.agentId)).toEqual(['s/main']);
});

test('RLY-3 a thread is not named by what the person asked', () => {
  const session = { id: '77d4bc49-9a1e', project: '/work/shop', worktree: 'cart', title: 'Fire Alice' };
  expect(threadName(session)).toBe('shop · cart · 77d4bc49');
});
