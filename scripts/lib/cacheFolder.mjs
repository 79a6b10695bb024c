import { homedir } from 'node:os';
import path from 'node:path';

const NAME = 'agent-mascot-tools';

/**
 * Where tools and lasting profiles are kept: outside the repository, so that a fresh checkout finds them again.
 * @param {NodeJS.ProcessEnv} [env]
 */
export function cacheFolder(env = process.env) {
  if (env.AGENT_MASCOT_CACHE) return path.resolve(env.AGENT_MASCOT_CACHE);
  return path.join(env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), NAME);
}
