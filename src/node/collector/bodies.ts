/**
 * Eight bodies of the largest size. Parsed, a body takes several times its bytes, and the process is the editor's own
 * extension host; a thousand hooks of the usual few kilobytes fit many times over.
 */
const BODIES_MAX_BYTES = 32 * 1024 * 1024;

/** SEC-3: what all bodies that are on their way hold together, from their first byte to the end of their answer. */
export interface Bodies {
  begin(): BodyShare;
}

export interface BodyShare {
  /** Whether so many more bytes, which have not come yet, could be held. */
  fits(bytes: number): boolean;
  /** False: nothing more can be held; what was taken so far stays taken until `release`. */
  take(bytes: number): boolean;
  /** For good: whatever comes after it is nobody's to give back, so nothing fits any more. */
  release(): void;
}

export function createBodies(max = BODIES_MAX_BYTES): Bodies {
  let held = 0;
  return {
    begin() {
      let mine = 0;
      let released = false;
      const fits = (bytes: number) => !released && held + bytes <= max;
      return {
        fits,
        take(bytes) {
          if (!fits(bytes)) return false;
          held += bytes;
          mine += bytes;
          return true;
        },
        release() {
          released = true;
          held -= mine;
          mine = 0;
        },
      };
    },
  };
}
