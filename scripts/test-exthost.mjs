#!/usr/bin/env node
/**
 * Runs test/exthost/*.test.ts inside the extension host of a real VS Code, against the built project (`npm run build` first).
 *
 * Which VS Code: the one that VSCODE_EXECUTABLE names; with AGENT_MASCOT_TEST_DESKTOP=1 the one on the PATH or else a
 * downloaded desktop one; otherwise code-server in headless Chromium (on Linux), elsewhere again the desktop.
 */
import { build } from 'esbuild';
import { runTests } from '@vscode/test-electron';
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { presentTools } from './install-tools.mjs';
import { findProgram } from './lib/findProgram.mjs';
import { interruptSignal } from './lib/interrupt.mjs';

const root = path.join(import.meta.dirname, '..');
const bundles = path.join(root, 'test-results', 'exthost');
export const SUMMARY_FILE = path.join(root, 'test-results', 'exthost.json');

/**
 * The compiled tests lie below the project, so that the editor hands them the `vscode` module of this extension.
 * @param {readonly string[]} entryPoints
 */
async function bundleTests(entryPoints) {
  await rm(bundles, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    entryPoints: [...entryPoints],
    outdir: bundles,
    outbase: path.join(root, 'test', 'exthost'),
    entryNames: '[name]',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode', 'mocha'],
    define: { 'import.meta.dirname': '__dirname' },
    sourcemap: 'inline',
    logLevel: 'warning',
  });
}

/** @returns {Promise<{ name: string, file: string | undefined }>} without a file a desktop VS Code is downloaded */
async function chooseEditor() {
  const named = process.env.VSCODE_EXECUTABLE;
  if (named) {
    if (!existsSync(named))
      throw new Error(`VSCODE_EXECUTABLE names ${named}, which does not exist. Correct it or unset it.`);
    return { name: named, file: named };
  }
  const { codeServer, unavailable } = presentTools(['code-server']);
  if (process.env.AGENT_MASCOT_TEST_DESKTOP !== '1' && unavailable.length === 0) {
    if (codeServer === undefined)
      throw new Error('code-server is not installed: run "node scripts/install-tools.mjs".');
    const file = path.join(import.meta.dirname, 'vscode-stand-in.mjs');
    // An archive or a file system of Windows may have lost the mode.
    await chmod(file, 0o755);
    return { name: 'code-server in headless Chromium', file };
  }
  const desktop = process.platform === 'linux' ? findProgram('code') : undefined;
  return { name: desktop ?? 'a desktop VS Code, downloaded', file: desktop };
}

async function main() {
  // The editor is told as well; this process stays to clear up after it.
  const signal = interruptSignal();
  if (!existsSync(path.join(root, 'dist', 'extension.js')))
    throw new Error('dist/extension.js is missing: run "npm run build" first.');
  const files = (await readdir(path.join(root, 'test', 'exthost'))).filter((name) => /\.test\.ts$/.test(name));
  const tests = files.map((name) => `test/exthost/${name}`);
  await rm(SUMMARY_FILE, { force: true });
  await bundleTests([...tests, 'test/exthost/suite.ts']);
  const editor = await chooseEditor();
  console.log(`extension host of ${editor.name}: ${tests.length} test files`);
  const scratch = await mkdtemp(path.join(tmpdir(), 'am-exthost-'));
  const folder = path.join(scratch, 'project');
  await mkdir(folder);
  await copyFile(path.join(root, 'package.json'), path.join(folder, 'package.json'));
  try {
    signal.throwIfAborted();
    await runTests({
      ...(editor.file === undefined ? {} : { vscodeExecutablePath: editor.file }),
      extensionDevelopmentPath: root,
      extensionTestsPath: path.join(bundles, 'suite.cjs'),
      extensionTestsEnv: {
        MOCHA_SUMMARY_FILE: SUMMARY_FILE,
        AGENT_MASCOT_HOME: path.join(scratch, 'mascot'),
        CLAUDE_CONFIG_DIR: path.join(scratch, 'claude'),
        CODEX_HOME: path.join(scratch, 'codex'),
      },
      launchArgs: [
        folder,
        `--user-data-dir=${path.join(scratch, 'ud')}`,
        `--extensions-dir=${path.join(scratch, 'ext')}`,
      ],
    });
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

await main().catch((error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
