import type { IncomingMessage } from 'node:http';

export interface Oddity {
  readonly status: 400 | 415 | 431;
  readonly error: string;
}

/** A browser sends some twenty, our forwarder six. */
const HEADERS_MAX_COUNT = 100;

/** Said twice, two readers may understand two things by it, and what is checked is not what is used. */
const saidOnce = ['host', 'authorization', 'content-type', 'content-length', 'transfer-encoding', 'origin'] as const;

/** Whatever no honest client sends; refused before anybody has to decide what it means. */
export function oddityOf(request: Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'url'>): Oddity | undefined {
  const { rawHeaders, headers, url = '' } = request;
  if (rawHeaders.length > HEADERS_MAX_COUNT * 2) return { status: 431, error: 'too many headers' };
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const doubled = saidOnce.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (doubled !== undefined) return { status: 400, error: `the header ${doubled} came twice` };
  if (!url.startsWith('/')) return { status: 400, error: 'ask for a path: this is no proxy' };
  if (hasDots(url)) return { status: 400, error: 'bad path: a part of it may not be . or ..' };
  const transfer = headers['transfer-encoding'];
  if (transfer !== undefined && transfer.toLowerCase() !== 'chunked') {
    return { status: 400, error: 'a body comes whole or in chunks, not encoded otherwise' };
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return { status: 415, error: 'unsupported media type: send the body uncompressed' };
  }
  return undefined;
}

/** What reads the path folds them away, and so would do something else than was asked for. */
function hasDots(url: string): boolean {
  const [path = ''] = url.replace(/[\t\n\r]/g, '').split(/[?#]/);
  return path.split(/[/\\]/).some((part) => /^(?:\.|%2e){1,2}$/i.test(part));
}
