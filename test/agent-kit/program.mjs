/** Where the agent program is, and whether a lab can run on this machine at all. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { findProgram } from '../../scripts/lib/findProgram.mjs';

const NAME = 'agent-mascot-agent';

/** @typedef {'latest' | '2.1.100'} AgentVersion */

/** Which release each name stands for. @type {Readonly<Record<AgentVersion, string>>} */
export const RELEASES = { latest: '2.1.327', '2.1.100': '2.1.100' };

/**
 * Programs and homes of the labs: outside the repository, so that nothing of the agent's own is ever committed.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function agentCacheFolder(env = process.env) {
  if (env.AGENT_MASCOT_AGENT_CACHE) return path.resolve(env.AGENT_MASCOT_AGENT_CACHE);
  return path.join(env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), NAME);
}

/** @param {AgentVersion} version */
export function installFolder(version) {
  return path.join(agentCacheFolder(), 'cli', version === 'latest' ? version : `v${version}`);
}

/**
 * Newer releases are a native program, older ones a script for Node.
 * @param {AgentVersion} version
 * @returns {string[] | undefined}
 */
export function agentCommand(version) {
  const scope = path.join(installFolder(version), 'node_modules', '@anthropic-ai');
  const script = path.join(scope, 'claude-code', 'cli.js');
  const native = path.join(scope, `claude-code-linux-${process.arch}`, 'claude');
  if (existsSync(native)) return [native];
  return existsSync(script) ? [process.execPath, script] : undefined;
}

/**
 * Why a lab can't run here, in one line; undefined when it can.
 * @param {AgentVersion} version
 * @returns {string | undefined}
 */
export function labLack(version) {
  if (process.platform !== 'linux') return 'needs Linux: the agent program runs in namespaces of its own';
  if (process.getuid?.() !== 0) return 'needs root: unshare makes the namespaces that the agent program runs in';
  const missing = ['unshare', 'tmux', 'ip', 'git'].filter((name) => !findProgram(name));
  if (missing.length > 0) return `needs ${missing.join(' and ')} on the PATH`;
  if (!agentCommand(version)) return `Claude Code ${RELEASES[version]} is not there: npm run agent:install`;
  const hidden = [agentCacheFolder(), import.meta.dirname].find((folder) => folder.startsWith('/tmp/'));
  return hidden === undefined ? undefined : `${hidden} is below /tmp, which the namespace hides`;
}
