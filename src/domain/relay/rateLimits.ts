import { isJsonObject } from '../../protocol/json.ts';
import { type Heard, type Headers, jsonIn, retryAfterMs } from './answers.ts';

/** What a service said of how much it takes. Times are milliseconds since the epoch. */
export interface RateLimits {
  readonly allUntil: number;
  /** Limits that several routes share, by the service's own name for them. */
  readonly bucketOf: Readonly<Record<string, string>>;
  readonly until: Readonly<Record<string, number>>;
}

export const noLimits: RateLimits = { allUntil: 0, bucketOf: {}, until: {} };

/** Who says "at once" of a limit is asked a little later all the same. */
const SHORTEST_MS = 100;

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
    const told = retryAfterMs({ headers, body }, now);
    if (told === undefined) return limits;
    const until = now + Math.min(LONGEST_MS, Math.max(SHORTEST_MS, told));
    if (isGlobal(headers, body)) return { ...limits, allUntil: Math.max(limits.allUntil, until), bucketOf };
    return pruned({ ...limits, bucketOf, until: { ...limits.until, [bucket]: until } }, now);
  }
  const resetAfter = Number(headers['x-ratelimit-reset-after']);
  if (headers['x-ratelimit-remaining'] !== '0' || !(resetAfter >= 0)) return pruned({ ...limits, bucketOf }, now);
  const until = now + Math.min(LONGEST_MS, Math.ceil(resetAfter * 1000));
  return pruned({ ...limits, bucketOf, until: { ...limits.until, [bucket]: until } }, now);
}

function isGlobal(headers: Headers, body: string): boolean {
  const answer = jsonIn(body);
  return (
    headers['x-ratelimit-global'] === 'true' ||
    headers['x-ratelimit-scope'] === 'global' ||
    // Without Discord's words it is a network before it, which counts all that comes from here.
    !isJsonObject(answer) ||
    answer['global'] === true
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

/** The clock was set back by so much. */
export function sooner({ allUntil, bucketOf, until }: RateLimits, ms: number): RateLimits {
  const earlier = Object.fromEntries(Object.entries(until).map(([route, at]) => [route, at - ms]));
  return { allUntil: allUntil - ms, bucketOf, until: earlier };
}
