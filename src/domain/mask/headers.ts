import type { NameClass } from './names.ts';
import { looksRandom } from './entropy.ts';
import { isLabel, isPlaceholder } from './placeholders.ts';
import type { Span } from './span.ts';

const scheme =
  /^(bearer|basic|token|digest|negotiate|apikey|api-key|ssws|hmac|aws4-hmac-sha256|key|oauth)[ \t]+(?=\S)/i;
const longestHeader = 8192;
const lineEnd = /[\r\n]|\\[rn]/;

/** Up to the end of the line, or of the literal that the header stands in. */
function headerEnd(text: string, start: number, quote: string): number {
  const rest = text.slice(start, start + longestHeader);
  const line = rest.search(lineEnd);
  const end = quote === '' ? rest.search(/["'`]/) : -1;
  const ends = [line, end].filter((at) => at !== -1);
  return start + Math.min(rest.length, ...ends);
}

const credentials = /^[^\s"'`,;<>{}\\]+/;

const encoded = /^(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{8,}={0,2}$/;

/** After a scheme nearly everything is a credential, but for the names that code and manuals put there. */
function isCredential(given: string): boolean {
  if (looksRandom(given) || /^(?=.*\d)[\w.~+/=-]{6,}$/.test(given)) return true;
  if (given.length < 8 || isLabel(given) || /[()[\]]/.test(given)) return false;
  return given.length >= 16 || encoded.test(given);
}

function authorizationSpan(value: string, start: number): Span | undefined {
  const named = scheme.exec(value);
  const given = credentials.exec(value.slice(named?.[0].length ?? 0))?.[0] ?? '';
  if (isPlaceholder(given) || !isCredential(given)) return undefined;
  if (named === null) return looksRandom(given) ? { start, end: start + given.length, kind: 'secret' } : undefined;
  const kind = named[1]?.toLowerCase() ?? '';
  const from = start + named[0].length;
  const whole = /^(?:digest|aws4|hmac)/.test(kind) ? value.length - named[0].length : given.length;
  return { start: from, end: from + whole, kind: kind === 'bearer' || kind === 'basic' ? kind : 'authorization' };
}

const cookiePair = /^\s*([\w!#$%&'*+.^|~-]+)=([^;\s]+)/;

function cookieSpan(value: string, start: number): Span | undefined {
  const pairs = value.split(';', 40);
  if (!cookiePair.test(value)) return undefined;
  const secret = pairs.some((pair) => {
    const found = cookiePair.exec(pair);
    const held = found?.[2] ?? '';
    const session = /sess|sid|auth|token|jwt|csrf|login/i.test(found?.[1] ?? '');
    return !isPlaceholder(held) && (looksRandom(held) || (session && held.length >= 6 && /\d/.test(held)));
  });
  return secret ? { start, end: start + value.length, kind: 'cookie' } : undefined;
}

/** The secret in a header's value; `quote` is what the value itself is quoted in, if it is. */
export function headerSecret(
  text: string,
  nameClass: NameClass,
  start: number,
  valueEnd: number | undefined,
  quote: string,
): Span | undefined {
  const value = text.slice(start, valueEnd ?? headerEnd(text, start, quote));
  return nameClass === 'cookie' ? cookieSpan(value, start) : authorizationSpan(value, start);
}
