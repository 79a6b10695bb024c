import { findSecrets } from './scan.ts';
import { replaceSpans } from './span.ts';

/** What one mask uncovers (a quote that closes elsewhere now) is masked in the next round; a text settles in two or three. */
const mostRounds = 12;

export function maskString(text: string): string {
  let masked = text;
  for (let round = 0; round < mostRounds; round += 1) {
    const spans = findSecrets(masked);
    if (spans.length === 0) break;
    const next = replaceSpans(masked, spans);
    if (next === masked) break;
    masked = next;
  }
  return masked;
}
