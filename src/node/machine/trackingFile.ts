import { readFileSync } from 'node:fs';
import { realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { Disposable, Log, Projects } from '../../app/ports.ts';
import type { TrackingNotes } from '../../app/windowPorts.ts';
import type { TrackingRules } from '../../app/workPorts.ts';
import { isWithin } from '../../domain/folders.ts';
import { maskText } from '../../domain/mask/mask.ts';
import { GUARD_FILE_NAME } from '../../protocol/handOver.ts';
import { type TrackingRule, trackingModes } from '../../protocol/work.ts';
import { createJsonFile, type Reading, readingOf, readingWithout } from '../hooks/jsonFile.ts';
import { folderSystem } from './exclusions.ts';
import type { Home } from './home.ts';

/** A setting that is changed holds from the next edit but one on. */
const LOOK_MS = 500;
const PRIVATE = 0o600;

const noteSchema = z.object({
  /** The one that the folder belongs to. */
  project: z.string(),
  mode: z.optional(z.enum(trackingModes)),
  autoCreate: z.optional(z.boolean()),
});
type Note = z.infer<typeof noteSchema>;
const fileSchema = z.object({ version: z.literal(1), folders: z.record(z.string(), noteSchema) });
type TrackingFile = z.infer<typeof fileSchema>;

const empty: TrackingFile = { version: 1, folders: {} };

/** GRD-2: what folders have of their own in their settings, kept so that it holds without a window that shows them. */
export function createTrackingNotes(home: Home, projects: Projects, log: Pick<Log, 'warn'>): TrackingNotes {
  const file = createJsonFile<TrackingFile>(home.tracking, fileSchema, empty, log);
  return {
    async note(folder, rule) {
      const [{ path: project }, real] = await Promise.all([
        projects.locate(folder),
        realpath(folder).catch(() => folder),
      ]);
      const note =
        rule && (rule.mode !== undefined || rule.autoCreate !== undefined) ? { project, ...rule } : undefined;
      await file.update((present) => {
        const before = present.folders[real];
        if (JSON.stringify(before) === JSON.stringify(note)) return present;
        const { [real]: _before, ...others } = present.folders;
        return { version: 1, folders: note ? { ...others, [real]: note } : others };
      });
    },
  };
}

export interface OpenedTracking extends TrackingRules, Disposable {
  /** From here on a file in the home tells hooks whether there is anything to ask, for as long as the home is ours. */
  begin(holds: () => Promise<boolean>): Promise<void>;
}

export interface OwnerTrackingParts {
  readonly home: Home;
  /** What holds where a folder has nothing of its own. */
  readonly rule: () => TrackingRule;
  readonly log: Log;
}

/** GRD-2, for the owner. */
export function openTracking({ home, rule, log }: OwnerTrackingParts): OpenedTracking {
  let notes = empty;
  let mark: string | undefined;
  const system = folderSystem(process.platform);
  let told = false;
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  take(readNow(home.tracking));

  /** What held before holds on while the file is broken. */
  function take(reading: Reading<TrackingFile>): void {
    if (reading.kind === 'unknown') {
      if (!told) log.warn(`${home.tracking} is of no use, ${reading.why}. What it said before holds on.`);
      told = true;
      return;
    }
    told = false;
    notes = reading.kind === 'known' ? reading.value : empty;
  }

  async function look(holds: () => Promise<boolean>): Promise<void> {
    const now = await markOf(home.tracking);
    if (now !== mark) take(readNow(home.tracking));
    mark = now;
    const isOn = rule().mode !== 'off' || Object.values(notes.folders).some(({ mode }) => (mode ?? 'off') !== 'off');
    const sign = path.join(home.folder, GUARD_FILE_NAME);
    const isThere = await stat(sign).then(Boolean, () => false);
    if (isOn === isThere || !(await holds().catch(() => false))) return;
    try {
      await (isOn ? writeFile(sign, '', { mode: PRIVATE }) : rm(sign, { force: true }));
    } catch (error) {
      log.warn(
        `${sign} could not be ${isOn ? 'written, so edits are not held to work items' : 'removed'}: ${String(error)}`,
      );
    }
  }

  return {
    of(project) {
      const common = rule();
      const noted = Object.entries(notes.folders);
      // A project's path is masked wherever it is kept.
      const own = noted.filter(([, note]) => maskText(note.project) === project);
      const around = noted.filter(([folder]) => isWithin(project, folder, system)).toSorted(nearestFirst);
      const [, decisive = undefined] =
        own.find(([folder]) => maskText(folder) === project) ?? own.toSorted(strictestFirst)[0] ?? around[0] ?? [];
      return { mode: decisive?.mode ?? common.mode, autoCreate: decisive?.autoCreate ?? common.autoCreate };
    },
    async begin(holds) {
      await look(holds);
      timer ??= setInterval(() => {
        looking = looking.then(() => look(holds)).catch(() => undefined);
      }, LOOK_MS).unref();
    },
    dispose: () => clearInterval(timer),
  };
}

/** A folder with repositories below it holds them too. */
function nearestFirst([a]: [string, Note], [b]: [string, Note]): number {
  return b.length - a.length;
}

function strictestFirst([, a]: [string, Note], [, b]: [string, Note]): number {
  const rank = ({ mode = 'off' }: Note) => trackingModes.indexOf(mode);
  return rank(b) - rank(a);
}

function readNow(file: string): Reading<TrackingFile> {
  try {
    return readingOf(fileSchema, readFileSync(file, 'utf8'));
  } catch (error) {
    return readingWithout(error);
  }
}

/** Changes with every write. */
async function markOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  return found ? `${found.mtimeNs}/${found.ino}/${found.size}` : '';
}
