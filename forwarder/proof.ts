import { join } from 'node:path';
import {
  answerProofText,
  CHALLENGE_HEADER,
  HEALTH_TEXT,
  PROOF_HEADER,
  PROOF_KEY_FILE_NAME,
  proofText,
} from '../src/protocol/discovery.ts';
import { readOwnFile } from './home.ts';
import type { Reply } from './reply.ts';
import { send } from './request.ts';

const HEALTH_MAX_BYTES = 4 * 1024;
const CHALLENGE_BYTES = 16;

/** An empty file, or one that was being written, would be a key that anybody can guess. */
const KEY_MIN_LENGTH = 16;

/** `why`: there is a key file, but others could have written it. */
export function readProofKey(home: string): { readonly key?: string; readonly why?: string } {
  const file = readOwnFile(join(home, PROOF_KEY_FILE_NAME));
  if (file.kind === 'unsafe') return file;
  const key = file.kind === 'text' ? file.text.trim() : '';
  return key.length < KEY_MIN_LENGTH ? {} : { key };
}

/** Whether what listens on this port knows the key in the home. It learns nothing from the question (FWD-3). */
export async function proves(port: number, key: string, deadlineMs: number): Promise<boolean> {
  // Loading it takes 5 ms, so only the rare hook does that finds no living owner.
  const { randomBytes } = await import('node:crypto');
  const challenge = randomBytes(CHALLENGE_BYTES).toString('hex');
  const reply = await send({
    url: new URL(`http://127.0.0.1:${port}`),
    method: 'GET',
    path: '/health',
    headers: { [CHALLENGE_HEADER]: challenge },
    deadlineMs,
    replyMaxBytes: HEALTH_MAX_BYTES,
  });
  if (typeof reply === 'string' || reply.status !== 200 || reply.body.trim() !== HEALTH_TEXT) return false;
  return bears(reply, key, proofText(challenge, port));
}

/** SEC-8: does this answer to this body come from a collector that knows the key in the home? */
export async function provesAnswer(home: string, port: number, body: string, reply: Reply): Promise<boolean> {
  const { key } = readProofKey(home);
  if (key === undefined) return false;
  const { createHash } = await import('node:crypto');
  return bears(reply, key, answerProofText(port, createHash('sha256').update(body).digest('hex'), reply.body));
}

async function bears({ headers }: Reply, key: string, text: string): Promise<boolean> {
  const { createHmac, timingSafeEqual } = await import('node:crypto');
  const expected = createHmac('sha256', key).update(text).digest();
  const proof = Buffer.from(headers.get(PROOF_HEADER) ?? '', 'hex');
  return proof.length === expected.length && timingSafeEqual(proof, expected);
}
