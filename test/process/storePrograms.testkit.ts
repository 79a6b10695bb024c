import path from 'node:path';
import { build } from 'esbuild';

/** Starting from source would take longer than what is tested. */
export async function buildPrograms(folder: string, child: string): Promise<void> {
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
    entryPoints: [path.join(here, '../../src/node/store/compactWorker.ts')],
    outfile: path.join(folder, 'compact.cjs'),
    format: 'cjs',
  });
}
