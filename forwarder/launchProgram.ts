import { accessSync, constants, statSync } from 'node:fs';
import { namedCandidate, usualCandidates } from './launchPlaces.ts';
import type { Candidate, Places } from './launchPlaces.ts';
import { ourTrust, stepsTo, untrustedStep } from './trustedPath.ts';

export type Choice = { readonly candidate: Candidate } | { readonly why: string };

/** FWD-7: the person's word, else the editor that last ran the extension, else the first one in a usual place. */
export function chooseProgram(places: Places): Choice {
  const named = namedCandidate(places);
  if (named === 'not absolute')
    return { why: 'MASCOT_APP_PATH must be the whole path of an editor’s program on this machine' };
  if (named !== undefined) {
    const wrong = wrongWith(named, places);
    return wrong === undefined ? { candidate: named } : { why: `MASCOT_APP_PATH names ${named.file}, ${wrong}` };
  }
  const refused: string[] = [];
  for (const candidate of usualCandidates(places)) {
    const wrong = wrongWith(candidate, places);
    if (wrong === undefined) return { candidate };
    if (wrong !== MISSING) refused.push(`${candidate.file}, ${wrong}`);
  }
  const found = refused[0] === undefined ? '' : ` (there is ${refused[0]})`;
  return {
    why: `no editor was found to start${found}: start one with Agent Mascot, or name its program in MASCOT_APP_PATH`,
  };
}

const MISSING = 'which is no program that can be run';
const IN_PROJECT = 'which lies in the session’s project, so it is not started';

/**
 * Whatever another account or the agent could have put there is not run. What was looked at is what runs, under the name it
 * was found by, which some programs go by: nobody else can turn any step of the way to something else.
 */
function wrongWith({ file, isBundle }: Candidate, { platform, isInProject }: Places): string | undefined {
  if (!isProgram(file, isBundle)) return MISSING;
  if (isInProject(file)) return IN_PROJECT;
  // It tells no modes.
  if (platform === 'win32') return undefined;
  const steps = stepsTo(file);
  if (steps === undefined) return MISSING;
  // A link in the project may lead out of it, until the agent turns it elsewhere.
  if (steps.some(({ path }) => isInProject(path))) return IN_PROJECT;
  const untrusted = untrustedStep(steps, ourTrust(platform))?.path;
  if (untrusted === undefined) return undefined;
  return `${untrusted === file ? 'which' : `and ${untrusted}`} can be written by others, so it is not started`;
}

function isProgram(file: string, isBundle: boolean): boolean {
  try {
    const stats = statSync(file);
    if (isBundle) return stats.isDirectory();
    accessSync(file, constants.X_OK);
    return stats.isFile();
  } catch {
    return false;
  }
}
