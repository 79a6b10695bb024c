import * as vscode from 'vscode';
import { type Finding, findingText, findingWords, refusalWords, skipWords } from '../../domain/hooks/findings.ts';
import { hookScopes } from '../../protocol/providers.ts';
import { maskText } from '../../domain/mask/mask.ts';
import type { Tilde } from './hookPhrases.ts';

/** A finding in the person's language. */
export function findingPhrase({ code, values }: Finding, tilde: Tilde): string {
  return vscode.l10n.t(findingWords[code], readable(values, tilde));
}

/** All findings as text for a bug report: in English, with the code that a search finds, without names of the person's folders. */
export function reportText(version: string, findings: readonly Finding[], tilde: Tilde): string {
  const lines = findings.map(
    ({ code, level, values }) =>
      `${level.padEnd(7)} ${code}: ${findingText({ code, values: withTildes(values, tilde) })}`,
  );
  return maskText([`Agent Mascot ${version}, ${process.platform} ${process.arch}`, ...lines, ''].join('\n'));
}

function withTildes(values: Finding['values'], tilde: Tilde): Finding['values'] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? tilde(value) : value]),
  );
}

/** What a place holds: words that are translated too, or a path. */
function readable(values: Finding['values'], tilde: Tilde): Finding['values'] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? inWords(value, tilde) : value]),
  );
}

const known: ReadonlySet<string> = new Set([
  ...Object.values(hookScopes).map(({ name }) => name),
  ...Object.values(refusalWords),
  ...Object.values(skipWords),
]);

/** The reason of a broken list comes with the event's name before it. */
function inWords(value: string, tilde: Tilde): string {
  const [, before = '', words = value] = /^(\w+: )(.*)$/s.exec(value) ?? [];
  return known.has(words) ? before + vscode.l10n.t(words) : tilde(value);
}
