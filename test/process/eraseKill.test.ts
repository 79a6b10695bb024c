import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { idsIn, openIn, temporaryFolder } from '../../src/node/store/store.testkit.ts';
import { buildPrograms } from './storePrograms.testkit.ts';

const wasmFile = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');

interface Run {
  readonly folder: string;
  readonly programs: string;
  readonly what: string;
  readonly size: string;
  /** After it was told to erase. */
  readonly aliveMs: number;
}

async function eraseUntilKilled({ folder, programs, what, size, aliveMs }: Run): Promise<readonly string[]> {
  const running = spawn(
    process.execPath,
    [path.join(programs, 'child.mjs'), folder, what, size, path.join(programs, 'compact.cjs')],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { STORE_CHILD_WASM: wasmFile } },
  );
  let output = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const closed = once(running, 'close');
  await once(running.stdout, 'data');
  await wait(aliveMs);
  running.kill('SIGKILL');
  await closed;
  return output.split('\n').slice(0, -1);
}

function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && readFileSync(path.join(entry.parentPath, entry.name)).includes(text))
    .map(({ name }) => name);
}

describe.skipIf(process.platform === 'win32')('CNV-4 a store that is killed while it erases', () => {
  let programs: AsyncDisposable & { readonly path: string };
  beforeAll(async () => {
    programs = await temporaryFolder();
    await buildPrograms(programs.path, 'eraseChild.ts');
    return () => programs[Symbol.asyncDispose]();
  });

  const moments = [0, 5, 12, 30, 80];
  it.concurrent.each([
    ['gone', 'here'],
    ['gone', 'beside'],
    ['all', 'here'],
    ['all', 'beside'],
  ])(
    'CNV-4 SIGKILL in the middle of erasing %s, images made %s: all or nothing, and soon in no byte',
    async (what, size) => {
      for (const aliveMs of moments) {
        await using folder = await temporaryFolder();
        const told = await eraseUntilKilled({ folder: folder.path, programs: programs.path, what, size, aliveMs });
        const where = `killed after ${aliveMs} ms, having told ${told.join()}`;
        if (told.includes('wiped')) expect(filesWith(folder.path, 'gone-words'), where).toEqual([]);
        const reopened = await openIn(folder.path, { generation: 2 });
        const gone = idsIn(reopened, 'gone').length;
        expect([0, 90], where).toContain(gone);
        if (told.includes('erased')) expect(gone, where).toBe(0);
        expect(reopened.store.session('gone') === undefined || gone === 90, where).toBe(true);
        expect(idsIn(reopened, 'kept').length, where).toBe(what === 'all' && gone === 0 ? 0 : 90);
        // The next owner goes on by itself; nobody has to ask again.
        const isLeft = () => expect(filesWith(folder.path, 'gone-words').length > 0, where).toBe(gone > 0);
        await vi.waitFor(isLeft, { timeout: 20_000, interval: 20 });
        await reopened.store.close();
      }
    },
    120_000,
  );
});
