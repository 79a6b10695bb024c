import * as vscode from 'vscode';
import { withoutLinks } from '../noticeText.ts';
import { teamWords } from './teamWords.ts';

export function teamPhrase(
  key: keyof typeof teamWords,
  places: Readonly<Record<string, string | number>> = {},
): string {
  return withoutLinks(vscode.l10n.t(teamWords[key], places));
}
