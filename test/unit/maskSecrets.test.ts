import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { maskText } from '../../src/domain/mask/mask.ts';

interface SecretForm {
  readonly kind: string;
  /** Each value contains a `¦`, so that secret scanners do not report the file. */
  readonly text: string;
  readonly secret: string;
}

function formsIn(file: string): readonly SecretForm[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as readonly SecretForm[];
}

function without(text: string): string {
  return text.replaceAll('¦', '');
}

function missedOf(forms: readonly SecretForm[]): readonly string[] {
  return forms
    .filter(({ text, secret }) => maskText(without(text)).includes(without(secret)))
    .map(({ kind, text }) => `${kind}: ${text}`);
}

test.each([
  ['secretForms.json', 0.98],
  ['secretFormsWider.json', 0.98],
])('MSK-3 masks the secrets of real-world forms in %s', (title, least) => {
  const forms = formsIn(title);
  const missed = missedOf(forms);
  const recall = 1 - missed.length / forms.length;
  console.log(`mask: ${title}: ${recall.toFixed(4)} of ${String(forms.length)} secret forms found`);
  expect(recall, missed.join('\n')).toBeGreaterThanOrEqual(least);
});
