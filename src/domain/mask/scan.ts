import { assignedSecret, passedSecret } from './assignments.ts';
import { findKeyBlocks } from './blocks.ts';
import { classAt, opener, plain, separator, word, wordEnd } from './chars.ts';
import { flagSecret } from './flags.ts';
import { patchSecrets } from './patches.ts';
import type { Span } from './span.ts';
import { awsSecretBeside, azureSecret, shortestToken, tokenInRun } from './tokens.ts';
import { urlSecret } from './urls.ts';

/** `==`, `=>`, `:=`, `::`: an operator is taken whole, and what it introduces stands after it. */
function operatorEnd(text: string, at: number): number {
  let end = at + 1;
  while (end - at < 3 && (text[end] === '=' || text[end] === '>' || text[end] === '~')) end += 1;
  return end;
}

function isFlagStart(text: string, start: number): boolean {
  if (text[start] !== '-') return false;
  const before = text[start - 1];
  return (
    before === undefined || before === ' ' || before === '"' || before === "'" || before === '\n' || before === '\t'
  );
}

function wordSecret(text: string, start: number, end: number): Span | undefined {
  if (end - start >= shortestToken) {
    const span = tokenInRun(text, start, end);
    if (span !== undefined) return span;
  } else if (text[end] === '~') {
    const span = azureSecret(text, start, end);
    if (span !== undefined) return span;
  }
  return isFlagStart(text, start) ? flagSecret(text, start, end) : undefined;
}

function separatorSecret(text: string, at: number): Span | undefined {
  if (text[at] === ':' && text[at + 1] === '/' && text[at + 2] === '/') return urlSecret(text, at);
  return assignedSecret(text, at, operatorEnd(text, at));
}

/** Every secret in a text, found in one pass from left to right; each look to either side is bounded. */
export function findSecrets(text: string): readonly Span[] {
  const blocks = findKeyBlocks(text);
  const spans: Span[] = [...blocks, ...patchSecrets(text)];
  let nextBlock = 0;
  let at = 0;
  while (at < text.length) {
    const block = blocks[nextBlock];
    if (block !== undefined && at >= block.start) {
      at = Math.max(at, block.end);
      nextBlock += 1;
      continue;
    }
    const kind = classAt(text, at);
    if (kind === plain) {
      at += 1;
      continue;
    }
    const end = kind === word ? wordEnd(text, at) : at + 1;
    const span =
      kind === word
        ? wordSecret(text, at, end)
        : kind === separator
          ? separatorSecret(text, at)
          : kind === opener
            ? passedSecret(text, at)
            : undefined;
    if (span === undefined || span.end <= at) {
      at = end;
      continue;
    }
    spans.push(span);
    const beside = span.kind === 'aws-key' ? awsSecretBeside(text, span.end) : undefined;
    if (beside !== undefined) spans.push(beside);
    at = beside?.end ?? span.end;
  }
  return spans;
}
