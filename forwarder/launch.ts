import type { ChildProcess } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import {
  EDITORS_FILE_NAME,
  HOME_SETTINGS_FILE_NAME,
  parseHomeSettings,
  parsePortFile,
  PORT_FILE_NAME,
} from '../src/protocol/discovery.ts';
import { editorEnvironment, personFolder } from './editorEnvironment.ts';
import { editorNames, launchNames, projectNames, readNamed } from './environment.ts';
import { readOwnFile } from './home.ts';
import { programsOf } from './launchPlaces.ts';
import { chooseProgram } from './launchProgram.ts';
import type { Choice } from './launchProgram.ts';
import { takeLaunchRight } from './launchRight.ts';
import { considerLaunch } from './launchWhen.ts';
import type { AgentStart, Consideration } from './launchWhen.ts';
import { ownerLives } from './owner.ts';
import { projectOf } from './project.ts';
import type { InProject } from './project.ts';

/** FWD-7. A desktop editor that is not yet in the disk's cache needs three to four until its extensions run. */
export const LAUNCH_WAIT_MS = 5_000;
/** For file systems that tell of no change. */
const LOOK_EVERY_MS = 250;

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the start of this agent starts the editor, by the person's setting and by what the agent runs in. */
export function considerStart(
  home: string,
  start: Omit<AgentStart, 'autoLaunch' | 'variables'>,
  environment: Environment,
): Consideration {
  const settings = readOwnFile(join(home, HOME_SETTINGS_FILE_NAME));
  // What may be anybody's word is not the person's yes.
  if (settings.kind === 'unsafe')
    return { kind: 'leave', why: `the editor is not started: ${settings.why}`, isNews: true };
  const autoLaunch =
    (settings.kind === 'text' ? parseHomeSettings(settings.text)?.autoLaunch : undefined) ?? 'interactive';
  return considerLaunch({ ...start, autoLaunch, variables: readNamed(environment, launchNames) });
}

/** Where the agent works and may write: its hook's folder, and what its program calls the project. */
export function projectsOf(environment: Environment, cwd: string | undefined): readonly string[] {
  const named = [cwd, ...Object.values(readNamed(environment, projectNames))];
  return named.filter((folder) => folder !== undefined);
}

/**
 * The rest is done by a copy of this process: the agent waits for none of it, and its end must not be the editor's. Only a
 * session of its own survives that.
 */
export async function launchApart(
  script: string,
  environment: Environment,
  projects: readonly string[],
): Promise<void> {
  const { spawn } = await import('node:child_process');
  const env = readNamed(environment, [...launchNames, ...editorNames, 'ELECTRON_RUN_AS_NODE']);
  const told = projects.map((folder) => `--project=${folder}`);
  const copy = spawn(process.execPath, [script, '--installed', '--launch', ...told], {
    detached: true,
    windowsHide: true,
    stdio: 'ignore',
    cwd: personFolder(projectOf(projects)),
    env,
  });
  // Nobody is there to be told: the next agent tries again.
  copy.on('error', () => undefined);
  copy.unref();
}

/** What is left to say to the person; undefined: an editor came up, or starting one is somebody else's turn. */
export async function launchEditor(
  home: string,
  environment: Environment,
  projects: readonly string[],
  waitMs = LAUNCH_WAIT_MS,
): Promise<string | undefined> {
  if (hasLivingOwner(home) || !takeLaunchRight(home, Date.now())) return undefined;
  const isInProject = projectOf(projects);
  const choice = choiceOf(home, environment, isInProject);
  if ('why' in choice) return choice.why;
  const { program, args, file } = choice.candidate;
  const { spawn } = await import('node:child_process');
  const editor = spawn(program, args, {
    detached: true,
    stdio: 'ignore',
    // Never a project's folder: its files would tell some programs what to do.
    cwd: personFolder(isInProject),
    env: editorEnvironment(environment, isInProject),
  });
  const failure = await startFailure(editor);
  if (failure !== undefined) return `${file} could not be started (${failure}): name another in MASCOT_APP_PATH`;
  editor.unref();
  if (await ownerComes(home, waitMs)) return undefined;
  return `${file} was started, but no Agent Mascot came up in it within ${waitMs / 1000} s${ending(editor)}: see that the extension is installed and turned on there`;
}

function choiceOf(home: string, environment: Environment, isInProject: InProject): Choice {
  const editors = readOwnFile(join(home, EDITORS_FILE_NAME));
  return chooseProgram({
    platform: process.platform,
    variables: readNamed(environment, launchNames),
    person: personFolder(isInProject),
    editors: editors.kind === 'text' ? programsOf(editors.text) : [],
    isInProject,
  });
}

function startFailure(editor: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    editor.once('spawn', () => resolve(undefined));
    editor.once('error', ({ code, name }: NodeJS.ErrnoException) => resolve(code ?? name));
  });
}

function ending({ exitCode, signalCode }: ChildProcess): string {
  if (exitCode === null && signalCode === null) return '';
  return exitCode === 0 ? '' : ` (it ended with ${exitCode ?? signalCode})`;
}

function hasLivingOwner(home: string): boolean {
  const file = readOwnFile(join(home, PORT_FILE_NAME));
  const portFile = file.kind === 'text' ? parsePortFile(file.text) : undefined;
  return portFile !== undefined && ownerLives(portFile);
}

function ownerComes(home: string, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (came: boolean) => {
      clearInterval(looking);
      clearTimeout(end);
      watching?.close();
      resolve(came);
    };
    const look = () => {
      if (hasLivingOwner(home)) finish(true);
    };
    const looking = setInterval(look, LOOK_EVERY_MS);
    const end = setTimeout(() => finish(hasLivingOwner(home)), waitMs);
    const watching = watchFolder(home, look);
    look();
  });
}

function watchFolder(folder: string, onChange: () => void) {
  try {
    return watch(folder, onChange).on('error', () => undefined);
  } catch {
    return undefined;
  }
}
