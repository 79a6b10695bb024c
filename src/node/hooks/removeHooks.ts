import type { InstalledFile, InstallRecord, Scopes, SettingsFiles } from '../../app/hooks/hookPorts.ts';
import type { HooksFormat } from '../../domain/hooks/hookSet.ts';
import { uninstallHooks } from '../../domain/hooks/settingsEdit.ts';
import { errorCode } from '../files/fileSystem.ts';
import type { Tally } from './ownFiles.ts';

const TRIES = 3;
/** What every form of our command ever held. */
const traces = ['#agent-mascot', 'forward-to-mascot.mjs'];

export interface RemoveHooksParts {
  readonly files: SettingsFiles;
  readonly record: InstallRecord;
  readonly scopes: Scopes;
}

interface Place {
  readonly file: string;
  readonly format: HooksFormat;
  readonly made: boolean;
  readonly recorded: boolean;
}

/** Out of every file that the record names, and out of the usual ones of this person even if the record is lost. */
export async function removeHooks({ files, record, scopes }: RemoveHooksParts, tally: Tally): Promise<void> {
  for (const place of places(await record.list(), await scopes.all())) {
    const outcome = await removeFrom(files, place).catch((error: unknown) => ({
      why: errorCode(error) ?? String(error),
    }));
    if (outcome === 'removed') tally.done.push(`hooks in ${place.file}`);
    else if (outcome !== 'none') tally.failed.push({ what: place.file, why: `our hooks stay in it: ${outcome.why}` });
    const isSettled = outcome === 'removed' || outcome === 'none';
    if (isSettled && place.recorded) await record.remove(place.file).catch(() => undefined);
  }
}

function places(recorded: readonly InstalledFile[], usual: Awaited<ReturnType<Scopes['all']>>): readonly Place[] {
  const named = recorded.map(({ file, format, made }): Place => ({ file, format, made, recorded: true }));
  const known = new Set(named.map(({ file }) => file));
  const others = usual.filter(({ file }) => !known.has(file));
  return [
    ...named,
    ...others.map(({ file, wanted }): Place => ({ file, format: wanted.format, made: false, recorded: false })),
  ];
}

async function removeFrom(
  files: SettingsFiles,
  { file, format, made }: Place,
): Promise<'removed' | 'none' | { readonly why: string }> {
  for (let tries = 1; tries <= TRIES; tries++) {
    const content = await files.read(file);
    if (content.kind === 'missing') return 'none';
    if (content.kind === 'unreadable') return { why: content.why };
    const edit = uninstallHooks(content.text, format, made);
    if (edit.kind === 'unchanged') return 'none';
    if (edit.kind === 'refused') {
      if (!traces.some((trace) => content.text.includes(trace))) return 'none';
      const { reason, line, column } = edit.refusal;
      return { why: `it is broken at line ${line}, column ${column} (${reason})` };
    }
    const written = await files.replace(file, content.text, edit.text);
    if (written.kind === 'written') return 'removed';
    if (written.kind === 'failed') return { why: written.code };
  }
  return { why: 'another program keeps writing it' };
}
