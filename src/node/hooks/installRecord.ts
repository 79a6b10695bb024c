import * as z from 'zod/mini';
import type { InstalledFile, InstallRecord } from '../../app/hooks/hookPorts.ts';
import type { Log } from '../../app/ports.ts';
import { scopeIds } from '../../protocol/providers.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { FileSystem } from '../files/fileSystem.ts';
import { createJsonFile } from './jsonFile.ts';

const formatSchema = z.object({
  shape: z.enum(['grouped', 'flat']),
  commandKey: z.enum(['command', 'bash']),
  head: z.exactOptional(z.custom<JsonObject>((value) => isJsonObject(value as Json | undefined))),
});

const recordSchema = z.object({
  version: z.literal(1),
  files: z.array(
    z.object({
      scope: z.enum(scopeIds),
      file: z.string().check(z.minLength(1)),
      project: z.optional(z.string()),
      made: z.boolean(),
      format: formatSchema,
      at: z.string(),
      madeFolders: z.optional(z.array(z.string())),
      quiet: z.optional(z.boolean()),
    }),
  ),
});
type RecordFile = { readonly version: 1; readonly files: readonly InstalledFile[] };

/** Where our hooks are, in a file of the home that the editor and `mascot` share. */
export function createInstallRecord(file: string, log: Pick<Log, 'warn'>, fs?: FileSystem): InstallRecord {
  const kept = createJsonFile<RecordFile>(file, recordSchema, { version: 1, files: [] }, log, fs);
  return {
    list: async () => (await kept.read()).files,
    add: (installed) =>
      kept.update(({ files }) => ({
        version: 1,
        files: [...files.filter((other) => other.file !== installed.file), installed],
      })),
    quieten: (file, quiet) =>
      kept.update((present) => {
        const isOther = (one: InstalledFile) => one.file === file && (one.quiet === true) !== quiet;
        if (!present.files.some(isOther)) return present;
        return { version: 1, files: present.files.map((one) => (isOther(one) ? { ...one, quiet } : one)) };
      }),
    remove: (removed) =>
      kept.update((present) => {
        const files = present.files.filter((other) => other.file !== removed);
        return files.length === present.files.length ? present : { version: 1, files };
      }),
  };
}
