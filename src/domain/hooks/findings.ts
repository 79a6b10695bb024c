import type { ScopeId } from '../../protocol/providers.ts';
import type { Refusal } from './settingsEdit.ts';

/** What a fix does; each is one click in the editor. `mascot hooks doctor --fix` does those that change nothing of the person's. */
export type Fix =
  /** Shows the difference and writes it. */
  | { readonly kind: 'install'; readonly scope: ScopeId; readonly project?: string }
  /** Opens a file at a place. */
  | { readonly kind: 'open'; readonly file: string; readonly line?: number; readonly column?: number }
  /** Copies entry, forwarder and runtime to the home again. */
  | { readonly kind: 'refresh' }
  /** Begins to run the collector here: reloads the window. */
  | { readonly kind: 'reload' }
  /** Only the person can: shows what to do. */
  | { readonly kind: 'explain'; readonly topic: 'codex-trust' | 'managed' | 'node' | 'disk' };

export interface Finding {
  readonly code: FindingCode;
  readonly level: 'good' | 'note' | 'warning' | 'error';
  /** For the places in the words. */
  readonly values: Readonly<Record<string, string | number>>;
  readonly fix?: Fix;
}

/** English of every finding; the editor translates it, the terminal prints it. */
export const findingWords = {
  'scope.absent': '{scope}: no hooks of ours in {file}',
  'scope.whole': '{scope}: all {count} hooks are in {file}',
  'scope.partial': '{scope}: {events} missing in {file}',
  'scope.outdated': '{scope}: hooks of an older version in {file}',
  'scope.vanished': '{scope}: our hooks were in {file} and are gone: another program rewrote it',
  'scope.unreadable': '{scope}: {file} can’t be read ({why})',
  'scope.broken':
    '{scope}: {file} is broken at line {line}, column {column} ({reason}); {agent} ignores the whole file',
  'scope.disabled': '{scope}: "disableAllHooks" in {file} turns all hooks off',
  'scope.managed': 'A policy of this machine ({file}) allows only its own hooks',
  'scope.newEvents':
    '{scope}: an installed {agent} ({versions}) may not know newer hooks; only those that all know are wanted',
  'codex.trusted': 'Codex trusts all {count} hooks',
  'codex.untrusted': 'Codex has not been told to trust {count} of {all} hooks, and does not run them',
  'codex.changed': 'Codex saw that {count} of {all} hooks changed, and does not run them until they are trusted again',
  'codex.unknown': 'Whether Codex trusts the hooks can’t be told ({why})',
  'codex.inline': '{file} has hooks of its own too: Codex warns of the two places at each start',
  'entry.good': 'The entry in {folder} is of this version ({bytes} bytes)',
  'entry.missing': 'The entry in {folder} is missing or was changed: hooks end in silence',
  'entry.newer': 'The entry in {folder} is of a newer version ({version}) and is left alone',
  'runtime.node': 'Runtime: Node {version} ({file})',
  'runtime.editor': 'Runtime: no usable Node on the PATH; the editor’s own is used ({file})',
  'runtime.none': 'No Node 18 or later on the PATH and no editor’s runtime known: a session starts without its context',
  'collector.live': 'The collector answers at {url}',
  'collector.none': 'No collector is running: events wait until an editor opens',
  'collector.dead': 'The port file names a collector that does not answer: {why}',
  'spool.empty': 'Nothing waits in the spool',
  'spool.waiting': '{count} events wait in the spool ({kilobytes} KB)',
  'spool.dropped':
    '{count} events were lost so far, the last on {date}: more than {megabytes} MB waited, or for more than {days} days of use, or there was no room to keep them',
  'spool.blocked':
    'Nothing can be written to the spool {folder} ({why}): make room on its disk, or make it a folder that you can write to. Until then hooks are slow, and without a collector their events are lost',
  'storing.full':
    'The disk of {folder} is full ({why}): make room. Nothing is stored until then; {count} events wait in the spool and are taken in then',
  'storing.unwritable':
    'The folder {folder} can’t be written ({why}): make it writable. Nothing is stored until then; {count} events wait in the spool and are taken in then',
  'storing.failed':
    'Storing in {folder} fails ({why}): check the disk, and reload the window that runs the collector. {count} events wait in the spool and are taken in then',
  'trial.arrived': '{scope}: a test event through the installed command arrived after {ms} ms',
  'trial.lost': '{scope}: a test event through the installed command did not arrive within {seconds} s',
  'trial.noisy':
    '{scope}: the installed command printed something or ended with {code}: an agent would show it ({said})',
  'trial.skipped': 'No test event: {why}',
  'cost.hooks': 'One hook takes {p50} ms (p95 {p95}); a hook that does nothing {nothing} ms here',
  'log.lines': 'Hooks had something to say ({count} lines, the newest: {newest})',
} as const;
export type FindingCode = keyof typeof findingWords;

/** What stands for `{reason}` of a broken file. */
export const refusalWords: Readonly<Record<Refusal['reason'], string>> = {
  syntax: 'not valid JSON',
  comment: 'a comment, which JSON does not have',
  'trailing-comma': 'a comma before a closing bracket',
  'not-an-object': 'not an object in braces',
  'hooks-not-an-object': '"hooks" is not an object',
  'event-not-a-list': 'the hooks of an event are not a list',
  'too-deep': 'nested too deeply',
};

/** What stands for `{why}` of a test that was not made. */
export const skipWords = {
  'no-hooks': 'no hooks are installed',
  'no-collector': 'no collector is running',
  'not-storing': 'the collector can store nothing now',
  'not-current': 'the installed hooks are not of this version: only what this version writes is run',
} as const;

/** The sentence in English. A place without a value stays as it is. */
export function findingText({ code, values }: Pick<Finding, 'code' | 'values'>): string {
  return findingWords[code].replace(/\{(\w+)\}/g, (place, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : place,
  );
}
