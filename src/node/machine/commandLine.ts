import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readSettings, type Settings } from '../../protocol/settings.ts';
import { defaultHome } from './home.ts';

export const headlessUsage = `Usage: node headless.js --storage DIR [--port N] [--home DIR] [--settings FILE]

Runs Agent Mascot's collector without an editor until SIGTERM or SIGINT.

  --storage DIR    where the database and its journal are kept, if the home has none yet (its store.json says where)
  --port N         port on 127.0.0.1; 0: any free one (default: the setting collector.port)
  --home DIR       folder of the port file (default: AGENT_MASCOT_HOME or ~/.agent-mascot)
  --settings FILE  JSON with settings, such as { "agentMascot.collector.port": 4820 }
  --help           shows this text`;

export interface HeadlessOptions {
  readonly storage: string;
  readonly home: string;
  readonly settings: Settings;
  /** Sentences about settings that were lowered to their limit. */
  readonly capped: readonly string[];
  readonly anyPort: boolean;
}

/** What was wrong with the words on the command line, or in the file they name; to be shown as it is. */
export class UsageError extends Error {}

/** Undefined: help was asked for. */
export function readCommandLine(argv: readonly string[], env: NodeJS.ProcessEnv): HeadlessOptions | undefined {
  const { values } = parsed(argv);
  if (values.help) return undefined;
  if (!values.storage) throw new UsageError('--storage DIR is missing: say where the database is to be kept.');
  const port = portFrom(values.port);
  const { settings, capped } = values.settings === undefined ? readSettings({}) : settingsFrom(values.settings);
  return {
    storage: path.resolve(values.storage),
    home: values.home === undefined ? defaultHome(env) : path.resolve(values.home),
    settings: port ? { ...settings, 'collector.port': port } : settings,
    anyPort: port === 0,
    capped,
  };
}

function parsed(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...argv],
      options: { storage: text, port: text, home: text, settings: text, help: { type: 'boolean' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function portFrom(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port;
  throw new UsageError(`--port ${text}: give a number from 0 to 65535.`);
}

function settingsFrom(file: string): ReturnType<typeof readSettings> {
  const prefix = 'agentMascot.';
  const entries = Object.entries(settingsObject(file)).map(([name, value]) => [
    name.startsWith(prefix) ? name.slice(prefix.length) : name,
    value,
  ]);
  const found = readSettings(Object.fromEntries(entries));
  if (found.rejected.length > 0) throw new UsageError(`--settings ${file}: ${found.rejected.join('; ')}`);
  return found;
}

function settingsObject(file: string): object {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new UsageError(`--settings ${file} can't be used: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new UsageError(`--settings ${file}: the file must hold one JSON object.`);
}
