import { isJsonObject } from '../../protocol/json.ts';
import { type Heard, type Headers, jsonIn } from './answers.ts';

/** What a service said of how much it takes. Times are milliseconds since the epoch. */
export interface RateLimits {
  readonly allUntil: number;
  /** Limits that several routes share, by the service's own name for them. */
  readonly bucketOf: Readonly<Record<string, string>>;
  readonly until: Readonly<Record<string, number>>;
}

export const noLimits: RateLimits = { allUntil: 0, bucketOf: {}, until: {} };

/** Where a service says that it is too much but not for how long. */
const UNSAID_MS = 5_000;

/** No honest limit is longer, and a wrong number must not keep a queue for ever. */
const LONGEST_MS = 24 * 3_600_000;

/** Of what is over nothing is kept; threads come and go. */
const ROUTES_MAX = 200;

export function limitedUntil({ allUntil, bucketOf, until }: RateLimits, route: string): number {
  return Math.max(allUntil, until[bucketOf[route] ?? route] ?? 0, until[route] ?? 0);
}

export function learnLimits(limits: RateLimits, route: string, heard: Heard, now: number): RateLimits {
  if (heard.kind !== 'answer') return limits;
  const { status, headers, body } = heard;
  const told = headers['x-ratelimit-bucket'];
  // One limit is counted for each channel or webhook of its own, which the bucket's name leaves out.
  const bucket = told === undefined ? route : `${told} ${/\/(?:channels|webhooks)\/(\w+)/.exec(route)?.[1] ?? ''}`;
  const bucketOf = told === undefined ? limits.bucketOf : { ...limits.bucketOf, [route]: bucket };
  if (status === 429) {
    const until = now + Math.min(LONGEST_MS, retryAfterMs(headers, body) ?? UNSAID_MS);
    if (isGlobal(headers, body)) return { ...limits, allUntil: Math.max(limits.allUntil, until), bucketOf };
    return pruned({ ...limits, bucketOf, until: { ...limits.until, [bucket]: until } }, now);
  }
  const resetAfter = Number(headers['x-ratelimit-reset-after']);
  if (headers['x-ratelimit-remaining'] !== '0' || !(resetAfter >= 0)) return pruned({ ...limits, bucketOf }, now);
  const until = now + Math.min(LONGEST_MS, Math.ceil(resetAfter * 1000));
  return pruned({ ...limits, bucketOf, until: { ...limits.until, [bucket]: until } }, now);
}

/** Seconds, with decimals in the body. */
function retryAfterMs(headers: Headers, body: string): number | undefined {
  const answer = jsonIn(body);
  const told = isJsonObject(answer) ? answer['retry_after'] : undefined;
  const seconds = typeof told === 'number' ? told : Number(headers['retry-after'] ?? Number.NaN);
  return seconds >= 0 ? Math.ceil(seconds * 1000) : undefined;
}

function isGlobal(headers: Headers, body: string): boolean {
  const answer = jsonIn(body);
  return (
    headers['x-ratelimit-global'] === 'true' ||
    headers['x-ratelimit-scope'] === 'global' ||
    (isJsonObject(answer) && answer['global'] === true)
  );
}

function pruned(limits: RateLimits, now: number): RateLimits {
  const until = Object.fromEntries(Object.entries(limits.until).filter(([, at]) => at > now));
  const routes = Object.entries(limits.bucketOf);
  return {
    ...limits,
    until,
    bucketOf: routes.length > ROUTES_MAX ? Object.fromEntries(routes.slice(-ROUTES_MAX)) : limits.bucketOf,
  };
}
