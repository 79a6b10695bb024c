/** A piece of text that must not be kept, and what it is. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly kind: string;
}

const opening = '«masked:';

export function maskOf(kind: string): string {
  return `${opening}${kind}»`;
}

export function holdsMask(text: string): boolean {
  return text.includes(opening);
}

/** Spans may touch or overlap; of overlapping ones the earliest names the kind. */
export function replaceSpans(text: string, spans: readonly Span[]): string {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end);
  const pieces: string[] = [];
  let kept = 0;
  for (const { start, end, kind } of sorted) {
    if (start >= kept) pieces.push(text.slice(kept, start), maskOf(kind));
    kept = Math.max(kept, end);
  }
  pieces.push(text.slice(kept));
  return pieces.join('');
}
