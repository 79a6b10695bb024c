import { interactionOf, searchable } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import { createSigner } from './signature.ts';

/** CNV-3: what the row of a saying holds for the search: a version, who speaks, and the signature of what is said. */
export interface Stamper {
  /** Without an event, or without words in it, a stamp that no search finds. */
  stampOf(event: AgentEvent | undefined): Uint8Array;
}

export const speakers = { nobody: 0, user: 1, assistant: 2 } as const;

/** To be raised with anything that changes stamps, the spelling of `searchable` among it: others are made anew. */
const VERSION = 1;
const HEAD_BYTES = 4;

export function createStamper(): Stamper {
  const signer = createSigner();
  return {
    stampOf(event) {
      const interaction = event && interactionOf(event);
      if (!interaction) return Uint8Array.of(VERSION, speakers.nobody, 0, 0);
      const { buffer, byteOffset, byteLength } = signer.signatureOf(searchable(interaction.content));
      const stamp = new Uint8Array(HEAD_BYTES + byteLength);
      stamp.set([VERSION, speakers[interaction.role]]);
      stamp.set(new Uint8Array(buffer, byteOffset, byteLength), HEAD_BYTES);
      return stamp;
    },
  };
}

export function isStampOfNow(stamp: Uint8Array | undefined): stamp is Uint8Array {
  return stamp?.[0] === VERSION;
}

export function readStamp(stamp: Uint8Array): { readonly speaker: number; readonly bits: Uint8Array } {
  return { speaker: stamp[1] ?? speakers.nobody, bits: stamp.subarray(HEAD_BYTES) };
}
