import { posix, win32 } from 'node:path';
import type { LaunchVariables } from './environment.ts';
import { isObject, parseObject } from './payload.ts';
import type { InProject } from './project.ts';

/** How to start an editor, if `file` is there and safe. */
export interface Candidate {
  /** The program, or the bundle on macOS. */
  readonly file: string;
  readonly isBundle: boolean;
  /** The program to run, and what it is told. */
  readonly program: string;
  readonly args: readonly string[];
}

export interface Places {
  readonly platform: string;
  readonly variables: LaunchVariables;
  /** The person's own folder. */
  readonly person: string;
  /** Programs of editors that ran the extension, the last one first. */
  readonly editors: readonly string[];
  /** What lies in the session's project. */
  readonly isInProject: InProject;
}

/** A PATH this long is a mistake, and each of its folders is looked into five times. */
const PATH_FOLDERS_MAX = 200;
/** As many copies as the editors' list keeps. */
const EDITORS_MAX = 50;
/** No system takes a longer path. */
const PATH_MAX = 4096;

const commands = ['code', 'code-insiders', 'codium', 'cursor', 'windsurf'];
const bundles = ['Visual Studio Code', 'Visual Studio Code - Insiders', 'VSCodium', 'Cursor', 'Windsurf'];
const windowsPrograms = [
  ['Microsoft VS Code', 'Code.exe'],
  ['Microsoft VS Code Insiders', 'Code - Insiders.exe'],
  ['VSCodium', 'VSCodium.exe'],
  ['cursor', 'Cursor.exe'],
  ['Windsurf', 'Windsurf.exe'],
] as const;
const linuxPrograms = [
  ...['/usr/bin', '/usr/local/bin', '/snap/bin'].flatMap((folder) => commands.map((name) => `${folder}/${name}`)),
  ...commands.map((name) => `/usr/share/${name}/bin/${name}`),
  '/opt/visual-studio-code/bin/code',
];
const flatpaks = ['com.visualstudio.code', 'com.visualstudio.code-insiders', 'com.vscodium.codium'];

/** The person's own word. Where it can't be followed nothing else is started: they would wonder why. */
export function namedCandidate({ platform, variables }: Places): Candidate | undefined | 'not absolute' {
  const named = variables.MASCOT_APP_PATH;
  if (named === undefined) return undefined;
  return isAbsolute(platform, named) ? candidate(platform, named) : 'not absolute';
}

/** In the order in which they are tried. */
export function usualCandidates(places: Places): readonly Candidate[] {
  const { platform, editors } = places;
  const files = [...editors.filter((file) => isAbsolute(platform, file)), ...usualFiles(places)];
  return [...new Set(files)].map((file) => candidate(platform, file));
}

function usualFiles({ platform, variables, person }: Places): readonly string[] {
  switch (platform) {
    case 'win32':
      return windowsFolders(variables).flatMap((folder) =>
        windowsPrograms.map((parts) => win32.join(folder, ...parts)),
      );
    case 'darwin':
      return ['/Applications', posix.join(person, 'Applications')].flatMap((folder) =>
        bundles.map((name) => posix.join(folder, `${name}.app`)),
      );
    default: {
      // A relative folder means another one in each project, so none is looked in.
      const onPath = (variables.PATH ?? '').split(':').filter((folder) => posix.isAbsolute(folder));
      const exported = ['/var/lib', posix.join(person, '.local/share')];
      return [
        ...commands.flatMap((name) => onPath.slice(0, PATH_FOLDERS_MAX).map((folder) => posix.join(folder, name))),
        ...linuxPrograms,
        ...exported.flatMap((folder) => flatpaks.map((name) => posix.join(folder, 'flatpak/exports/bin', name))),
      ];
    }
  }
}

function windowsFolders({ LOCALAPPDATA, ProgramFiles }: LaunchVariables): readonly string[] {
  const own = LOCALAPPDATA === undefined ? undefined : win32.join(LOCALAPPDATA, 'Programs');
  return [own, ProgramFiles].filter((folder) => folder !== undefined).filter((folder) => isAbsolute('win32', folder));
}

function candidate(platform: string, file: string): Candidate {
  const bundle = platform === 'darwin' ? /^.*?\.app(?=\/|$)/s.exec(file)?.[0] : undefined;
  if (bundle === undefined) return { file, isBundle: false, program: file, args: [] };
  // In the background: the person types in a terminal, and the next key is meant for it.
  return { file: bundle, isBundle: true, program: '/usr/bin/open', args: ['-g', '-a', bundle] };
}

/** `\x` on Windows is a place on whichever drive is at hand, and `\\x` one on whichever machine somebody wrote there. */
function isAbsolute(platform: string, file: string): boolean {
  if (file.length > PATH_MAX || file.includes('\0')) return false;
  return platform === 'win32' ? /^[A-Za-z]:[\\/]/.test(file) : posix.isAbsolute(file);
}

/** Of the list that each activation of the extension writes. */
export function programsOf(editorsFile: string): readonly string[] {
  const value = parseObject(editorsFile);
  const editors = value?.['version'] === 1 ? value['editors'] : undefined;
  if (!Array.isArray(editors)) return [];
  return editors.slice(0, EDITORS_MAX).flatMap((copy: unknown) => {
    const program = isObject(copy) ? copy['program'] : undefined;
    return typeof program === 'string' && program !== '' ? [program] : [];
  });
}
