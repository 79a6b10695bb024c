/** What the scan does at a character. Everything it does not name is stepped over. */
export const plain = 0;
export const word = 1;
export const separator = 2;
export const opener = 3;
/** A particle or copula that puts a value after a name where words have no blanks between them: `비밀번호는`, `密码是`. */
export const particle = 4;

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
const particles = '는은이가はがも是为為';

function wideClass(code: number): number {
  // Below it are the Latin, Greek and Cyrillic letters and the punctuation between them.
  if (code < 0x3000) return plain;
  const character = String.fromCharCode(code);
  if (wideSeparators.includes(character)) return separator;
  return particles.includes(character) ? particle : plain;
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
