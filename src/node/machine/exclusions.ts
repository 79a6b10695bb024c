import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Disposable, Exclusions } from '../../app/ports.ts';
import { type FolderSystem, isWithin, writtenFolder } from '../../domain/folders.ts';

/** A disk that does not answer must not keep the collector from starting: then folders count as they are written. */
const DEADLINE_MS = 500;

export interface ExclusionsParts {
  /** The setting `excludedProjects`. */
  readonly written: () => readonly string[];
  /** What `mascot hooks exclude` noted. */
  readonly noted: Exclusions & Disposable;
  readonly userHome: string;
  readonly system: FolderSystem;
}

interface Reading {
  /** The setting that it was made of, as text. */
  readonly of: string;
  folders: readonly string[];
}

/** HKI-9: what the settings exclude and what was excluded in a terminal. */
export async function openExclusions(parts: ExclusionsParts): Promise<Exclusions & Disposable> {
  const { noted, system } = parts;
  let reading = read();

  function read(): Reading {
    const written = parts.written();
    const folders = written.flatMap((text) => {
      const folder = writtenFolder(text, parts.userHome, system);
      // Without `..` and double separators, which no real path has.
      return folder === undefined ? [] : [path.normalize(folder)];
    });
    return { of: JSON.stringify(written), folders };
  }

  /** Sessions have real paths; a setting may name a link. */
  async function readReal(into: Reading): Promise<void> {
    const real = await Promise.all(into.folders.map((folder) => realpath(folder).catch(() => folder)));
    into.folders = [...new Set([...into.folders, ...real])];
  }

  function upToDate(): Reading {
    if (reading.of !== JSON.stringify(parts.written())) {
      reading = read();
      void readReal(reading);
    }
    return reading;
  }

  await within(DEADLINE_MS, readReal(reading));
  return {
    excludes: (folder) => upToDate().folders.some((root) => isWithin(folder, root, system)) || noted.excludes(folder),
    dispose: () => noted.dispose(),
  };
}

export function folderSystem(platform: NodeJS.Platform): FolderSystem {
  if (platform === 'win32') return 'windows';
  return platform === 'darwin' ? 'mac' : 'linux';
}

function within(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
