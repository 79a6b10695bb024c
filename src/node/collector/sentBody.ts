import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BODY_DEADLINE_MS, BODY_MAX_BYTES } from '../../protocol/limits.ts';
import { type Bodies, createBodies } from './bodies.ts';
import { cutLong } from './cutLong.ts';
import { readBody } from './readBody.ts';
import type { SentBody } from './route.ts';
import { createTurns } from './turns.ts';

/**
 * Characters. What is smaller is done within some tenths of a second whatever it is; of larger ones several at once would keep
 * the editor's other extensions, and the windows that ask whether we live, waiting for seconds.
 */
const LARGE = 512 * 1024;

export interface BodyReading {
  readonly bodies?: Bodies | undefined;
  readonly deadlineMs?: number | undefined;
}

export interface Sent {
  read(): Promise<SentBody>;
  /** The work on it is done. */
  end(): void;
}

/** The JSON that came with a request. Of large ones only one is worked on at a time, from its parsing to its `end`. */
export function createBodyReader({ bodies = createBodies(), deadlineMs = BODY_DEADLINE_MS }: BodyReading) {
  const turns = createTurns();

  return (request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Sent => {
    const turn = turns.begin();

    async function read(): Promise<SentBody> {
      const share = bodies.begin();
      signal.addEventListener('abort', share.release);
      if (request.headers.expect !== undefined) response.writeContinue();
      const body = await readBody(request, { maxBytes: BODY_MAX_BYTES, deadlineMs, share, signal });
      if (!body.ok) return body;
      if (body.text.length > LARGE && !(await turn.come(signal))) {
        return { ok: false, status: 503, error: 'the client has gone' };
      }
      const json = parseJson(body.text);
      if (json === undefined) return { ok: false, status: 400, error: 'the body is not JSON' };
      await cutLong(json.value, body.text.length);
      const { text } = body;
      return { ok: true, ...json, sha256: () => createHash('sha256').update(text).digest('hex') };
    }

    return { read, end: turn.end };
  };
}

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
