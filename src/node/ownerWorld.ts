import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { OwnerWorld } from '../app/ownerRole.ts';
import type { Log } from '../app/ports.ts';
import type { HomeSettings } from '../protocol/discovery.ts';
import { GUARD_FILE_NAME } from '../protocol/handOver.ts';
import type { Settings } from '../protocol/settings.ts';
import { publishPortFile, removePortFile } from './cluster/portFile.ts';
import { createHookTimes } from './collector/hookTimes.ts';
import { createPastSessions } from './collector/pastSessions.ts';
import { startCollector } from './collector/server.ts';
import { watchSpool } from './collector/spool.ts';
import { createTrials, settingTrialsAside } from './collector/trials.ts';
import { createSources } from './sources/sources.ts';
import { atomicWrite } from './files/atomicWrite.ts';
import { createExclusions, EXCLUDED_FILE_NAME } from './hooks/excludedProjects.ts';
import { systemClock } from './machine/clock.ts';
import { folderSystem, openExclusions } from './machine/exclusions.ts';
import type { Home } from './machine/home.ts';
import { createProjects } from './machine/projects.ts';
import { openClaimedStore } from './store/claimedStore.ts';
import { locateStore } from './store/location.ts';

const TOKEN_BYTES = 32;
const PRIVATE = 0o600;

export interface MachineParts {
  readonly home: Home;
  /** This editor's own storage; another editor's is used when that one came first. */
  readonly storage: string;
  /** Where the build put sql-wasm.wasm. */
  readonly assets: string;
  readonly app: string;
  readonly version: string;
  readonly log: Log;
  readonly settings: () => Settings;
  /** Any free port, whatever the settings say. */
  readonly anyPort?: boolean;
}

/** The owner's ports on this machine. */
export function createOwnerWorld(parts: MachineParts): OwnerWorld {
  const { home, log, app, version, settings } = parts;
  const projects = createProjects();
  const trials = createTrials();
  const hookTimes = createHookTimes();
  return {
    clock: systemClock,
    log,
    projects,
    app,
    version,
    idleMs: () => settings().idleMinutes * 60_000,
    memorySessions: () => settings()['memory.sessions'],
    exclusions: () => exclusionsOf(parts),
    pastSessions: (of) => createPastSessions({ ...of, now: systemClock.now }),
    sources: () => createSources(log, process.env),
    newToken: () => randomBytes(TOKEN_BYTES).toString('base64url'),
    async openStore(claim) {
      const folder = await locateStore(home, { folder: parts.storage, app }, log);
      const wasm = await readFile(path.join(parts.assets, 'sql-wasm.wasm'));
      return openClaimedStore({ folder, wasm, log, claim });
    },
    listen: async (listen) =>
      startCollector({
        ...listen,
        projects,
        trials,
        hookTimes,
        proofKey: await proofKey(home),
        log,
        version,
        now: systemClock.now,
        port: parts.anyPort ? 0 : settings()['collector.port'],
        unauthenticatedIngest: () => settings()['collector.allowUnauthenticatedIngest'],
      }),
    async publish(portFile) {
      await removeGuard(home, log);
      await writeHomeSettings(home, settings());
      await publishPortFile(home.portFile, portFile);
    },
    unpublish: (claim) => removePortFile(home.portFile, claim.instance),
    watchSpool(pipeline) {
      const taking = settingTrialsAside(pipeline, trials, systemClock.now);
      return Promise.resolve(watchSpool(home.spool, taking, log, hookTimes));
    },
  };
}

function exclusionsOf({ home, log, settings }: MachineParts): ReturnType<OwnerWorld['exclusions']> {
  const noted = createExclusions(path.join(home.folder, EXCLUDED_FILE_NAME), log);
  const system = folderSystem(process.platform);
  return openExclusions({ written: () => settings().excludedProjects, noted, userHome: homedir(), system });
}

/** An entry that saw another version's guard would hold up every edit to ask a collector that has no guard. */
async function removeGuard(home: Home, log: Log): Promise<void> {
  await rm(path.join(home.folder, GUARD_FILE_NAME), { force: true }).catch((error: unknown) =>
    log.warn(`${GUARD_FILE_NAME} could not be removed: ${String(error)}`),
  );
}

/** Made once for a home: whoever can read it is this person, so who knows it is a collector of theirs. */
async function proofKey(home: Home): Promise<string> {
  const known = (await readFile(home.proofKey, 'utf8').catch(() => '')).trim();
  if (known.length >= TOKEN_BYTES) return known;
  const made = randomBytes(TOKEN_BYTES).toString('base64url');
  await atomicWrite(home.proofKey, `${made}\n`, { mode: PRIVATE });
  return made;
}

/** What programs without an editor need of the settings in force. */
export async function writeHomeSettings(home: Home, settings: Settings): Promise<void> {
  const content: HomeSettings = { version: 1, collectorPort: settings['collector.port'] };
  await atomicWrite(home.settings, `${JSON.stringify(content)}\n`, { mode: PRIVATE });
}
