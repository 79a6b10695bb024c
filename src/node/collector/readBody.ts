import type { IncomingMessage } from 'node:http';
import type { BodyShare } from './bodies.ts';

export type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 408 | 413 | 503; readonly error: string };

export interface BodyLimits {
  readonly maxBytes: number;
  readonly deadlineMs: number;
  /** Released by whoever gave it, once the answer is over: until then the body is still worked on. */
  readonly share: BodyShare;
  /** Aborted once nobody waits for the answer: from then on nothing of the body is kept, though more of it may come. */
  readonly signal: AbortSignal;
}

/** Seen by nobody. */
const gone = { ok: false, status: 503, error: 'the client has gone' } as const;

/** Reads a body that may be too large, too slow or cut off; the answer to each is an answer, never a throw. */
export function readBody(request: IncomingMessage, { maxBytes, deadlineMs, share, signal }: BodyLimits): Promise<Body> {
  const tooLarge = { ok: false, status: 413, error: `the body is larger than ${maxBytes} bytes` } as const;
  const tooMuch = { ok: false, status: 503, error: 'busy: too much is on its way; try again' } as const;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (signal.aborted) return Promise.resolve(gone);
  if (declared > maxBytes) return Promise.resolve(tooLarge);
  if (!share.fits(declared)) return Promise.resolve(tooMuch);
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const deadline = setTimeout(
      () => finish({ ok: false, status: 408, error: `the body did not arrive within ${deadlineMs} ms` }),
      deadlineMs,
    );
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) finish(tooLarge);
      else if (!share.take(chunk.length)) finish(tooMuch);
      else chunks.push(chunk);
    };
    const onEnd = () => finish(decode(Buffer.concat(chunks)));
    const onGone = () => finish(gone);
    const onBroken = () => finish({ ok: false, status: 400, error: 'the body was cut off' });
    function finish(body: Body): void {
      clearTimeout(deadline);
      // What was refused is let go of at once, whatever becomes of its answer.
      if (!body.ok) share.release();
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('aborted', onBroken);
      signal.removeEventListener('abort', onGone);
      resolve(body);
    }
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('aborted', onBroken);
    signal.addEventListener('abort', onGone);
  });
}

function decode(bytes: Buffer): Body {
  // A hook's strings may hold broken UTF-8 (a tool's output, cut): a replacement character is better than no event.
  return { ok: true, text: new TextDecoder('utf-8').decode(bytes) };
}
