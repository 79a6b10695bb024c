import type { NameClass } from './names.ts';
import { looksRandom } from './entropy.ts';
import { isLabel, isPlaceholder } from './placeholders.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';

const scheme =
  /^(bearer|basic|token|digest|negotiate|apikey|api-key|ssws|hmac|aws4-hmac-sha256|key|oauth)[ \t]+(?=\S)/i;
/** Any other word before what must look random. */
const unknownScheme = /^([A-Za-z][\w-]{1,30})[ \t]+(?=\S{10})/;
/** Schemes whose credential is one of several parameters. */
const signed = /(?:response|signature|token|mac|sig|key|id)\\?["']?=\\?["']?[\w%+/=.-]{16,}/i;
/** `Hawk id="…", mac="…"`: the parameters are quoted, so a quote does not end the header. */
const quotedParameters = /^[A-Za-z][\w-]{1,30}[ \t]+\w{1,40}\\?["']?=\\?["']/;
const longestHeader = 8192;

/** Up to the end of the line, or of the literal that the header stands in. */
function headerEnd(reading: Reading, start: number, quote: string): number {
  const end = Math.min(reading.text.length, start + longestHeader, reading.stopAfter('line', start));
  return quote === '' ? Math.min(end, reading.stopAfter('quote', start)) : end;
}

const encoded = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{8,}={0,2}$/;

/** After a scheme nearly everything is a credential, but for the names that code and manuals put there. */
function isCredential(given: string): boolean {
  if (looksRandom(given) || /^(?=.*\d)[\w.~+/=-]{6,}$/.test(given)) return true;
  if (given.length < 8 || isLabel(given) || /[()[\]]/.test(given)) return false;
  return given.length >= 16 || encoded.test(given);
}

/** As much of a credential tells that it is one; thousands of headers may look at the same long word. */
const longestJudged = 128;

function authorizationSpan(reading: Reading, start: number, end: number): Span | undefined {
  const line = Math.min(start + longestHeader, reading.stopAfter('line', start));
  const head = reading.text.slice(start, start + 80);
  const header = reading.text.slice(start, /^(?:Digest|AWS4)/i.test(head) || quotedParameters.test(head) ? line : end);
  const named = scheme.exec(header) ?? unknownScheme.exec(header);
  const from = start + (named?.[0].length ?? 0);
  const stop = Math.min(end, reading.stopAfter('credential', from));
  const given = reading.text.slice(from, Math.min(stop, from + longestJudged));
  const kind = named?.[1]?.toLowerCase() ?? '';
  if (/[,=]/.test(header) && named !== null && signed.test(header.slice(0, 2000)) && !/^(?:bearer|basic)$/.test(kind))
    return { start: from, end: Math.min(from + longestHeader, reading.stopAfter('line', from)), kind: 'authorization' };
  const known = scheme.test(header);
  if (isPlaceholder(given) || !(known ? isCredential(given) : looksRandom(given))) return undefined;
  if (named === null) return looksRandom(given) ? { start, end: stop, kind: 'secret' } : undefined;
  const whole = /^(?:digest|aws4|hmac)/.test(kind) ? end : stop;
  return { start: from, end: whole, kind: kind === 'bearer' || kind === 'basic' ? kind : 'authorization' };
}

const cookiePair = /^\s*([\w!#$%&'*+.^|~-]+)=([^;\s]+)/;
const innerPair = /(?:^|[\s:])([\w!#$%&'*+.^|~-]+)=([^;\s]+)/;

const mostCookies = 40;

function cookieSpan(reading: Reading, start: number, end: number): Span | undefined {
  // One header in another's line, as a log without line ends may have them, was looked at with it.
  if (start < reading.cookiesReadTo) return undefined;
  const value = reading.text.slice(start, end);
  if (!cookiePair.test(value)) return undefined;
  const pairs = value.split(';', mostCookies);
  const secret = pairs.some((pair) => {
    const found = innerPair.exec(pair);
    const held = found?.[2] ?? '';
    const session = /sess|sid|auth|token|jwt|csrf|login/i.test(found?.[1] ?? '');
    return !isPlaceholder(held) && (looksRandom(held) || (session && held.length >= 6 && /\d/.test(held)));
  });
  if (secret) return { start, end, kind: 'cookie' };
  reading.cookiesReadTo = start + pairs.join(';').length;
  return undefined;
}

/** The secret in a header's value; `quote` is what the value itself is quoted in, if it is. */
export function headerSecret(
  reading: Reading,
  nameClass: NameClass,
  start: number,
  valueEnd: number | undefined,
  quote: string,
): Span | undefined {
  const end = valueEnd ?? headerEnd(reading, start, quote);
  return nameClass === 'cookie' ? cookieSpan(reading, start, end) : authorizationSpan(reading, start, end);
}
