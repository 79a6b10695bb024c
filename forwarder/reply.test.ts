import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replyReader } from './reply.ts';
import type { ParsedReply } from './reply.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

/** All at once, and then the end if it `ended`. */
function read(bytes: Buffer, ended: boolean): ParsedReply {
  const reader = replyReader();
  const reply = reader.add(bytes);
  return ended && reply === 'incomplete' ? reader.end() : reply;
}

function outcome(text: string, ended: boolean): string | readonly [number, string] {
  const reply = read(Buffer.from(text), ended);
  return typeof reply === 'string' ? reply : [reply.status, reply.body];
}

describe('FWD-4 reading a reply', () => {
  const whole: readonly (readonly [string, string, number, string])[] = [
    ['a length', `${ok}Content-Length: 2\r\n\r\nok`, 200, 'ok'],
    ['a length of nothing', 'HTTP/1.1 503 Busy\r\nRetry-After: 1\r\ncontent-length:0\r\n\r\n', 503, ''],
    ['no reason phrase', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n', 200, ''],
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok', 200, 'ok'],
    ['more than its length', `${ok}Content-Length: 2\r\n\r\nokHTTP/1.1 500 Next\r\n\r\n`, 200, 'ok'],
    ['chunks', `${chunked}3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n`, 200, 'abcde'],
    ['chunks with a trailer', `${chunked}1\r\na\r\n0\r\nX-Sum: 1\r\n\r\n`, 200, 'a'],
    ['a chunk that looks like an end', `${chunked}4\r\n\r\n\r\n\r\n0\r\n\r\n`, 200, '\r\n\r\n'],
    ['an interim reply first', `HTTP/1.1 100 Continue\r\n\r\n${ok}Content-Length: 2\r\n\r\nok`, 200, 'ok'],
    [
      'eight interim replies first',
      `${'HTTP/1.1 103 Hints\r\n\r\n'.repeat(8)}${ok}Content-Length: 2\r\n\r\nok`,
      200,
      'ok',
    ],
    ['no body by its status', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['letters of several bytes', `${ok}Content-Length: 6\r\n\r\n한글`, 200, '한글'],
  ];
  it.each(whole)('FWD-4 reads %s', (_title, text, status, body) => {
    expect(outcome(text, false)).toEqual([status, body]);
  });

  it.each(whole)('FWD-4 reads byte by byte a reply with %s', (_title, text, status, body) => {
    const reader = replyReader();
    const replies = Array.from(Buffer.from(text), (_, at) => reader.add(Buffer.from(text).subarray(at, at + 1)));
    const settled = replies.findIndex((reply) => reply !== 'incomplete');
    expect(replies[settled]).toMatchObject({ status, body });
  });

  it.each([
    ['a foreign greeting', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a header without a colon', `${ok}Nonsense\r\n\r\n`],
    ['a folded header', `${ok}A: b\r\n c\r\n\r\n`],
    ['a length that is no number', `${ok}Content-Length: 0x2\r\n\r\nok`],
    ['a negative length', `${ok}Content-Length: -2\r\n\r\nok`],
    ['two lengths', `${ok}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok`],
    ['a length beside chunks', `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['another coding', `${ok}Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n`],
    ['a chunk size that is no number', `${chunked}zz\r\n\r\n`],
    ['a chunk without its end', `${chunked}2\r\nabcd0\r\n\r\n`],
    ['a head without end', `${ok}${'A: b\r\n'.repeat(5000)}`],
    ['a chunk’s line without end', `${chunked}1;${'x'.repeat(2000)}`],
    ['trailers without end', `${chunked}0\r\n${'A: b\r\n'.repeat(5000)}`],
    ['nothing but interim replies', 'HTTP/1.1 100 Go on\r\n\r\n'.repeat(9)],
    ['interim replies that would go deep', 'HTTP/1.1 100 Go on\r\n\r\n'.repeat(100_000)],
  ])('FWD-4 refuses %s', (_title, text) => {
    expect(outcome(text, false)).toBe('malformed');
  });

  it.each([
    ['in the head', ok],
    ['in a body with a length', `${ok}Content-Length: 5\r\n\r\nok`],
    ['in a chunk', `${chunked}5\r\nab`],
    ['before the last chunk', `${chunked}2\r\nab\r\n`],
  ])('FWD-4 a server that closes %s has said nothing', (_title, text) => {
    expect([outcome(text, false), outcome(text, true)]).toEqual(['incomplete', 'malformed']);
  });

  it('FWD-4 without a length the end of the connection is the end of the body', () => {
    const text = `${ok}\r\nall of it`;
    expect([outcome(text, false), outcome(text, true)]).toEqual(['incomplete', [200, 'all of it']]);
  });

  const long: readonly (readonly [string, (bytes: number) => string, string])[] = [
    ['a length', (bytes) => `${ok}Content-Length: ${bytes}\r\n\r\n`, ''],
    ['chunks', () => chunked, '200\r\n'],
    ['no length', () => `${ok}\r\n`, ''],
  ];
  it.each(long)('FWD-4 the time for a long reply with %s grows with its length, not faster', (_title, head, before) => {
    // Small pieces: what is measured is looking again at what came before, not the memory for it.
    const pieceBytes = 512;
    const piece = Buffer.from(`${before}${'x'.repeat(pieceBytes)}${before && '\r\n'}`);
    const time = (pieces: number) => {
      const begin = process.cpuUsage();
      const reader = replyReader();
      reader.add(Buffer.from(head(pieces * pieceBytes)));
      for (let count = 1; count < pieces; count++) expect(reader.add(piece)).toBe('incomplete');
      const reply = reader.add(Buffer.concat([piece, Buffer.from(before && '0\r\n\r\n')]));
      expect(reply === 'incomplete' ? reader.end() : reply).toHaveProperty('body.length', pieces * pieceBytes);
      const { user, system } = process.cpuUsage(begin);
      return user + system;
    };
    const best = (pieces: number) => Math.min(...[1, 2, 3, 4, 5].map(() => time(pieces)));
    // Eight times the length; each piece looked at again with those before it would be 64 times the time.
    expect(best(4096) / best(512)).toBeLessThan(32);
  });

  it('FWD-4 never throws, whatever comes', () => {
    const piece = fc.constantFrom(
      'HTTP/1.1 ',
      '200 OK',
      '\r\n',
      'Content-Length: 3',
      'Transfer-Encoding: chunked',
      '0',
      'ff',
      ':',
      'x',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }), (pieces) => {
        const reader = replyReader();
        const replies = pieces.map((text) => reader.add(Buffer.from(text)));
        const reply = replies.find((settled) => settled !== 'incomplete') ?? reader.end();
        const whole = read(Buffer.from(pieces.join('')), true);
        return typeof reply === 'string' ? reply === whole : reply.status >= 200;
      }),
      { numRuns: 2000 },
    );
  });
});
