/** npm as a child process. */
import { existsSync } from 'node:fs';
import { findProgram } from './findProgram.mjs';
import { run } from './run.mjs';
import { personEnv, toolEnv } from './toolNode.mjs';

/**
 * @param {readonly string[]} args
 * @param {import('./run.mjs').RunOptions & { root?: string }} options  root: the project whose Node npm runs on; default: the person's own
 */
export async function npm(args, { root, env = {}, ...options }) {
  const base = root === undefined ? personEnv() : toolEnv(root);
  const program = findProgram('npm', base);
  // Started by npm, its own program is known even where no npm is on the PATH.
  const script = process.env.npm_execpath;
  const label = `npm ${args.join(' ')}`;
  if (program === undefined && script?.endsWith('npm-cli.js') && existsSync(script)) {
    return run(process.execPath, [script, ...args], { label, ...options, env: { ...base, ...env } });
  }
  if (program === undefined)
    throw new Error('npm is not on the PATH: install Node.js with npm (https://nodejs.org), then run this again.');
  return run(program, args, { label, ...options, env: { ...base, npm_config_update_notifier: 'false', ...env } });
}
