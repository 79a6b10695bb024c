import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import type { Sources } from '../../app/watch/watchParts.ts';
import { descriptors, providerIds } from '../../protocol/providers.ts';
import { placeOf } from '../hooks/agentPlaces.ts';
import { createFolderEvents } from './folderEvents.ts';
import { createFolderWatch } from './folderWatch.ts';
import { createProcesses } from './processLife.ts';
import { createSessionFiles } from './sessionFiles.ts';
import { createTails } from './tail.ts';

/** What this machine tells of agents beside their hooks. */
export async function createSources(log: Log, env: NodeJS.ProcessEnv): Promise<Sources> {
  const events = createFolderEvents(log);
  return {
    tails: createTails(log, { events }),
    folders: createFolderWatch(events, log),
    processes: await createProcesses(),
    sessionFiles: createSessionFiles(log, { disk: events.disk }),
    roots: agentRoots(env),
  };
}

/** Where agents keep their transcripts, of those whose new transcripts are looked for. */
export function agentRoots(env: NodeJS.ProcessEnv): Sources['roots'] {
  return providerIds.flatMap((provider) => {
    const { home } = descriptors[provider];
    if (home?.transcripts === undefined) return [];
    const { folder, layout } = home.transcripts;
    return [{ provider, folder: path.join(placeOf(home, env), folder), layout }];
  });
}
