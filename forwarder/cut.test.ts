import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BODY_MAX_BYTES, STRING_MAX_BYTES } from '../src/protocol/limits.ts';
import { cutText, DEPTH_MAX, fitPayload } from './cut.ts';
import type { Payload } from './payload.ts';

const essential = {
  session_id: 'session-1',
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_use_id: 'tool-1',
  cwd: '/home/dev/project',
  transcript_path: '/home/dev/t.jsonl',
  agent_id: 'agent-1',
  _meta: { delivery_id: 'delivery-1' },
} as const;

function nested(depth: number, open: string, close: string): Payload {
  return JSON.parse(`{"deep":${open.repeat(depth)}0${close.repeat(depth)}}`) as Payload;
}

describe('FWD-9 one string', () => {
  it.each([
    ['short', 'abc'],
    ['as long as allowed', 'x'.repeat(1000)],
    ['as long as allowed, in letters of three bytes', '한'.repeat(333)],
  ])('FWD-9 %s stays as it is', (_title, text) => {
    expect(cutText(text, 1000)).toBe(text);
  });

  it('FWD-9 keeps head and tail and says how many bytes are gone', () => {
    const text = `HEAD${'x'.repeat(5000)}TAIL`;
    const cut = cutText(text, 1000);
    const [, head = '', gone = '', tail = ''] =
      /^([^\n]*)\n\[agent-mascot: (\d+) bytes cut\]\n([^\n]*)$/.exec(cut) ?? [];
    expect([head.slice(0, 4), tail.slice(-4)]).toEqual(['HEAD', 'TAIL']);
    expect(head.length + Number(gone) + tail.length).toBe(text.length);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1000);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(980);
  });

  it('FWD-9 never cuts through a character', () => {
    const letters = fc.constantFrom('a', 'é', '한', '🦊', '👩‍💻');
    fc.assert(
      fc.property(
        fc.array(letters, { minLength: 40, maxLength: 400 }),
        fc.integer({ min: 80, max: 400 }),
        (parts, max) => {
          const cut = cutText(parts.join(''), max);
          expect(Buffer.from(cut).toString('utf8')).toBe(cut);
          expect(cut).not.toContain('\ufffd');
          expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        },
      ),
    );
  });
});

describe('FWD-9 the whole payload', () => {
  it('FWD-9 an ordinary payload comes through byte for byte', () => {
    const payload = { ...essential, tool_input: { command: 'ls', list: [1, null, true, 'ü🦊'], empty: {} } };
    expect(fitPayload(payload)).toBe(JSON.stringify(payload));
  });

  it('FWD-9 only strings over the limit are cut', () => {
    const small = 'y'.repeat(STRING_MAX_BYTES);
    const result = JSON.parse(fitPayload({ ...essential, small, big: 'x'.repeat(STRING_MAX_BYTES + 1) })) as Record<
      string,
      string
    >;
    expect(result['small']).toBe(small);
    expect(result['big']).toMatch(/x\n\[agent-mascot: \d+ bytes cut\]\nx/);
    expect(Buffer.byteLength(result['big'] ?? '')).toBeLessThanOrEqual(STRING_MAX_BYTES);
  });

  const numbers = Array.from({ length: 400_000 }, (_, index) => index);
  const hugeShapes: readonly (readonly [string, Payload])[] = [
    ['one string of 32 MB', { text: 'x'.repeat(32_000_000) }],
    ['a hundred long strings', { list: Array.from({ length: 100 }, () => 'x'.repeat(200_000)) }],
    ['control characters, which grow sixfold', { list: Array.from({ length: 8 }, () => '\u0001'.repeat(200_000)) }],
    ['lone surrogates', { list: Array.from({ length: 60 }, () => '\ud83e'.repeat(80_000)) }],
    ['very many short strings', { list: Array.from({ length: 60_000 }, (_, index) => `${index} ${'z'.repeat(90)}`) }],
    ['numbers alone', { list: numbers, more: numbers, evenMore: numbers }],
    ['very many keys', Object.fromEntries(numbers.map((index) => [`key number ${index}`, index]))],
    ['a giant key', { ['k'.repeat(6_000_000)]: 1 }],
    ['wide and nested', { grid: Array.from({ length: 900 }, () => Array.from({ length: 900 }, () => ({ a: 1 }))) }],
  ];
  it.each(hugeShapes)('FWD-9 %s fits, and keeps what it is worth nothing without', (_title, shape) => {
    const json = fitPayload({ ...shape, ...essential });
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(BODY_MAX_BYTES);
    expect(JSON.parse(json)).toMatchObject(essential);
    expect(json).toContain('[agent-mascot: ');
  });

  it('FWD-9 cuts the longest first and no more than needed', () => {
    const list = Array.from({ length: 30 }, () => 'x'.repeat(STRING_MAX_BYTES));
    const json = fitPayload({ ...essential, list, prompt: 'p'.repeat(30_000) });
    expect(Buffer.byteLength(json)).toBeGreaterThan(BODY_MAX_BYTES / 3);
    expect((JSON.parse(json) as Record<string, string>)['prompt']).toBe('p'.repeat(30_000));
  });

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('FWD-9 a depth bomb of %s does not overflow', (_title, open, close) => {
    const json = fitPayload({ ...essential, ...nested(200_000, open, close) });
    expect(json.length).toBeLessThan(3000);
    expect(json).toContain('what is nested deeper cut');
    expect(JSON.parse(json)).toMatchObject(essential);
  });

  it('FWD-9 leaves nesting that is deep but not mad alone', () => {
    const payload = nested(DEPTH_MAX - 2, '[', ']');
    expect(fitPayload(payload)).toBe(JSON.stringify(payload));
  });

  it('FWD-9 a key named __proto__ stays a key', () => {
    const text = '{"__proto__":{"polluted":1},"a":{"__proto__":2}}';
    expect(fitPayload(JSON.parse(text) as Payload)).toBe(text);
  });

  it('FWD-9 always fits and always parses', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 4 }), fc.integer({ min: 3000, max: 6000 }), (object, max) => {
        const payload = JSON.parse(JSON.stringify({ ...object, pad: 'p'.repeat(5000), ...essential })) as Payload;
        const json = fitPayload(payload, max);
        expect(Buffer.byteLength(json)).toBeLessThanOrEqual(max);
        expect(JSON.parse(json)).toMatchObject(essential);
      }),
      { numRuns: 200 },
    );
  });
});
