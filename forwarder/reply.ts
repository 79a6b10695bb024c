export interface Reply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export type ParsedReply = Reply | 'incomplete' | 'malformed';

type Head = Omit<Reply, 'body'>;

const HEAD_MAX_BYTES = 16 * 1024;
const endOfHead = '\r\n\r\n';

/** What may stand beside a chunk's length means nothing to us. */
const CHUNK_LINE_MAX_BYTES = 1024;

/** 1xx is a word in between (100 Continue, 103 Early Hints); who never comes to the point is not ours. */
const INTERIM_MAX = 8;

type Unsettled = 'incomplete' | 'malformed';

export interface ReplyReader {
  readonly add: (piece: Buffer) => ParsedReply;
  /** The server closed: what it has not said by now, it will not say. */
  readonly end: () => Reply | 'malformed';
}

/**
 * Reads one HTTP/1.1 reply as its bytes come in, looking at each once.
 * Strict where a lax reading could take one server's words for another's: a length is digits, and never beside chunks.
 */
export function replyReader(): ReplyReader {
  // With room at its end: it doubles when full, so that a long reply is not copied again for each piece of it.
  let bytes: Buffer = Buffer.alloc(0);
  let size = 0;
  // Everything before is understood, and chunks are joined in place behind it.
  let at = 0;
  let bodyStart = 0;
  let bodyEnd = 0;
  let interim = 0;
  let head: Head | undefined;

  const rest = (from: number) => bytes.subarray(from, size);

  const readHead = (): Head | Unsettled => {
    const end = rest(at).indexOf(endOfHead);
    if (end > HEAD_MAX_BYTES) return 'malformed';
    if (end < 0) return size - at > HEAD_MAX_BYTES || !mayBeHttp(rest(at)) ? 'malformed' : 'incomplete';
    const found = parseHead(rest(at).toString('latin1', 0, end));
    at += end + endOfHead.length;
    bodyStart = bodyEnd = at;
    return found ?? 'malformed';
  };

  const readBody = ({ status, headers }: Head, ended: boolean): Buffer | Unsettled => {
    if (status === 204 || status === 304) return Buffer.alloc(0);
    const length = headers.get('content-length');
    const coding = headers.get('transfer-encoding');
    if (coding !== undefined)
      return length !== undefined || coding.toLowerCase() !== 'chunked' ? 'malformed' : readChunks();
    if (length === undefined) return ended ? rest(at) : 'incomplete';
    if (!/^\d{1,15}$/.test(length)) return 'malformed';
    return size - at < Number(length) ? 'incomplete' : rest(at).subarray(0, Number(length));
  };

  const readChunks = (): Buffer | Unsettled => {
    while (true) {
      const line = rest(at).subarray(0, CHUNK_LINE_MAX_BYTES);
      const lineEnd = line.indexOf('\r\n');
      if (lineEnd < 0) return line.length < CHUNK_LINE_MAX_BYTES ? 'incomplete' : 'malformed';
      const digits = /^([0-9a-f]{1,8})[ \t]*(;|$)/i.exec(line.toString('latin1', 0, lineEnd))?.[1];
      if (digits === undefined) return 'malformed';
      const begin = at + lineEnd + 2;
      const end = begin + Number.parseInt(digits, 16);
      if (end === begin) return readTrailers(rest(begin));
      if (size < end + 2) return 'incomplete';
      if (bytes[end] !== 0x0d || bytes[end + 1] !== 0x0a) return 'malformed';
      bytes.copyWithin(bodyEnd, begin, end);
      bodyEnd += end - begin;
      at = end + 2;
    }
  };

  const readTrailers = (trailers: Buffer): Buffer | Unsettled => {
    if (trailers.indexOf('\r\n') === 0 || trailers.includes(endOfHead)) return bytes.subarray(bodyStart, bodyEnd);
    return trailers.length > HEAD_MAX_BYTES ? 'malformed' : 'incomplete';
  };

  const read = (ended: boolean): ParsedReply => {
    while (!head) {
      const next = readHead();
      if (typeof next === 'string') return next;
      if (next.status >= 200) head = next;
      else if (++interim > INTERIM_MAX) return 'malformed';
    }
    const body = readBody(head, ended);
    return typeof body === 'string' ? body : { ...head, body: body.toString('utf8') };
  };

  return {
    add: (piece) => {
      if (size + piece.length > bytes.length) {
        bytes = Buffer.concat([rest(0)], Math.max(size + piece.length, 2 * size));
      }
      size += piece.copy(bytes, size);
      return read(false);
    },
    end: () => {
      const reply = read(true);
      return reply === 'incomplete' ? 'malformed' : reply;
    },
  };
}

function mayBeHttp(received: Buffer): boolean {
  return 'HTTP/1.'.startsWith(received.toString('latin1', 0, 7));
}

function parseHead(text: string): Head | undefined {
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
