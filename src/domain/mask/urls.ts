import { looksRandom } from './entropy.ts';
import { isPlaceholder } from './placeholders.ts';
import type { Span } from './span.ts';

const longestAuthority = 512;
const authorityEnd = /[/\s"'`<>\\|^«]/;
/** Documentation's own examples; with any other user the same words are real enough. */
const exampleUser = /^(?:user|username|usr|u|login|name|foo|abc|a)?$/i;
const examplePassword = /^(?:pass|password|passwd|pwd|pw|p|secret|token|bar|xyz|b|123)$/i;

const hookPaths: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  {
    kind: 'slack-webhook',
    pattern: /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9/_+-]{16,})/y,
  },
  {
    kind: 'discord-webhook',
    pattern: /(?:\w+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/(\d{5,}\/[\w-]{16,})/y,
  },
  { kind: 'teams-webhook', pattern: /[\w.-]{1,60}\.webhook\.office\.com\/(webhookb2\/[\w@/-]{30,})/y },
  { kind: 'telegram-token', pattern: /api\.telegram\.org\/(?:file\/)?bot(\d{6,}:[\w-]{20,})/y },
  { kind: 'zapier-webhook', pattern: /hooks\.zapier\.com\/hooks\/catch\/([\w/]{8,}\w)/y },
  // Other services that accept posts from everybody who knows the address.
  {
    kind: 'webhook',
    pattern:
      /(?:hook\.[\w.]{1,20}make\.com\/|hook\.[\w.]{1,20}integromat\.com\/|hc-ping\.com\/|maker\.ifttt\.com\/trigger\/[\w-]{1,60}\/(?:json\/)?with\/key\/|open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/|connect\.pabbly\.com\/workflow\/sendwebhookdata\/|script\.google\.com\/macros\/s\/|[\w.-]{1,60}(?:infura\.io|alchemy\.com)\/v[23]\/|[\w.-]{1,40}loggly\.com\/(?:inputs|bulk)\/|[\w.:-]{1,80}\/(?:rest\/)?(?:webhooks?(?:-test)?|hooks|push)\/)([\w/=-]{10,})/y,
  },
  { kind: 'webhook', pattern: /(eo\w{10,20})\.m\.pipedream\.net/y },
];

function webhook(text: string, host: number): Span | undefined {
  for (const { kind, pattern } of hookPaths) {
    pattern.lastIndex = host;
    const match = pattern.exec(text);
    const secret = match?.[1];
    if (match === null || secret === undefined || isPlaceholder(secret.split('/').at(-1) ?? '')) continue;
    if (kind === 'webhook' && !secret.split('/').some(looksRandom)) continue;
    const start = host + match[0].lastIndexOf(secret);
    return { start, end: start + secret.length, kind };
  }
  return undefined;
}

/** `user:password@` before a host, and a token alone there. `slashes` is where `://` begins. */
export function urlSecret(text: string, slashes: number): Span | undefined {
  const start = slashes + 3;
  const limit = Math.min(text.length, start + longestAuthority);
  let end = start;
  while (end < limit && !authorityEnd.test(text.charAt(end))) end += 1;
  const at = text.slice(start, end).lastIndexOf('@') + start;
  if (at < start) return webhook(text, start);
  const colon = text.slice(start, at).indexOf(':') + start;
  if (colon < start) {
    const user = text.slice(start, at);
    return user.length >= 16 && looksRandom(user) ? { start, end: at, kind: 'url-password' } : undefined;
  }
  const password = text.slice(colon + 1, at);
  if (password === '' && colon - start >= 16 && looksRandom(text.slice(start, colon)))
    return { start, end: colon, kind: 'url-password' };
  const user = text.slice(start, colon);
  // An address whose query holds an at sign.
  if (/\?.*=|^\d+\?/.test(password) || user.includes('?')) return webhook(text, start);
  if (isUrlExample(user, password)) return undefined;
  if (/^[0-9a-f]{32}$/.test(user)) return { start, end: at, kind: 'url-password' };
  return { start: colon + 1, end: at, kind: 'url-password' };
}

function isUrlExample(user: string, password: string): boolean {
  if (/^(?:\$[A-Za-z_{(]|\$$|\{|<|%[A-Za-z({]|%s|\[|\*+$|x{3,}$|\.{3}|…|#\{|«)/i.test(password)) return true;
  if (password.length < 2 || (/[${}()<>,]/.test(password) && !/\d/.test(password))) return true;
  return exampleUser.test(user) && examplePassword.test(password);
}
