import * as vscode from 'vscode';
import { type RelayWord, relayWords } from '../../domain/relay/relayWords.ts';
import { withoutLinks } from '../noticeText.ts';
import { relayPhrases } from './relayWords.ts';

export type RelayPhrase = keyof typeof relayPhrases;

export function relayPhrase(key: RelayPhrase, places: Readonly<Record<string, string>> = {}): string {
  return withoutLinks(vscode.l10n.t(relayPhrases[key], places));
}

/** An owner of another version may name a reason that is not known here. */
export function whyPhrase(why: string, detail = ''): string {
  const key = `why.${why}`;
  return Object.hasOwn(relayPhrases, key) ? relayPhrase(key as RelayPhrase, { detail }) : why;
}

/** What is said in the chat itself. */
export const relayWord: RelayWord = (key, places = {}) => vscode.l10n.t(relayWords[key], places);
