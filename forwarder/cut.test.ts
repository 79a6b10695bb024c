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

  const parts = (cut: string) => {
    const [, head = '', gone = '', tail = ''] = /^(.*)\n\[agent-mascot: (\d+) bytes cut\]\n(.*)$/s.exec(cut) ?? [];
    return { head, gone: Number(gone), tail };
  };

  it('FWD-9 keeps head and tail and says how many bytes are gone', () => {
    const text = `HEAD ${'x y '.repeat(1500)} TAIL`;
    const cut = cutText(text, 1000);
    const { head, gone, tail } = parts(cut);
    expect([head.slice(0, 4), tail.slice(-4)]).toEqual(['HEAD', 'TAIL']);
    expect(head.length + gone + tail.length).toBe(text.length);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1000);
    expect(Buffer.byteLength(cut)).toBeGreaterThan(970);
  });

  const token = `ghx_${'A1b2C3d4'.repeat(6)}`;
  const texts: readonly (readonly [string, string])[] = [
    ['words', `${token} `],
    ['words of other scripts', `한글 ${token}　日本 `],
    ['lines', `${token}\n`],
    ['assignments in lines', `  NAME = ${token}\r\n`],
    ['assignments in one line', `name= ${token} and `],
    ['bearers in one line', `-H 'Authorization: Bearer ${token}' -v `],
    ['JSON without white space', `{"id":1,"token":"${token}","more":[2,3]},`],
    ['a query', `a=1&token=${token}&b=2&`],
  ];
  it.each(texts)('FWD-9 MSK-1 a cut through %s leaves no part of a token', (_title, unit) => {
    const text = unit.repeat(Math.ceil(60_000 / unit.length));
    // Every place in which a cut can fall, head and tail.
    for (let max = 40_000; max < 40_000 + 2 * unit.length; max++) {
      const { head, tail } = parts(cutText(text, max));
      expect(`${head}|${tail}`.replaceAll(token, '')).not.toMatch(/[A-D][1-4]|[1-4][b-d]|ghx/);
      expect(head.length).toBeGreaterThan(15_000 / 2);
      expect(tail.length).toBeGreaterThan(1000);
    }
  });

  it.each([
    ['of an assignment', `value= ${token} next `],
    ['of a header', `Authorization: Bearer ${token} next `],
  ])('FWD-9 MSK-1 the tail never begins with the value %s', (_title, unit) => {
    const text = unit.repeat(Math.ceil(30_000 / unit.length));
    for (let max = 10_000; max < 10_000 + 4 * unit.length; max++)
      expect(parts(cutText(text, max)).tail).not.toMatch(/^\W*ghx/);
  });

  it('FWD-9 MSK-1 a line that the cut goes through goes whole', () => {
    const text = 'first second third\n'.repeat(2000);
    for (let max = 20_000; max < 20_040; max++) {
      const { head, tail } = parts(cutText(text, max));
      expect(`${head}\n${tail}`.split('\n').filter((line) => line !== 'first second third')).toEqual(['']);
    }
  });

  it('FWD-9 MSK-1 without any white space, 4 KiB go on both sides of the cut', () => {
    const text = 'x'.repeat(100_000);
    const { head, gone, tail } = parts(cutText(text, 50_000));
    const room = 50_000 - '\n[agent-mascot: 100000 bytes cut]\n'.length;
    expect(head.length + tail.length).toBe(room - 2 * 4096);
    expect(gone).toBe(100_000 - room + 2 * 4096);
  });

  it('FWD-9 MSK-1 where there is no room for that, nothing of such a text is left', () => {
    expect(cutText('x'.repeat(5000), 1000)).toBe('\n[agent-mascot: 5000 bytes cut]\n');
  });

  it('FWD-9 never cuts through a character', () => {
    const letters = fc.constantFrom('a', 'é', '한', '🦊', '👩‍💻', ' ', '\n');
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

  it('FWD-9 never cuts through a character where a text has no white space', () => {
    for (const letter of ['🦊', 'a🦊', '한🦊é']) {
      for (let max = 30_000; max < 30_020; max++) {
        const cut = cutText(letter.repeat(20_000), max);
        expect(Buffer.from(cut).toString('utf8')).toBe(cut);
      }
    }
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

describe('FWD-9 what is large by its structure', () => {
  const wide = (of: string, bytes: number) =>
    ({ ...essential, wide: JSON.parse(`[${`${of},`.repeat(bytes / (of.length + 1))}0]`) as unknown }) as Payload;

  it('FWD-9 SEC-3 a try that does not fit ends when the room is used up, however much there is', () => {
    const reads = { count: 0 };
    const counting = new Proxy(
      Array.from({ length: 2_000_000 }, () => 0),
      {
        get(list, key, receiver) {
          if (typeof key === 'string' && /^\d/.test(key)) reads.count++;
          return Reflect.get(list, key, receiver) as unknown;
        },
      },
    );
    const fitted = JSON.parse(fitPayload({ ...essential, counting }, 10_000)) as Payload;
    expect(fitted).toMatchObject(essential);
    // Each of the tries looks at what ten thousand bytes hold at most, and not at all of it.
    expect(reads.count).toBeLessThan(40_000);
  });

  it.each(['{}', '[]', '1', '{"a":{"b":[1]}}', '""'])('FWD-9 8 MB of %s fit afterwards, with what counts', (of) => {
    const json = fitPayload(wide(of, 8 * 1024 * 1024));
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(BODY_MAX_BYTES);
    expect(JSON.parse(json)).toMatchObject(essential);
  });

  it('FWD-9 what just fits stays whole, and one byte less room cuts it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (extra) => {
        const payload = { ...extra, ...essential } as Payload;
        const json = JSON.stringify(payload);
        const bytes = Buffer.byteLength(json);
        expect(fitPayload(payload, bytes)).toBe(json);
        expect(fitPayload(payload, bytes - 1)).not.toBe(json);
      }),
    );
  });
});
