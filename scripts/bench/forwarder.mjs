/** One hook call: our forwarder beside what a person would write without it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '../lib/findProgram.mjs';
import { median, quantile, ratio, takeTurns } from './frame.mjs';
import { toolCall } from './load.mjs';
import { startCollector } from './servers.mjs';

const DEFAULT_RUNS = 40;

const SHELL_SCRIPT = `#!/usr/bin/env bash
set -euo pipefail
jq -c --arg at "$(date -u +%FT%T.000Z)" --arg id "$RANDOM$RANDOM$RANDOM" \\
  '. + {_meta: {collected_at: $at, delivery_id: $id, provider: "claude", workspace_id: "project", terminal_session_id: "tty"}}' |
  curl -sS --max-time 5 -X POST -H 'content-type: application/json' -H "authorization: Bearer $MASCOT_TOKEN" --data-binary @- "$MASCOT_COLLECTOR_URL/ingest" >/dev/null
`;

const FETCH_SCRIPT = `
let text = '';
for await (const chunk of process.stdin) text += chunk;
const payload = JSON.parse(text);
const url = process.env.MASCOT_COLLECTOR_URL;
const health = await fetch(url + '/health');
if (!health.ok) process.exit(0);
payload._meta = { collected_at: new Date().toISOString(), delivery_id: crypto.randomUUID(), provider: 'claude', workspace_id: 'project', terminal_session_id: 'tty' };
await fetch(url + '/ingest', {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.MASCOT_TOKEN },
  body: JSON.stringify(payload),
});
`;

/** @type {import('./frame.mjs').Bench} */
export const forwarder = {
  name: 'forwarder',
  about: 'one hook call, from the start of the process to its end, against a running collector',
  async run(context) {
    const { root, node, scratch, log, signal, runs = DEFAULT_RUNS } = context;
    const built = path.join(root, 'dist', 'forwarder', 'forward-to-mascot.mjs');
    if (!existsSync(built)) throw new Error(`${built} is missing: run "npm run build" first.`);
    const home = path.join(scratch, 'mascot');
    await mkdir(home, { recursive: true, mode: 0o700 });
    const shellScript = path.join(scratch, 'hook.sh');
    const fetchScript = path.join(scratch, 'hook.mjs');
    await writeFile(shellScript, SHELL_SCRIPT);
    await writeFile(fetchScript, FETCH_SCRIPT);
    /** @type {Record<string, readonly [string, ...string[]]>} */
    const commands = {
      'node -e 0': [node, '-e', '0'],
      forwarder: [node, built],
      'fetch with a health check': [node, fetchScript],
    };
    const absent = ['bash', 'jq', 'curl'].filter((program) => findProgram(program) === undefined);
    if (absent.length === 0) commands['bash + jq + curl'] = ['bash', shellScript];
    else log(`bash + jq + curl: left out, ${absent.join(' and ')} not on the PATH`);

    const server = await startCollector(context, home);
    try {
      const env = {
        PATH: process.env.PATH,
        HOME: scratch,
        AGENT_MASCOT_HOME: home,
        MASCOT_COLLECTOR_URL: server.url,
        MASCOT_TOKEN: server.token,
      };
      let calls = 0;
      const times = await takeTurns(Object.keys(commands), {
        runs,
        signal,
        measure: (name) =>
          timeOf(
            /** @type {readonly [string, ...string[]]} */ (commands[name]),
            env,
            JSON.stringify(toolCall(calls++)),
          ),
      });
      const base = median(times['node -e 0'] ?? []);
      return Object.entries(times).map(([what, values]) => ({
        what,
        value: `${median(values).toFixed(1)} ms`,
        ratio: ratio(median(values), base),
        note: `p95 ${quantile(values, 0.95).toFixed(1)} ms, ${values.length} runs`,
      }));
    } finally {
      await server.stop();
    }
  },
};

/**
 * @param {readonly [string, ...string[]]} command
 * @param {NodeJS.ProcessEnv} env
 * @param {string} input
 * @returns {Promise<number>} milliseconds
 */
function timeOf([program, ...args], env, input) {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const child = spawn(program, args, { env, stdio: ['pipe', 'ignore', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => (complaint += chunk));
    child.once('error', reject);
    child.once('close', (code) => {
      // A delivery that failed is no measurement.
      if (code === 0 && complaint === '') resolve(performance.now() - since);
      else reject(new Error(`${program} ${args[0]} ended with ${code}: ${complaint}`));
    });
    // `node -e 0` never reads it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
