import { cutText, KEY_MAX_BYTES } from '../../../forwarder/cut.ts';
import { STRING_MAX_BYTES } from '../../protocol/limits.ts';
import { createBreather } from './breathe.ts';

type Holder = Record<string | number, unknown>;

/** A UTF-16 unit takes at most three bytes, so a body with fewer of them holds nothing that is too long. */
const SHORTEST = STRING_MAX_BYTES / 3;

/** About a millisecond’s. */
const PER_BREATH = 16 * 1024;

/**
 * FWD-9 for what comes by another way than the forwarder's: a text must be masked in one go, so it may not have any length. What
 * is cut is what the forwarder would have cut, with its care for a token that the cut goes through. In place: the value was parsed
 * here and is nobody else's. Its own stack, since it may be nested deeper than the machine's.
 */
export async function cutLong(value: unknown, textLength: number): Promise<void> {
  if (textLength <= SHORTEST || !isHolder(value)) return;
  const breathe = createBreather();
  const waiting = [value];
  let seen = 0;
  for (let holder = waiting.pop(); holder; holder = waiting.pop()) {
    for (const key of keysOf(holder)) {
      const child = holder[key];
      if (isHolder(child)) waiting.push(child);
      else if (typeof child === 'string' && child.length > SHORTEST) holder[key] = cutText(child, STRING_MAX_BYTES);
      if (typeof key === 'string' && key.length > KEY_MAX_BYTES / 3) shortenKey(holder, key);
      if (++seen % PER_BREATH === 0) await breathe();
    }
  }
}

/** Of a list the numbers: as texts, the way objects have them, a million of them are slow. */
function keysOf(holder: Holder): Iterable<string | number> {
  return Array.isArray(holder) ? holder.keys() : Object.keys(holder);
}

function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null;
}

function shortenKey(holder: Holder, key: string): void {
  const short = cutText(key, KEY_MAX_BYTES);
  if (short === key) return;
  const value = holder[key];
  delete holder[key];
  holder[short] = value;
}
