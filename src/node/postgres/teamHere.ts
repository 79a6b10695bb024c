import { createRequire } from 'node:module';
import { homedir, hostname, userInfo } from 'node:os';
import path from 'node:path';
import type { Disposable, Exclusions, Log } from '../../app/ports.ts';
import { SinkTrouble, type TeamDatabase, type TeamDatabaseControl } from '../../app/sink/sinkPorts.ts';
import type { Settings } from '../../protocol/settings.ts';
import { createExclusions } from '../hooks/excludedProjects.ts';
import { folderSystem, openExclusions } from '../machine/exclusions.ts';
import type { Home } from '../machine/home.ts';
import { describeAddress } from './address.ts';
import { machineId } from './machineId.ts';
import type { CreateTeamDatabase, ReachedDatabase, TeamMachine } from './teamDatabase.ts';

export interface TeamHereParts {
  readonly home: Home;
  /** Where the build put postgres.js. */
  readonly assets: string;
  readonly version: string;
  readonly settings: () => Settings;
  readonly log: Log;
}

export interface TeamHere {
  readonly database: (url: string) => TeamDatabase;
  readonly exclusions: () => Promise<Exclusions & Disposable>;
  readonly user: () => string;
  readonly control: Pick<TeamDatabaseControl, 'look' | 'removeRows' | 'describe'>;
}

/** SNK-1: the team's database as this machine reaches it. Nothing of it is loaded before it is asked for. */
export function teamHere({ home, assets, version, settings, log }: TeamHereParts): TeamHere {
  const user = () => settings()['postgres.user'] || userInfo().username;

  async function machine(): Promise<TeamMachine> {
    return { id: await machineId(path.join(home.folder, 'machine.json')), host: hostname(), user: user(), version };
  }

  function reached(url: string): ReachedDatabase {
    const options = { url, caFile: () => settings()['postgres.caFile'], machine };
    return load(path.join(assets, 'postgres.js'))(options);
  }

  /** Loaded when it is first needed. */
  function database(url: string): TeamDatabase {
    return { connect: async () => reached(url).connect() };
  }

  return {
    database,
    user,
    exclusions: () =>
      openExclusions({
        written: () => settings().excludedProjects,
        noted: createExclusions(home.excluded, log),
        userHome: homedir(),
        system: folderSystem(process.platform),
      }),
    control: {
      describe: describeAddress,
      look: async (url) => reached(url).look(),
      async removeRows(url) {
        const connection = await database(url).connect();
        try {
          await connection.removeMachine();
        } finally {
          await connection.close();
        }
      },
    },
  };
}

function load(file: string): CreateTeamDatabase {
  try {
    return (createRequire(file)(file) as { readonly createTeamDatabase: CreateTeamDatabase }).createTeamDatabase;
  } catch (error) {
    throw new SinkTrouble('other', `${file} can't be loaded; install the extension again (${String(error)})`);
  }
}
