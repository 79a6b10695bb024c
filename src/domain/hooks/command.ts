import { descriptors, type HookedId, isHookedId } from '../../protocol/providers.ts';

/** Where a hook's command finds our files, in the words of the side where the agent runs. */
export interface CommandPlace {
  readonly system: 'posix' | 'windows';
  /** The home: its absolute path, or `$HOME/…` (posix only; see `homeInCommand`, `homeBelowPerson`). */
  readonly home: string;
}

/** The entry's file in `<home>/bin`. Without an ending: Claude Code on Windows puts `bash` before a command that names a `.sh`. */
export const ENTRY_NAME = 'hook';

/**
 * What an agent runs at one of its hooks. Codex trusts a hook by this very text, so it must never change: whatever may need
 * to change is in the file that it reads. Read into the shell that the agent starts anyway, the file costs no further process.
 * Whatever is wrong with it, the trap ends the hook with 0; a missing one ends it in silence.
 */
export function hookCommand(place: CommandPlace, provider: HookedId, event: string, guards = false): string {
  if (place.system === 'windows') {
    const script = `"${place.home}/bin/forward-to-mascot.mjs"`;
    return `node ${script} --installed --provider ${provider} --event ${event}${guards ? ' --guard' : ''}`;
  }
  const text = [
    'exec 2>/dev/null',
    `m=${quoted(place.home)}`,
    `set -- ${provider} ${event}${guards ? ' guard' : ''}`,
    'trap "exit 0" 0',
    `[ -r "$m/bin/${ENTRY_NAME}" ]&&. "$m/bin/${ENTRY_NAME}"`,
    'exit 0 #agent-mascot',
  ].join(';');
  return descriptors[provider].hooks.inPersonsShell ? `${SHELL} '${text.replaceAll("'", "'\\''")}'` : text;
}

/** What reads the same in every shell starts `sh`. By its whole path, which all systems have: the agent's PATH may begin with a folder of the project. */
const SHELL = 'exec /bin/sh -c';
/** What stood there before. */
const SHELL_BY_PATH = 'exec sh -c';

const form = {
  posix:
    /^exec 2>\/dev\/null;m="((?:[^"\\]|\\.)*)";set -- (\w+) (\w+)( guard)?;trap "exit 0" 0;\[ -r "\$m\/bin\/hook" \]&&\. "\$m\/bin\/hook";exit 0 #agent-mascot$/,
  windows: /^node "([^"]*)\/bin\/forward-to-mascot\.mjs" --installed --provider (\w+) --event (\w+)( --guard)?$/,
};

/** What the first release told people to paste. Nothing in these homes means anything to a shell but the person's own folder. */
const older = [
  /^\[ -f "((?:\$HOME)?\/[^"$`\\]*)\/bin\/forward-to-mascot\.mjs" \] && command -v node >\/dev\/null && exec node "\1\/bin\/forward-to-mascot\.mjs" --provider \w+(?: --event \w+)?; exit 0$/,
  /^node "?((?:~|\$HOME)\/\.agent-mascot)\/bin\/forward-to-mascot\.mjs"? --provider \w+(?: --event \w+)?$/,
];

/** Whether we wrote this command, in this release or an older one. What a person made of it is theirs. */
export function isOurCommand(command: string): boolean {
  return homeOfCommand(command) !== undefined;
}

/**
 * The home that a command of ours names, as `CommandPlace` writes it; undefined: not ours. The form alone proves nothing, for
 * somebody else's file may hold it too: a home is one only if we would write it so, and where no shell runs a part of it.
 */
export function homeOfCommand(command: string): string | undefined {
  const present = command.startsWith(`${SHELL_BY_PATH} '`) ? command.replace(SHELL_BY_PATH, SHELL) : command;
  const wrapped = /^exec \/bin\/sh -c '(.*)'$/s.exec(present)?.[1]?.replaceAll("'\\''", "'");
  const read = wordsIn(form.posix.exec(wrapped ?? present), 'posix') ?? wordsIn(form.windows.exec(command), 'windows');
  if (read) {
    const { place, provider, event, guards } = read;
    return hookCommand(place, provider, event, guards) === present && isPlain(place) ? place.home : undefined;
  }
  const home = older.map((text) => text.exec(command)?.[1]).find((found) => found !== undefined);
  return home?.replace(/^~/, '$HOME');
}

function wordsIn(match: RegExpExecArray | null, system: CommandPlace['system']) {
  const [, written, provider, event, guard] = match ?? [];
  if (written === undefined || !isHookedId(provider) || event === undefined) return undefined;
  const home = system === 'posix' ? written.replace(/\\(.)/gs, '$1') : written;
  return { place: { system, home }, provider, event, guards: guard !== undefined };
}

/** An absolute path, or one below the person's own folder; on Windows without what one of its three shells would expand. */
export function isPlain({ system, home }: CommandPlace): boolean {
  if (system === 'windows') return /^(?:[A-Za-z]:|\/)\/[^"$`%]*$/.test(home);
  return /^(?:\$HOME)?\//.test(home);
}

/** Whether one of our commands is the one that asks while the guard is on. */
export function isGuardCommand(command: string): boolean {
  return / --guard$|;set -- \w+ \w+ guard;/.test(command);
}

/** As a POSIX shell reads it back. `$HOME` stays a variable: one text then serves every machine and every user. */
function quoted(home: string): string {
  const escaped = (text: string) => text.replace(/["$`\\]/g, '\\$&');
  const below = /^\$HOME(?=\/|$)/.test(home);
  return below ? `"$HOME${escaped(home.slice('$HOME'.length))}"` : `"${escaped(home)}"`;
}
