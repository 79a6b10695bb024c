#!/usr/bin/env node
/**
 * Builds everything that ships into dist/, and dist/meta/*.json (kept out of the package), which says what is in it and is read
 * by a test. `--watch` keeps rebuilding.
 */
import { context, build } from 'esbuild';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { oneLanguage } from './scripts/lib/oneLanguage.mjs';
import { tightStyles } from './scripts/lib/tightStyles.mjs';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));

/** @type {import('esbuild').BuildOptions} */
const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  keepNames: false,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  plugins: [oneLanguage],
  define: { __PRODUCT_VERSION__: JSON.stringify(version) },
};

/** @type {Record<string, import('esbuild').BuildOptions>} */
export const bundles = {
  extension: {
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
  },
  headless: {
    entryPoints: ['src/headless.ts'],
    outfile: 'dist/headless.js',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  },
  compact: {
    entryPoints: ['src/node/store/compactWorker.ts'],
    outfile: 'dist/compact.js',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  },
  handOver: {
    entryPoints: ['src/node/collector/handOverWorker.ts'],
    outfile: 'dist/handOver.js',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  },
  postgres: {
    entryPoints: ['src/node/postgres/teamDatabase.ts'],
    outfile: 'dist/postgres.js',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // Its way over a library in C, which pg asks for only where somebody wants it.
    external: ['pg-native', 'cloudflare:sockets'],
  },
  webview: {
    entryPoints: { panel: 'webview/main.ts' },
    outdir: 'dist/webview',
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    plugins: [oneLanguage, tightStyles],
  },
  forwarder: {
    entryPoints: { 'forward-to-mascot': 'forwarder/main.ts' },
    outdir: 'dist/forwarder',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    format: 'esm',
    target: 'node18',
  },
  mascot: {
    entryPoints: ['src/mascot.ts'],
    outfile: 'dist/forwarder/mascot.mjs',
    platform: 'node',
    format: 'esm',
    target: 'node18',
  },
  uninstall: {
    entryPoints: ['src/uninstall.ts'],
    outfile: 'dist/uninstall.js',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
  },
};

async function copyAssets() {
  // sql.js reads its WebAssembly from a file of its own; inlining it would cost a third more in the package.
  await copyFile(createRequire(import.meta.url).resolve('sql.js/dist/sql-wasm.wasm'), path.join(dist, 'sql-wasm.wasm'));
  // What an agent's shell reads and runs needs no building.
  await mkdir(path.join(dist, 'forwarder'), { recursive: true });
  for (const name of ['hook', 'mascot.sh'])
    await copyFile(path.join(root, 'forwarder', name), path.join(dist, 'forwarder', name));
}

async function main() {
  const flags = process.argv.slice(2);
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  await copyAssets();
  if (flags.includes('--watch')) {
    for (const options of Object.values(bundles)) {
      const running = await context({ ...shared, ...options, minify: false, logLevel: 'info' });
      await running.watch();
    }
    return;
  }
  for (const [name, options] of Object.entries(bundles)) {
    const { metafile } = await build({ ...shared, ...options });
    await mkdir(path.join(dist, 'meta'), { recursive: true });
    await writeFile(path.join(dist, 'meta', `${name}.json`), JSON.stringify(metafile));
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) await main();
