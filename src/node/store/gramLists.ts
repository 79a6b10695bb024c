/**
 * CNV-3: the grams of texts. A gram begins at every UTF-16 unit of a text.
 *
 * A unit from U+1100 on (Hangul, kana, Han) is a syllable or a word; it is called dense here. A gram has two units if one of these
 * two is dense. Otherwise it has four, or fewer where a dense unit or the end of the text follows.
 *
 * Grams are numbers below 2 ** 53. Those that begin with the same units are neighbours.
 */
const FIRST_DENSE = 0x1100;
const UNITS_MAX = 4;

/** A gram without a dense unit has a digit for each of four units: the unit plus two, or one of these. Then zeros follow. */
const DIGIT_VALUES = 2 ** 13;
const TEXT_ENDS = 0;
const DENSE_FOLLOWS = 1;

/** A gram whose second unit is dense has this instead of the second digit, which no unit has as its digit, then the unit. */
const DENSE_SECOND = 2 ** 12 + 2 ** 11;

/** A gram whose first unit is dense: this number, and 17 bits for each of the two units. */
const DENSE_FIRST = DIGIT_VALUES ** UNITS_MAX;
const UNIT_VALUES = 2 ** 17;

function gramAt(text: string, at: number): number {
  const first = text.charCodeAt(at);
  const second = at + 1 < text.length ? text.charCodeAt(at + 1) : -1;
  if (first >= FIRST_DENSE) return DENSE_FIRST + first * UNIT_VALUES + second + 1;
  if (second >= FIRST_DENSE) return ((first + 2) * DIGIT_VALUES + DENSE_SECOND) * DIGIT_VALUES ** 2 + second;
  let digit = first + 2;
  let gram = digit;
  for (let index = 1; index < UNITS_MAX; index++) {
    const isOver = digit === TEXT_ENDS || digit === DENSE_FOLLOWS;
    digit = isOver ? 0 : digitAt(text, at + index);
    gram = gram * DIGIT_VALUES + digit;
  }
  return gram;
}

function digitAt(text: string, at: number): number {
  if (at >= text.length) return TEXT_ENDS;
  const unit = text.charCodeAt(at);
  return unit >= FIRST_DENSE ? DENSE_FOLLOWS : unit + 2;
}

/** All grams that begin with the same units. */
export interface GramRange {
  readonly from: number;
  /** The first gram behind the range. */
  readonly to: number;
}

/**
 * Every text that contains this one has a gram out of each of these ranges. If this text is no longer than one gram, there is one
 * range, and only texts that contain it have a gram out of it. The empty text has none.
 */
export function rangesOf(text: string): readonly GramRange[] {
  const ranges: GramRange[] = [];
  // The grams behind the first one that reaches the end of the text are parts of it.
  for (let at = 0, end = 0; end < text.length; at++) {
    const from = gramAt(text, at);
    let units = 0;
    while (units < UNITS_MAX && !(text.charCodeAt(at + units) >= FIRST_DENSE)) units++;
    end = at + Math.max(2, units);
    // What would follow in a longer text may be any unit.
    const missing = Math.max(0, end - text.length);
    ranges.push({ from, to: from + (units === 0 ? UNIT_VALUES : DIGIT_VALUES) ** missing });
  }
  return ranges;
}

export interface GramList {
  readonly gram: number;
  /** The places of the texts that have the gram, ascending. */
  readonly numbers: Uint32Array;
}

/** The grams of these texts, ascending. */
export function* gramLists(texts: readonly string[]): Generator<GramList> {
  const ids = new GramIds();
  const counts: number[] = [];
  const lastTexts: number[] = [];
  // The ids of the grams of all texts, one text behind the other, each gram once for a text.
  const met = new Uint32Array(texts.reduce((sum, text) => sum + text.length, 0));
  let used = 0;
  const ends = texts.map((text, number) => {
    for (let at = 0; at < text.length; at++) {
      const id = ids.idOf(gramAt(text, at));
      if (lastTexts[id] === number) continue;
      lastTexts[id] = number;
      counts[id] = (counts[id] ?? 0) + 1;
      met[used++] = id;
    }
    return used;
  });
  // Where the next number of each gram's list goes; in the end, where the list ends.
  const nexts: number[] = [];
  counts.reduce((start, count, id) => (nexts[id] = start) + count, 0);
  const numbers = new Uint32Array(used);
  ends.forEach((end, number) => {
    for (const id of met.subarray(ends[number - 1] ?? 0, end)) {
      const next = nexts[id] as number;
      numbers[next] = number;
      nexts[id] = next + 1;
    }
  });
  for (const gram of ids.grams().sort()) {
    const id = ids.idOf(gram);
    const end = nexts[id] as number;
    yield { gram, numbers: numbers.subarray(end - (counts[id] as number), end) };
  }
}

/** Gives each gram an id, from 0 on: a hash table with linear probing. A Map takes twice the time. */
class GramIds {
  /** The id of a gram plus one; zero is a free slot. At least half of them are free. */
  #slots = new Uint32Array(2 ** 16);
  #grams = new Float64Array(2 ** 15);
  #size = 0;

  /** A copy, in the order of the ids. */
  grams(): Float64Array {
    return this.#grams.slice(0, this.#size);
  }

  idOf(gram: number): number {
    const slot = this.#slotOf(gram);
    const id = (this.#slots[slot] as number) - 1;
    if (id >= 0) return id;
    if (this.#size === this.#grams.length) {
      this.#grow();
      return this.idOf(gram);
    }
    this.#grams[this.#size++] = gram;
    this.#slots[slot] = this.#size;
    return this.#size - 1;
  }

  /** The slot of the gram, or the free one that it has to have. */
  #slotOf(gram: number): number {
    const upper = Math.floor(gram / 2 ** 32);
    let hash = Math.imul(upper, 0x9e3779b1) ^ Math.imul(gram - upper * 2 ** 32, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
    let slot = hash ^ (hash >>> 13);
    for (;;) {
      slot &= this.#slots.length - 1;
      const id = (this.#slots[slot] as number) - 1;
      if (id < 0 || this.#grams[id] === gram) return slot;
      slot++;
    }
  }

  #grow(): void {
    const grams = this.grams();
    this.#grams = new Float64Array(grams.length * 2);
    this.#grams.set(grams);
    this.#slots = new Uint32Array(grams.length * 4);
    grams.forEach((gram, id) => (this.#slots[this.#slotOf(gram)] = id + 1));
  }
}
