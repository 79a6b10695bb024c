import { realpathSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** Whether something lies in what the agent may write. */
export type InProject = (path: string) => boolean;

/**
 * An agent that may write nothing but its project must not come out of it by what a hook runs, and whoever wrote the project
 * is no friend either. Names count as they are told and as they are behind links. A whole disk is nobody's project.
 */
export function projectOf(folders: readonly (string | undefined)[], platform: string = process.platform): InProject {
  const rules = platform === 'win32' ? win32 : posix;
  const { dirname, isAbsolute, normalize, sep } = rules;
  const form = (path: string) => {
    const plain = normalize(path);
    const name = plain.endsWith(sep) && dirname(plain) !== plain ? plain.slice(0, -1) : plain;
    // The file systems there mostly take both for one.
    return platform === 'win32' || platform === 'darwin' ? name.toLowerCase() : name;
  };
  const forms = (path: string) => [form(path), form(realOf(path, rules))];
  const projects = folders
    .filter((folder) => folder !== undefined)
    .filter((folder) => isAbsolute(folder) && !isNetworkPath(platform, folder))
    .flatMap(forms)
    .filter((folder) => dirname(folder) !== folder);
  return (path) =>
    !isNetworkPath(platform, path) &&
    forms(path).some((name) => projects.some((project) => name === project || name.startsWith(project + sep)));
}

/** On another machine, which a mere look at it would tell who we are. */
export function isNetworkPath(platform: string, path: string): boolean {
  return platform === 'win32' && /^[\\/]{2}/.test(path);
}

/** As far as it is there. */
function realOf(path: string, rules: typeof posix): string {
  try {
    return realpathSync(path);
  } catch {
    const above = rules.dirname(path);
    return above === path ? path : rules.join(realOf(above, rules), rules.basename(path));
  }
}
