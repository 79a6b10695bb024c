import type { Session, Snapshot } from '../src/protocol/state.ts';
import { isObject } from './payload.ts';

type Answer = Readonly<Record<string, unknown>>;

const phaseWords: Readonly<Record<NonNullable<Session['phase']>, string>> = {
  waiting_permission: 'waiting for permission',
  waiting_question: 'waiting for an answer',
  interactable: 'ready',
  busy: 'busy',
};

/** The most urgent first, as in the status bar. */
const phaseOrder = ['waiting_permission', 'waiting_question', 'interactable', 'busy'] as const;

export function statusLines(answer: Answer, origin: string): readonly string[] {
  const { owner, sessions, agents } = readSnapshot(answer);
  const live = sessions.filter(({ state }) => state === 'active' || state === 'idle');
  const phases = phaseOrder.flatMap((phase) => {
    const count = live.filter((session) => session.phase === phase).length;
    return count > 0 ? [`${count} ${phaseWords[phase]}`] : [];
  });
  const rows: (readonly string[])[] = [
    ['Collector', origin],
    ['Runs in', owner ? `${printable(owner.app)} ${printable(owner.version)}`.trim() : 'unknown'],
    ['Since', owner ? printable(owner.startedAt) : 'unknown'],
    ['Sessions', [`${live.length}`, ...phases].join(' · ')],
    ['Agents', `${agents.filter(({ present }) => present).length}`],
  ];
  return table(rows);
}

export function sessionLines(answer: Answer, now: number): readonly string[] {
  const sessions = objects(answer['items']).map(readSession);
  if (sessions.length === 0) return ['No sessions yet. Start an agent with the hooks installed.'];
  const rows = sessions.map((session) => [
    printable(session.id),
    session.state,
    session.phase ? phaseWords[session.phase] : '-',
    age(now - Date.parse(session.lastEventAt)),
    lastPart(printable(session.project || session.cwd)),
    printable(session.title) || '-',
  ]);
  const more = typeof answer['next'] === 'string' ? ['There are more: raise --limit.'] : [];
  return [...table([['ID', 'STATE', 'PHASE', 'LAST', 'PROJECT', 'TITLE'], ...rows]), ...more];
}

/** Columns as wide as their widest cell; the last one is left ragged, so that nothing ends in blanks. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, width(cell))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)))
      .join('  ')
      .trimEnd(),
  );
}

/** Cells of a terminal: East Asian letters and pictures take two, combining marks none. */
function width(text: string): number {
  let cells = 0;
  for (const character of text) {
    if (/\p{Mn}|\p{Me}|\u200d|\ufe0f/u.test(character)) continue;
    cells +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u.test(
        character,
      )
        ? 2
        : 1;
  }
  return cells;
}

/** Titles are what somebody typed or a model said: on a terminal an escape sequence in them would be obeyed. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
}

export function age(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (!Number.isFinite(minutes)) return '-';
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`;
}

function lastPart(folder: string): string {
  return (
    folder
      .split(/[\\/]/)
      .filter((part) => part !== '')
      .at(-1) ?? '-'
  );
}

type Row = Pick<Session, 'id' | 'phase' | 'lastEventAt' | 'project' | 'cwd' | 'title'> & { readonly state: string };

/** The collector may be of another version: a field that is not what it was is shown as unknown. */
function readSession(value: Answer): Row {
  const text = (key: keyof Row) => (typeof value[key] === 'string' ? value[key] : '');
  const because = value['phaseBecause'];
  // A minute of silence after a turn is reported like a question, but is one to nobody.
  const leftIdle = isObject(because) && because['detail'] === 'idle';
  const phase = leftIdle ? 'interactable' : text('phase');
  return {
    id: text('id'),
    state: printable(text('state')) || '-',
    phase: Object.hasOwn(phaseWords, phase) ? (phase as Row['phase']) : null,
    lastEventAt: text('lastEventAt'),
    project: text('project'),
    cwd: text('cwd'),
    title: text('title'),
  };
}

function readSnapshot(answer: Answer): {
  readonly owner: Pick<NonNullable<Snapshot['owner']>, 'app' | 'version' | 'startedAt'> | null;
  readonly sessions: readonly Row[];
  readonly agents: readonly { readonly present: boolean }[];
} {
  const owner = answer['owner'];
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    owner: isObject(owner)
      ? { app: text(owner['app']), version: text(owner['version']), startedAt: text(owner['startedAt']) }
      : null,
    sessions: objects(answer['sessions']).map(readSession),
    agents: objects(answer['agents']).map((agent) => ({ present: agent['present'] === true })),
  };
}

function objects(value: unknown): readonly Answer[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
