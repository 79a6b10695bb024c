import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromPathPart, toPathPart } from './pathPart.ts';

const odd = [
  '.',
  '..',
  '%2e',
  '%2e%2e',
  '~002e',
  '~~002e',
  'a/../b',
  '..\\..',
  '\ud800',
  'a\udfffb',
  '?',
  '#',
  's 1/ü',
];
const ids = fc.oneof(
  fc.constantFrom(...odd),
  fc.string({ minLength: 1, unit: fc.constantFrom('.', '~', '%', '2', 'e', '0', '/', '\\', '\ud800', '\udc00') }),
  fc.string({ minLength: 1, unit: 'binary' }),
);

test('CNV-4 every id stands in an address as itself alone: no reader of addresses makes another of it', () => {
  fc.assert(
    fc.property(ids, (id) => {
      const { pathname } = new URL(`http://127.0.0.1/api/sessions/${toPathPart(id)}/erase`);
      const parts = pathname.split('/');
      expect([parts.length, fromPathPart(parts[3] ?? '')]).toEqual([5, id]);
    }),
    { numRuns: 500 },
  );
});

test('CNV-4 an id that needs nothing of it stands as everybody writes it', () => {
  expect(['019a-b.c', 's 1/ü', '~x', '...'].map(toPathPart)).toEqual(['019a-b.c', 's%201%2F%C3%BC', '~x', '...']);
});
