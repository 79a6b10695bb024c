/** English of a session's report, with `{name}` places; the editor's translations are in media/l10n. */
export const reportWords = {
  title: 'Session report: {title}',
  untitled: 'Session report',
  project: 'Project',
  worktree: 'Worktree',
  agent: 'Agent',
  when: 'When',
  statistics: 'Statistics',
  session: 'Session',
  over: '{from} – {to}, {length}',
  goesOn: '{from} until now, {length}',
  prompts: 'prompts: {count}',
  replies: 'replies: {count}',
  toolCalls: 'tool calls: {count}',
  toolCallsFailed: 'tool calls: {count} ({failed} failed)',
  subagents: 'sub-agents: {count}',
  incomplete: 'The session is longer than what is read for a report: what came last is not in it.',
  asked: 'What was asked',
  askedNothing: 'Nothing was asked.',
  askedPrivate: 'A private prompt: it is not kept, nor what was answered to it',
  askedOff: 'A prompt while logging was off: it is not kept, nor what was answered to it',
  askedMissing: 'What was said in this session is not stored: it was not kept, or it was old and has been removed.',
  cut: '… it goes on in the conversation',
  left: '… and {count} more',
  done: 'What was done',
  doneNothing: 'No file was edited and no command was run, as far as hooks told.',
  unkept: 'Tool calls in turns that were not kept: {count}. Nothing more is told of them.',
  files: 'Files edited: {count}',
  edits: '{count} edits',
  commands: 'Commands run: {count}',
  succeeded: 'done',
  started: 'left running',
  failed: 'failed',
  failedExit: 'failed, exit {code}',
  timesFailed: '{times} times, {failed} failed',
  times: '{times} times',
  failures: 'What failed',
  failuresNone: 'Nothing that did not go well later.',
  mended: 'Failed first and went well later: {count}',
  failedBuild: 'Build',
  failedTest: 'Test',
  failedQuality: 'Linter or type checker',
  failedCall: 'Tool call',
  failedTurn: 'Turn',
  decisions: 'What was decided',
  escalations: 'What was put before you',
  forItem: 'for {item}',
  items: 'Work items',
  itemPending: 'pending',
  itemRunning: 'running',
  itemDone: 'done',
  itemCancelled: 'cancelled',
  movedStarted: 'started {time}',
  movedDone: 'done {time}',
  movedCancelled: 'cancelled {time}',
  movedFreed: 'could start {time}',
  itemFiles: 'files edited for it: {count}',
  agents: 'Who took part',
  subagent: 'sub-agent',
  teammate: 'team-mate',
  fromTo: '{from} – {to}',
  untracked: 'Edits outside of work items',
  untrackedDenied: 'denied',
  untrackedWarned: 'let through',
  untrackedGap: 'judged by nobody: the guard could not be asked',
  ending: 'How it ended',
  endsOpen: 'The session goes on.',
  endsOver: 'The session has ended.',
  endsOverBy: 'The session has ended: {reason}.',
  endsStale: 'Nothing has been heard of the session for long; it was not told to have ended.',
  turnFailed: 'Its last turn failed.',
  turnFailedBy: 'Its last turn failed: {error}.',
  turnInterrupted: 'Its last turn was interrupted.',
  lastWords: 'Last words',
} as const;
export type ReportWord = keyof typeof reportWords;
type Places = Readonly<Record<string, string | number>>;

/** Words and figures as their reader is used to them. */
export interface ReportTelling {
  word(key: ReportWord, places?: Places): string;
  /** With the day and the zone. */
  moment(ts: string): string;
  time(ts: string): string;
  number(value: number): string;
  duration(ms: number): string;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** In English, and by the clock of this zone; without one by that of the machine. */
export function englishReport(timeZone?: string): ReportTelling {
  // Swedish writes moments as logs do, which everybody reads.
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  const zone = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'short' });
  const told = (ts: string) => {
    const at = new Date(ts);
    return Number.isNaN(at.getTime()) ? undefined : at;
  };
  const zoneOf = (at: Date) => zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return {
    word: (key, places = {}) =>
      reportWords[key].replace(/\{(\w+)\}/g, (place, name: string) =>
        Object.hasOwn(places, name) ? String(places[name]) : place,
      ),
    moment(ts) {
      const at = told(ts);
      return at ? `${time.format(at)} ${zoneOf(at)}`.trim() : '?';
    },
    time(ts) {
      const at = told(ts);
      return at ? time.format(at) : '?';
    },
    number: String,
    duration(ms) {
      if (ms < MINUTE) return `${Math.round(ms / 1_000)} s`;
      const minutes = Math.floor((ms % HOUR) / MINUTE);
      return ms < HOUR ? `${minutes} min` : `${Math.floor(ms / HOUR)} h ${minutes} min`;
    },
  };
}
