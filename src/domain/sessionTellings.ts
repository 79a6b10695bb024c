import type { AgentEvent, EventOf, Severity } from '../protocol/event.ts';
import type { EventPayload, EventType } from '../protocol/eventPayloads.ts';
import type { SessionEvent, SessionEventType } from '../protocol/sessionEvent.ts';
import type { CheckKind } from './checkPrograms.ts';
import { editedFiles } from './edits.ts';
import { callWords } from './eventWords.ts';
import { pathWithin } from './folders.ts';
import { amount } from './plainWords.ts';
import { cutText, LABEL_MAX, oneLine, shortText } from './text.ts';

/** A line of a log on a wide screen. */
export const SUMMARY_MAX = 200;

/** A request that is longer is read where it is stored whole; this is what a screen shows of it. */
const PROMPT_MAX = 2_000;

/** As much as an agent takes at its start. */
const CONTEXT_MAX = 10_000;

/** What agents log of their own, as long as they may. */
const OWN_DETAILS_MAX = 4_000;

/** Of a list that a checkpoint holds. */
const LINES_MAX = 20;

export interface Telling<T extends EventType = EventType> {
  readonly type: SessionEventType;
  // A method: every telling is called with an event of its own type, which the table of all tellings can't say.
  summary(event: EventOf<T>): string;
  /** Words of the payload that are worth telling, with the most that is told of each. */
  readonly details: { readonly [Word in keyof EventPayload<T>]?: number };
  more?(event: EventOf<T>): SessionEvent['details'];
  /** Absent: as the event's own. */
  readonly severity?: Severity;
  /** It is of an agent: told only if that one is somebody, for warm-ups and compaction start and stop nobody. */
  readonly ofAgent?: true;
  /** Of the conversation as a whole: what a sub-agent's own says is not told. */
  readonly ofMain?: true;
}

const shown = (words: string | undefined, max = SUMMARY_MAX) => oneLine(shortText(words, PROMPT_MAX) ?? '', max);
const because = (reason: string | undefined) => {
  const word = shown(reason);
  return word === '' ? '' : ` (${word})`;
};
const called = (type: string | undefined) => shown(type) || 'agent';

/** Of what is told behind a few words of ours. */
const NAME_MAX = 140;
const after = (words: string, name: string) => (name === '' ? words : `${words}: ${name}`);

export const fileEdit: Telling<'tool_succeeded'> = {
  type: 'file_edit',
  summary: (event) => {
    const [first, ...more] = shownFiles(event);
    return first === undefined
      ? 'Edited a file'
      : `Edited ${first}${more.length > 0 ? ` and ${more.length} more` : ''}`;
  },
  details: {},
  more: (event) => ({ ...toolIn(event), ...told('files', editedFiles(event).slice(0, LINES_MAX).join('\n')) }),
};

/** A failed command of that kind. */
export const checks: Readonly<Record<CheckKind, Telling<'tool_failed'>>> = {
  build: checkTelling('build_failed', 'Build failed', 'error'),
  test: checkTelling('test_failed', 'Tests failed', 'error'),
  quality: checkTelling('quality_warning', 'Linter or type checker failed', 'warn'),
};

function checkTelling(type: SessionEventType, words: string, severity: Severity): Telling<'tool_failed'> {
  return {
    type,
    severity,
    summary: (event) => {
      const { exit_code: exit } = event.payload;
      return after(
        `${words}${exit === undefined || exit === null ? '' : ` (exit ${exit})`}`,
        shown(event.payload.target, NAME_MAX),
      );
    },
    details: {},
    more: (event) => ({
      ...toolIn(event),
      ...told('command', shortText(event.payload.target)),
      ...told('exit_code', event.payload.exit_code?.toString()),
      ...told('error', shortText(event.payload.error_message, PROMPT_MAX)),
    }),
  };
}

export const compaction: Telling<'session_started' | 'compaction_ended'> = {
  type: 'compact',
  severity: 'info',
  summary: () => 'The conversation was compacted',
  details: {},
  ofMain: true,
};

const overflow: Telling<'usage_reported'> = {
  type: 'context_overflow',
  severity: 'warn',
  summary: (event) => {
    const [used, window] = [event.payload.context_used, event.payload.context_window];
    if (used === undefined) return 'The context is nearly full';
    return `The context is nearly full: ${window === undefined ? amount(used, 'token') : `${used} of ${amount(window, 'token')}`}`;
  },
  details: {},
  more: (event) => ({
    ...told('used', event.payload.context_used?.toString()),
    ...told('window', event.payload.context_window?.toString()),
    ...told('model', shortText(event.payload.model)),
  }),
};

type WorkEvent = EventOf<'work_started' | 'work_ended' | 'dependency_resolved'>;

const workName = ({ payload }: WorkEvent) => shown(payload.title, NAME_MAX) || shown(payload.work_item, NAME_MAX);

/** EVT-1: which normalised events are events of the session's own story. Those of the rest are nobody's news. */
export const tellings: { readonly [T in EventType]?: Telling<T> } = {
  session_started: {
    type: 'session_start',
    summary: (event) => `Session started${because(event.payload.source)}`,
    details: { source: LABEL_MAX, model: LABEL_MAX },
  },
  session_ended: {
    type: 'session_end',
    summary: (event) => `Session ended${because(event.payload.reason)}`,
    details: { reason: LABEL_MAX },
  },
  user_prompt: {
    type: 'user_request',
    summary: (event) => shown(event.payload.prompt) || 'A request without words',
    details: { prompt: PROMPT_MAX },
    // CNV-4: why it has no words.
    more: ({ payload }) => (payload.unlogged === true ? { unlogged: payload.private ? 'private' : 'off' } : {}),
  },
  agent_started: {
    type: 'agent_activated',
    summary: (event) => `${called(event.payload.agent_type)} began`,
    details: { agent_type: LABEL_MAX },
    ofAgent: true,
  },
  agent_stopped: {
    type: 'agent_deactivated',
    summary: (event) => `${called(event.payload.agent_type)} ended${because(event.payload.reason)}`,
    details: { agent_type: LABEL_MAX, reason: LABEL_MAX },
    ofAgent: true,
  },
  usage_reported: overflow,
  compaction_started: {
    type: 'checkpoint_created',
    severity: 'info',
    summary: (event) => `Compaction begins${because(event.payload.trigger)}`,
    details: { trigger: LABEL_MAX },
    more: (event) => (event.payload.checkpoint ? checkpointDetails(event.payload.checkpoint) : {}),
    ofMain: true,
  },
  compaction_ended: { ...compaction, details: { trigger: LABEL_MAX } },
  context_loaded: {
    type: 'context_loaded',
    summary: (event) =>
      `Told of ${amount(event.payload.sessions ?? 0, 'earlier session')} in about ${amount(event.payload.tokens ?? 0, 'token')}`,
    details: { source: LABEL_MAX, text: CONTEXT_MAX },
    more: (event) => ({
      sessions: String(event.payload.sessions ?? 0),
      tokens: String(event.payload.tokens ?? 0),
    }),
    ofMain: true,
  },
  work_started: {
    type: 'work_start',
    summary: (event) => after('Work started', workName(event)),
    details: { title: LABEL_MAX },
  },
  work_ended: {
    type: 'work_end',
    summary: (event) => after(event.payload.status === 'cancelled' ? 'Work cancelled' : 'Work done', workName(event)),
    details: { title: LABEL_MAX, status: LABEL_MAX },
  },
  dependency_resolved: {
    type: 'dependency_resolved',
    summary: (event) => {
      const ended = shown(event.payload.ended, SUMMARY_MAX - NAME_MAX);
      return after(`Nothing more to wait for${ended === '' ? '' : ` after ${ended}`}`, workName(event));
    },
    details: { title: LABEL_MAX, ended: LABEL_MAX },
  },
  untracked_edit: {
    type: 'untracked_edit',
    severity: 'warn',
    summary: (event) => {
      const denied = event.payload.decision === 'denied';
      return after(denied ? 'An edit without a work item was held back' : 'An edit without a work item', fileIn(event));
    },
    details: { decision: LABEL_MAX },
    more: (event) => ({ ...toolIn(event), ...told('file', shortText(event.payload.target)) }),
  },
  guard_gap: {
    type: 'guard_gap',
    severity: 'warn',
    summary: (event) => after('Nobody judged an edit, for the guard could not be asked', fileIn(event)),
    details: {},
    more: (event) => ({ ...toolIn(event), ...told('file', shortText(event.payload.target)) }),
  },
  decision: {
    type: 'decision',
    summary: (event) => shown(event.payload.summary) || 'A decision without words',
    details: { summary: PROMPT_MAX, details: OWN_DETAILS_MAX },
  },
  escalation: {
    type: 'escalation',
    severity: 'warn',
    summary: (event) => shown(event.payload.summary) || 'An escalation without words',
    details: { summary: PROMPT_MAX, details: OWN_DETAILS_MAX },
  },
};

function told(name: string, text: string | undefined): SessionEvent['details'] {
  return text === undefined || text === '' ? {} : { [name]: text };
}

function toolIn(event: AgentEvent): SessionEvent['details'] {
  return told('tool', shortText(callWords(event).tool_name));
}

function fileIn(event: AgentEvent): string {
  return oneLine(withinProject(shortText(callWords(event).target) ?? '', event), NAME_MAX);
}

function shownFiles(event: AgentEvent): readonly string[] {
  return editedFiles(event).map((file) => oneLine(withinProject(file, event), NAME_MAX));
}

function withinProject(path: string, event: AgentEvent): string {
  const folders = [event.project?.path, shortText(event.payload.cwd, PROMPT_MAX)].filter(
    (folder) => folder !== undefined,
  );
  return pathWithin(path, folders);
}

/** EVT-2: what was kept of the conversation, each part as text. */
function checkpointDetails(
  checkpoint: NonNullable<EventPayload<'compaction_started'>['checkpoint']>,
): SessionEvent['details'] {
  const { request = '', requestBefore = '', tasks = [], files = [], commands = [], reply = '', work = '' } = checkpoint;
  const parts = {
    request: cutText(request, PROMPT_MAX),
    request_before: cutText(requestBefore, PROMPT_MAX),
    work_item: cutText(work, PROMPT_MAX),
    open_tasks: linesOf(tasks),
    files_edited: linesOf(files),
    commands: linesOf(commands.map(({ text, outcome }) => `${text} (${outcome})`)),
    last_reply: cutText(reply, PROMPT_MAX),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== ''));
}

function linesOf(list: readonly string[]): string {
  return list
    .slice(0, LINES_MAX)
    .map((line) => cutText(line, PROMPT_MAX))
    .join('\n');
}
