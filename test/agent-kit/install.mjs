#!/usr/bin/env node
/**
 * npm run agent:install [-- latest | 2.1.100 | 2.0.77 | codex]: fetches the agent programs for the step `agent` of npm test,
 * from the npm registry into a cache folder of its own. Only ever on request: the newest release takes 360 MB. Codex only
 * where it is named.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { npm } from '../../scripts/lib/npm.mjs';
import { agentProgram, CODEX_RELEASE, codexProgram, installFolder, RELEASES } from './program.mjs';

/** @typedef {import('./program.mjs').AgentVersion} AgentVersion */

/** @param {AgentVersion | 'codex'} name */
function wish(name) {
  return name === 'codex'
    ? { label: `Codex ${CODEX_RELEASE}`, spec: `@openai/codex@${CODEX_RELEASE}`, found: codexProgram }
    : {
        label: `Claude Code ${RELEASES[name]}`,
        spec: `@anthropic-ai/claude-code@${RELEASES[name]}`,
        found: () => agentProgram(name),
      };
}

/** @param {AgentVersion | 'codex'} name */
async function install(name) {
  const folder = installFolder(name);
  const { label, spec, found } = wish(name);
  if (found()) return console.log(`${label} is in ${folder}`);
  console.log(`Fetching ${label} into ${folder}`);
  if (existsSync(folder)) await rm(folder, { recursive: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  await npm(['install', ...flags, spec], { cwd: folder });
  if (!found()) throw new Error(`the package has no program for ${process.platform}-${process.arch}`);
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => name !== 'codex' && !Object.hasOwn(RELEASES, name));
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Known: ${[...Object.keys(RELEASES), 'codex'].join(', ')}`);
  process.exitCode = 2;
} else {
  const names = /** @type {(AgentVersion | 'codex')[]} */ (wanted.length > 0 ? wanted : Object.keys(RELEASES));
  for (const name of names) await install(name);
}
