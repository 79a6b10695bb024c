import type { InstalledFile, InstallRecord, Scope, SettingsFiles } from '../../app/hooks/hookPorts.ts';
import type { HooksFormat } from '../../domain/hooks/hookSet.ts';
import { type Edit, uninstallHooks } from '../../domain/hooks/settingsEdit.ts';
import { errorCode } from '../files/fileSystem.ts';
import type { Tally } from './ownFiles.ts';
import type { OwnScopes } from './scopes.ts';
import { settingsFolders } from './settingsFolders.ts';

const TRIES = 3;
/** What every form of our command ever held. */
const traces = ['#agent-mascot', 'forward-to-mascot.mjs'];

/** Whether ours may be in a text that is too broken to be read. */
export function hasTraces(text: string): boolean {
  return traces.some((trace) => text.includes(trace));
}

export interface RemoveHooksParts {
  readonly files: SettingsFiles;
  readonly record: InstallRecord;
  readonly scopes: OwnScopes;
}

interface Place {
  readonly file: string;
  readonly format: HooksFormat;
  readonly made: boolean;
  /** Undefined: it is only one of the usual files. */
  readonly installed: InstalledFile | undefined;
  /** Another installation may have hooks there too. */
  readonly onlyHomes: readonly string[] | undefined;
}

/** What is to be done with a file. */
type Step =
  | { readonly kind: 'none' }
  | { readonly kind: 'edit'; readonly before: string; readonly after: string | undefined }
  /** `mayBeOurs`: as far as can be seen, ours are in it. */
  | { readonly kind: 'stuck'; readonly why: string; readonly mayBeOurs: boolean };

/** Out of every file that the record names, and out of the usual ones of this person even if the record is lost. */
export async function removeHooks({ files, record, scopes }: RemoveHooksParts, tally: Tally): Promise<void> {
  for (const place of places(await record.list(), await scopes.all(), scopes.homesInCommands)) {
    const outcome = await removeFrom(files, place).catch((error: unknown) => ({
      why: errorCode(error) ?? String(error),
    }));
    if (outcome === 'removed') tally.done.push(`hooks in ${place.file}`);
    else if (outcome !== 'none') tally.failed.push({ what: place.file, why: `our hooks stay in it: ${outcome.why}` });
    if (outcome !== 'removed' && outcome !== 'none') continue;
    await settingsFolders.removeEmpty(place.file, place.installed?.madeFolders ?? []);
    if (place.installed) await record.remove(place.file).catch(() => undefined);
  }
}

/** The files that `removeHooks` would change now, or would have to leave with ours in them. */
export async function filesWithHooks({ files, record, scopes }: RemoveHooksParts): Promise<readonly string[]> {
  const all = places(await record.list(), await scopes.all(), scopes.homesInCommands);
  const steps = await Promise.all(all.map((place) => stepFor(files, place)));
  const isNamed = (step: Step | undefined) => step?.kind === 'edit' || (step?.kind === 'stuck' && step.mayBeOurs);
  return all.filter((_, index) => isNamed(steps[index])).map(({ file }) => file);
}

function places(
  recorded: readonly InstalledFile[],
  usual: readonly Scope[],
  onlyHomes: readonly string[],
): readonly Place[] {
  const named = recorded.map((installed): Place => {
    const { file, format, made } = installed;
    return { file, format, made, installed, onlyHomes: undefined };
  });
  const known = new Set(named.map(({ file }) => file));
  const others = usual.filter(({ file }) => !known.has(file));
  return [
    ...named,
    ...others.map(({ file, wanted }): Place => ({
      file,
      format: wanted.format,
      made: false,
      installed: undefined,
      onlyHomes,
    })),
  ];
}

async function removeFrom(files: SettingsFiles, place: Place): Promise<'removed' | 'none' | { readonly why: string }> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const step = await stepFor(files, place);
    if (step.kind === 'none') return 'none';
    if (step.kind === 'stuck') return { why: step.why };
    const written = await files.replace(place.file, step.before, step.after);
    if (written.kind === 'written') return 'removed';
    if (written.kind === 'failed') return { why: written.code };
  }
  return { why: 'another program keeps writing it' };
}

async function stepFor(files: SettingsFiles, { file, format, made, installed, onlyHomes }: Place): Promise<Step> {
  const content = await files.read(file);
  if (content.kind === 'missing') return { kind: 'none' };
  if (content.kind === 'unreadable') return { kind: 'stuck', why: content.why, mayBeOurs: installed !== undefined };
  const { text } = content;
  const edit: Edit = uninstallHooks(text, format, made, onlyHomes);
  if (edit.kind === 'unchanged') return { kind: 'none' };
  if (edit.kind === 'edited') return { kind: 'edit', before: text, after: edit.text };
  const isOurs = onlyHomes?.some((home) => text.includes(JSON.stringify(home).slice(1, -1))) ?? true;
  if (!isOurs || !hasTraces(text)) return { kind: 'none' };
  const { reason, line, column } = edit.refusal;
  return { kind: 'stuck', why: `it is broken at line ${line}, column ${column} (${reason})`, mayBeOurs: true };
}
