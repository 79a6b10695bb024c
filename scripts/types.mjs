#!/usr/bin/env node
/** Type-checks every runtime with its own tsconfig, so that a layer can't use what its runtime does not have. */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
// It exports no program; where the package lies is all that can be asked for.
const compiler = path.dirname(createRequire(import.meta.url).resolve('typescript-7/package.json'));
const tsc = path.join(compiler, 'bin', 'tsc');
let failed = 0;
for (const runtime of ['pure', 'node', 'vscode', 'webview', 'forwarder', 'test']) {
  const run = spawnSync(process.execPath, [tsc, '-p', `tsconfig.${runtime}.json`, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
  });
  if (run.status !== 0) {
    failed++;
    console.error(`types: ${runtime}\n${run.stdout}${run.stderr}`);
  }
}
if (failed) console.error(`types: ${failed} of 6 runtimes failed`);
process.exitCode = failed ? 1 : 0;
