/**
 * Two independent 53-bit lanes over UTF-16 units: enough to tell a machine's events apart by accident-free odds, the same
 * on every runtime. Not for secrets: nothing here resists somebody who wants a collision.
 */
export function hashHex(text: string): string {
  return lane(text, 0).toString(16).padStart(14, '0') + lane(text, 0x9e3779b9).toString(16).padStart(14, '0');
}

/** An unsigned 32-bit number, for what needs a seed. */
export function hash32(text: string): number {
  return lane(text, 0x85ebca6b) % 0x1_0000_0000;
}

function lane(text: string, seed: number): number {
  let low = 0xdeadbeef ^ seed;
  let high = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 2654435761);
    high = Math.imul(high ^ unit, 1597334677);
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  return 4294967296 * (2097151 & (high >>> 0)) + (low >>> 0);
}
