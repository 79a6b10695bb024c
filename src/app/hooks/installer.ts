import { installHooks, standingOf, uninstallHooks } from '../../domain/hooks/settingsEdit.ts';
import { hookScopes } from '../../protocol/providers.ts';
import type { HookAction, HookInstaller, HookPlan, PlanNote, ScopeStanding } from './hookInstaller.ts';
import type {
  FileContent,
  InstalledFile,
  InstallRecord,
  Scope,
  Scopes,
  SettingsFiles,
  SettingsFolders,
  Written,
} from './hookPorts.ts';
import { listHooks } from './listedHooks.ts';

export interface InstallerParts {
  readonly files: SettingsFiles;
  readonly folders: SettingsFolders;
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
  const places = await placesOf(parts, project);
  return Promise.all(
    places.map(async ({ scope, installed }): Promise<ScopeStanding> => {
      const content = await parts.files.read(scope.file);
      const standing = content.kind === 'unreadable' ? undefined : standingOf(textOf(content), scope.wanted);
      const isAbsent = standing !== undefined && 'state' in standing && standing.state === 'absent';
      return {
        scope,
        content: content.kind,
        why: content.kind === 'unreadable' ? content.why : undefined,
        linkTarget: linkTargetOf(content),
        standing,
        recorded: installed !== undefined && !(isAbsent && installed.quiet === true),
      };
    }),
  );
}

interface Place {
  readonly scope: Scope;
  readonly installed: InstalledFile | undefined;
}

/** The usual scopes, then every other file that our record names: another folder of settings, another project. */
async function placesOf(parts: InstallerParts, project?: string): Promise<readonly Place[]> {
  const { scopes, record, folders } = parts;
  const [usual, recorded] = await Promise.all([scopes.all(project), record.list()]);
  const named = new Map<string, InstalledFile>();
  for (const installed of recorded) named.set(await folders.realFile(installed.file), installed);
  const places: Place[] = [];
  for (const scope of usual) {
    const name = await folders.realFile(scope.file);
    places.push({ scope, installed: named.get(name) });
    named.delete(name);
  }
  for (const installed of named.values()) {
    if (await isProjectGone(parts, installed)) continue;
    places.push({ scope: await scopes.of(installed), installed });
  }
  return places;
}

/** Nobody misses hooks in a project that was deleted, and to install them would make its folder anew. */
async function isProjectGone({ folders }: InstallerParts, { project }: Pick<Scope, 'project'>): Promise<boolean> {
  return project !== undefined && !(await folders.isThere(project));
}

async function plan(parts: InstallerParts, action: HookAction, scope: Scope): Promise<HookPlan> {
  if (action === 'install' && (await isProjectGone(parts, scope)))
    return { kind: 'unreadable', action, scope, why: 'the folder of its project is gone' };
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
      const notes = await notesOn(parts, change);
      const hasOtherNames = content.kind === 'text' && content.hasOtherNames === true;
      return { ...change, notes: hasOtherNames ? [...notes, 'hard-links'] : notes };
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
  if (hookScopes[scope.id].isShared) notes.push('shared-with-team');
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
  if (after !== undefined && (await isProjectGone(parts, scope))) return { kind: 'failed', code: 'ENOENT' };
  const known = await recordOf(parts, scope);
  const missing = await parts.folders.missingAbove(scope.file);
  const written = await parts.files.replace(scope.file, before, after);
  if (written.kind !== 'written') return written;
  if (holdsOurs(action, scope, after)) await note(parts, { action, scope, before }, known, missing);
  else {
    if (after === undefined) await parts.folders.removeEmpty(scope.file, known?.madeFolders ?? []);
    await parts.record.remove(known?.file ?? scope.file);
  }
  return written;
}

/** Undoing a repair leaves what stood there before it, which may be some of ours. */
function holdsOurs(action: HookAction, { wanted }: Scope, after: string | undefined): boolean {
  if (after === undefined) return false;
  const standing = standingOf(after, wanted);
  return 'state' in standing ? standing.state !== 'absent' : action === 'install';
}

async function note(
  { record, now }: InstallerParts,
  { action, scope, before }: Pick<Change, 'action' | 'scope' | 'before'>,
  known: InstalledFile | undefined,
  missing: readonly string[],
): Promise<void> {
  const { id, file, project, wanted } = scope;
  const madeFolders = [...new Set([...missing, ...(known?.madeFolders ?? [])])];
  await record.add({
    scope: id,
    file,
    project,
    made: before === undefined || known?.made === true,
    format: wanted.format,
    at: now(),
    ...(madeFolders.length === 0 ? {} : { madeFolders }),
    // Whoever undoes a repair knows what is missing.
    ...(action === 'uninstall' ? { quiet: true } : {}),
  });
  if (known !== undefined && known.file !== file) await record.remove(known.file);
}

/** By the file itself: it may have been recorded under another of its names. */
async function recordOf({ record, folders }: InstallerParts, { file }: Scope): Promise<InstalledFile | undefined> {
  const recorded = await record.list();
  const same = recorded.find((installed) => installed.file === file);
  if (same !== undefined) return same;
  const name = await folders.realFile(file);
  for (const installed of recorded) if ((await folders.realFile(installed.file)) === name) return installed;
  return undefined;
}

function textOf(content: FileContent): string | undefined {
  return content.kind === 'text' ? content.text : undefined;
}

function linkTargetOf(content: FileContent): string | undefined {
  return content.kind === 'unreadable' ? undefined : content.linkTarget;
}
