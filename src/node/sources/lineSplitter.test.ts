import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter, textLines } from './lineSplitter.ts';

function pushAll(pieces: readonly Buffer[], maxLineBytes = 1_000): { lines: string[]; pending: number } {
  const splitter = createLineSplitter(maxLineBytes);
  // Through one buffer that is written over again, as the tail does.
  const shared = Buffer.alloc(Math.max(...pieces.map(({ length }) => length)));
  const lines = pieces.flatMap((piece) => splitter.push(shared.subarray(0, piece.copy(shared))));
  return { lines, pending: splitter.pending() };
}

function cut(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const ends = [...new Set(at.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

test('TRN-1 lines come exactly once and in order, wherever their bytes are cut', () => {
  const text = fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 200 }), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      expect(pushAll(cut(bytes, cuts))).toEqual({ lines: textLines(bytes), pending: 0 });
    }),
  );
});

test('TRN-3 what is no line yet stays out and counts as pending, byte by byte', () => {
  const bytes = Buffer.from('{"a":"한글🙂"}\n{"b":"한');
  const single = [...bytes].map((byte) => Buffer.from([byte]));
  expect(pushAll(single)).toEqual({ lines: ['{"a":"한글🙂"}'], pending: Buffer.byteLength('{"b":"한') });
  expect(pushAll([bytes.subarray(0, -1)]).lines).toEqual(['{"a":"한글🙂"}']);
});

test.each([
  ['a line end of Windows', 'a\r\nb\r\n', ['a', 'b']],
  ['empty lines', '\n\na\n\r\n\nb\n', ['a', 'b']],
  ['a block of NULs before a line', `a\n${'\0'.repeat(50)}b\n\0\n`, ['a', 'b']],
  ['other ends that are part of a text', 'a\u2028b\rc\n', ['a\u2028b\rc']],
])('TRN-3 %s', (_, text, lines) => {
  expect(pushAll([Buffer.from(text)]).lines).toEqual(lines);
});

test('TRN-3 invalid UTF-8 is replaced and harms no other line', () => {
  const bytes = Buffer.concat([Buffer.from('a'), Buffer.from([0xff, 0xc3, 0x0a]), Buffer.from('b\n')]);
  expect(pushAll([bytes]).lines).toEqual(['a\ufffd\ufffd', 'b']);
});

test('TRN-3 a giant line is passed over, its neighbours are not', () => {
  const giant = 'x'.repeat(1_001);
  const allowed = 'y'.repeat(1_000);
  const bytes = Buffer.from(`a\n${giant}\nb\n${allowed}\nc\n${giant}`);
  const expected = { lines: ['a', 'b', allowed, 'c'], pending: 1_001 };
  for (const size of [1, 7, 500, 1_000, 1_003]) {
    const cuts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => (index + 1) * size);
    const pieces = cut(
      bytes,
      cuts.filter((place) => place < bytes.length),
    );
    expect(pushAll(pieces)).toEqual(expected);
  }
});
