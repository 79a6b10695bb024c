import * as vscode from 'vscode';
import { type RelayWord, relayWords } from '../../domain/relay/relayWords.ts';
import { withoutLinks } from '../noticeText.ts';
import { whyWords } from './deliveryWords.ts';
import { relayPhrases } from './relayWords.ts';

export type RelayPhrase = keyof typeof relayPhrases;

export function relayPhrase(key: RelayPhrase, places: Readonly<Record<string, string>> = {}): string {
  return withoutLinks(vscode.l10n.t(relayPhrases[key], places));
}

export function whyPhrase(why: string, detail = ''): string {
  return withoutLinks(whyWords(why, vscode.l10n, detail));
}

/** What is said in the chat itself. */
export const relayWord: RelayWord = (key, places = {}) => vscode.l10n.t(relayWords[key], places);
