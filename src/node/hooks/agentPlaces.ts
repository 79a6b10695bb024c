import { homedir } from 'node:os';
import path from 'node:path';

/** The folders where agents keep a person's settings. */
export interface AgentPlaces {
  /** The person's own folder, as `$HOME` is in a hook's shell. */
  readonly person: string;
  readonly claude: string;
  readonly codex: string;
  readonly gemini: string;
  readonly copilot: string;
}

/** An empty variable counts as none. A relative one would mean another folder in each of the agent's working folders. */
export function agentPlaces(env: NodeJS.ProcessEnv, person: string = homedir()): AgentPlaces {
  const moved = (name: string, usual: string) => {
    const value = env[name];
    return value ? path.resolve(person, value) : path.join(person, usual);
  };
  return {
    person,
    claude: moved('CLAUDE_CONFIG_DIR', '.claude'),
    codex: moved('CODEX_HOME', '.codex'),
    gemini: path.join(person, '.gemini'),
    copilot: path.join(person, '.copilot'),
  };
}
