import path from 'node:path';
import type { Log } from './app/ports.ts';
import { agentPlaces } from './node/hooks/agentPlaces.ts';
import { createEditors, otherCopies } from './node/hooks/editors.ts';
import { createInstallRecord } from './node/hooks/installRecord.ts';
import { removeEverything } from './node/hooks/removal.ts';
import { createScopes } from './node/hooks/scopes.ts';
import { createSettingsFiles } from './node/hooks/settingsFiles.ts';
import { defaultHome, homeAt } from './node/machine/home.ts';

/**
 * HKI-6: what the editor runs once the extension is uninstalled, with Node alone, from the extension's folder and with a few
 * seconds of time. While another editor's copy uses the home, all of it stays.
 */
async function main(): Promise<void> {
  const home = homeAt(defaultHome(process.env));
  const extension = path.dirname(__dirname);
  const others = await otherCopies(await createEditors(home.editors, log).list(), extension);
  if (others.length > 0) {
    log.info(`All is left as it is: it is still used by ${others.join(', ')}.`);
    return;
  }
  const removed = await removeEverything({
    home,
    files: createSettingsFiles({ backups: home.backups }),
    record: createInstallRecord(home.installed, log),
    // Nothing is installed any more, so which programs there are does not matter.
    scopes: createScopes({
      home: home.folder,
      places: agentPlaces(process.env),
      platform: process.platform,
      programs: () => Promise.resolve([]),
    }),
  });
  for (const what of removed.done) log.info(`removed: ${what}`);
  for (const { what, why } of removed.failed) log.warn(`left: ${what} (${why})`);
  if (removed.failed.length > 0) process.exitCode = 1;
}

const line = (message: string) => void process.stderr.write(`agent-mascot: ${message}\n`);
const log: Log = { debug: () => undefined, info: line, warn: line, error: line };

main().catch((error: unknown) => {
  log.error(String(error));
  process.exitCode = 1;
});
