import type { Refusal, Standing } from '../../domain/hooks/settingsEdit.ts';
import type { FileContent, Scope, Written } from './hookPorts.ts';

export interface ScopeStanding {
  readonly scope: Scope;
  readonly content: FileContent['kind'];
  readonly why?: string | undefined;
  readonly linkTarget?: string | undefined;
  readonly standing: Standing | Refusal | undefined;
  /** We installed here once, by our record. */
  readonly recorded: boolean;
}

export type HookAction = 'install' | 'uninstall';

export type HookPlan =
  /** `before`, `after`: the whole text; undefined: no such file. */
  | {
      readonly kind: 'change';
      readonly action: HookAction;
      readonly scope: Scope;
      readonly before: string | undefined;
      readonly after: string | undefined;
      readonly linkTarget?: string | undefined;
      readonly notes: readonly PlanNote[];
    }
  | { readonly kind: 'nothing'; readonly action: HookAction; readonly scope: Scope }
  | { readonly kind: 'refused'; readonly action: HookAction; readonly scope: Scope; readonly refusal: Refusal }
  | { readonly kind: 'unreadable'; readonly action: HookAction; readonly scope: Scope; readonly why: string };

/** What the person should know before they say yes. */
export type PlanNote =
  | 'codex-asks-for-trust'
  | 'codex-later-hooks-lose-trust'
  | 'codex-inline-hooks'
  | 'shared-with-team'
  | 'disabled-by-person'
  | 'link'
  | 'hard-links';

export interface HookInstaller {
  survey(project?: string): Promise<readonly ScopeStanding[]>;
  plan(action: HookAction, scope: Scope): Promise<HookPlan>;
  /** Only a plan of kind `change`. A file that changed meanwhile is not written: plan again. */
  carryOut(plan: Extract<HookPlan, { kind: 'change' }>): Promise<Written>;
}
