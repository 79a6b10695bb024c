import { CHALLENGE_HEADER, HEALTH_TEXT, PROOF_HEADER, proofText } from '../src/protocol/discovery.ts';
import { send } from './request.ts';

const HEALTH_MAX_BYTES = 4 * 1024;
const CHALLENGE_BYTES = 16;

/** An empty file, or one that was being written, would be a key that anybody can guess. */
const KEY_MIN_LENGTH = 16;

export function isProofKey(key: string): boolean {
  return key.length >= KEY_MIN_LENGTH;
}

/** Whether what listens on this port knows the key in the home. It learns nothing from the question (FWD-3). */
export async function proves(port: number, key: string, deadlineMs: number): Promise<boolean> {
  // Loading it takes 5 ms, so only the rare hook does that finds no living owner.
  const { createHmac, randomBytes, timingSafeEqual } = await import('node:crypto');
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
  const expected = createHmac('sha256', key).update(proofText(challenge, port)).digest();
  const proof = Buffer.from(reply.headers.get(PROOF_HEADER) ?? '', 'hex');
  return proof.length === expected.length && timingSafeEqual(proof, expected);
}
