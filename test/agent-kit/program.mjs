/** Where the agent programs are, and whether a lab can run on this machine at all. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { findProgram } from '../../scripts/lib/findProgram.mjs';

const NAME = 'agent-mascot-agent';

/** @typedef {'latest' | '2.1.100' | '2.0.77'} AgentVersion */

/** Which release of Claude Code each name stands for. @type {Readonly<Record<AgentVersion, string>>} */
export const RELEASES = { latest: '2.1.327', '2.1.100': '2.1.100', '2.0.77': '2.0.77' };
export const CODEX_RELEASE = '0.169.0';
const ADVICE = 'run "node scripts/install-tools.mjs"';

/**
 * Programs and homes of the labs: outside the repository, so that nothing of the agent's own is ever committed.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function agentCacheFolder(env = process.env) {
  if (env.AGENT_MASCOT_AGENT_CACHE) return path.resolve(env.AGENT_MASCOT_AGENT_CACHE);
  return path.join(env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), NAME);
}

/** @param {AgentVersion | 'codex'} version */
export function installFolder(version) {
  const folder = /^\d/.test(version) ? `v${version}` : version;
  return path.join(agentCacheFolder(), 'cli', folder);
}

/**
 * The program itself. Newer releases are a native one, older ones a script for Node.
 * @param {AgentVersion} version
 * @returns {string | undefined}
 */
export function agentProgram(version) {
  const scope = path.join(installFolder(version), 'node_modules', '@anthropic-ai');
  const native = path.join(scope, `claude-code-linux-${process.arch}`, 'claude');
  return [native, path.join(scope, 'claude-code', 'cli.js')].find((file) => existsSync(file));
}

/** A script for Node that starts the native program. */
export function codexProgram() {
  const script = path.join(installFolder('codex'), 'node_modules', '@openai', 'codex', 'bin', 'codex.js');
  return existsSync(script) ? script : undefined;
}

/** Why the agent tests can't run on this machine, whatever is installed, in one line; undefined if they can. */
export function labMachineLack() {
  if (process.platform !== 'linux') return 'needs Linux: the agent program runs in namespaces of its own';
  if (process.getuid?.() !== 0) return 'needs root: unshare makes the namespaces that the agent program runs in';
  const hidden = [agentCacheFolder(), import.meta.dirname].find((folder) => folder.startsWith('/tmp/'));
  return hidden === undefined ? undefined : `${hidden} is below /tmp, which the namespace hides`;
}

/**
 * Why a lab can't run here, in one line; undefined when it can.
 * @param {AgentVersion} version
 * @returns {string | undefined}
 */
export function labLack(version) {
  const lack = labMachineLack();
  if (lack !== undefined) return lack;
  const missing = ['unshare', 'tmux', 'ip', 'git'].filter((name) => !findProgram(name));
  if (missing.length > 0) return `needs ${missing.join(' and ')} on the PATH`;
  return agentProgram(version) ? undefined : `Claude Code ${RELEASES[version]} is not there: ${ADVICE}`;
}

/** The same for a lab with Codex in it. */
export function codexLack() {
  const lack = labLack('2.0.77');
  if (lack !== undefined) return lack;
  return codexProgram() ? undefined : `Codex ${CODEX_RELEASE} is not there: ${ADVICE}`;
}
