/**
 * What the installed entry leaves in the spool (FWD-11): a file `<name>.hook`, written by a shell that can neither quote nor
 * count. NUL ends each record, for no variable and no JSON text can hold one:
 *
 *     agent-mascot-hook/1 NUL
 *     <name>=<value> NUL …           provider, event, ppid, host, and the named variables, each as it was
 *     NUL                            the end of the head
 *     <the payload, as it came on standard input>
 *     NUL LF                         written last: what lacks it is still being written, or was cut off
 *
 * A name that begins with a dot is in the hands of its writer. The forwarder imports this file, so no package here.
 */

export const HAND_OVER_ENDING = '.hook';
export const HAND_OVER_FIRST = 'agent-mascot-hook/1';
const END = '\0\n';

export interface HandOver {
  /** By name; those that were empty are left out. */
  readonly head: Readonly<Record<string, string>>;
  readonly payload: string;
  /** False: the end was not written. The payload may be cut. */
  readonly whole: boolean;
}

/** Undefined: not written by our entry. */
export function parseHandOver(text: string): HandOver | undefined {
  if (!text.startsWith(`${HAND_OVER_FIRST}\0`)) return undefined;
  const headEnd = text.indexOf('\0\0');
  if (headEnd < 0) return undefined;
  const records = text.slice(HAND_OVER_FIRST.length + 1, headEnd).split('\0');
  const head = records.flatMap((record) => {
    const at = record.indexOf('=');
    return at > 0 && at < record.length - 1 ? [[record.slice(0, at), record.slice(at + 1)] as const] : [];
  });
  const whole = text.endsWith(END);
  const payload = text.slice(headEnd + 2, whole ? -END.length : undefined);
  return { head: Object.fromEntries(head), payload, whole };
}

/** The same hook, however often it is taken in: by the name, which is made once, and the moment of its making. */
export function handOverId(name: string, madeMs: number): string {
  return `${name.replace(/^\.|\.hook$/g, '')}@${Math.trunc(madeMs)}`;
}

/** A file's moment: its birth where the file system keeps it, never later than its last change. */
export function handOverMade({ birthtimeMs, mtimeMs }: { birthtimeMs: number; mtimeMs: number }): number {
  return birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : mtimeMs;
}

/**
 * In the spool: one line with a number for each time that something was dropped; their sum is what the person is told. A
 * line is written before anything goes, so a number below zero takes back what was announced and stayed.
 */
export const DROPPED_FILE_NAME = 'dropped.count';
/** Beside the spool: the UTC days on which its limits were enforced, one per line, in days since the epoch. */
export const DAYS_FILE_NAME = 'spool.days';
/** `<home>/<name>`: how many events were ever dropped and told. */
export const DROPPED_TOTAL_NAME = 'dropped.json';

export function droppedIn(text: string): number {
  return text.split('\n').reduce((sum, line) => (/^-?\d{1,9}$/.test(line) ? sum + Number(line) : sum), 0);
}

/** Of an event's file: its moment in milliseconds since the epoch, by the name that a forwarder gives or by the file itself. */
export function spooledAt(name: string, stats: { readonly birthtimeMs: number; readonly mtimeMs: number }): number {
  const named = name.endsWith(HAND_OVER_ENDING) ? undefined : /^\.?(\d{1,15})-/.exec(name)?.[1];
  return named === undefined ? handOverMade(stats) : Number(named);
}

/** What hooks leave in the spool, drafts and held ones too. Anything else there is nobody's to drop. */
export function isSpoolName(name: string): boolean {
  return /\.(?:hook|json)$|^\..*\.tmp$/.test(name);
}

/** What the doctor sends through an installed command. It is told of, and never stored or shown. */
export const TRIAL_EVENT = 'AgentMascotTrial';
/** The field of its payload that tells one from another: letters, digits and hyphens. */
export const TRIAL_FIELD = 'agent_mascot_trial';

/** `<home>/<name>`: there while the guard is on (GRD-2), so that an entry can tell by one look. */
export const GUARD_FILE_NAME = 'guard.on';
/** `<home>/bin/<name>`: one line, the path of the editor's runtime, for machines without Node. */
export const RUNTIME_FILE_NAME = 'runtime';
/** `<home>/<name>`: what hooks that nobody watches had to say; the doctor shows it. */
export const HOOK_LOG_NAME = 'hooks.log';
