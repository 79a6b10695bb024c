import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReply } from './reply.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;

function outcome(text: string, ended: boolean): string | readonly [number, string] {
  const reply = parseReply(Buffer.from(text), ended);
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
    ['no body by its status', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['letters of several bytes', `${ok}Content-Length: 6\r\n\r\n한글`, 200, '한글'],
  ];
  it.each(whole)('FWD-4 reads %s', (_title, text, status, body) => {
    expect(outcome(text, false)).toEqual([status, body]);
  });

  it.each(whole)('FWD-4 waits at every byte before the end of a reply with %s', (_title, text) => {
    const bytes = Buffer.from(text);
    const settled = bytes.findIndex((_, length) => typeof parseReply(bytes.subarray(0, length), false) !== 'string');
    const early = settled < 0 ? bytes.length : settled;
    for (let length = 0; length < early; length++)
      expect(parseReply(bytes.subarray(0, length), false)).toBe('incomplete');
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
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }), fc.boolean(), (pieces, ended) => {
        const reply = parseReply(Buffer.from(pieces.join('')), ended);
        return typeof reply === 'string' || reply.status >= 200;
      }),
      { numRuns: 2000 },
    );
  });
});
