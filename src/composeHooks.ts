import { existsSync } from 'node:fs';
import path from 'node:path';
import { createDoctor } from './app/hooks/doctor.ts';
import type { HookKit } from './app/hooks/hookKit.ts';
import type { InstalledFile } from './app/hooks/hookPorts.ts';
import { createHookInstaller } from './app/hooks/installer.ts';
import type { Log } from './app/ports.ts';
import { agentPlaces } from './node/hooks/agentPlaces.ts';
import { findClaudePrograms } from './node/hooks/claudePrograms.ts';
import { inlineHooksFile } from './node/hooks/codexTrust.ts';
import { createDoctorWorld } from './node/hooks/doctorWorld.ts';
import { createExclusions } from './node/hooks/excludedProjects.ts';
import { createInstallRecord } from './node/hooks/installRecord.ts';
import { removeEverything } from './node/hooks/removal.ts';
import { filesWithHooks } from './node/hooks/removeHooks.ts';
import { createScopes, setsFor } from './node/hooks/scopes.ts';
import { createSettingsFiles } from './node/hooks/settingsFiles.ts';
import { settingsFolders as folders } from './node/hooks/settingsFolders.ts';
import { createVanishWatch } from './node/hooks/watchInstalled.ts';
import { refreshBin } from './node/machine/binFolder.ts';
import { defaultHome, type Home, homeAt } from './node/machine/home.ts';

export interface HookKitParts {
  /** Without it, the one that the environment names. */
  readonly home?: Home;
  /** This editor's own store. */
  readonly storage?: string;
  /** The build, or the folder into which its runnable files were copied. */
  readonly assets: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** The program that runs this, when that is an editor's. */
  readonly runtime?: string;
}

/** Hooks as the editor and `mascot` handle them. Nothing is read or watched before it is asked for. */
export function composeHooks(parts: HookKitParts): HookKit {
  const { assets, version, env, log, runtime, storage } = parts;
  const home = parts.home ?? homeAt(defaultHome(env));
  const platform = process.platform;
  const places = agentPlaces(env);
  const inBuild = path.join(assets, 'forwarder');
  const built = existsSync(inBuild) ? inBuild : assets;
  const files = createSettingsFiles({ backups: home.backups });
  const record = createInstallRecord(home.installed, log);
  const programs = () => findClaudePrograms(env, places.person);
  const scopes = createScopes({ home: home.folder, places, platform, programs });
  const codexInline = () => inlineHooksFile(places.codex);
  const now = () => new Date().toISOString();
  const installer = createHookInstaller({ files, folders, scopes, record, now, codexInline });
  const world = createDoctorWorld({ home, built, version, env, places, platform });
  const scopeOf = async (installed: InstalledFile) => {
    const usual = await scopes.all(installed.project);
    return usual.find(({ file }) => file === installed.file) ?? (await scopes.of(installed));
  };
  return {
    installer,
    scopes,
    scopeOf,
    doctor: createDoctor({ world, installer, files }),
    excluded: createExclusions(home.excluded, log),
    refresh: () => refreshBin(home, built, version, runtime),
    watchVanishing: () =>
      createVanishWatch({ record, files, folders, setsFor: async (installed) => setsFor(await scopeOf(installed)) }),
    quieten: ({ file }) => record.quieten(file, true),
    forget: ({ file }) => record.remove(file),
    filesToRemoveFrom: () => filesWithHooks({ files, record, scopes }),
    removeEverything: () => removeEverything({ home, storage, files, record, scopes }),
  };
}
