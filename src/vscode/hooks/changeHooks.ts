import * as vscode from 'vscode';
import type { HookAction, HookPlan } from '../../app/hooks/hookInstaller.ts';
import type { Scope, Written } from '../../app/hooks/hookPorts.ts';
import { foundScopes } from './agentsThere.ts';
import { consentTo } from './consent.ts';
import type { Change, DifferenceView } from './differenceView.ts';
import { hookPhrase } from './hookPhrases.ts';
import type { HookParts } from './hookParts.ts';
import { standingWord } from './standings.ts';
import { refusalAnswered, unreadableAnswered, writtenAnswered } from './troublesOfFiles.ts';

export interface ChangeParts extends HookParts {
  readonly difference: DifferenceView;
  /** The offer after the person's own scope: asks where else. */
  offerMore(): unknown;
}

const QUIET_TRIES = 5;

export type Outcome = 'written' | 'nothing' | 'left';

/**
 * HKI-1, HKI-2: plans, shows the difference, asks, writes, and tells. Whatever is in the way is told with its place, and each
 * try plans anew, because the file may be another by then.
 */
export async function changeHooks(parts: ChangeParts, action: HookAction, scope: Scope): Promise<Outcome> {
  for (;;) {
    const plan = await parts.kit.installer.plan(action, scope);
    if (plan.kind === 'nothing') {
      tellNothing(parts, plan);
      return 'nothing';
    }
    if (plan.kind !== 'change') {
      if (await hindranceAnswered(parts, plan)) continue;
      return 'left';
    }
    if (!(await consentTo(plan, parts.difference, parts.tilde))) return 'left';
    const written = await parts.kit.installer.carryOut(plan);
    if (written.kind === 'written') {
      void tellDone(parts, plan).catch((error: unknown) => parts.log.warn(String(error)));
      return 'written';
    }
    if (!(await writtenAnswered(parts, plan, written))) return 'left';
  }
}

/** HKI-5: the same without the question, for the one click that puts back what was there. */
export async function putBack(parts: ChangeParts, scope: Scope): Promise<Outcome> {
  for (let changes = 0; ;) {
    const plan = await parts.kit.installer.plan('install', scope);
    if (plan.kind === 'nothing') return 'nothing';
    if (plan.kind !== 'change') {
      if (await hindranceAnswered(parts, plan)) continue;
      return 'left';
    }
    // The record does not say whether it was a link when the person agreed; where it leads now they have not seen.
    if (plan.linkTarget !== undefined) return await changeHooks(parts, 'install', scope);
    const written = await parts.kit.installer.carryOut(plan);
    if (written.kind === 'written') return 'written';
    // The person has asked for the hooks, and not for this very text. Somebody who writes all the time gets the question.
    if (written.kind === 'changed' && ++changes >= QUIET_TRIES) return await changeHooks(parts, 'install', scope);
    if (written.kind !== 'changed' && !(await writtenAnswered(parts, plan, written))) return 'left';
  }
}

/** True: try again. */
function hindranceAnswered(
  parts: ChangeParts,
  plan: Extract<HookPlan, { kind: 'refused' | 'unreadable' }>,
): Promise<boolean> {
  return plan.kind === 'refused'
    ? refusalAnswered(parts.tilde, plan.scope, plan.refusal)
    : unreadableAnswered(parts.tilde, plan.scope, plan.why);
}

function tellNothing({ tilde }: ChangeParts, { action, scope }: Extract<HookPlan, { kind: 'nothing' }>): void {
  const key = action === 'install' ? 'done.nothingToInstall' : 'done.nothingToUninstall';
  void vscode.window.showInformationMessage(hookPhrase(key, { file: tilde(scope.file) }));
}

async function tellDone(parts: ChangeParts, change: Change): Promise<void> {
  const { action, scope } = change;
  const undo = hookPhrase('button.undo');
  const others = hookPhrase('button.otherAgents');
  const key = action === 'uninstall' ? 'done.uninstalled' : scope.id === 'codex' ? 'done.codex' : 'done.installed';
  const offers = action === 'install' && scope.id === 'user' && (await othersThere(parts));
  const told = hookPhrase(key, { file: parts.tilde(scope.file) });
  const choice = await vscode.window.showInformationMessage(told, undo, ...(offers ? [others] : []));
  if (choice === undo) await undoChange(parts, change);
  if (choice === others) parts.offerMore();
}

async function othersThere({ kit }: ChangeParts): Promise<boolean> {
  const survey = await kit.installer.survey();
  const open = survey.filter((shown) => shown.scope.provider !== 'claude' && standingWord(shown) === 'absent');
  return (await foundScopes(open.map(({ scope }) => scope))).length > 0;
}

/** Exactly what was there before, if nobody has written since; else what the opposite makes of what is there now, after asking. */
async function undoChange(parts: ChangeParts, change: Change): Promise<void> {
  const action: HookAction = change.action === 'install' ? 'uninstall' : 'install';
  const reverse: Change = { ...change, action, before: change.after, after: change.before, notes: [] };
  const written: Written = await parts.kit.installer.carryOut(reverse);
  if (written.kind === 'written') {
    const { file } = change.scope;
    void vscode.window.showInformationMessage(hookPhrase('done.undone', { file: parts.tilde(file) }));
  } else if (await writtenAnswered(parts, reverse, written)) {
    await changeHooks(parts, action, change.scope);
  }
}
