import { homedir } from 'node:os';
import path from 'node:path';
import type { Log } from '../../app/ports.ts';
import type { Sources } from '../../app/watch/watchParts.ts';
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

/** Where agents keep their transcripts; each honours a variable of its own. */
export function agentRoots(env: NodeJS.ProcessEnv): Sources['roots'] {
  // An empty variable counts as none.
  const claude = env['CLAUDE_CONFIG_DIR'] || path.join(homedir(), '.claude');
  const codex = env['CODEX_HOME'] || path.join(homedir(), '.codex');
  return [
    { provider: 'claude', folder: path.join(claude, 'projects'), layout: 'projects' },
    { provider: 'codex', folder: path.join(codex, 'sessions'), layout: 'dated' },
  ];
}
