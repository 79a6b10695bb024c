#!/usr/bin/env node
/** Writes docs/openapi.json from the collector's own table of routes and the schemas that they answer with. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { format, resolveConfig } from 'prettier';

const root = path.join(import.meta.dirname, '..');
const file = path.join(root, 'docs', 'openapi.json');

const { outputFiles } = await build({
  entryPoints: [path.join(root, 'src/node/collector/openapi.ts')],
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
  logLevel: 'error',
});
const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
/** @type {{ openApi(): unknown }} */
const { openApi } = await import(`data:text/javascript;base64,${code}`);

await mkdir(path.dirname(file), { recursive: true });
const options = await resolveConfig(file);
await writeFile(file, await format(JSON.stringify(openApi()), { ...options, parser: 'json' }));
console.log(`openapi: wrote ${path.relative(process.cwd(), file)}`);
