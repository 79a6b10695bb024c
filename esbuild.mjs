#!/usr/bin/env node
/**
 * Builds everything that ships into dist/, THIRD-PARTY-NOTICES.txt, and dist/meta/*.json (kept out of the package), which says
 * what is in dist/ and is read by tests. `--watch` keeps rebuilding dist/.
 */
import { context, build } from 'esbuild';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { asCommonJs } from './scripts/lib/asCommonJs.mjs';
import { thirdPartyNotices } from './scripts/lib/thirdPartyNotices.mjs';
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
  // Masking and words hold letters of many scripts; escaped, each would take six bytes.
  charset: 'utf8',
  logLevel: 'warning',
  define: { __PRODUCT_VERSION__: JSON.stringify(version) },
};

/** @type {Record<string, import('esbuild').BuildOptions>} */
export const bundles = {
  // Programs that share their code: what several of them need is written once, into dist/parts.
  programs: {
    entryPoints: {
      extension: 'src/extension.ts',
      headless: 'src/headless.ts',
      uninstall: 'src/uninstall.ts',
      sealer: 'src/node/log/sealerWorker.ts',
      handOver: 'src/node/collector/handOverWorker.ts',
      postgres: 'src/node/postgres/teamDatabase.ts',
    },
    outdir: 'dist',
    chunkNames: 'parts/[name]-[hash]',
    platform: 'node',
    format: 'esm',
    splitting: true,
    target: 'node20',
    // pg requires its C library and Cloudflare's sockets only if they are used, and we do not use them.
    external: ['vscode', 'pg-native', 'cloudflare:sockets'],
    plugins: [asCommonJs('node20')],
  },
  webview: {
    entryPoints: { panel: 'webview/main.ts' },
    outdir: 'dist/webview',
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    plugins: [tightStyles],
  },
  forwarder: {
    entryPoints: { 'forward-to-mascot': 'forwarder/main.ts' },
    outdir: 'dist/forwarder',
    outExtension: { '.js': '.mjs' },
    platform: 'node',
    format: 'esm',
    target: 'node18',
  },
  remote: {
    entryPoints: ['forwarder/remote.ts'],
    outfile: 'dist/forwarder/remote.mjs',
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
  await mkdir(path.join(dist, 'meta'), { recursive: true });
  const metafiles = [];
  for (const [name, options] of Object.entries(bundles)) {
    const { metafile } = await build({ ...shared, ...options, metafile: true });
    metafiles.push(metafile);
    await writeFile(path.join(dist, 'meta', `${name}.json`), JSON.stringify(metafile));
  }
  await writeFile(path.join(root, 'THIRD-PARTY-NOTICES.txt'), await thirdPartyNotices(root, metafiles));
}

if (process.argv[1] && path.resolve(process.argv[1]) === import.meta.filename) await main();
