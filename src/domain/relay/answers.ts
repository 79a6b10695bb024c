import { isJsonObject, type Json } from '../../protocol/json.ts';
import type { RelayTarget } from '../../protocol/relay.ts';

/** What came of a request. `unsent`: not a byte of it can have been taken. */
export type Heard =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: Headers; readonly body: string }
  | { readonly kind: 'unsent'; readonly why: string }
  | { readonly kind: 'unsure'; readonly why: string };

/** Names in small letters. */
export type Headers = Readonly<Record<string, string | undefined>>;

/** What a request was for. */
export type Step = 'look' | 'start' | 'say';

/** Why it was refused; the words for people are made elsewhere. */
export const refusals = [
  'token',
  'webhookGone',
  'channelUnknown',
  'threadGone',
  'missingAccess',
  'missingPermission',
  'locked',
  'archived',
  'threadsFull',
  'notForum',
  'wrongKind',
  'tagRequired',
  'redirected',
  'invalid',
  'blocked',
] as const;
export type Refusal = (typeof refusals)[number];

export type Outcome =
  | { readonly kind: 'done'; readonly id?: string | undefined; readonly type?: number | undefined }
  /** A rate limit: it was not taken. */
  | { readonly kind: 'later' }
  /** It was not taken, and may be by and by. */
  | { readonly kind: 'again'; readonly why: string }
  /** It may have been taken. */
  | { readonly kind: 'unsure'; readonly why: string }
  /** What there is no sense in trying again: this message, its thread, or anything at this target. */
  | { readonly kind: 'refused'; readonly ends: 'message' | 'thread' | 'target'; readonly why: Refusal };

export function readAnswer(heard: Heard, target: RelayTarget, step: Step): Outcome {
  if (heard.kind === 'unsent') return { kind: 'again', why: heard.why };
  if (heard.kind === 'unsure') return heard;
  const { status } = heard;
  if (status >= 200 && status < 300) return done(heard, target, step);
  // Without a time it is no limit that could be kept, but a wall: that of a network before the service, for one.
  if (status === 429)
    return retryAfterMs(heard, 0) === undefined ? { kind: 'again', why: 'HTTP 429' } : { kind: 'later' };
  // By HTTP's own words it was not processed.
  if (status === 408 || status === 425) return { kind: 'again', why: `HTTP ${status}` };
  if (status >= 500) return failed(heard, target);
  if (target === 'webhook') return refusedByWebhook(status);
  // Discord says no in JSON and leads nowhere else; a page or a redirection comes from a network before it, and passes.
  if (status < 400 || !isJsonObject(jsonIn(heard.body)))
    return { kind: 'again', why: `HTTP ${status} without Discord's words` };
  return refusedByDiscord(status, codeIn(heard.body), target, step);
}

type Answer = Pick<Extract<Heard, { kind: 'answer' }>, 'headers' | 'body'>;

/** How long to wait; undefined: it is not said. Seconds, with decimals in the body, or a moment. */
export function retryAfterMs({ headers, body }: Answer, now: number): number | undefined {
  const answer = jsonIn(body);
  const told = isJsonObject(answer) ? answer['retry_after'] : undefined;
  const header = headers['retry-after'] ?? '';
  const seconds = typeof told === 'number' ? told : header.trim() === '' ? Number.NaN : Number(header);
  if (seconds >= 0) return Math.ceil(seconds * 1000);
  const moment = Date.parse(header);
  return Number.isNaN(seconds) && !Number.isNaN(moment) ? Math.max(0, moment - now) : undefined;
}

function done({ body }: Answer, target: RelayTarget, step: Step): Outcome {
  if (target === 'webhook') return { kind: 'done' };
  const answer = jsonIn(body);
  const [id, channel, type] = isJsonObject(answer) ? [answer['id'], answer['channel_id'], answer['type']] : [];
  if (typeof id !== 'string') {
    const why = 'an answer without what was made';
    return step === 'look' ? { kind: 'again', why } : { kind: 'unsure', why };
  }
  return {
    kind: 'done',
    // A webhook that began a thread answers with the message, which lies in it.
    id: typeof channel === 'string' ? channel : id,
    type: typeof type === 'number' ? type : undefined,
  };
}

/** What Envoy, which many services stand behind, says where it has handed nothing on. */
const notHandedOn =
  /no healthy upstream|reset reason: (?:(?:local|remote) )?(?:connection (?:failure|timeout)|overflow)/i;

/** 502 is "nobody was there to process it" by Discord's words, and 503 "not now": by a proxy's neither says what was behind it. */
function failed(heard: Extract<Heard, { kind: 'answer' }>, target: RelayTarget): Outcome {
  const { status, body } = heard;
  const why = `HTTP ${status}`;
  const isDiscords = target !== 'webhook' && isJsonObject(jsonIn(body));
  const isNotNow = status === 503 && (isDiscords || retryAfterMs(heard, 0) !== undefined || notHandedOn.test(body));
  return isNotNow || (status === 502 && isDiscords) ? { kind: 'again', why } : { kind: 'unsure', why };
}

function refusedByWebhook(status: number): Outcome {
  if (status < 400) return { kind: 'refused', ends: 'target', why: 'redirected' };
  if (status === 401 || status === 403) return { kind: 'refused', ends: 'target', why: 'token' };
  if (status === 404 || status === 410) return { kind: 'refused', ends: 'target', why: 'webhookGone' };
  return { kind: 'refused', ends: 'message', why: 'invalid' };
}

/** In Discord's form, but not its own: an address that Cloudflare holds off for a while. */
const BLOCKED_BEFORE_DISCORD = 40333;

/** Discord's own numbers; what they don't tell, the status does. */
const byCode: Readonly<Record<number, Pick<Extract<Outcome, { kind: 'refused' }>, 'ends' | 'why'>>> = {
  10015: { ends: 'target', why: 'webhookGone' },
  40001: { ends: 'target', why: 'token' },
  40067: { ends: 'thread', why: 'tagRequired' },
  50001: { ends: 'thread', why: 'missingAccess' },
  50013: { ends: 'thread', why: 'missingPermission' },
  50014: { ends: 'target', why: 'token' },
  50024: { ends: 'thread', why: 'wrongKind' },
  50027: { ends: 'target', why: 'webhookGone' },
  50083: { ends: 'thread', why: 'archived' },
  160005: { ends: 'thread', why: 'locked' },
  160006: { ends: 'thread', why: 'threadsFull' },
  160007: { ends: 'thread', why: 'threadsFull' },
  200000: { ends: 'message', why: 'blocked' },
  200001: { ends: 'thread', why: 'blocked' },
  220001: { ends: 'thread', why: 'invalid' },
  220003: { ends: 'target', why: 'notForum' },
  240000: { ends: 'message', why: 'blocked' },
};

function refusedByDiscord(status: number, code: number | undefined, target: RelayTarget, step: Step): Outcome {
  if (code === BLOCKED_BEFORE_DISCORD) return { kind: 'again', why: `HTTP ${status} of Cloudflare` };
  const known = code === undefined ? undefined : byCode[code];
  if (known) return { kind: 'refused', ...known };
  if (status === 401) return { kind: 'refused', ends: 'target', why: 'token' };
  if (status === 403) return { kind: 'refused', ends: 'thread', why: 'missingPermission' };
  // A webhook that answers so is not to be used again, unless it is only the thread that is gone.
  if (status === 404 && target === 'discordForum' && code !== 10003)
    return { kind: 'refused', ends: 'target', why: 'webhookGone' };
  if (status === 404) return { kind: 'refused', ends: 'thread', why: step === 'say' ? 'threadGone' : 'channelUnknown' };
  return { kind: 'refused', ends: step === 'say' ? 'message' : 'thread', why: 'invalid' };
}

function codeIn(body: string): number | undefined {
  const answer = jsonIn(body);
  const code = isJsonObject(answer) ? answer['code'] : undefined;
  return typeof code === 'number' ? code : undefined;
}

export function jsonIn(body: string): Json | undefined {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return undefined;
  }
}
