/** What the guard adds to one edit: its hook as an agent runs it, beside Node that does nothing and the hook that only tells. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { median, quantile, ratio, takeTurns } from './frame.mjs';
import { entry, homeOf, timeOf } from './hooks.mjs';
import { toolCall } from './load.mjs';
import { startCollector } from './servers.mjs';

const DEFAULT_RUNS = 100;
const TRACKED = '/home/dev/tracked';
const UNTRACKED = '/home/dev/project';

/** @type {import('./frame.mjs').Bench} */
export const guard = {
  name: 'guard',
  about:
    'what the guard’s hook adds to one edit; p50 and p95 beside those of Node that does nothing, ratio to the hook that tells',
  async run(context) {
    const { root, node, scratch, signal, runs = DEFAULT_RUNS } = context;
    const home = await homeOf(root, path.join(scratch, 'mascot'));
    const off = await homeOf(root, path.join(scratch, 'off'));
    const alone = await homeOf(root, path.join(scratch, 'alone'));
    await writeFile(path.join(alone, 'guard.on'), '');
    const settings = path.join(scratch, 'settings.json');
    await writeFile(settings, JSON.stringify({ 'agentMascot.tracking.mode': 'strict' }));
    const server = await startCollector(context, home, { options: ['--settings', settings] });
    try {
      await startItem(server);
      if (!existsSync(path.join(home, 'guard.on'))) throw new Error('the collector has not turned the guard on');
      const env = { PATH: `${path.dirname(node)}:${process.env.PATH}`, HOME: scratch };
      // The entry takes no Node from inside of the project that an agent works in, as ours is of this one.
      const cwd = scratch;
      /** @type {Record<string, { command: string, project: string, says: RegExp }>} */
      const candidates = {
        'node -e 0': { command: `exec "${node}" -e 0`, project: TRACKED, says: /^$/ },
        'the hook that tells': { command: entry(home), project: TRACKED, says: /^$/ },
        'guard, off': { command: entry(off, ' guard'), project: UNTRACKED, says: /^$/ },
        'guard, on, an item runs': { command: entry(home, ' guard'), project: TRACKED, says: /^$/ },
        'guard, on, denied': {
          command: entry(home, ' guard'),
          project: UNTRACKED,
          says: /"permissionDecision":"deny"/,
        },
        'guard, on, no collector': { command: entry(alone, ' guard'), project: UNTRACKED, says: /^$/ },
      };
      let calls = 0;
      const input = (/** @type {string} */ project) => JSON.stringify(edit(calls++, project));
      for (const [name, { command, project, says }] of Object.entries(candidates)) {
        const said = execFileSync('sh', ['-c', command], { env, cwd, input: input(project), encoding: 'utf8' });
        if (!says.test(said)) throw new Error(`${name} said: ${said}`);
      }
      const times = await takeTurns(Object.keys(candidates), {
        runs,
        signal,
        measure(name) {
          const { command, project } = /** @type {{ command: string, project: string }} */ (candidates[name]);
          return timeOf(command, env, input(project), cwd);
        },
      });
      const of = (/** @type {string} */ name, /** @type {number} */ share) => quantile(times[name] ?? [], share);
      return Object.entries(times).map(([what, values]) => ({
        what,
        value: `p50 ${ratio(median(values), of('node -e 0', 0.5))}`,
        ratio: ratio(median(values), of('the hook that tells', 0.5)),
        note: `p95 ${ratio(quantile(values, 0.95), of('node -e 0', 0.95))}`,
      }));
    } finally {
      await server.stop();
    }
  },
};

/** @param {number} n @param {string} project */
function edit(n, project) {
  const file = { file_path: `${project}/src/till.ts`, old_string: 'a', new_string: 'b' };
  const { tool_response: _none, ...call } = toolCall(n);
  return {
    ...call,
    hook_event_name: 'PreToolUse',
    session_id: `edits of ${project}`,
    cwd: project,
    tool_name: 'Edit',
    tool_input: file,
  };
}

/** @param {import('./servers.mjs').BenchServer} server */
async function startItem({ url, token }) {
  const answer = await fetch(`${url}/api/work-items`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ id: 'till', project: TRACKED, start: true }),
  });
  if (answer.status !== 200) throw new Error(`no work item could be started: ${await answer.text()}`);
}
