export interface Reply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export type ParsedReply = Reply | 'incomplete' | 'malformed';

const HEAD_MAX_BYTES = 16 * 1024;
const endOfHead = '\r\n\r\n';

/**
 * One HTTP/1.1 reply from all bytes received so far. `ended`: the server closed, so that nothing more will come.
 * Strict where a lax reading could take one server's words for another's: a length is digits, and never beside chunks.
 */
export function parseReply(received: Buffer, ended: boolean): ParsedReply {
  const headEnd = received.indexOf(endOfHead);
  if (headEnd < 0)
    return ended || received.length > HEAD_MAX_BYTES || !beginsLikeHttp(received) ? 'malformed' : 'incomplete';
  if (headEnd > HEAD_MAX_BYTES) return 'malformed';
  const head = parseHead(received.toString('latin1', 0, headEnd));
  if (!head) return 'malformed';
  const rest = received.subarray(headEnd + endOfHead.length);
  // 1xx is a word in between (100 Continue, 103 Early Hints): the reply proper follows it.
  if (head.status < 200) return parseReply(rest, ended);
  const body = parseBody(head, rest, ended);
  return typeof body === 'string' ? body : { ...head, body: body.toString('utf8') };
}

function beginsLikeHttp(received: Buffer): boolean {
  const expected = 'HTTP/1.';
  const begin = received.toString('latin1', 0, expected.length);
  return expected.startsWith(begin);
}

function parseHead(text: string): Omit<Reply, 'body'> | undefined {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.[01] ([1-5]\d\d)( |$)/.exec(statusLine);
  if (!status) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    const before = headers.get(key);
    // A length said twice becomes `5,5`, which is no number: then nobody knows where the body ends.
    headers.set(key, before === undefined ? value.trim() : `${before},${value}`);
  }
  return { status: Number(status[1]), headers };
}

function parseBody(
  { status, headers }: Omit<Reply, 'body'>,
  rest: Buffer,
  ended: boolean,
): Buffer | 'incomplete' | 'malformed' {
  if (status === 204 || status === 304) return Buffer.alloc(0);
  const length = headers.get('content-length');
  const coding = headers.get('transfer-encoding');
  if (coding !== undefined) {
    if (length !== undefined || coding.toLowerCase() !== 'chunked') return 'malformed';
    // The last chunk ends in an empty line; anything else need not be walked again and again.
    if (!ended && rest.subarray(-4).toString('latin1') !== endOfHead) return 'incomplete';
    return ifOpen(parseChunks(rest), ended);
  }
  if (length === undefined) return ended ? rest : 'incomplete';
  if (!/^\d{1,15}$/.test(length)) return 'malformed';
  if (rest.length < Number(length)) return ifOpen('incomplete', ended);
  return rest.subarray(0, Number(length));
}

function parseChunks(rest: Buffer): Buffer | 'incomplete' | 'malformed' {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd < 0) return 'incomplete';
    const size = /^([0-9a-f]{1,8})[ \t]*(;|$)/i.exec(rest.toString('latin1', at, lineEnd));
    if (!size) return 'malformed';
    const length = Number.parseInt(size[1] ?? '', 16);
    const begin = lineEnd + 2;
    if (length === 0) return trailersEnd(rest, begin) ? Buffer.concat(chunks) : 'incomplete';
    const end = begin + length;
    if (rest.length < end + 2) return 'incomplete';
    if (rest[end] !== 0x0d || rest[end + 1] !== 0x0a) return 'malformed';
    chunks.push(rest.subarray(begin, end));
    at = end + 2;
  }
}

function trailersEnd(rest: Buffer, at: number): boolean {
  return rest.toString('latin1', at, at + 2) === '\r\n' || rest.indexOf(endOfHead, at) >= 0;
}

/** A server that closed in the middle will not say the rest. */
function ifOpen<T>(body: T, ended: boolean): T | 'malformed' {
  return body === 'incomplete' && ended ? 'malformed' : body;
}
