import path from 'node:path';
import { atomicWrite } from '../files/atomicWrite.ts';
import { errorCode, type FileSystem, removeIfThere } from '../files/fileSystem.ts';
import { checkImage, frameImage } from './imageFile.ts';

const indexName = /^index-g(\d{1,15})\.db$/;

/** Is this the name of an index's file? */
export function isIndexName(name: string): boolean {
  return indexName.test(name);
}

export interface IndexFileParts {
  readonly folder: string;
  readonly fs: FileSystem;
  /** The owner's: its name is in the file's, so that a deposed owner's late rename hits no file of its successor. */
  readonly generation: number;
  /** Rejects once another process owns the store. */
  readonly assertMayWrite: () => Promise<void>;
}

/** The index as a file: written beside and renamed, with a checksum behind it. Whatever is wrong with it costs only time. */
export class IndexFile {
  readonly #parts: IndexFileParts;

  constructor(parts: IndexFileParts) {
    this.#parts = parts;
  }

  /** The images that are whole, newest generation first. */
  async *images(): AsyncGenerator<Uint8Array> {
    const { folder, fs } = this.#parts;
    const found = (await this.#names()).toSorted((a, b) => generationOf(b) - generationOf(a));
    for (const name of found) {
      const bytes = await fs.readFile(path.join(folder, name)).catch(ignoreMissing);
      const check = bytes && checkImage(bytes);
      if (check?.kind === 'readable' && check.verified) yield check.image;
    }
  }

  async write(image: Uint8Array): Promise<void> {
    const { folder, fs, generation, assertMayWrite } = this.#parts;
    const name = `index-g${generation}.db`;
    await atomicWrite(path.join(folder, name), frameImage(image), { mode: 0o600, fs, beforeReplace: assertMayWrite });
    // A successor's stays: this owner may have been deposed a moment ago.
    const earlier = (await this.#names()).filter((other) => generationOf(other) < generation);
    for (const other of earlier) await removeIfThere(fs, path.join(folder, other));
  }

  /** How many bytes all of them take. */
  async bytes(): Promise<number> {
    const { folder, fs } = this.#parts;
    const sizes = await Promise.all(
      (await this.#names()).map((name) => fs.stat(path.join(folder, name)).catch(() => ({ size: 0 }))),
    );
    return sizes.reduce((sum, { size }) => sum + size, 0);
  }

  async #names(): Promise<string[]> {
    return (await this.#parts.fs.readdir(this.#parts.folder)).filter(isIndexName);
  }
}

function generationOf(name: string): number {
  return Number(indexName.exec(name)?.[1] ?? 0);
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT' || errorCode(error) === 'EIO') return undefined;
  throw error;
}
