import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedHome } from '../forwarder/home.ts';
import type { Log } from './app/ports.ts';
import { processesAbove } from './cli/agentAround.ts';
import { runMascot } from './cli/main.ts';
import { processTerminal } from './cli/terminal.ts';

declare const __PRODUCT_VERSION__: string;

const terminal = processTerminal();
// SEC-8: an installed `mascot` uses the home that it lies in, whatever the environment names.
const itsHome = installedHome(process.argv[1] ?? '');
if (itsHome !== undefined) process.env['AGENT_MASCOT_HOME'] = itsHome;

const code = await runMascot(process.argv.slice(2), {
  version: __PRODUCT_VERSION__,
  env: process.env,
  cwd: process.cwd(),
  personHome: homedir(),
  terminal,
  now: Date.now,
  processesAbove: () => processesAbove(process, process.env),
  untilEnded() {
    const ended = new AbortController();
    process.once('SIGINT', () => ended.abort()).once('SIGTERM', () => ended.abort());
    return ended.signal;
  },
  async kit() {
    // Most commands ask a collector and need none of this.
    const { composeHooks } = await import('./composeHooks.ts');
    const assets = path.dirname(fileURLToPath(import.meta.url));
    return composeHooks({ assets, version: __PRODUCT_VERSION__, env: process.env, log: terminalLog() });
  },
});
// Nothing that still watches or waits may keep the command from ending.
process.exit(code);

function terminalLog(): Log {
  const complain = (message: string) => terminal.complain(`mascot: ${message}`);
  return { debug: () => undefined, info: () => undefined, warn: complain, error: complain };
}
