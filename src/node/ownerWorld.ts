import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { OpenOutlet } from '../app/outletPorts.ts';
import type { OwnerWorld } from '../app/ownerRole.ts';
import type { Claim, Disposable, Exclusions, Log, MemoryRules } from '../app/ports.ts';
import { writtenFolder } from '../domain/folders.ts';
import { quotedWord } from '../domain/guard.ts';
import type { HomeSettings } from '../protocol/discovery.ts';
import type { Storing } from '../protocol/reading.ts';
import type { Settings } from '../protocol/settings.ts';
import type { TrackingRule } from '../protocol/work.ts';
import { publishPortFile, readPortFile, removePortFile, UnsafePortFileError } from './cluster/portFile.ts';
import { createBreather } from './collector/breathe.ts';
import { completeInThread } from './collector/handOverThread.ts';
import { createHookTimes } from './collector/hookTimes.ts';
import { createPastSessions } from './collector/pastSessions.ts';
import type { Keeping } from './collector/route.ts';
import { startCollector } from './collector/server.ts';
import { watchSpool } from './collector/spool.ts';
import { findSpooled, removeSpooled } from './collector/spoolErase.ts';
import { createDropLedger, spoolStanding } from './collector/spoolDropped.ts';
import { createTrials, settingTrialsAside } from './collector/trials.ts';
import { createSources } from './sources/sources.ts';
import { atomicWrite } from './files/atomicWrite.ts';
import { nodeFileSystem, removeIfThere } from './files/fileSystem.ts';
import { createExclusions, EXCLUDED_FILE_NAME } from './hooks/excludedProjects.ts';
import { keepBinFresh, lacksItsFiles } from './machine/binFolder.ts';
import { sealHere } from './store/sealHere.ts';
import { sealerInThread } from './log/sealerThread.ts';
import { createCastFile } from './machine/castFile.ts';
import { systemClock } from './machine/clock.ts';
import { folderSystem, openExclusions } from './machine/exclusions.ts';
import { type Home, prepareHome } from './machine/home.ts';
import { isOpened } from './machine/openedFiles.ts';
import { instructionFiles } from './machine/instructions.ts';
import { readOwnFile } from './machine/ownFile.ts';
import { createProjects } from './machine/projects.ts';
import { homeKey } from './machine/homeKey.ts';
import { openTracking } from './machine/trackingFile.ts';
import { openClaimedStore } from './store/claimedStore.ts';
import { StoreFencedError } from './log/errors.ts';
import { locateStore } from './store/location.ts';

const TOKEN_BYTES = 32;
const PRIVATE = 0o600;

export interface MachineParts {
  readonly home: Home;
  /** This editor's own storage; another editor's is used when that one came first. */
  readonly storage: string;
  /** Where the build put sql-wasm.wasm, sealer.js and handOver.js. */
  readonly assets: string;
  readonly app: string;
  readonly version: string;
  readonly log: Log;
  readonly settings: () => Settings;
  /** The program that runs this, when that is an editor's: for hooks on a machine without Node. */
  readonly runtime?: string;
  /** What leaves this machine by the person's wish. */
  readonly outlets?: readonly OpenOutlet[];
  /** Any free port, whatever the settings say. */
  readonly anyPort?: boolean;
  /** Told how many events were dropped because nobody took them in. */
  readonly onDropped?: (count: number) => void;
  /** Told when the store begins to refuse what comes, and when it takes it again or is no longer ours. */
  readonly onStoring?: (storing: Storing) => void;
}

/** The owner's ports on this machine. */
export function createOwnerWorld(parts: MachineParts): OwnerWorld {
  const { home, log, app, version, settings } = parts;
  const projects = createProjects();
  const trials = createTrials();
  const hookTimes = createHookTimes();
  const opening = createOpening(home);
  let recordStore = () => Promise.resolve();
  async function publishedNow(
    { instance }: Pick<Claim, 'instance'>,
    token: string,
  ): ReturnType<OwnerWorld['published']> {
    try {
      if (await opening.isOpen()) return 'exposed';
      const found = await readPortFile(home.portFile);
      // Only its owner takes it away, or a window that found the home open (see `closeFiles`).
      if (!found) return 'exposed';
      return found.instance === instance && found.token === token ? 'ours' : 'other';
    } catch (error) {
      return error instanceof UnsafePortFileError && error.isExposed ? 'exposed' : 'other';
    }
  }
  const tracking = openTracking({ home, log, rule: () => ruleOf(settings()) });
  return {
    clock: systemClock,
    log,
    outlets: parts.outlets ?? [],
    projects,
    breather: createBreather,
    app,
    version,
    idleMs: () => settings().idleMinutes * 60_000,
    contextBudget: () => settings().contextBudget,
    memoryRules: () => memoryRulesOf(parts),
    retention: () => ({ days: settings()['retention.days'], megabytes: settings()['retention.megabytes'] }),
    tracking,
    mascot: quotedWord(path.join(home.bin, 'mascot')),
    instructions: (provider, folders) => instructionFiles(provider, folders, homedir()),
    exclusions: () => exclusionsOf(parts),
    logging: () => loggingOf(settings),
    waiting: {
      find: (sessionId) => findSpooled(home.spool, sessionId),
      remove: (names) => removeSpooled(home.spool, names),
    },
    pastSessions: (of) => createPastSessions({ ...of, now: systemClock.now }),
    sources: () => createSources(log, process.env),
    cast: createCastFile(home.cast, log),
    newToken: () => randomBytes(TOKEN_BYTES).toString('base64url'),
    async openStore(claim, onTakeOver) {
      const { folder, record } = await locateStore(home, { folder: parts.storage, app }, log);
      if (folder !== parts.storage)
        log.info(
          `The store of this home is in ${folder} (${home.storeLocation} says so); ${parts.storage} is not used.`,
        );
      const wasm = await readFile(path.join(parts.assets, 'sql-wasm.wasm'));
      const sealer = sealerInThread(path.join(parts.assets, 'sealer.js'), sealHere(nodeFileSystem), log);
      const opened = await openClaimedStore({ folder, wasm, log, claim, sealer, onTakeOver });
      recordStore = () =>
        record(async () => {
          if (!((await claim.holds()) && (await opened.holds()))) throw new StoreFencedError();
        });
      try {
        await recordStore();
      } catch (error) {
        await opened.store.close();
        throw error;
      }
      await bringBackBin(parts, claim);
      return opened;
    },
    async listen(listen) {
      const { pipeline } = listen;
      await opening.renewKeys(log);
      const collector = await startCollector({
        ...listen,
        projects,
        trials,
        hookTimes,
        proofKey: opening.proofKey,
        personToken: opening.personToken,
        spool: () => spoolStanding(home),
        storing: pipeline.storing,
        keeping: () => ({ ...keepingOf(parts, listen.store.folder), retentionPlanned: [...listen.retentionPlanned()] }),
        log,
        version,
        now: systemClock.now,
        port: parts.anyPort ? 0 : settings()['collector.port'],
        unauthenticatedIngest: () => settings()['collector.allowUnauthenticatedIngest'],
      });
      const telling = pipeline.onStoring((storing) => parts.onStoring?.(storing));
      // What was seen beside the hooks may have been refused already.
      if (!pipeline.storing().ok) parts.onStoring?.(pipeline.storing());
      const close = async () => {
        telling.dispose();
        if (!pipeline.storing().ok) parts.onStoring?.({ ok: true });
        await collector.close();
      };
      return { ...collector, close };
    },
    async publish(portFile, holds) {
      await tracking.begin(holds);
      await writeHomeSettings(home, settings());
      await publishPortFile(home.portFile, portFile);
    },
    async published(claim, token) {
      const found = await publishedNow(claim, token);
      if (found === 'exposed') opening.distrust();
      return found;
    },
    async closeHome(claim) {
      await prepareHome(home, log);
      await opening.renewKeys(log);
      await opening.see();
      // A home whose store nobody can find is no reason to let nobody in: the next owner is led there by what was set aside.
      await recordStore().catch((error: unknown) =>
        log.warn(`${home.storeLocation} was not written: ${String(error)}`),
      );
      await bringBackBin(parts, claim);
    },
    unpublish: (claim) => removePortFile(home.portFile, claim.instance),
    watchSpool(pipeline, tenure, erased) {
      const taking = settingTrialsAside(pipeline, trials, systemClock.now);
      const { spool, dropped: totalFile } = home;
      const dropped = createDropLedger({ spool, totalFile, log, tell: parts.onDropped });
      const holds = () => tenure.holds();
      const complete = completeInThread(path.join(parts.assets, 'handOver.js'));
      return Promise.resolve(watchSpool(spool, taking, log, { times: hookTimes, dropped, holds, complete, erased }));
    },
  };
}

/** What this owner knows of its home, beside the port file. */
function createOpening(home: Home) {
  let proof = '';
  let person = '';
  /** Other users may know the person's token. */
  let isDistrusted = false;
  /** Some disks have one mode for all, which nobody can change and which tells nothing. */
  let keepsModes = true;
  return {
    proofKey: () => proof,
    /** Empty while it is not accepted. */
    personToken: () => (isDistrusted ? '' : person),
    /** Stops accepting the person's token until the keys are renewed. */
    distrust: () => void (isDistrusted = true),
    /** Made where there is none that can be trusted. */
    async renewKeys(log: Log): Promise<void> {
      proof = await homeKey(home.proofKey, log);
      person = await homeKey(home.personKey, log);
      isDistrusted = false;
    },
    /** Right after it was closed. */
    async see(): Promise<void> {
      keepsModes = !(await isOpened(home));
    },
    async isOpen(): Promise<boolean> {
      const isNow = await isOpened(home);
      if (isNow && keepsModes) return true;
      if (!isNow) keepsModes = true;
      return (await isAnother(home.proofKey, proof)) || (await isAnother(home.personKey, person));
    },
  };
}

/** Is this secret missing, replaced, or in a file that others could have written? */
async function isAnother(file: string, secret: string): Promise<boolean> {
  const found = await readOwnFile(file);
  return found.kind === 'text' ? found.text.trim() !== secret : found.kind === 'missing' || !found.isUnread;
}

/** What hooks run was set aside when the home was found open, by this window or by one that has no build of it. */
async function bringBackBin({ home, assets, version, log, runtime }: MachineParts, claim: Pick<Claim, 'holds'>) {
  if (await lacksItsFiles(home))
    await keepBinFresh(home, path.join(assets, 'forwarder'), version, log, runtime, () => claim.holds());
}

function exclusionsOf({ home, log, settings }: MachineParts): ReturnType<OwnerWorld['exclusions']> {
  const noted = createExclusions(path.join(home.folder, EXCLUDED_FILE_NAME), log);
  return foldersIn(() => settings().excludedProjects, noted);
}

const nothingNoted = { excludes: () => false, dispose: () => undefined };

/** All settings that name folders are written alike. */
function foldersIn(written: () => readonly string[], noted: Exclusions & Disposable = nothingNoted) {
  return openExclusions({ written, noted, userHome: homedir(), system: folderSystem(process.platform) });
}

/** MEM-3. */
async function memoryRulesOf({ settings }: MachineParts): Promise<MemoryRules> {
  const { excludes } = await foldersIn(() => settings()['memory.excludedProjects']);
  return {
    sessions: () => settings()['memory.sessions'],
    tokens: () => settings()['memory.tokens'],
    agentWords: () => settings()['memory.agentWords'],
    excludes,
  };
}

/** CNV-4: read at each event, so that a change holds from the next one on. */
async function loggingOf(settings: () => Settings): Promise<Awaited<ReturnType<OwnerWorld['logging']>>> {
  const folders = await foldersIn(() => settings()['logging.excludedProjects']);
  return {
    ...folders,
    enabled: () => settings()['logging.enabled'],
    marker: () => settings()['logging.privateMarker'],
  };
}

function keepingOf({ home, settings }: MachineParts, folder: string | undefined): Omit<Keeping, 'retentionPlanned'> {
  return {
    folders: [...(folder === undefined ? [] : [folder]), home.spool],
    retentionDays: settings()['retention.days'],
    retentionMegabytes: settings()['retention.megabytes'],
    logging: settings()['logging.enabled'],
  };
}

/** GRD-2. */
function ruleOf(settings: Settings): TrackingRule {
  return { mode: settings['tracking.mode'], autoCreate: settings['tracking.autoCreate'] };
}

/** What programs without an editor need of the settings in force. */
export async function writeHomeSettings(home: Home, settings: Settings): Promise<void> {
  const { 'collector.port': collectorPort, autoLaunch } = settings;
  const content: HomeSettings = { version: 1, collectorPort, autoLaunch };
  await atomicWrite(home.settings, `${JSON.stringify(content)}\n`, { mode: PRIVATE });
  const projects = settings.excludedProjects.flatMap(
    (text) => writtenFolder(text, homedir(), folderSystem(process.platform)) ?? [],
  );
  if (projects.length === 0) await removeIfThere(nodeFileSystem, home.excludedBySetting);
  else await atomicWrite(home.excludedBySetting, `${JSON.stringify({ version: 1, projects })}\n`, { mode: PRIVATE });
}

/** After each change of them, by the owner. */
export function keepHomeSettings(home: Home, settings: Settings, holds: () => Promise<boolean>, log: Log): void {
  const write = async () => ((await holds()) ? writeHomeSettings(home, settings) : undefined);
  write().catch((error: unknown) => log.warn(String(error)));
}
