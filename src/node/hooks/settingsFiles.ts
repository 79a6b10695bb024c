import path from 'node:path';
import type { FileContent, SettingsFiles, Written } from '../../app/hooks/hookPorts.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import { errorCode, nodeFileSystem, syncFolder, type FileSystem } from '../files/fileSystem.ts';
import { keepBackup } from './backups.ts';
import { type FileFacts, keepingOwner, lookAt, whyNotWritable } from './fileFacts.ts';

const LARGEST_BYTES = 16 * 1024 * 1024;
const PRIVATE_FOLDER = 0o700;

export interface SettingsFilesParts {
  /** Where what is replaced is kept. */
  readonly backups: string;
  readonly fs?: FileSystem;
  readonly now?: () => Date;
}

/** Thrown when somebody else wrote: the file is theirs, and stays as it is. */
class ChangedError extends Error {}

/** HKI-2: the person's settings files. What can't be given back byte for byte is never read as text, so never written. */
export function createSettingsFiles({
  backups,
  fs = nodeFileSystem,
  now = () => new Date(),
}: SettingsFilesParts): SettingsFiles {
  /** One after the other: the look right before a replacement must hold until it is done. */
  let last: Promise<unknown> = Promise.resolve();

  async function replace(file: string, before: string | undefined, after: string | undefined): Promise<Written> {
    let facts: FileFacts | undefined;
    let backup: string | undefined;
    try {
      facts = await lookAt(file);
      const present = await contentOf(fs, facts);
      if (present.kind === 'unreadable') return failed(present.why, facts);
      if (textOf(present) !== before) return { kind: 'changed' };
      if (before === after) return { kind: 'written' };
      const why = (await whyNotWritable(facts)) ?? (after !== undefined && !isUnicode(after) ? 'EILSEQ' : undefined);
      if (why !== undefined) return failed(why, facts);
      if (before !== undefined) backup = await keepBackup(fs, backups, file, before, now());
      await put(fs, file, facts, before, after);
      return (await stands(fs, file, after)) ? { kind: 'written', backup } : { kind: 'overwritten' };
    } catch (error) {
      if (error instanceof ChangedError) return { kind: 'changed' };
      // What fails after the rename can't undo it: only that a power cut would is not ruled out then.
      if (facts && after !== before && (await stands(fs, file, after))) return { kind: 'written', backup };
      return failed(errorCode(error) ?? String(error), facts);
    }
  }

  return {
    async read(file) {
      try {
        const facts = await lookAt(file);
        return await contentOf(fs, facts);
      } catch (error) {
        return { kind: 'unreadable', why: errorCode(error) ?? String(error) };
      }
    },
    replace(file, before, after) {
      const mine = last.then(() => replace(file, before, after));
      last = mine;
      return mine;
    },
  };
}

async function contentOf(fs: FileSystem, { target, linkTarget, stats }: FileFacts): Promise<FileContent> {
  if (!stats) return { kind: 'missing', linkTarget };
  if (stats.isDirectory()) return { kind: 'unreadable', why: 'a folder' };
  // Reading a pipe would wait for somebody to write.
  if (!stats.isFile()) return { kind: 'unreadable', why: 'not a file' };
  if (stats.size > LARGEST_BYTES) return { kind: 'unreadable', why: 'more than 16 MB' };
  const text = decoded(await fs.readFile(target));
  if (text === undefined) return { kind: 'unreadable', why: 'not UTF-8' };
  return { kind: 'text', text, linkTarget, ...(stats.nlink > 1 ? { hasOtherNames: true } : {}) };
}

/** With the byte order mark, so that the bytes come out as they went in. */
function decoded(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isUnicode(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text;
}

function textOf(content: FileContent): string | undefined {
  return content.kind === 'text' ? content.text : undefined;
}

async function put(
  fs: FileSystem,
  file: string,
  facts: FileFacts,
  before: string | undefined,
  after: string | undefined,
): Promise<void> {
  const { target, linkTarget, stats } = facts;
  const beforeReplace = () => mustStillBe(fs, file, target, before);
  if (after === undefined) {
    await beforeReplace();
    await fs.unlink(target);
    return syncFolder(fs, path.dirname(target));
  }
  // What a link leads to is somebody's own place: a folder that is not there was not forgotten by us.
  if (!stats && linkTarget === undefined) await fs.mkdir(path.dirname(target), PRIVATE_FOLDER);
  await atomicWrite(target, after, { fs: keepingOwner(fs, stats), beforeReplace });
}

async function mustStillBe(fs: FileSystem, file: string, target: string, before: string | undefined): Promise<void> {
  const facts = await lookAt(file);
  const content = await contentOf(fs, facts);
  if (facts.target !== target || content.kind === 'unreadable' || textOf(content) !== before) throw new ChangedError();
}

/** Whether the file is now what we wanted; another program may have written it the moment after us. */
async function stands(fs: FileSystem, file: string, wanted: string | undefined): Promise<boolean> {
  try {
    const content = await contentOf(fs, await lookAt(file));
    return content.kind !== 'unreadable' && textOf(content) === wanted;
  } catch {
    return false;
  }
}

function failed(code: string, facts: FileFacts | undefined): Written {
  return { kind: 'failed', code, linkTarget: facts?.linkTarget };
}
