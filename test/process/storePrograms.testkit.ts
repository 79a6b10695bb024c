import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect } from 'vitest';

const wasmFile = createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm');

/** Starting from source would take longer than what is tested. */
export async function buildPrograms(
  folder: string,
  child: string,
  worker = 'src/node/log/sealerWorker.ts',
): Promise<void> {
  const here = import.meta.dirname;
  const shared = { bundle: true, platform: 'node', logLevel: 'error' } as const;
  await build({
    ...shared,
    entryPoints: [path.join(here, child)],
    outfile: path.join(folder, 'child.mjs'),
    format: 'esm',
    // sql.js asks for modules in the way of CommonJS; the test kit looks for its WebAssembly file.
    banner: {
      js: `import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(${JSON.stringify(import.meta.url)}); const __filename = '', __dirname = '';`,
    },
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
  });
  await build({
    ...shared,
    entryPoints: [path.join(here, '../..', worker)],
    outfile: path.join(folder, 'worker.cjs'),
    format: 'cjs',
  });
}

/** What the child told before it was killed: so long after its first word, or by itself. */
export async function toldUntilKilled(
  programs: string,
  args: readonly (string | number)[],
  aliveMs?: number,
): Promise<readonly string[]> {
  const [child = '', worker = ''] = ['child.mjs', 'worker.cjs'].map((name) => path.join(programs, name));
  const running = spawn(process.execPath, [child, worker, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { STORE_CHILD_WASM: wasmFile },
  });
  let output = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const closed = once(running, 'close');
  if (aliveMs !== undefined) {
    await once(running.stdout, 'data');
    await wait(aliveMs);
    running.kill('SIGKILL');
  }
  const [code, signal] = (await closed) as [number | null, string | null];
  expect({ code, signal }, `${args.join(' ')}: ${output}`).toEqual({ code: null, signal: 'SIGKILL' });
  // A last line without its end was not told whole.
  return output.split('\n').slice(0, -1);
}
