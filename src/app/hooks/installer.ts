import { installHooks, standingOf, uninstallHooks } from '../../domain/hooks/settingsEdit.ts';
import type { HookAction, HookInstaller, HookPlan, PlanNote, ScopeStanding } from './hookInstaller.ts';
import type { FileContent, InstalledFile, InstallRecord, Scope, Scopes, SettingsFiles, Written } from './hookPorts.ts';
import { listHooks } from './listedHooks.ts';

export interface InstallerParts {
  readonly files: SettingsFiles;
  readonly scopes: Scopes;
  readonly record: InstallRecord;
  /** ISO-8601. */
  readonly now: () => string;
  /** The file of Codex's settings that holds hooks of its own, if it does. */
  readonly codexInline?: (scope: Scope) => Promise<string | undefined>;
}

type Change = Extract<HookPlan, { kind: 'change' }>;

/** HKI-1: plan, show, ask, and only then write; the asking is the caller's. */
export function createHookInstaller(parts: InstallerParts): HookInstaller {
  return {
    survey: (project) => survey(parts, project),
    plan: (action, scope) => plan(parts, action, scope),
    carryOut: (change) => carryOut(parts, change),
  };
}

async function survey(parts: InstallerParts, project?: string): Promise<readonly ScopeStanding[]> {
  const [scopes, recorded] = await Promise.all([parts.scopes.all(project), parts.record.list()]);
  return Promise.all(
    scopes.map(async (scope): Promise<ScopeStanding> => {
      const content = await parts.files.read(scope.file);
      return {
        scope,
        content: content.kind,
        why: content.kind === 'unreadable' ? content.why : undefined,
        linkTarget: linkTargetOf(content),
        standing: content.kind === 'unreadable' ? undefined : standingOf(textOf(content), scope.wanted),
        recorded: recorded.some(({ file }) => file === scope.file),
      };
    }),
  );
}

async function plan(parts: InstallerParts, action: HookAction, scope: Scope): Promise<HookPlan> {
  const content = await parts.files.read(scope.file);
  if (content.kind === 'unreadable') return { kind: 'unreadable', action, scope, why: content.why };
  const before = textOf(content);
  const made = action === 'uninstall' && (await recordOf(parts, scope))?.made === true;
  const edit =
    action === 'install' ? installHooks(before, scope.wanted) : uninstallHooks(before, scope.wanted.format, made);
  switch (edit.kind) {
    case 'refused':
      return { kind: 'refused', action, scope, refusal: edit.refusal };
    case 'unchanged':
      return { kind: 'nothing', action, scope };
    case 'edited': {
      const linkTarget = linkTargetOf(content);
      const change = { kind: 'change', action, scope, before, after: edit.text, linkTarget } as const;
      return { ...change, notes: await notesOn(parts, change) };
    }
  }
}

async function notesOn(parts: InstallerParts, change: Omit<Change, 'notes'>): Promise<readonly PlanNote[]> {
  const { action, scope, before, after } = change;
  const notes: PlanNote[] = [];
  const installs = action === 'install';
  if (scope.id === 'codex') {
    if (installs) notes.push('codex-asks-for-trust');
    if (placesOfOthers(before, scope) !== placesOfOthers(after, scope)) notes.push('codex-later-hooks-lose-trust');
    if (installs && (await parts.codexInline?.(scope)) !== undefined) notes.push('codex-inline-hooks');
  }
  if (scope.id === 'project') notes.push('shared-with-team');
  if (installs && isDisabled(before, scope)) notes.push('disabled-by-person');
  if (change.linkTarget !== undefined) notes.push('link');
  return notes;
}

/** HKI-8: Codex knows a hook by its place, so one that moves must be trusted again. */
function placesOfOthers(text: string | undefined, scope: Scope): string {
  return JSON.stringify(listHooks(text, scope.wanted.format).filter(({ ours }) => !ours));
}

function isDisabled(text: string | undefined, scope: Scope): boolean {
  const standing = standingOf(text, scope.wanted);
  return 'disabled' in standing && standing.disabled;
}

async function carryOut(parts: InstallerParts, { action, scope, before, after }: Change): Promise<Written> {
  const known = await recordOf(parts, scope);
  const written = await parts.files.replace(scope.file, before, after);
  if (written.kind !== 'written') return written;
  if (action === 'uninstall') await parts.record.remove(scope.file);
  else await parts.record.add(installedFile(scope, before === undefined || known?.made === true, parts.now()));
  return written;
}

function installedFile(scope: Scope, made: boolean, at: string): InstalledFile {
  const { id, file, project, wanted } = scope;
  return { scope: id, file, project, made, format: wanted.format, at };
}

async function recordOf({ record }: InstallerParts, { file }: Scope): Promise<InstalledFile | undefined> {
  return (await record.list()).find((installed) => installed.file === file);
}

function textOf(content: FileContent): string | undefined {
  return content.kind === 'text' ? content.text : undefined;
}

function linkTargetOf(content: FileContent): string | undefined {
  return content.kind === 'text' ? content.linkTarget : undefined;
}
