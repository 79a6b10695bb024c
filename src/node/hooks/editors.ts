import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod/mini';
import type { Log } from '../../app/ports.ts';
import { createJsonFile } from './jsonFile.ts';

/** More copies than anybody has; beyond them the one that was longest not seen is forgotten. */
const KEPT = 50;

/** A copy of the extension that uses this home. */
export interface EditorCopy {
  readonly app: string;
  /** The extension's own folder. */
  readonly extension: string;
  /** The editor's runtime. */
  readonly execPath: string;
  /** What starts this editor on the person's screen; absent where nothing here can (a server, another machine's editor). */
  readonly program?: string | undefined;
  readonly version: string;
  /** Its last activation, ISO-8601. */
  readonly at: string;
}

const copySchema = z.object({
  app: z.string(),
  extension: z.string().check(z.minLength(1)),
  execPath: z.string(),
  program: z.optional(z.string()),
  version: z.string(),
  at: z.string(),
});
const fileSchema = z.object({ version: z.literal(1), editors: z.array(copySchema) });
type EditorsFile = { readonly version: 1; readonly editors: readonly EditorCopy[] };

export interface Editors {
  list(): Promise<readonly EditorCopy[]>;
  /** At each activation. Copies whose folder is gone are forgotten. */
  note(copy: EditorCopy): Promise<void>;
}

export function createEditors(file: string, log: Pick<Log, 'warn'>): Editors {
  const kept = createJsonFile<EditorsFile>(file, fileSchema, { version: 1, editors: [] }, log);
  return {
    list: async () => (await kept.read()).editors,
    async note(copy) {
      const gone = new Set<string>();
      for (const { extension } of (await kept.read()).editors) if (!(await isFolder(extension))) gone.add(extension);
      await kept.update(({ editors }) => {
        const others = editors.filter(({ extension }) => extension !== copy.extension && !gone.has(extension));
        return { version: 1, editors: [copy, ...others].slice(0, KEPT) };
      });
    },
  };
}

/** What the editor says of itself. */
export interface EditorHost {
  /** In its own words: `desktop`, `web`, `server`, `codespaces`… */
  readonly appHost: string;
  /** Of the window whose extensions run on another side than its screen. */
  readonly remoteName: string | undefined;
  readonly appRoot: string;
}

/** At this window's activation; nothing waits for it. */
export function noteEditor(
  file: string,
  copy: Omit<EditorCopy, 'program' | 'at'>,
  { appHost, remoteName, appRoot }: EditorHost,
  log: Pick<Log, 'warn'>,
): void {
  const [platform, appImage, execPath] = [process.platform, process.env['APPIMAGE'], copy.execPath];
  const program = editorProgram({ platform, appHost, remoteName, appRoot, execPath, appImage });
  createEditors(file, log)
    .note({ ...copy, ...(program !== undefined && { program }), at: new Date().toISOString() })
    .catch((error: unknown) => log.warn(String(error)));
}

export interface RunningEditor extends EditorHost {
  readonly platform: string;
  readonly execPath: string;
  /** What an AppImage tells its programs of itself. */
  readonly appImage: string | undefined;
}

/**
 * FWD-7: what starts the editor that we run in. On macOS its bundle, for the program at hand is a helper inside; a snap's and an
 * AppImage's own files lie elsewhere tomorrow.
 */
export function editorProgram(running: RunningEditor): string | undefined {
  const { platform, appHost, remoteName, appRoot, execPath, appImage } = running;
  if (appHost !== 'desktop' || remoteName !== undefined) return undefined;
  if (platform === 'darwin') return /^\/.*?\.app(?=\/)/s.exec(appRoot)?.[0];
  if (platform === 'win32') return execPath;
  const snap = /^\/snap\/([\w.-]+)\//.exec(execPath)?.[1];
  if (snap !== undefined) return `/snap/bin/${snap}`;
  return appImage !== undefined && execPath.includes('/.mount_') ? appImage : execPath;
}

/** HKI-6: copies other than this one that use the home still. An editor that is told to remove an extension keeps its folder for a while, and lists it. */
export async function otherCopies(editors: readonly EditorCopy[], own: string): Promise<readonly string[]> {
  const folders = [...editors.map(({ extension }) => extension), ...(await siblings(own))];
  const self = await real(own);
  const found = new Set<string>();
  for (const folder of folders) {
    const there = await real(folder);
    if (there !== self && (await isInstalled(folder))) found.add(there);
  }
  return [...found];
}

/** Another version's folder beside ours: an update takes an old copy away, and is no farewell. */
async function siblings(own: string): Promise<readonly string[]> {
  const id = /^(.+)-\d+\.\d+\.\d+/.exec(path.basename(own))?.[1];
  if (id === undefined) return [];
  const parent = path.dirname(own);
  const names = await readdir(parent).catch((): string[] => []);
  return names
    .filter((name) => name.startsWith(`${id}-`) && /^\d+\.\d+\.\d+/.test(name.slice(id.length + 1)))
    .map((name) => path.join(parent, name));
}

async function isInstalled(folder: string): Promise<boolean> {
  const isThere = await stat(path.join(folder, 'package.json')).then(
    () => true,
    () => false,
  );
  return isThere && !(await isMarkedRemoved(folder));
}

async function isMarkedRemoved(folder: string): Promise<boolean> {
  try {
    const removed = JSON.parse(await readFile(path.join(path.dirname(folder), '.obsolete'), 'utf8')) as unknown;
    return (
      typeof removed === 'object' &&
      removed !== null &&
      (removed as Record<string, unknown>)[path.basename(folder)] === true
    );
  } catch {
    return false;
  }
}

function real(folder: string): Promise<string> {
  return realpath(folder).catch(() => path.resolve(folder));
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
