import type { Finding } from '../../domain/hooks/findings.ts';
import type { Disposable } from '../ports.ts';
import type { HookInstaller } from './hookInstaller.ts';
import type { InstalledFile, Scope, Scopes } from './hookPorts.ts';

export interface Doctor {
  /**
   * Checks everything, sends a test event through an installed command, and times it. Takes seconds. `isAlone`: leaves out hooks
   * in other projects.
   */
  examine(project?: string, isAlone?: boolean): Promise<readonly Finding[]>;
}

/** What became of a file that held hooks of ours: `broken` is one that its agent can't read, without ours. */
export type Loss = 'rewritten' | 'missing' | 'broken';

/** HKI-5: hooks that another program removed. */
export interface VanishWatch extends Disposable {
  /** Told once for each file, within 5 s, when hooks that we installed are not there any more; `broken` only when it stays so. */
  onVanished(listener: (installed: InstalledFile, loss: Loss) => void): Disposable;
}

export interface Removed {
  /** What was removed, and what could not be: for the person. */
  readonly done: readonly string[];
  readonly failed: readonly { readonly what: string; readonly why: string }[];
}

export interface ExcludedProjects {
  /** Real paths of folders; a session in one of them or below is neither shown nor logged. */
  list(): Promise<readonly string[]>;
  add(project: string): Promise<void>;
  /** False: it was not excluded. */
  remove(project: string): Promise<boolean>;
}

/** All that can be done about hooks on this machine: the same for the editor and for `mascot`. */
export interface HookKit {
  readonly installer: HookInstaller;
  readonly scopes: Scopes;
  readonly doctor: Doctor;
  readonly excluded: ExcludedProjects;
  /** Copies entry, forwarder and `mascot` to the home again. */
  refresh(): Promise<'refreshed' | 'current' | 'newer'>;
  watchVanishing(): VanishWatch;
  /** No longer tell that hooks vanished from there, until they were whole again. */
  quieten(installed: InstalledFile): Promise<void>;
  /** Nothing of ours is there. */
  forget(installed: InstalledFile): Promise<void>;
  /** HKI-6: hooks in every file that we know of, then everything below the home, then the stored data. */
  removeEverything(): Promise<Removed>;
  /** The settings files that this would change. */
  filesToRemoveFrom(): Promise<readonly string[]>;
  scopeOf(installed: InstalledFile): Promise<Scope | undefined>;
}
