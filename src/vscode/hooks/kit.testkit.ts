import type { HookInstaller, HookPlan, PlanNote, ScopeStanding } from '../../app/hooks/hookInstaller.ts';
import type { HookKit, Loss } from '../../app/hooks/hookKit.ts';
import type { InstalledFile, Scope, Written } from '../../app/hooks/hookPorts.ts';
import type { Finding } from '../../domain/hooks/findings.ts';
import type { HookedId, ScopeId } from '../../protocol/providers.ts';

const wanted: Scope['wanted'] = { format: { shape: 'grouped', commandKey: 'command' }, entries: [] };

function scope(id: ScopeId, provider: HookedId, file: string, project?: string): Scope {
  return { id, provider, file, project, wanted };
}

const OURS = ' +hooks';

/** All of a machine's hooks in memory: a text has ours when it ends in `+hooks`, and is broken when it has `?`. */
export class FakeKit implements HookKit {
  readonly texts = new Map<string, string>();
  readonly recorded = new Set<string>();
  readonly done: string[] = [];
  /** What the next writings come to, instead of what is asked. */
  readonly outcomes: Written[] = [];
  readonly notes: PlanNote[] = [];
  linkTarget: string | undefined;
  /** What another program makes of a file just before we write. */
  meanwhile: (() => void) | undefined;
  readonly findings: (readonly Finding[])[] = [];
  examining: (() => Promise<readonly Finding[]>) | undefined;
  excludedFolders: string[] = [];
  removed: Awaited<ReturnType<HookKit['removeEverything']>> = { done: [], failed: [] };
  vanished: ((installed: InstalledFile, loss: Loss) => void) | undefined;
  readonly quiet = new Set<string>();
  /** Files that our record alone names. */
  readonly elsewhere: Scope[] = [];
  toRemove: readonly string[] = [];

  readonly scopes = {
    all: (project?: string) =>
      Promise.resolve([
        scope('user', 'claude', '/home/u/.claude/settings.json'),
        ...(project === undefined
          ? []
          : [
              scope('local', 'claude', `${project}/.claude/settings.local.json`, project),
              scope('project', 'claude', `${project}/.claude/settings.json`, project),
            ]),
        scope('codex', 'codex', '/home/u/.codex/hooks.json'),
      ]),
    of: (installed: InstalledFile) => this.scopeOf(installed),
  };

  readonly installer: HookInstaller = {
    survey: async (project) =>
      [...(await this.scopes.all(project)), ...this.elsewhere].map((one) => this.standing(one)),
    plan: (action, one): Promise<HookPlan> => {
      const before = this.texts.get(one.file);
      if (before === 'unreadable') return Promise.resolve({ kind: 'unreadable', action, scope: one, why: 'EACCES' });
      if (before?.includes('?') === true) {
        return Promise.resolve({
          kind: 'refused',
          action,
          scope: one,
          refusal: { reason: 'comment', line: 3, column: 7 },
        });
      }
      const has = before?.endsWith(OURS) === true;
      if (has === (action === 'install')) return Promise.resolve({ kind: 'nothing', action, scope: one });
      const rest = before?.replace(OURS, '');
      const after = action === 'install' ? `${before ?? ''}${OURS}` : rest === '' ? undefined : rest;
      const { notes, linkTarget } = this;
      return Promise.resolve({ kind: 'change', action, scope: one, before, after, linkTarget, notes: [...notes] });
    },
    carryOut: (plan): Promise<Written> => {
      this.meanwhile?.();
      this.meanwhile = undefined;
      const outcome = this.outcomes.shift();
      if (outcome !== undefined) return Promise.resolve(outcome);
      const { file } = plan.scope;
      if (this.texts.get(file) !== plan.before) return Promise.resolve({ kind: 'changed' });
      if (plan.after === undefined) this.texts.delete(file);
      else this.texts.set(file, plan.after);
      if (plan.action === 'install') this.recorded.add(file);
      else this.recorded.delete(file);
      return Promise.resolve({ kind: 'written', backup: '/b' });
    },
  };

  readonly doctor = {
    examine: () => this.examining?.() ?? Promise.resolve(this.findings.shift() ?? []),
  };
  readonly excluded = {
    list: () => Promise.resolve(this.excludedFolders),
    add: (project: string) => Promise.resolve(void this.excludedFolders.push(project)),
    remove: (project: string) => {
      const there = this.excludedFolders.includes(project) && !project.includes('setting');
      if (there) this.excludedFolders = this.excludedFolders.filter((one) => one !== project);
      return Promise.resolve(there);
    },
  };
  refresh() {
    this.done.push('refresh');
    return Promise.resolve('refreshed' as const);
  }
  watchVanishing() {
    this.done.push('watch');
    return {
      onVanished: (listener: (installed: InstalledFile, loss: Loss) => void) => {
        this.vanished = listener;
        return { dispose: () => undefined };
      },
      dispose: () => void this.done.push('unwatch'),
    };
  }
  quieten({ file }: InstalledFile) {
    this.quiet.add(file);
    return Promise.resolve();
  }
  filesToRemoveFrom() {
    return Promise.resolve(this.toRemove);
  }
  forget({ file }: InstalledFile) {
    this.recorded.delete(file);
    return Promise.resolve();
  }
  removeEverything() {
    this.done.push('remove everything');
    return Promise.resolve(this.removed);
  }
  async scopeOf({ scope: id, file, project }: InstalledFile) {
    const usual = await this.scopes.all(project);
    return usual.find((one) => one.file === file) ?? scope(id, id === 'codex' ? 'codex' : 'claude', file, project);
  }

  private standing(one: Scope): ScopeStanding {
    const text = this.texts.get(one.file);
    const rest = { scope: one, recorded: this.recorded.has(one.file) };
    if (text === 'unreadable') return { ...rest, content: 'unreadable', why: 'EACCES', standing: undefined };
    const content = text === undefined ? 'missing' : 'text';
    if (text?.includes('?') === true) return { ...rest, content, standing: { reason: 'comment', line: 3, column: 7 } };
    const state = text?.endsWith(OURS) === true ? 'whole' : text?.includes('part') === true ? 'partial' : 'absent';
    return { ...rest, content, standing: { state, missing: [], outdated: [], disabled: false } };
  }
}
