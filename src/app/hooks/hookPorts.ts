import type { HooksFormat, HookSet } from '../../domain/hooks/hookSet.ts';
import type { HookedId, ScopeId } from '../../protocol/providers.ts';

/** One settings file in which hooks can stand, and what we want there. */
export interface Scope {
  readonly id: ScopeId;
  readonly provider: HookedId;
  /** As the person knows it; may be a link. */
  readonly file: string;
  /** The project's folder, for `project` and `local`. */
  readonly project?: string | undefined;
  readonly wanted: HookSet;
}

export type FileContent =
  /** `hasOtherNames`: the file has hard links; writing changes only this path. */
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly linkTarget?: string | undefined;
      readonly hasOtherNames?: boolean;
    }
  /** `linkTarget`: a link that leads to no file, which writing would make there. */
  | { readonly kind: 'missing'; readonly linkTarget?: string | undefined }
  /** There, and can't be read as text: why, in the system's word (EACCES, not UTF-8, a folder …). */
  | { readonly kind: 'unreadable'; readonly why: string };

export type Written =
  | { readonly kind: 'written'; /** Undefined: there was nothing to back up. */ readonly backup?: string | undefined }
  /** Somebody else wrote the file since it was read: nothing was changed. */
  | { readonly kind: 'changed' }
  /** `code`: of the system; `linkTarget`: where the link leads, when it is one. */
  | { readonly kind: 'failed'; readonly code: string; readonly linkTarget?: string | undefined }
  /** It was written, and is not there: another program overwrote it at once. */
  | { readonly kind: 'overwritten' };

/** The person's files, on this machine. */
export interface SettingsFiles {
  read(file: string): Promise<FileContent>;
  /** Backs up, replaces `before` by `after` in one step (undefined: no file), and reads it again. */
  replace(file: string, before: string | undefined, after: string | undefined): Promise<Written>;
}

/** Where we installed, so that what vanishes is noticed and what we made can be removed. */
export interface InstalledFile {
  readonly scope: ScopeId;
  readonly file: string;
  readonly project?: string | undefined;
  /** The file was not there before. */
  readonly made: boolean;
  readonly format: HooksFormat;
  /** ISO-8601. */
  readonly at: string;
  /** Folders above the file that were not there before, the deepest first. */
  readonly madeFolders?: readonly string[] | undefined;
  /** The person does not want to be told that ours are gone from there. */
  readonly quiet?: boolean | undefined;
}

export interface InstallRecord {
  list(): Promise<readonly InstalledFile[]>;
  add(installed: InstalledFile): Promise<void>;
  remove(file: string): Promise<void>;
  /** Nothing where no such file is recorded. */
  quieten(file: string, quiet: boolean): Promise<void>;
}

/** The folders around the person's files. */
export interface SettingsFolders {
  isThere(folder: string): Promise<boolean>;
  /** The file behind all links: two names of one file have the same. */
  realFile(file: string): Promise<string>;
  /** The folders above a file that would have to be made, the deepest first. */
  missingAbove(file: string): Promise<readonly string[]>;
  /** Those of these folders above the file that are empty. */
  removeEmpty(file: string, folders: readonly string[]): Promise<void>;
}

/** Finds the scopes of this machine. */
export interface Scopes {
  /** All of them; `project` and `local` only where a project is named. */
  all(project?: string): Promise<readonly Scope[]>;
  /** Where we installed once, whatever variables and projects name now. */
  of(installed: InstalledFile): Promise<Scope>;
}
