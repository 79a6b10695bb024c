/**
 * The real agent program in a room of its own: private network (loopback only), mount and PID namespaces, an empty
 * environment, throw-away HOMEs. Inside run our collector, a scripted model, and agents with our hooks.
 */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { API_KEY, furnish, labFolder, type Places } from './household.ts';
import { type AgentVersion, labLack } from './program.mjs';
import { openRoom, type Room } from './room.ts';
import { type LabAgent, labAgent } from './terminal.ts';
import type { View, Watch } from './watch.ts';
import type { Ran, Settings } from './words.ts';

const root = path.join(import.meta.dirname, '../..');

export interface Lab {
  readonly watch: Watch;
  /** HOME of the person whose collector runs. */
  readonly home: string;
  readonly folder: string;
  /** The address of the scripted model. */
  readonly model: string;
  newProject(): string;
  newHome(name: string, settings?: string): string;
  /** An agent at a terminal, ready for its first prompt. */
  start(options?: StartOptions): Promise<LabAgent>;
  /** Any program at a terminal. */
  startProgram(words: readonly string[], options?: RunOptions): Promise<LabAgent>;
  /** A run without a terminal, from start to end; gives its project. */
  print(prompt: string, options?: PrintOptions): Promise<{ readonly project: string; readonly ran: Ran }>;
  /** Any program, in a person's environment. */
  run(words: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The product's own command line, as it lies beside the editor's extension. */
  mascot(args: readonly string[], options?: RunOptions): Promise<Ran>;
  get(route: string): Promise<unknown>;
  startCollector(settings?: Settings): Promise<void>;
  stopCollector(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** It stands still, or goes on where it stood. */
  hangCollector(on: boolean): Promise<void>;
  /** False: nobody follows the collector, so nothing is seen of what it does until somebody listens again. */
  listen(on: boolean): Promise<void>;
  collectorCpuMs(): Promise<number>;
  log(): string;
  end(): Promise<void>;
}

export interface RunOptions {
  /** Another person's HOME. */
  readonly home?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

interface AgentOptions {
  readonly home?: string;
  /** Where an earlier agent worked; default: a new one. */
  readonly project?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Tools that need no permission. */
  readonly allow?: readonly string[];
}

export interface StartOptions extends AgentOptions {
  /** False: no collector hears of it, so only its screen tells when it is ready. */
  readonly heard?: boolean;
}

export interface PrintOptions extends AgentOptions {
  /** Words before the program's own, such as what counts its CPU. */
  readonly under?: readonly string[];
  readonly timeoutMs?: number;
}

export interface LabOptions {
  readonly version: AgentVersion;
  readonly dist?: string;
  /** False: the person has only their own hooks. */
  readonly hooks?: boolean;
  /** The person's own settings before ours. */
  readonly settings?: string;
}

export async function startAgentLab(options: LabOptions): Promise<Lab> {
  const lack = labLack(options.version);
  if (lack !== undefined) throw new Error(lack);
  const folder = labFolder();
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  const built = options.dist ?? process.env['AGENT_MASCOT_LAB_DIST'] ?? path.join(root, 'dist');
  let room: Room | undefined;
  const end = async () => {
    await room?.close();
    removeFolder();
    process.off('exit', removeFolder);
  };
  try {
    const places = furnish(folder, built, options.version, options.settings);
    room = openRoom(places);
    // After the room's own, which ends those who still write there.
    process.once('exit', removeFolder);
    const lab = inhabited(options.version, places, room, await room.ready);
    if (options.hooks !== false) await installed(lab, ['--scope', 'user']);
    return { ...lab, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Has the product's own command line install hooks, and fails with what it said. */
export async function installed(lab: Omit<Lab, 'end'>, scope: readonly string[], options?: RunOptions): Promise<void> {
  const ran = await lab.mascot(['hooks', 'install', ...scope, '--yes'], options);
  if (ran.code !== 0) throw new Error(`mascot hooks install ended with ${ran.code}:\n${ran.stdout}${ran.stderr}`);
}

function inhabited(version: AgentVersion, places: Places, room: Room, model: string): Omit<Lab, 'end'> {
  const { watch } = room;
  const program = path.join(places.programs, 'claude');
  const command = version === 'latest' ? [program] : [process.execPath, program];
  let agents = 0;

  const person = (home = places.home) => ({
    PATH: `${places.programs}:/usr/bin:/bin`,
    HOME: home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  });
  const environment = ({ home, env = {} }: AgentOptions) => ({
    ...person(home),
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    // Deferred tools would cost the plays a search first.
    ENABLE_TOOL_SEARCH: 'false',
    ...env,
  });
  const run: Lab['run'] = ([file = '', ...args], { home, cwd = places.folder, env = {}, timeoutMs = 30_000 } = {}) =>
    room.run({ file, args, cwd, env: { ...person(home), ...env }, timeoutMs });

  // What an agent leaves on its screen at its end can still be read.
  const tmuxSettings = path.join(places.folder, 'tmux.conf');
  writeFileSync(tmuxSettings, 'set -g remain-on-exit on\n');
  const tmux = (...args: string[]) =>
    room.run({
      file: 'tmux',
      args: ['-f', tmuxSettings, '-S', '/tmp/lab-tmux', ...args],
      env: { PATH: '/usr/bin:/bin', HOME: places.home, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
      timeoutMs: 5_000,
    });

  const atTerminal = async (words: readonly string[], project: string, env: Readonly<Record<string, string>>) => {
    const name = `agent-${++agents}`;
    const assignments = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    // tmux hands several words to the program as they are, without a shell in between.
    const size = ['-x', '150', '-y', '50'];
    const made = await tmux(
      'new-session',
      '-d',
      '-s',
      name,
      ...size,
      '-c',
      project,
      'env',
      '-i',
      ...assignments,
      ...words,
    );
    if (made.code !== 0) throw new Error(`tmux ended with ${made.code}: ${made.stderr}`);
    return labAgent({ name, project, tmux, watch, run });
  };

  return {
    watch,
    home: places.home,
    folder: places.folder,
    model,
    newProject: places.newProject,
    newHome: places.newHome,
    run,
    mascot: (args, options) =>
      run([process.execPath, path.join(places.dist, 'forwarder', 'mascot.mjs'), ...args], options),
    get: room.get,
    startCollector: room.startCollector,
    stopCollector: room.stopCollector,
    hangCollector: room.hangCollector,
    listen: room.listen,
    collectorCpuMs: room.collectorCpuMs,
    log: room.log,
    async print(prompt, options = {}) {
      const { project = places.newProject(), allow = ['Bash'], args = [], under = [], timeoutMs = 30_000 } = options;
      const allowed = allow.map((tool) => `--allowedTools=${tool}`);
      const [file = '', ...words] = [...under, ...command, '-p', prompt, ...allowed, ...args];
      const ran = await room.run({ file, args: words, cwd: project, env: environment(options), timeoutMs });
      return { project, ran };
    },
    startProgram: (words, { home, cwd = places.newProject(), env = {} } = {}) =>
      atTerminal(words, cwd, { ...person(home), ...env }),
    async start(options = {}) {
      const { project = places.newProject(), args = [], allow = [], heard = true } = options;
      const began = Date.now();
      const allowed = allow.map((tool) => `--allowedTools=${tool}`);
      const words = [...command, '--permission-mode', 'default', ...allowed, ...args];
      const agent = await atTerminal(words, project, environment(options));
      try {
        const open = ({ sessions }: View) => sessions.at(-1)?.phase === 'interactable';
        if (heard) await agent.see('a started session', began, open, 20_000);
        await agent.screenShows(/^\W*[>❯]\W*/m);
      } catch (error) {
        if (error instanceof Error) error.message += `\nThe screen:\n${await agent.screen()}\nThe log:\n${room.log()}`;
        throw error;
      }
      return agent;
    },
  };
}
