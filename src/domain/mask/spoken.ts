import { looksChosen, looksRandom } from './entropy.ts';
import type { NameClass } from './names.ts';
import { isLabel, isPlaceholder } from './placeholders.ts';
import type { Value } from './values.ts';

/** Letters that a value may hold beside ASCII: accented Latin and Cyrillic. Other scripts end a value. */
const wideLetters = 'À-ÖØ-öø-ɏЀ-ӿ';
export const valueLetters = `!-~${wideLetters}`;

const closers: ReadonlyMap<string, string> = new Map(
  ['""', "''", '``', '“”', '””', '„“', '‚‘', '‘’', '’’', '«»', '‹›', '「」', '『』'].map((pair) => [
    pair.charAt(0),
    pair.slice(1),
  ]),
);

/** Quotes and emphasis around a value in a sentence; a value may also begin on the next line. */
const opening = /[ \t\u00a0\u202f\u3000]*(?:\r?\n[ \t]*)?[*_(<]{0,3}/y;
const run = new RegExp(`[${valueLetters}]{1,256}`, 'y');
/** Escapes and entities end a word. */
const wordEnd = /(?:\\[nrt"\\]|&(?:#\d+|[a-z]{2,6});).*$/;
const closing = /[`"'*_.,;:)>\]]+$/;
const longestQuoted = 100;

function quotedFrom(text: string, at: number): Value | undefined {
  const closer = closers.get(text.charAt(at));
  if (closer === undefined) return undefined;
  const line = /^[^\r\n]*/.exec(text.slice(at + 1, at + 1 + longestQuoted))?.[0] ?? '';
  const close = line.indexOf(closer === '“' && !line.includes('“') ? '”' : closer);
  const content = line.slice(0, Math.max(0, close));
  const value = content.trim();
  if (value === '' || value.includes('\\')) return undefined;
  const start = at + 1 + content.indexOf(value);
  return { start, end: start + value.length, text: value, quote: text.charAt(at) };
}

/** What a sentence gives as a value: what stands in quotes, or a word up to a blank or the first letter of a script with no blanks. */
export function wordOf(text: string, from: number): Value | undefined {
  opening.lastIndex = from;
  const at = from + (opening.exec(text)?.[0].length ?? 0);
  const quoted = quotedFrom(text, at);
  if (quoted !== undefined) return quoted;
  const start = closers.has(text.charAt(at)) ? at + 1 : at;
  run.lastIndex = start;
  const given = (run.exec(text)?.[0] ?? '').replace(wordEnd, '');
  const value = given.replace(closing, '');
  return value === '' ? undefined : { start, end: start + value.length, text: value, quote: '' };
}

const algorithm =
  /^(?:(?:sha|aes|rsa|hmac|argon|bcrypt|scrypt|pbkdf|base|curve|secp|blake|ripemd|utf|md|chacha|poly|salsa|crc|fips)[-_]?\d[\w-]*|(?:ed|x|iso|[hrep]s|oauth|http|ipv|es|python|node|tls|ssl|win|int|uint|float|v|var|arg|param|step|level|option)[-_]?\d+(?:[-_]\w*)*)$/i;
const counted = /^\d+(?:[-_]?[a-z]+)(?:-[a-z]+)*$/;
/** Longer values are keys, which other rules find. */
const longestValue = 128;
const mark = /[!@#$%^&*+=?~]/;

/** In a text anything can follow a name, so a value must look like nothing else: a digit or marks among letters. */
export function looksLikeSecret(value: string, nameClass: NameClass, shortest = 8): boolean {
  if (value.length < shortest || value.length > longestValue || isPlaceholder(value) || isLabel(value)) return false;
  if (algorithm.test(value) || counted.test(value) || /[(){}[\]<>|«»]|:\/\//.test(value)) return false;
  if (looksRandom(value)) return true;
  // A key of one word is likelier the name of a type: `token is Es2015Token`.
  if (nameClass !== 'password') return !/^[A-Za-z_$][\w$]*$/.test(value) && looksChosen(value);
  if (/^\d{8,}$|^[A-Za-z]{5,}\d+$|^[A-Za-z]{2,}\d{3,}$/.test(value) || looksChosen(value)) return true;
  if (/^(?=.*[A-Z])[A-Za-z]{3,}[-_][A-Za-z]{3,}\d+$|^[a-z]{3,}-[a-z]{3,}\d{2,}$/.test(value)) return true;
  if (value.length < 8 && /^(?=.*\d)[A-Za-z]+\d\w*[A-Za-z]\w*$/.test(value)) return true;
  return (
    mark.test(value.replace(/[!?]+$/, '')) && /[A-Za-z]/.test(value) && !/^[\w.]+=|[/\\]|@[a-z-]+\.[a-z]/.test(value)
  );
}

const wide = new RegExp(`[${wideLetters}]`, 'g');

/** Each letter that is not ASCII as one that is, so that one set of patterns judges all. */
function inAscii(value: string): string {
  return value.replace(wide, (letter) => {
    const small = String.fromCharCode(97 + (letter.charCodeAt(0) % 23));
    return letter === letter.toLowerCase() ? small : small.toUpperCase();
  });
}

const measured =
  /^\d+[-_]?(?:x|s|h|k|m|st|nd|rd|th|ms|kb|mb|gb|min|px|bits?|bytes?|chars?|characters?|letters?|digits?|symbols?|words?|times?|days?|hours?|minutes?|seconds?|weeks?|months?|years?|rounds?|factor|step|way|zeichen|caracteres|caractères)(?:-[a-z]+)*$/i;
/** What has a number in its name: standards, products, parts of a book. */
const numberedTerm =
  /^(?:wpa|fido|kerberos|ntlmv?|socks|ssha|ascii|ucs|varchar|windows|rfc|cve|fig|figure|page|line|chapter|section|version|release|ubuntu|debian|postgres|postgresql|mysql|redis|java|php|react|vue|angular|vite|log4j|[cefhkpsuw])[-_]?\d+(?:[-_.]\w*)*$/i;
const fileName =
  /\.(?:json5?|ya?ml|toml|ini|env|conf|cfg|txt|md|csv|log|xml|html?|css|[cm]?[jt]sx?|py|rb|go|rs|java|kt|cs|php|sh|sql|pem|key|crt|zip|gz|tar|docx?|pdf|png|lock|properties)$/i;
const host =
  /^[a-z\d-]+(?:\.[a-z\d-]+)*\.(?:com|org|net|io|dev|local|internal|app|co|de|fr|es|jp|kr|ru|br|pt|uk|eu|cloud|lan|test)$|@[\w-]+\.[A-Za-z]/;
const region = /^[a-z]{2}-[a-z]+-\d[a-z]?$/;
const constant = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$|^[A-Z]{2,6}-\d+$/;
const version = /^[v^~]?\d+(?:\.\d+)+|^v\d+(?:\.\d+)*(?:[-+].*)?$/i;
/** `user-2`, `page12`, `Section3`: a name that is counted. */
const numberedName = /^[A-Z][a-z]+\d{1,2}$|^[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{1,2}$/;
const fourWords = /^[a-z]{3,}(?:-[a-z]{3,}){3,}$/i;

/** Could stand in a sentence for other things than a secret: a file, a host, a size, an algorithm, a name in code. */
function isOtherThing(value: string): boolean {
  if (algorithm.test(value) || numberedTerm.test(value) || measured.test(value)) return true;
  if (version.test(value) || region.test(value)) return true;
  if (fileName.test(value) || host.test(value) || constant.test(value)) return true;
  return /[(){}[\]<>|«»/\\]|::|[-=]>|^[\w.]+=|^--?[a-z]|^\$|^@\w+$|^0x/i.test(value) && !looksRandom(value);
}

/**
 * Holds for nearly all that people choose as a password. `named`: a word such as `is` stands between the noun and the value; without it a
 * counted name (`user-2`) does not count.
 */
export function looksSaid(value: string, named: boolean, shortest = 6): boolean {
  const ascii = inAscii(value);
  if (ascii.length < shortest || ascii.length > longestValue || isPlaceholder(ascii) || isLabel(ascii)) return false;
  if (/\s/.test(value) || isOtherThing(ascii)) return false;
  if (/^\d+$/.test(ascii)) return named && ascii.length <= 20;
  if (!/[A-Za-z]/.test(ascii)) return false;
  if (/\d/.test(ascii)) return named || !numberedName.test(ascii);
  return mark.test(ascii.replace(/^[!?#@~+]+|[!?*+]+$/g, '')) || fourWords.test(ascii) || looksRandom(ascii);
}

/** Words that sentences need and passphrases seldom have. */
const grammar =
  /(?:^| )(?:the|an?|is|are|was|be|been|must|should|can|may|will|not|no|to|for|in|on|of|at|by|from|with|and|or|that|this|it|you|your|we|der|die|das|ist|wird|muss|nicht|und|oder|mit|für|von|zu|im|el|la|los|las|es|está|debe|no|en|con|para|le|les|est|doit|pas|et|ou|dans|avec|pour|o|os|as|é|deve|não|em|com|не|и|в|на|для|из|это)(?= |$)/i;
const amount =
  /\d+ (?:chars?|characters?|letters?|digits?|symbols?|words?|times|days|hours|zeichen|wörter|caracteres|palabras|palavras|caractères|mots|символ\S*|слов\S*|знак\S*)(?: |$)/i;
const wordsOnly = /^[\p{L}\p{M}\d'’-]+(?: [\p{L}\p{M}\d'’-]+){1,11}[!?.]?$/u;

/** Several words that somebody chose: with a number among them, or four and more that make no sentence. */
export function looksLikePhrase(value: string): boolean {
  if (value.length < 8 || !wordsOnly.test(value) || amount.test(value) || isPlaceholder(value)) return false;
  const count = value.split(' ').length;
  const numbered = / \d+$|^\d+ | \d+ |[a-z]\d|\d[a-z]/i.test(value);
  if (numbered) return value.replace(grammar, '').length > 8;
  return count >= 4 && !grammar.test(value);
}

/** What people type as a password where a text in quotes could also be a label: words with a number, and no sentence. */
export function isNumberedPhrase(value: string): boolean {
  return looksLikePhrase(value) && /\d/.test(value) && !grammar.test(value);
}

const words = new RegExp(`[A-Za-z\\d${wideLetters}'’-]+(?: [A-Za-z\\d${wideLetters}'’-]+){1,7}`, 'y');
const upToNumber = /^(?:\S+ ){2,7}?\d+(?= |$)/;

/** Unquoted words behind a noun that means a passphrase: up to a number, or to the end of the clause. */
export function phraseAt(text: string, start: number): Value | undefined {
  words.lastIndex = start;
  const given = words.exec(text)?.[0];
  if (given === undefined) return undefined;
  const value = upToNumber.exec(given)?.[0] ?? given;
  return looksLikePhrase(value) && !grammar.test(value)
    ? { start, end: start + value.length, text: value, quote: '' }
    : undefined;
}
