import { readSync } from 'node:fs';
import { parseObject } from './payload.ts';
import type { Payload } from './payload.ts';

const STDIN = 0;
const CHUNK_BYTES = 64 * 1024;

/** No agent sends a payload near this size; what does would take the machine's memory for a picture of a mascot. */
export const INPUT_MAX_BYTES = 64 * 1024 * 1024;

export class InputError extends Error {}

/**
 * All of standard input. Read by descriptor: agents hand over a socket, which can't be opened as /dev/stdin, and
 * `process.stdin` would load its stream classes first. Only a descriptor that does not wait needs those.
 */
export async function readInput(maxBytes: number = INPUT_MAX_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const add = (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes)
      throw new InputError(`the hook's payload is over ${maxBytes / 1024 / 1024} MiB and was not sent`);
    chunks.push(chunk);
  };
  try {
    while (true) {
      const buffer = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, Math.min(size, 16 * CHUNK_BYTES)));
      const length = readSync(STDIN, buffer);
      if (length === 0) break;
      add(buffer.subarray(0, length));
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    // Windows reports a closed pipe as an error; EAGAIN is a descriptor that does not wait.
    if (code === 'EAGAIN') for await (const chunk of process.stdin) add(chunk as Buffer);
    else if (code !== 'EOF') throw new InputError(`standard input can't be read (${code ?? 'unknown error'})`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function parsePayload(text: string): Payload {
  const hint = 'expected the one JSON object that an agent sends to its hooks';
  if (text.trim() === '') throw new InputError(`standard input is empty; ${hint}`);
  const payload = parseObject(text);
  if (!payload) throw new InputError(`standard input is not a JSON object; ${hint}`);
  return payload;
}
