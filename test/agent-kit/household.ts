/** The lab's folder: what was built, the programs on the PATH, and a HOME for each person. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { processStart } from '../../scripts/lib/processes.mjs';
import { ownSettings } from './ownSettings.ts';
import { type AgentVersion, agentCacheFolder, agentProgram, codexProgram, RELEASES } from './program.mjs';
import type { Setup } from './words.ts';

/** Folders must be trusted before the first agent starts: each agent rewrites the file that says so. */
const PROJECTS = 300;
export const API_KEY = 'key-of-a-test-only';

export interface Places extends Setup {
  readonly folder: string;
  /** The only folder of programs beside the system's, with `claude`, `codex` and `node` in it. */
  readonly programs: string;
  /** A new folder that is a repository. */
  newProject(): string;
  /** Another HOME, where the agent's first questions are answered; with the person's own settings, or these. */
  newHome(name: string, settings?: string): string;
}

export function labFolder(): string {
  const labs = path.join(agentCacheFolder(), 'labs');
  mkdirSync(labs, { recursive: true });
  sweep(labs);
  return mkdtempSync(path.join(labs, `${process.pid}-`));
}

/** Removes what labs left whose process was killed; the kernel ended everything that ran in them. */
function sweep(labs: string): void {
  for (const name of readdirSync(labs))
    if (processStart(Number.parseInt(name, 10)) === undefined)
      rmSync(path.join(labs, name), { recursive: true, force: true });
}

/** Copies what was built, so that a build in between disturbs nothing. */
export function furnish(folder: string, built: string, version: AgentVersion, own?: string): Places {
  const dist = path.join(folder, 'dist');
  const programs = path.join(folder, 'programs');
  for (const dir of [dist, programs]) mkdirSync(dir, { recursive: true, mode: 0o700 });
  for (const name of ['headless.js', 'sql-wasm.wasm', 'forwarder', 'parts'])
    cpSync(path.join(built, name), path.join(dist, name), { recursive: true });
  // As npm links them: a version is known by the real path.
  symlinkSync(agentProgram(version)!, path.join(programs, 'claude'));
  symlinkSync(process.execPath, path.join(programs, 'node'));
  const codex = codexProgram();
  if (codex !== undefined) symlinkSync(codex, path.join(programs, 'codex'));

  const project = (number: number) => path.join(folder, 'work', `project-${number}`);
  let projects = 0;
  const newHome = (name: string, settings = ownSettings) => {
    const home = path.join(folder, name);
    mkdirSync(path.join(home, '.claude'), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(home, '.claude', 'settings.json'), settings);
    const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
    const answers = {
      hasCompletedOnboarding: true,
      lastOnboardingVersion: RELEASES.latest,
      theme: 'dark',
      customApiKeyResponses: { approved: [API_KEY.slice(-20)], rejected: [] },
      projects: Object.fromEntries(Array.from({ length: PROJECTS }, (_, number) => [project(number), trusted])),
    };
    writeFileSync(path.join(home, '.claude.json'), JSON.stringify(answers));
    return home;
  };
  const home = newHome('home', own);
  return {
    folder,
    home,
    dist,
    programs,
    storage: path.join(folder, 'store'),
    newHome,
    newProject() {
      if (projects >= PROJECTS) throw new Error(`a lab has ${PROJECTS} projects`);
      const made = project(projects++);
      mkdirSync(made, { recursive: true });
      execFileSync('git', ['init', '-q', made], { env: { PATH: process.env['PATH'] ?? '', HOME: home } });
      return made;
    },
  };
}
