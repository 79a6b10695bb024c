/** Where one kind of character meets another: random text changes often, words and names seldom. */
interface Changes {
  /** A digit beside a letter. */
  readonly digit: number;
  /** A lower-case letter beside an upper-case one. */
  readonly case: number;
}

const digitKind = 1;
const lowerKind = 2;
const upperKind = 3;

function kindOf(code: number): number {
  if (code >= 48 && code <= 57) return digitKind;
  if (code >= 97 && code <= 122) return lowerKind;
  return code >= 65 && code <= 90 ? upperKind : 0;
}

function changesIn(value: string): Changes {
  let digit = 0;
  let letterCase = 0;
  let before = 0;
  for (let index = 0; index < value.length; index += 1) {
    const now = kindOf(value.charCodeAt(index));
    if (now !== 0 && before !== 0 && now !== before) {
      if (now === digitKind || before === digitKind) digit += 1;
      else letterCase += 1;
    }
    before = now;
  }
  return { digit, case: letterCase };
}

function distinctIn(value: string): number {
  return new Set(value).size;
}

const blank = /\s/;
const letter = /[A-Za-z]/;
const number = /\d/;
const hexadecimal = /^[0-9a-f]+$/i;
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** Words with a small number at the end of some: `blake2b-512`, `es2015.promise`, `Fira Code 2`. */
const words = /^[A-Za-z]*\d{0,4}(?:[-_.:/+ ][A-Za-z]*\d{0,4})*$/;
/** `1.2.3`, `2.0rc1-x`; but not a number that a key begins with: `1000.77b3aa6a…`. */
const versionLike = /^[v^~]?\d+(?:\.\d+)+(?:[a-z]{1,5}\d{0,4})?(?:$|\W)/;
const pathStart = /^(?:[.~]{0,2}\/[\w.@-]+\/|[A-Za-z]:\\|[a-z][a-z+.-]*:\/\/)/;
const base64 = /^[A-Za-z0-9+/]{40,}={0,2}$/;

/** One base64 text in 64 begins with a slash, but unlike a path it changes often between kinds of characters. */
function isPathLike(value: string): boolean {
  if (!pathStart.test(value)) return false;
  if (!base64.test(value)) return true;
  const changes = changesIn(value);
  return (changes.digit + changes.case) * 3 < value.length;
}

const oddPiece = /[A-Z]{2,}|(?<![a-z])[a-z](?![a-z])/g;

/** Letters alone: names in camel case change at every word, too, but seldom by one small letter or several capitals. */
function mixesCase(value: string, changes: number): boolean {
  if (/[._]/.test(value)) return false;
  if (changes * 20 >= value.length * 9) return true;
  return changes >= 4 && (value.match(oddPiece)?.length ?? 0) >= 3;
}

/** As random as a generated key: holds wherever it stands after a name that calls it a secret. */
export function looksRandom(value: string): boolean {
  if (value.length < 10 || blank.test(value)) return false;
  if (versionLike.test(value) || isPathLike(value)) return false;
  if (uuid.test(value)) return true;
  if (hexadecimal.test(value))
    return value.length >= 16 && letter.test(value) && number.test(value) && distinctIn(value) > 5;
  const changes = changesIn(value);
  if (changes.digit === 0) return value.length >= 16 && mixesCase(value, changes.case) && distinctIn(value) >= 8;
  if (words.test(value) && changes.case * 4 < value.length) return false;
  const all = changes.digit + changes.case;
  if (value.length >= 16) return all >= 4 && all * 5 >= value.length && distinctIn(value) >= 8;
  return changes.digit >= 3 && distinctIn(value) >= 6;
}

/** Could have been typed or generated as a key, judged mildly: for a literal right after a name that calls it one. */
export function looksChosen(value: string): boolean {
  if (value.length < 8 || blank.test(value)) return false;
  if (versionLike.test(value) || isPathLike(value)) return false;
  if (looksRandom(value)) return true;
  if (!letter.test(value) || !number.test(value) || distinctIn(value) < 5) return false;
  return !separatedWords.test(value) && !/[(){}[\]<>|]/.test(value);
}

/** At least two words, or one with an index: `api-key-1`, `token2`, `a.b.c3`. */
const separatedWords = /^[A-Za-z]+(?:[-_.:/][A-Za-z]+)*[-_.:]?\d{0,2}$|^[A-Za-z]+\d{0,4}(?:[-_.:/][A-Za-z]*\d{0,4})+$/;
