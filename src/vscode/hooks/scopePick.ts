import * as vscode from 'vscode';
import type { HookAction, ScopeStanding } from '../../app/hooks/hookInstaller.ts';
import type { HookKit } from '../../app/hooks/hookKit.ts';
import type { Scope } from '../../app/hooks/hookPorts.ts';
import { hookScopes, projectScopeIds, type ScopeId } from '../../protocol/providers.ts';
import { foundScopes } from './agentsThere.ts';
import { hookPhrase, scopePhrase, type Tilde } from './hookPhrases.ts';
import { type HookWord, hookWords } from './hookWords.ts';
import { withoutIcons } from '../agentText.ts';
import { pickFolder, projectFolders } from './projectFolders.ts';
import { hasOurs, standingPhrase } from './standings.ts';

interface ScopeItem extends vscode.QuickPickItem {
  readonly scope?: Scope;
  /** A scope of a project, of which the window has several. */
  readonly ask?: ScopeId;
}

/** Asks where, with what is there now. Undefined: the person chose none. */
export async function pickScope(kit: HookKit, action: HookAction, tilde: Tilde): Promise<Scope | undefined> {
  const items = action === 'install' ? await itemsToInstall(kit, tilde) : await itemsToUninstall(kit, tilde);
  if (items.length === 0) {
    void vscode.window.showInformationMessage(hookPhrase('pick.nothing'));
    return undefined;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: hookPhrase(`pick.${action}`),
    placeHolder: hookPhrase('pick.placeholder'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return chosen?.ask === undefined ? chosen?.scope : await scopeOfFolder(kit, chosen.ask, tilde);
}

async function itemsToInstall(kit: HookKit, tilde: Tilde): Promise<readonly ScopeItem[]> {
  const folders = projectFolders();
  const project = folders.length === 1 ? folders[0]?.path : undefined;
  const usual = new Set((await kit.scopes.all(project)).map(({ file }) => file));
  const survey = (await kit.installer.survey(project)).filter(({ scope }) => usual.has(scope.file));
  const found = new Set((await foundScopes(survey.map(({ scope }) => scope))).map(({ file }) => file));
  const items = survey.map((shown) => itemOf(shown, tilde, found.has(shown.scope.file)));
  const projects = folders.length > 1 ? projectScopeIds.map(askingItem) : [];
  const at = items.findIndex(({ scope }) => scope?.provider !== 'claude');
  return at < 0 ? [...items, ...projects] : [...items.slice(0, at), ...projects, ...items.slice(at)];
}

async function itemsToUninstall(kit: HookKit, tilde: Tilde): Promise<readonly ScopeItem[]> {
  return (await surveyAll(kit)).filter(hasOurs).map((shown) => itemOf(shown, tilde, true));
}

/** What is in every scope of the machine and of all the window's projects. */
export async function surveyAll(kit: HookKit): Promise<readonly ScopeStanding[]> {
  const folders = projectFolders();
  const surveys = await Promise.all(
    folders.length === 0 ? [kit.installer.survey()] : folders.map(({ path }) => kit.installer.survey(path)),
  );
  const byFile = new Map(surveys.flat().map((shown) => [shown.scope.file, shown]));
  return [...byFile.values()];
}

function itemOf(shown: ScopeStanding, tilde: Tilde, found: boolean): ScopeItem {
  const { scope } = shown;
  const parts = [standingPhrase(shown), whomPhrase(scope.id), found ? '' : hookPhrase('standing.noAgent')];
  return {
    label: `$(${hookScopes[scope.id].icon}) ${scopePhrase(scope.id)}`,
    description: withoutIcons(tilde(scope.file)),
    detail: parts.filter((part) => part !== '').join(' · '),
    scope,
  };
}

function askingItem(id: ScopeId): ScopeItem {
  return {
    label: `$(${hookScopes[id].icon}) ${scopePhrase(id)}`,
    description: hookPhrase('standing.askFolder'),
    detail: whomPhrase(id),
    ask: id,
  };
}

function whomPhrase(id: ScopeId): string {
  const own = `whom.${id}`;
  return hookPhrase(own in hookWords ? (own as HookWord) : 'whom.agent');
}

async function scopeOfFolder(kit: HookKit, id: ScopeId, tilde: Tilde): Promise<Scope | undefined> {
  const folder = await pickFolder(tilde);
  if (folder === undefined) return undefined;
  return (await kit.scopes.all(folder.path)).find((scope) => scope.id === id);
}
