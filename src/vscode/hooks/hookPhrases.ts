import * as vscode from 'vscode';
import { refusalWords } from '../../domain/hooks/findings.ts';
import { hookScopes, type ScopeId } from '../../protocol/providers.ts';
import type { Refusal } from '../../domain/hooks/settingsEdit.ts';
import { withoutLinks } from '../noticeText.ts';
import { hookWords, type HookWord } from './hookWords.ts';

export type Places = Readonly<Record<string, string | number>>;

export function hookPhrase(key: HookWord, places: Places = {}): string {
  return withoutLinks(vscode.l10n.t(hookWords[key], places));
}

export function scopePhrase(id: ScopeId): string {
  return vscode.l10n.t(hookScopes[id].name);
}

export function reasonPhrase({ reason, event }: Refusal): string {
  const words = vscode.l10n.t(refusalWords[reason]);
  return event === undefined ? words : `${event}: ${words}`;
}

/** A path as a person reads it: what is below their own folder begins with `~`. */
export type Tilde = (file: string) => string;

export function tildeFor(personHome: string): Tilde {
  const home = personHome.replace(/[\\/]+$/, '');
  return (file) => {
    if (home === '' || !file.startsWith(home)) return file;
    const rest = file.slice(home.length);
    return rest === '' || /^[\\/]/.test(rest) ? `~${rest}` : file;
  };
}
