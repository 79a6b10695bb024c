/** So an id stands in an address where it could not stand as it is: as its UTF-16 code units. */
const spelt = /^~(?:[0-9a-f]{4})+$/;

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/**
 * An id as one part of a path. Whoever reads addresses folds a part of one or two dots away, percent-encoded or not, and what
 * is then asked for is another thing; of half a surrogate pair no address can be made at all.
 */
export function toPathPart(id: string): string {
  if (!/^\.{1,2}$/.test(id) && !HALF_PAIR.test(id) && !spelt.test(id)) return encodeURIComponent(id);
  return `~${id.split('').map(codeUnit).join('')}`;
}

/** The id that was meant; what is not encoded rightly stands for itself. */
export function fromPathPart(part: string): string {
  const text = decoded(part);
  if (!spelt.test(text)) return text;
  const units = text.slice(1).match(/.{4}/g) ?? [];
  return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join('');
}

function codeUnit(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, '0');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
