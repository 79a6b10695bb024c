import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { OwnerWorld } from '../app/ownerRole.ts';
import type { Log } from '../app/ports.ts';
import type { HomeSettings } from '../protocol/discovery.ts';
import { GUARD_FILE_NAME } from '../protocol/handOver.ts';
import type { Settings } from '../protocol/settings.ts';
import { publishPortFile, readPortFile, removePortFile } from './cluster/portFile.ts';
import { createHookTimes } from './collector/hookTimes.ts';
import { createPastSessions } from './collector/pastSessions.ts';
import { startCollector } from './collector/server.ts';
import { watchSpool } from './collector/spool.ts';
import { createDropLedger, spoolStanding } from './collector/spoolDropped.ts';
import { createTrials, settingTrialsAside } from './collector/trials.ts';
import { createSources } from './sources/sources.ts';
import { atomicWrite } from './files/atomicWrite.ts';
import { createExclusions, EXCLUDED_FILE_NAME } from './hooks/excludedProjects.ts';
import { systemClock } from './machine/clock.ts';
import { folderSystem, openExclusions } from './machine/exclusions.ts';
import type { Home } from './machine/home.ts';
import { createProjects } from './machine/projects.ts';
import { proofKey } from './machine/proofKey.ts';
import { openClaimedStore } from './store/claimedStore.ts';
import { compactInThread } from './store/compactThread.ts';
import { locateStore } from './store/location.ts';

const TOKEN_BYTES = 32;
const PRIVATE = 0o600;

export interface MachineParts {
  readonly home: Home;
  /** This editor's own storage; another editor's is used when that one came first. */
  readonly storage: string;
  /** Where the build put sql-wasm.wasm and compact.js. */
  readonly assets: string;
  readonly app: string;
  readonly version: string;
  readonly log: Log;
  readonly settings: () => Settings;
  /** Any free port, whatever the settings say. */
  readonly anyPort?: boolean;
  /** Told how many events were dropped because nobody took them in. */
  readonly onDropped?: (count: number) => void;
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
    retention: () => ({ days: settings()['retention.days'], megabytes: settings()['retention.megabytes'] }),
    exclusions: () => exclusionsOf(parts),
    pastSessions: (of) => createPastSessions({ ...of, now: systemClock.now }),
    sources: () => createSources(log, process.env),
    newToken: () => randomBytes(TOKEN_BYTES).toString('base64url'),
    async openStore(claim) {
      const folder = await locateStore(home, { folder: parts.storage, app }, log);
      const wasm = await readFile(path.join(parts.assets, 'sql-wasm.wasm'));
      const compact = compactInThread(path.join(parts.assets, 'compact.js'), wasm);
      return openClaimedStore({ folder, wasm, log, claim, compact });
    },
    listen: async (listen) =>
      startCollector({
        ...listen,
        projects,
        trials,
        hookTimes,
        proofKey: await proofKey(home.proofKey, log),
        spool: () => spoolStanding(home),
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
    isPublished: (claim) =>
      readPortFile(home.portFile).then(
        (found) => found?.instance === claim.instance,
        () => false,
      ),
    unpublish: (claim) => removePortFile(home.portFile, claim.instance),
    watchSpool(pipeline, claim) {
      const taking = settingTrialsAside(pipeline, trials, systemClock.now);
      const { spool, dropped: totalFile } = home;
      const dropped = createDropLedger({ spool, totalFile, log, tell: parts.onDropped });
      const holds = () => claim.holds();
      return Promise.resolve(watchSpool(spool, taking, log, { times: hookTimes, dropped, holds }));
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

/** What programs without an editor need of the settings in force. */
export async function writeHomeSettings(home: Home, settings: Settings): Promise<void> {
  const { 'collector.port': collectorPort, autoLaunch } = settings;
  const content: HomeSettings = { version: 1, collectorPort, autoLaunch };
  await atomicWrite(home.settings, `${JSON.stringify(content)}\n`, { mode: PRIVATE });
}
