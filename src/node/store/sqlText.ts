/** sql.js hands texts over as C strings of UTF-8: a NUL would end one early, a lone surrogate would become U+FFFD. */
const unfit = /[\0\x01]|[\ud800-\udfff]/u;
const MARK = '\x01';

/** A form of `text` that SQLite keeps apart from every other text's. */
export function toSqlText(text: string): string {
  return unfit.test(text) ? MARK + JSON.stringify(text) : text;
}

export function fromSqlText(stored: string): string {
  return stored.startsWith(MARK) ? (JSON.parse(stored.slice(MARK.length)) as string) : stored;
}
