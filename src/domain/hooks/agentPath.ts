/** The side where the agent runs: WSL counts as `posix`. */
export type AgentSide = 'posix' | 'windows';

/** FWD-10: a path as the agent's side knows it. What has no name there (a share of another machine) stays as it is. */
export function agentSidePath(path: string, agent: AgentSide): string {
  if (agent === 'windows') return path;
  const plain = withoutLongPrefix(path);
  const drive = /^([A-Za-z]):(?=[\\/]|$)/.exec(plain)?.[1];
  if (drive !== undefined) return withoutEndSlash(`/mnt/${drive.toLowerCase()}${slashed(plain.slice(2))}`);
  const distribution = /^[\\/]{2}wsl(?:\.localhost|\$)[\\/][^\\/]+/i.exec(plain)?.[0];
  if (distribution !== undefined) return slashed(plain.slice(distribution.length)) || '/';
  return path;
}

/** SEC-8: the home's absolute path, for `CommandPlace`: no variable can redirect a command with it. */
export function homeInCommand(home: string, system: AgentSide): string {
  return withoutEndSlash(system === 'windows' ? slashed(home) : agentSidePath(home, system));
}

/** The home's path as `$HOME/…`, if it lies below the person's own folder: the same text on every machine. */
export function homeBelowPerson(home: string, personHome: string, system: AgentSide): string {
  const folder = homeInCommand(home, system);
  if (system === 'windows') return folder;
  const person = withoutEndSlash(agentSidePath(personHome, system));
  // `/` alone is the person's folder in some containers, and everything would be below it.
  if (!person.startsWith('/') || person === '/' || climbs(folder)) return folder;
  return folder === person || folder.startsWith(`${person}/`) ? `$HOME${folder.slice(person.length)}` : folder;
}

/** `\\?\C:\x`, `\\?\UNC\server\share`: how Windows writes what is longer than 260 characters. */
function withoutLongPrefix(path: string): string {
  if (!path.startsWith('\\\\?\\')) return path;
  const rest = path.slice(4);
  return /^UNC\\/i.test(rest) ? `\\\\${rest.slice(4)}` : rest;
}

function slashed(path: string): string {
  return path.replaceAll('\\', '/');
}

function withoutEndSlash(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === '/') end--;
  return path.slice(0, end);
}

function climbs(path: string): boolean {
  return path.split('/').includes('..');
}
