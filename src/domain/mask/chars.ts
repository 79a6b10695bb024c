import { nounLetters } from './nouns.ts';

/** What the scan does at a character. Everything it does not name is stepped over. */
export const plain = 0;
export const word = 1;
export const separator = 2;
export const opener = 3;
/** A non-ASCII letter by which a noun such as `비밀번호`, `contraseña` or `пароль` is looked up. */
export const noun = 4;

function classTable(): Uint8Array {
  const table = new Uint8Array(128);
  const mark = (characters: string, as: number): void => {
    for (let index = 0; index < characters.length; index += 1) table[characters.charCodeAt(index)] = as;
  };
  mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-', word);
  mark('=:', separator);
  mark(',(>|', opener);
  return table;
}

const classes = classTable();

const wideSeparators = '：＝';
function wideClass(code: number): number {
  if (nounLetters.has(code)) return noun;
  return code > 0xff00 && wideSeparators.includes(String.fromCharCode(code)) ? separator : plain;
}

export function classAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < 128 ? (classes[code] ?? plain) : wideClass(code);
}

export function isWordAt(text: string, index: number): boolean {
  return classAt(text, index) === word;
}

/** Outside the text counts as no letter. */
export function isAlphanumericAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

export function isBlankAt(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === 32 || code === 9;
}

export function isLineEndAt(text: string, index: number): boolean {
  if (index < 0 || index >= text.length) return true;
  const code = text.charCodeAt(index);
  return code === 10 || code === 13;
}

export function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

export function wordEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isWordAt(text, end)) end += 1;
  return end;
}

/** No name is longer. */
export const longestName = 80;

/** Where the word begins that ends at `end`. */
export function wordBefore(text: string, end: number): number {
  let start = end;
  while (end - start < longestName && isWordAt(text, start - 1)) start -= 1;
  return start;
}
