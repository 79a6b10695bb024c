import { request } from 'node:http';
import type * as z from 'zod/mini';
import { ANSWER_MAX_BYTES, CONNECT_DEADLINE_MS } from '../../protocol/limits.ts';
import { type AskedOwner, ownerHeaders } from './portFile.ts';

/** A machine under load answers in time; a process that hangs does not. */
const DEADLINE_MS = CONNECT_DEADLINE_MS * 10;

export interface Question {
  readonly path: string;
  /** Makes it a POST. */
  readonly body?: unknown;
  /** For what takes longer than reading. */
  readonly deadlineMs?: number;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** From the owner's routes: the stream carries what people see, not how it came about. Undefined: there is no such answer. */
export async function askOwner<T>(
  owner: Pick<AskedOwner, 'url' | 'token' | 'person'>,
  question: Question,
  schema: z.ZodMiniType<T>,
): Promise<T | undefined> {
  const answer = await answerOf(owner, question);
  const parsed = answer?.status === 200 ? schema.safeParse(answer.body) : undefined;
  return parsed?.success ? parsed.data : undefined;
}

/** Undefined: nobody answered. */
export function answerOf(
  owner: Pick<AskedOwner, 'url' | 'token' | 'person'>,
  { path, body, deadlineMs = DEADLINE_MS }: Question,
): Promise<Answer | undefined> {
  return new Promise((resolve) => {
    const asked = request(`${owner.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...ownerHeaders(owner), 'content-type': 'application/json' },
      // A connection kept for the next question would keep the owner's port busy after it ends.
      agent: false,
      timeout: deadlineMs,
    });
    asked.on('response', (response) => {
      const parts: Buffer[] = [];
      let size = 0;
      response.on('data', (part: Buffer) => {
        size += part.length;
        if (size > ANSWER_MAX_BYTES) asked.destroy();
        else parts.push(part);
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(parts).toString('utf8')) }),
      );
      response.on('close', () => resolve(undefined));
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(undefined));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
