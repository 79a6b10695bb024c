import { homedir } from 'node:os';
import path from 'node:path';
import { type AgentHome, descriptors, type HookedId, hookedIds } from '../../protocol/providers.ts';

/** The folders where agents keep a person's settings. */
export interface AgentPlaces extends Readonly<Record<HookedId, string>> {
  /** The person's own folder, as `$HOME` is in a hook's shell. */
  readonly person: string;
}

export function agentPlaces(env: NodeJS.ProcessEnv, person: string = homedir()): AgentPlaces {
  const places = hookedIds.map((id) => [id, placeOf(descriptors[id].home, env, person)]);
  return { person, ...(Object.fromEntries(places) as Record<HookedId, string>) };
}

/** An empty variable counts as none. A relative one would mean another folder in each of the agent's working folders. */
export function placeOf({ folder, variable }: AgentHome, env: NodeJS.ProcessEnv, person: string = homedir()): string {
  const moved = variable === undefined ? undefined : env[variable];
  return moved ? path.resolve(person, moved) : path.join(person, folder);
}
