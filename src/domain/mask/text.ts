import { findSecrets } from './scan.ts';
import { replaceSpans } from './span.ts';

/** What one mask uncovers (a quote that closes elsewhere now) is masked in the next round; a text settles in two or three. */
const mostRounds = 12;

/** A round a step. */
export function* maskInRounds(text: string): Generator<undefined, string> {
  let masked = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const spans = findSecrets(masked);
    if (spans.length === 0) break;
    const next = replaceSpans(masked, spans);
    if (next === masked) break;
    masked = next;
    yield;
  }
  return masked;
}

export function maskString(text: string): string {
  return inOneGo(maskInRounds(text));
}

export function inOneGo<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
