#!/usr/bin/env node
/**
 * npm run agent:install [-- latest | 2.1.100]: fetches the agent program for the step `agent` of npm test, from the npm
 * registry into a cache folder of its own. Only ever on request: the newest release takes 360 MB.
 */
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { npm } from '../../scripts/lib/npm.mjs';
import { agentCommand, installFolder, RELEASES } from './program.mjs';

/** @typedef {import('./program.mjs').AgentVersion} AgentVersion */

/** @param {AgentVersion} version */
async function install(version) {
  const folder = installFolder(version);
  if (agentCommand(version)) return console.log(`Claude Code ${RELEASES[version]} is in ${folder}`);
  console.log(`Fetching Claude Code ${RELEASES[version]} into ${folder}`);
  if (existsSync(folder)) await rm(folder, { recursive: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), '{ "private": true }\n');
  const flags = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  await npm(['install', ...flags, `@anthropic-ai/claude-code@${RELEASES[version]}`], { cwd: folder });
  if (!agentCommand(version)) throw new Error(`the package has no program for ${process.platform}-${process.arch}`);
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(RELEASES, name));
if (unknown.length > 0) {
  console.error(`Unknown version: ${unknown.join(', ')}. Known: ${Object.keys(RELEASES).join(', ')}`);
  process.exitCode = 2;
} else {
  const versions = /** @type {AgentVersion[]} */ (wanted.length > 0 ? wanted : Object.keys(RELEASES));
  for (const version of versions) await install(version);
}
