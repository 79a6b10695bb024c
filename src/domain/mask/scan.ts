import { assignedSecret, passedSecret } from './assignments.ts';
import { findKeyBlocks } from './blocks.ts';
import { classAt, opener, noun, plain, separator, word, wordEnd } from './chars.ts';
import { commandSecrets } from './commands.ts';
import { findCutTokens } from './cuts.ts';
import { documentSecrets } from './documents.ts';
import { flagSecret } from './flags.ts';
import { patchSecrets } from './patches.ts';
import { announcedSecret } from './prose.ts';
import { readingOf } from './reading.ts';
import type { Reading } from './reading.ts';
import type { Span } from './span.ts';
import { wideNounSecret } from './sentences.ts';
import { awsSecretBeside, azureSecret, shortHeadedToken, shortestToken, spokenKey, tokenInRun } from './tokens.ts';
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

function wordSecret(reading: Reading, start: number, end: number): Span | undefined {
  const { text } = reading;
  if (end - start >= shortestToken) {
    const span = tokenInRun(text, start, end);
    if (span !== undefined) return span;
  } else {
    const span = text[end] === '~' ? azureSecret(text, start, end) : shortHeadedToken(text, start, end);
    if (span !== undefined) return span;
  }
  if (isFlagStart(text, start)) return flagSecret(reading, start, end);
  return announcedSecret(reading, start, end) ?? spokenKey(text, start, end);
}

function separatorSecret(reading: Reading, at: number): Span | undefined {
  const { text } = reading;
  if (text[at] === ':' && text[at + 1] === '/' && text[at + 2] === '/') return urlSecret(text, at);
  return assignedSecret(reading, at, operatorEnd(text, at));
}

function secretAt(reading: Reading, kind: number, at: number, end: number): Span | undefined {
  switch (kind) {
    case word:
      return wordSecret(reading, at, end);
    case separator:
      return separatorSecret(reading, at);
    case opener:
      return passedSecret(reading, at);
    case noun:
      return wideNounSecret(reading, at);
    default:
      return undefined;
  }
}

/** Every secret in a text, found in one pass from left to right; each look to either side is bounded. */
export function findSecrets(text: string): readonly Span[] {
  const reading = readingOf(text);
  const blocks = findKeyBlocks(text);
  const spans: Span[] = [...blocks, ...patchSecrets(text), ...findCutTokens(text), ...documentSecrets(text)];
  let nextBlock = 0;
  let at = 0;
  // A run may hold thousands of secrets; its end is looked for once.
  let runEnd = 0;
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
    if (kind === word && at >= runEnd) runEnd = wordEnd(text, at);
    const end = kind === word ? runEnd : at + 1;
    if (kind === word) spans.push(...commandSecrets(text, at, end));
    const span = secretAt(reading, kind, at, end);
    if (span === undefined) {
      at = end;
      continue;
    }
    spans.push(span);
    // Some words show that the word before them was a secret.
    if (span.end <= at) {
      at = end;
      continue;
    }
    const beside = span.kind === 'aws-key' ? awsSecretBeside(text, span.end) : undefined;
    if (beside !== undefined) spans.push(beside);
    at = beside?.end ?? span.end;
  }
  return spans;
}
