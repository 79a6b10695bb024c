/** Written from right to left, of those that an editor may be shown in. */
const fromTheRight: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'iw', 'ps', 'sd', 'ug', 'ur', 'yi']);

export function directionOf(locale: string): 'ltr' | 'rtl' {
  return fromTheRight.has(locale.split(/[-_]/)[0]?.toLowerCase() ?? '') ? 'rtl' : 'ltr';
}
