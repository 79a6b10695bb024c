import { homedir, userInfo } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { HOME_FOLDER_NAME } from '../src/protocol/discovery.ts';
import { editorNames, readNamed } from './environment.ts';
import type { InProject } from './project.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const lists: ReadonlySet<string> = new Set(['PATH', 'XDG_CONFIG_DIRS', 'XDG_DATA_DIRS']);

/**
 * What the editor is told. All of it was the agent's, and a repository may set that (.envrc, a project's settings): no folder,
 * program or socket in the project is handed on, for the editor runs outside of what confines the agent.
 */
export function editorEnvironment(environment: Environment, isInProject: InProject): NodeJS.ProcessEnv {
  const { AGENT_MASCOT_HOME, ...others } = readNamed(environment, editorNames);
  const person = personFolder(isInProject);
  const told = Object.entries(others).flatMap(([name, value = '']) => {
    const kept = lists.has(name) ? listOutside(value, isInProject) : isKept(name, value) ? value : undefined;
    return kept ? [[name, kept] as const] : [];
  });
  function isKept(name: string, value: string): boolean {
    if (name === 'DBUS_SESSION_BUS_ADDRESS') return isUsualBus(value, isInProject);
    // A zone has slashes too.
    const isPath = isAbsolute(value) || (name !== 'TZ' && /[\\/]/.test(value));
    return !isPath || !isInProject(resolve(person, value));
  }
  // Our entry always names the home; where it is the usual one the editor, and all that is started in it, need not be told.
  const isUsual = AGENT_MASCOT_HOME === undefined || AGENT_MASCOT_HOME === join(person, HOME_FOLDER_NAME);
  const own = { ...('HOME' in others && { HOME: person }), ...(!isUsual && { AGENT_MASCOT_HOME }) };
  return { ...Object.fromEntries(told), ...own };
}

/** By the system's word, where the environment would have it in the project. */
export function personFolder(isInProject: InProject): string {
  const told = homedir();
  return isAbsolute(told) && !isInProject(told) ? told : userInfo().homedir;
}

/** A relative folder means another one wherever the editor goes. */
function listOutside(value: string, isInProject: InProject): string {
  return value
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !isInProject(folder))
    .join(delimiter);
}

/** Each part may be tried, and other kinds name programs to run, machines and files. An escape would hide the path. */
function isUsualBus(value: string, isInProject: InProject): boolean {
  return value.split(';').every((part) => {
    const [, kind, path] = /^unix:(path|abstract)=([^,%]+)(?:,|$)/.exec(part) ?? [];
    return kind === 'abstract' || (path !== undefined && !isInProject(path));
  });
}
