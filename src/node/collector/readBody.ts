import type { IncomingMessage } from 'node:http';

export type Body =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly status: 400 | 408 | 413; readonly error: string };

export interface BodyLimits {
  readonly maxBytes: number;
  readonly deadlineMs: number;
}

/** Reads a body that may be too large, too slow or cut off; the answer to each is an answer, never a throw. */
export function readBody(request: IncomingMessage, { maxBytes, deadlineMs }: BodyLimits): Promise<Body> {
  const tooLarge = { ok: false, status: 413, error: `the body is larger than ${maxBytes} bytes` } as const;
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(tooLarge);
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
      else chunks.push(chunk);
    };
    const onEnd = () => finish(decode(Buffer.concat(chunks)));
    const onBroken = () => finish({ ok: false, status: 400, error: 'the body was cut off' });
    function finish(body: Body): void {
      clearTimeout(deadline);
      request.off('data', onData).off('end', onEnd).off('error', onBroken).off('aborted', onBroken);
      resolve(body);
    }
    request.on('data', onData).on('end', onEnd).on('error', onBroken).on('aborted', onBroken);
  });
}

function decode(bytes: Buffer): Body {
  // A hook's strings may hold broken UTF-8 (a tool's output, cut): a replacement character is better than no event.
  return { ok: true, text: new TextDecoder('utf-8').decode(bytes) };
}
