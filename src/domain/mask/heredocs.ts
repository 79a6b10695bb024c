/** A here-document: where it is asked for, and its lines. */
export interface Heredoc {
  readonly operatorAt: number;
  readonly bodyStart: number;
  readonly bodyEnd: number;
}

const operator = /(?<!<)<<-?[ \t]*(["']?)([A-Za-z_][\w.-]*)\1/g;

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at;
}

function bodyEnd(text: string, from: number, mark: string): number {
  let at = from;
  while (at < text.length) {
    const end = lineEnd(text, at);
    if (text.slice(at, end).trim() === mark) return at;
    at = end + 1;
  }
  return text.length;
}

/** In order; an unfinished one reaches to the end of the text. */
export function findHeredocs(text: string): readonly Heredoc[] {
  const found: Heredoc[] = [];
  let at = 0;
  while (at < text.length) {
    const end = lineEnd(text, at);
    let after = end + 1;
    for (const match of text.slice(at, end).matchAll(operator)) {
      const close = bodyEnd(text, after, match[2] ?? '');
      found.push({ operatorAt: at + match.index, bodyStart: Math.min(after, text.length), bodyEnd: close });
      after = lineEnd(text, close) + 1;
    }
    at = after;
  }
  return found;
}

/** How much of a text is not in here-documents. */
export function codeLength(text: string, heredocs: readonly Heredoc[]): number {
  return heredocs.reduce((left, { bodyStart, bodyEnd: end }) => left - Math.max(0, end - bodyStart), text.length);
}

/** The text with every here-document's lines blank, so that they are not taken for commands; all places stay the same. */
export function withoutBodies(text: string, heredocs: readonly Heredoc[]): string {
  const pieces: string[] = [];
  let kept = 0;
  for (const { bodyStart, bodyEnd: end } of heredocs) {
    pieces.push(text.slice(kept, bodyStart), ' '.repeat(Math.max(0, end - bodyStart)));
    kept = end;
  }
  pieces.push(text.slice(kept));
  return pieces.join('');
}
