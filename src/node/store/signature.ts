/** CNV-3: a few hundred bytes that tell of most texts that they do not contain what is looked for. No text can be read out of them. */
export interface Signer {
  /** Empty for a text without a character. */
  signatureOf(text: string): Uint32Array;
}

/** From Hangul on a character is a syllable or a word: two of them tell as much as three letters do. */
const FIRST_DENSE = 0x1100;

/** So every bit is set by chance in every fifth signature. */
const BITS_PER_HASH = 4;
const WORD_BITS = 32;
/** 8 KB. A longer text is read in vain more often. */
const WORDS_MAX = 2_048;
/** So many begin at one character. */
const HASHES_MAX = 6;
/** Enough to tell any text from all others. */
const PROBES_MAX = 24;

/** A place for each of the upper 18 bits of a hash. */
const MET_BITS = 2 ** 18;

/** To be kept and used again: it has its own working memory. */
export function createSigner(): Signer {
  const met = new Uint32Array(MET_BITS / WORD_BITS);
  let hashes = new Uint32Array(16_384);
  return {
    signatureOf(text) {
      if (hashes.length < text.length * HASHES_MAX) hashes = new Uint32Array(text.length * HASHES_MAX);
      const count = hashInto(hashes, text);
      const words = Math.min(WORDS_MAX, Math.ceil((distinctOf(hashes, count, met) * BITS_PER_HASH) / WORD_BITS));
      const signature = new Uint32Array(words);
      for (let index = 0; index < count; index++) {
        const place = placeOf(hashes[index] as number, words);
        signature[place >>> 5] = (signature[place >>> 5] as number) | (1 << (place & 31));
      }
      return signature;
    },
  };
}

/** What every text that contains this one has set, the most telling first. */
export function probesOf(text: string): Uint32Array {
  const hashes = new Uint32Array(text.length * HASHES_MAX);
  const all = [...new Set(hashes.subarray(0, hashInto(hashes, text)))];
  return Uint32Array.from(all.reverse().slice(0, PROBES_MAX));
}

export function mayContain(signatures: Uint32Array, from: number, words: number, probes: Uint32Array): boolean {
  for (let index = 0; index < probes.length; index++) {
    const place = placeOf(probes[index] as number, words);
    if (((signatures[from + (place >>> 5)] as number) & (1 << (place & 31))) === 0) return false;
  }
  return true;
}

/** In each size elsewhere: a gram that has its place in common with a frequent one would be taken for it in every text. */
function placeOf(hash: number, words: number): number {
  return Math.imul(Math.imul(hash, words * 2 + 1) >>> 16, words * WORD_BITS) >>> 16;
}

/**
 * Two bits for each character and each pair, for much that is looked for has no more; three for a syllable, which may be a word by
 * itself, and for two letters, which are in most texts each. One for three letters, whose pairs are there as well. The last tell most.
 */
function hashInto(hashes: Uint32Array, text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const only = text.charCodeAt(at);
    hashes[count++] = mixed(only, 0x9e3779b1);
    hashes[count++] = mixed(only, 0xb5297a4d);
    if (only >= FIRST_DENSE) hashes[count++] = mixed(only, 0x1b56c4e9);
  }
  let first = text.charCodeAt(0);
  for (let at = 1; at < text.length; at++) {
    const second = text.charCodeAt(at);
    const pair = (first << 16) | second;
    hashes[count++] = mixed(pair, 0xc2b2ae35);
    hashes[count++] = mixed(pair, 0x68e31da4);
    if (first < FIRST_DENSE && second < FIRST_DENSE) hashes[count++] = mixed(pair, 0x9b05688c);
    first = second;
  }
  let [before, middle] = [text.charCodeAt(0), text.charCodeAt(1)];
  for (let at = 2; at < text.length; at++) {
    const last = text.charCodeAt(at);
    if (before < FIRST_DENSE && middle < FIRST_DENSE && last < FIRST_DENSE) {
      hashes[count++] = mixed(((before << 16) | middle) ^ Math.imul(last, 0x27d4eb2f), 0x165667b1);
    }
    before = middle;
    middle = last;
  }
  return count;
}

function distinctOf(hashes: Uint32Array, count: number, met: Uint32Array): number {
  met.fill(0);
  let distinct = 0;
  for (let index = 0; index < count; index++) {
    const place = (hashes[index] as number) >>> 14;
    const bit = 1 << (place & 31);
    const word = met[place >>> 5] as number;
    if ((word & bit) !== 0) continue;
    met[place >>> 5] = word | bit;
    distinct++;
  }
  return distinct;
}

/** Every bit of what goes in changes about half of those that come out; 32 bits of them. */
function mixed(value: number, salt: number): number {
  let hash = Math.imul(value ^ salt, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
