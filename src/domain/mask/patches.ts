import { isCredentialFile } from './files.ts';
import type { Span } from './span.ts';

const fileLine = /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?|--- (?:a\/)?|diff --git a\/\S+ b\/)(.+)$/;
const sectionEnd = /^(?:\*\*\* |diff --git )/;
const marker = /^(?:@@|\*\*\* |index [0-9a-f]|new file|deleted file|old mode|new mode|similarity|rename )/;

function isChange(line: string): boolean {
  return !marker.test(line) && fileIn(line) === undefined;
}

/** The file that the lines after this one are about. */
function fileIn(line: string): string | undefined {
  // Without the blanks at its end before it is matched: behind any text of a pattern's they cost the square of their number.
  return fileLine.exec(line.trimEnd())?.[1];
}

/** The changed lines of credential files in a patch or a diff. Names of files and the places of hunks stay. */
export function patchSecrets(text: string): readonly Span[] {
  if (!text.includes('*** ') && !text.includes('+++ ') && !text.includes('diff --git ')) return [];
  const spans: Span[] = [];
  let inside = false;
  let from = -1;
  let at = 0;
  const close = (end: number): void => {
    if (from !== -1 && end > from) spans.push({ start: from, end, kind: 'file-content' });
    from = -1;
  };
  while (at <= text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const line = text.slice(at, Math.min(end, at + 4200));
    const file = fileIn(line);
    if (file !== undefined && file !== '/dev/null') inside = isCredentialFile(file);
    else if (sectionEnd.test(line)) inside = false;
    if (inside && isChange(line) && end > at) {
      if (from === -1) from = at;
    } else close(at - 1);
    at = end + 1;
  }
  close(text.length);
  return spans;
}

/** `path:12:text` for a hit, `path-12-text` for the lines around it. */
const listedForms: readonly RegExp[] = [
  /^[ \t]*((?:[A-Za-z]:)?[^\s:*?"<>|]{1,300}):(?:\d+[:-])?/,
  /^[ \t]*((?:[A-Za-z]:)?[^\s:*?"<>|]{1,300}?)-\d+-/,
];

function listedHead(line: string): string | undefined {
  for (const form of listedForms) {
    const found = form.exec(line);
    if (found?.[1] !== undefined && isCredentialFile(found[1])) return found[0];
  }
  return undefined;
}

/** Lines that a search over many files found in credential files: `.env:3:KEY=…`. */
export function listedSecrets(text: string): readonly Span[] {
  const spans: Span[] = [];
  let at = 0;
  while (at < text.length) {
    const newline = text.indexOf('\n', at);
    const end = newline === -1 ? text.length : newline;
    const head = listedHead(text.slice(at, Math.min(end, at + 400)));
    if (head !== undefined && end > at + head.length)
      spans.push({ start: at + head.length, end, kind: 'file-content' });
    at = end + 1;
  }
  return spans;
}
