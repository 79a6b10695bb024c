import { access, readFile } from 'node:fs/promises';
import { z } from 'zod';
import type { Log } from '../../app/ports.ts';
import { atomicWrite } from '../files/atomicWrite.ts';
import type { Home } from '../machine/home.ts';

const locationSchema = z.object({ version: z.literal(1), folder: z.string().min(1), app: z.string() });

/**
 * STO-1: the first editor's storage becomes everybody's, so that history never splits. A folder that is gone (its editor was
 * removed with all its storage) is replaced by this one's.
 */
export async function locateStore(
  home: Home,
  own: { readonly folder: string; readonly app: string },
  log: Log,
): Promise<string> {
  const known = await readLocation(home);
  if (known && (known.folder === own.folder || (await isThere(known.folder)))) return known.folder;
  if (known) log.warn(`The store of ${known.app} is gone (${known.folder}); a new one begins in ${own.folder}.`);
  await atomicWrite(home.storeLocation, `${JSON.stringify({ version: 1, ...own })}\n`);
  return own.folder;
}

async function readLocation(home: Home): Promise<z.infer<typeof locationSchema> | undefined> {
  try {
    return locationSchema.parse(JSON.parse(await readFile(home.storeLocation, 'utf8')));
  } catch {
    return undefined;
  }
}

function isThere(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  );
}
