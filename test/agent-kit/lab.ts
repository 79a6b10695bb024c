/**
 * The real agent program in a room of its own: private network (loopback only), mount and PID namespaces, an empty
 * environment, a throw-away HOME. Inside run our collector, a scripted model, and agents with our hooks.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { processStart } from '../../scripts/lib/processes.mjs';
import { claudeSettingsSnippet } from '../../src/domain/providers/claude/settingsSnippet.ts';
import { type AgentVersion, agentCacheFolder, agentCommand, labLack, RELEASES } from './program.mjs';
import { createWatch, type Sighting, type View, type Watch } from './watch.ts';
import type { Order, Ran, Report, Run, Setup } from './words.ts';

const root = path.join(import.meta.dirname, '../..');

/** Folders must be trusted before the first agent starts: each agent rewrites the file that says so. */
const PROJECTS = 200;
const SCREEN_POLL_MS = 50;
/** A dialog drops keys that come too soon after it was drawn, and nothing tells when it starts to listen. */
const DIALOG_DEAF_MS = 1_000;
/** A dialog has its first choice marked. */
const DIALOG = /❯ 1\./;
const API_KEY = 'key-of-a-test-only';

export interface Lab {
  readonly watch: Watch;
  /** An agent at a terminal, ready for its first prompt. */
  start(options?: StartOptions): Promise<LabAgent>;
  /** A run without a terminal, from start to end; gives its project. */
  print(prompt: string): Promise<{ readonly project: string; readonly ran: Ran }>;
  get(route: string): Promise<unknown>;
  log(): string;
  end(): Promise<void>;
}

export interface StartOptions {
  /** Where an earlier agent worked; default: a new one. */
  readonly project?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Tools that need no permission. */
  readonly allow?: readonly string[];
}

export interface LabAgent {
  readonly project: string;
  /** Types a line and sends it; gives the time of the key that sent it. */
  say(line: string): Promise<number>;
  /** Keys as tmux calls them; gives the time of the press. */
  press(...keys: string[]): Promise<number>;
  screen(): Promise<string>;
  screenShows(text: RegExp): Promise<string>;
  /** Waits for a dialog that takes keys, and gives the screen. */
  dialog(): Promise<string>;
  /** Ends it without a chance to say so. */
  kill(): Promise<number>;
  see(what: string, after: number, is: (view: View) => boolean, withinMs?: number): Promise<Sighting>;
  stories(): string[][];
  close(): Promise<void>;
}

export async function startAgentLab(options: { version: AgentVersion; dist?: string }): Promise<Lab> {
  const lack = labLack(options.version);
  if (lack !== undefined) throw new Error(lack);
  const labs = path.join(agentCacheFolder(), 'labs');
  mkdirSync(labs, { recursive: true });
  sweep(labs);
  const folder = mkdtempSync(path.join(labs, `${process.pid}-`));
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const places = furnish(folder, options.dist ?? process.env['AGENT_MASCOT_LAB_DIST'] ?? path.join(root, 'dist'));
    const room = openRoom(places);
    // After the room's own, which ends those who still write there.
    process.once('exit', removeFolder);
    const model = await room.ready.catch(async (error: unknown) => {
      await room.close();
      throw error;
    });
    const lab = inhabited(options.version, places, room, model);
    return {
      ...lab,
      async end() {
        await room.close();
        removeFolder();
        process.off('exit', removeFolder);
      },
    };
  } catch (error) {
    removeFolder();
    process.off('exit', removeFolder);
    throw error;
  }
}

/** Removes what labs left whose process was killed; the kernel ended everything that ran in them. */
function sweep(labs: string): void {
  for (const name of readdirSync(labs))
    if (processStart(Number.parseInt(name, 10)) === undefined)
      rmSync(path.join(labs, name), { recursive: true, force: true });
}

interface Places extends Setup {
  readonly folder: string;
  project(number: number): string;
}

/** Copies what was built, so that a build in between disturbs nothing, and answers the questions of a first start. */
function furnish(folder: string, built: string): Places {
  const home = path.join(folder, 'home');
  const dist = path.join(folder, 'dist');
  const bin = path.join(home, '.agent-mascot', 'bin');
  const project = (number: number) => path.join(folder, 'work', `project-${number}`);
  for (const dir of [dist, bin, path.join(home, '.claude')]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const file of ['headless.js', 'sql-wasm.wasm']) copyFileSync(path.join(built, file), path.join(dist, file));
  cpSync(path.join(built, 'forwarder'), bin, { recursive: true });
  writeFileSync(path.join(home, '.claude', 'settings.json'), claudeSettingsSnippet('$HOME/.agent-mascot/bin'));
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const answers = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: RELEASES.latest,
    theme: 'dark',
    customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
    projects: Object.fromEntries(Array.from({ length: PROJECTS }, (_, number) => [project(number), trusted])),
  };
  writeFileSync(path.join(home, '.claude.json'), JSON.stringify(answers));
  return { folder, home, dist, storage: path.join(folder, 'store'), project };
}

interface Room {
  readonly watch: Watch;
  /** The address of the scripted model. */
  readonly ready: Promise<string>;
  run(run: Run): Promise<Ran>;
  get(route: string): Promise<unknown>;
  log(): string;
  close(): Promise<void>;
}

/** A shell is the first process inside, for it takes in orphans, which Node would leave as zombies; `bash` would read ~/.bashrc. */
const INIT = 'ip link set lo up && mount -t tmpfs tmpfs /tmp && "$@"; exit $?';

function openRoom(setup: Setup): Room {
  const quiet = '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON';
  const inside = [process.execPath, quiet, path.join(import.meta.dirname, 'inside.ts'), JSON.stringify(setup)];
  const args = ['-n', '-m', '-p', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', INIT, 'lab', ...inside];
  const env = { PATH: `${path.dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin` };
  const child = spawn('unshare', args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const watch = createWatch();
  const open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let log = '';
  let last = 0;
  child.stderr.on('data', (text: Buffer) => (log += text.toString()));
  // An order to a room that is gone fails by its exit, not by the broken pipe.
  child.stdin.on('error', () => undefined);

  const ready = new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => {
      const gone = new Error(`the lab ended with ${code}: ${log}`);
      reject(gone);
      for (const order of open.values()) order.reject(gone);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const report = JSON.parse(line) as Report;
      if (report.is === 'ready') resolve(report.model);
      else if (report.is === 'frame') watch.frame(report.at, report.frame);
      else if (report.is === 'played') watch.played(report.played);
      else if (report.is === 'log') log += `${report.text}\n`;
      else {
        const order = open.get(report.id);
        open.delete(report.id);
        if (report.is === 'failed') order?.reject(new Error(report.error));
        else order?.resolve(report.value as never);
      }
    });
  });

  function send<T>(order: (id: number) => Order): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++last;
      open.set(id, { resolve, reject });
      child.stdin.write(`${JSON.stringify(order(id))}\n`);
    });
  }

  return {
    watch,
    ready,
    run: (run) => send((id) => ({ do: 'run', id, run })),
    get: (route) => send((id) => ({ do: 'get', id, route })),
    log: () => log,
    async close() {
      await ended(child);
      process.off('exit', killAtExit);
    },
  };
}

/** When the first process inside ends, the kernel ends all others of its PID namespace. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(timer);
}

function inhabited(version: AgentVersion, places: Places, room: Room, model: string): Omit<Lab, 'end'> {
  const { watch } = room;
  const command = agentCommand(version)!;
  let projects = 0;
  let agents = 0;

  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: places.home,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: API_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    // Deferred tools would cost the plays a search first.
    ENABLE_TOOL_SEARCH: 'false',
    ...more,
  });

  const newProject = () => {
    if (projects >= PROJECTS) throw new Error(`a lab has ${PROJECTS} projects`);
    const project = places.project(projects++);
    mkdirSync(project, { recursive: true });
    execFileSync('git', ['init', '-q', project], { env: { PATH: process.env['PATH'] ?? '', HOME: places.home } });
    return project;
  };

  const tmux = (...args: string[]) =>
    room.run({
      file: 'tmux',
      args: ['-f', '/dev/null', '-S', '/tmp/lab-tmux', ...args],
      env: { PATH: '/usr/bin:/bin', HOME: places.home, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
      timeoutMs: 5_000,
    });

  return {
    watch,
    get: room.get,
    log: room.log,
    async print(prompt) {
      const project = newProject();
      const [file = '', ...args] = [...command, '-p', prompt, '--allowedTools=Bash'];
      const ran = await room.run({ file, args, cwd: project, env: environment(), timeoutMs: 30_000 });
      return { project, ran };
    },
    async start({ project = newProject(), args = [], env = {}, allow = [] } = {}) {
      const name = `agent-${++agents}`;
      const began = Date.now();
      const words = [
        ...command,
        '--permission-mode',
        'default',
        ...allow.map((tool) => `--allowedTools=${tool}`),
        ...args,
      ];
      const assignments = Object.entries(environment(env)).map(([key, value]) => `${key}=${value}`);
      // tmux hands several words to the program as they are, without a shell in between.
      const size = ['-x', '150', '-y', '50'];
      await tmux('new-session', '-d', '-s', name, ...size, '-c', project, 'env', '-i', ...assignments, ...words);
      const agent = labAgent({ name, project, tmux, watch });
      try {
        const open = ({ sessions }: View) => sessions.at(-1)?.phase === 'interactable';
        await agent.see('a started session', began, open, 20_000);
        await agent.screenShows(/^\W*[>❯]\W*/m);
      } catch (error) {
        if (error instanceof Error) error.message += `\nThe screen:\n${await agent.screen()}\nThe log:\n${room.log()}`;
        throw error;
      }
      return agent;
    },
  };
}

interface AgentParts {
  readonly name: string;
  readonly project: string;
  readonly watch: Watch;
  tmux(...args: string[]): Promise<Ran>;
}

function labAgent({ name, project, watch, tmux }: AgentParts): LabAgent {
  const press = async (...keys: string[]) => (await tmux('send-keys', '-t', name, ...keys)).at;
  const screen = async () => (await tmux('capture-pane', '-p', '-t', name)).stdout;
  const screenShows = async (text: RegExp) => {
    const deadline = Date.now() + 15_000;
    for (;;) {
      const now = await screen();
      if (text.test(now)) return now;
      if (Date.now() > deadline) throw new Error(`the screen never showed ${String(text)}:\n${now}`);
      // A terminal tells nobody when it is drawn.
      await pause(SCREEN_POLL_MS);
    }
  };
  return {
    project,
    press,
    screen,
    screenShows,
    async dialog() {
      const shown = await screenShows(DIALOG);
      await pause(DIALOG_DEAF_MS);
      return shown;
    },
    async say(line) {
      await press('-l', line);
      // Keys that come at once count as pasted text, and Enter as a part of it.
      await screenShows(new RegExp(line.replace(/[^\w]/g, '.')));
      return press('Enter');
    },
    async kill() {
      const pid = (await tmux('list-panes', '-t', name, '-F', '#{pane_pid}')).stdout.trim();
      return (await tmux('run-shell', `kill -9 ${pid}`)).at;
    },
    see: (what, after, is, withinMs = 10_000) => watch.see({ project, what, after, withinMs, is }),
    stories: () => watch.stories(project),
    async close() {
      await tmux('kill-session', '-t', name);
    },
  };
}
