import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Stats } from 'node:fs';
import { namedCandidate, usualCandidates } from './launchPlaces.ts';
import type { Candidate, Places } from './launchPlaces.ts';

const ROOT = 0;
const OTHERS_WRITE = 0o002;
const GROUP_OR_OTHERS_WRITE = 0o022;

export type Choice = { readonly candidate: Candidate } | { readonly why: string };

/** FWD-7: the person's word, else the editor that last ran the extension, else the first one in a usual place. */
export function chooseProgram(places: Places): Choice {
  const named = namedCandidate(places);
  if (named === 'not absolute') return { why: 'MASCOT_APP_PATH must be the whole path of an editor’s program' };
  if (named !== undefined) {
    const kind = standing(named, places.platform);
    if (kind === 'safe') return { candidate: named };
    const wrong =
      kind === 'unsafe' ? 'can be written by others, so it is not started' : 'is no program that can be run';
    return { why: `MASCOT_APP_PATH names ${named.file}, which ${wrong}` };
  }
  const refused: string[] = [];
  for (const candidate of usualCandidates(places)) {
    const kind = standing(candidate, places.platform);
    if (kind === 'safe') return { candidate };
    if (kind === 'unsafe') refused.push(candidate.file);
  }
  const found = refused[0] === undefined ? '' : ` (${refused[0]} can be written by others)`;
  return {
    why: `no editor was found to start${found}: start one with Agent Mascot, or name its program in MASCOT_APP_PATH`,
  };
}

type Standing = 'safe' | 'unsafe' | 'missing';

/** Whatever another account could have put there is not run. Windows tells no modes. */
function standing({ file, isBundle }: Candidate, platform: string): Standing {
  try {
    const real = realpathSync(file);
    const own = statSync(real);
    if (isBundle ? !own.isDirectory() : !own.isFile()) return 'missing';
    if (platform === 'win32') return 'safe';
    if (!isBundle) accessSync(real, constants.X_OK);
    const isSafe =
      isOurs(own, isBundle ? OTHERS_WRITE : GROUP_OR_OTHERS_WRITE) &&
      // The name it was found by runs, so nobody else may turn that to another program either.
      [file, real].every((path) => isOurs(statSync(dirname(path)), OTHERS_WRITE));
    return isSafe ? 'safe' : 'unsafe';
  } catch {
    return 'missing';
  }
}

function isOurs({ uid, mode }: Stats, forbidden: number): boolean {
  return (uid === ROOT || uid === process.getuid?.()) && (mode & forbidden) === 0;
}
