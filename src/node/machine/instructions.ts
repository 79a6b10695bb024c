import { stat } from 'node:fs/promises';
import path from 'node:path';
import { providerFor } from '../../domain/providers/registry.ts';

/** An agent that starts waits for its answer; a disk that does not answer costs it no more than this. */
const DEADLINE_MS = 100;

/** OUT-1: the files with instructions that an agent reads by itself at its start. */
export async function instructionFiles(
  provider: string,
  folders: readonly string[],
  userHome: string,
): Promise<readonly string[]> {
  const { project = [], user = [] } = providerFor(provider).instructions ?? {};
  const wanted = [
    ...user.map((name) => path.join(userHome, name)),
    ...folders.flatMap((folder) => project.map((name) => path.join(folder, name))),
  ];
  const looks = [...new Set(wanted)].map(async (file) => {
    const found = await stat(file).catch(() => undefined);
    return found?.isFile() ? [file] : [];
  });
  return within(DEADLINE_MS, Promise.all(looks));
}

function within(ms: number, work: Promise<readonly (readonly string[])[]>): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, []);
    void work.then((found) => {
      clearTimeout(timer);
      resolve(found.flat());
    });
  });
}
