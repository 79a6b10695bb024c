import type { AgentEvent, EventType, Severity } from '../protocol/event.ts';
import { isJsonObject, type Json } from '../protocol/json.ts';
import type { SessionEvent, SessionEventType } from '../protocol/sessionEvent.ts';
import type { CheckKind } from './checkPrograms.ts';
import { editedFiles } from './edits.ts';
import { pathWithin } from './folders.ts';
import { amount } from './plainWords.ts';
import { cutText, LABEL_MAX, numberIn, oneLine, textIn } from './text.ts';

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

export interface Telling {
  readonly type: SessionEventType;
  readonly summary: (event: AgentEvent) => string;
  /** Fields of the payload that are worth telling, with the most that is told of each. */
  readonly details: Readonly<Record<string, number>>;
  readonly more?: (event: AgentEvent) => SessionEvent['details'];
  /** Absent: as the event's own. */
  readonly severity?: Severity;
  /** It is of an agent: told only if that one is somebody, for warm-ups and compaction start and stop nobody. */
  readonly ofAgent?: true;
  /** Of the conversation as a whole: what a sub-agent's own says is not told. */
  readonly ofMain?: true;
}

const ownWords = (event: AgentEvent, field: string, max = SUMMARY_MAX) =>
  oneLine(textIn(event, field, PROMPT_MAX) ?? '', max);
const because = (event: AgentEvent, field: string) => {
  const word = ownWords(event, field);
  return word === '' ? '' : ` (${word})`;
};
const called = (event: AgentEvent) => ownWords(event, 'agent_type') || 'agent';

/** Of what is told behind a few words of ours. */
const NAME_MAX = 140;
const after = (words: string, name: string) => (name === '' ? words : `${words}: ${name}`);

/** EVT-1: which normalised events are events of the session's own story. Those of the rest are nobody's news. */
export const tellings: Readonly<Partial<Record<EventType, Telling>>> = {
  session_started: {
    type: 'session_start',
    summary: (event) => `Session started${because(event, 'source')}`,
    details: { source: LABEL_MAX, model: LABEL_MAX },
  },
  session_ended: {
    type: 'session_end',
    summary: (event) => `Session ended${because(event, 'reason')}`,
    details: { reason: LABEL_MAX },
  },
  user_prompt: {
    type: 'user_request',
    summary: (event) => ownWords(event, 'prompt') || 'A request without words',
    details: { prompt: PROMPT_MAX },
    // CNV-4: why it has no words.
    more: ({ payload }) => (payload['unlogged'] === true ? { unlogged: payload['private'] ? 'private' : 'off' } : {}),
  },
  agent_started: {
    type: 'agent_activated',
    summary: (event) => `${called(event)} began`,
    details: { agent_type: LABEL_MAX },
    ofAgent: true,
  },
  agent_stopped: {
    type: 'agent_deactivated',
    summary: (event) => `${called(event)} ended${because(event, 'reason')}`,
    details: { agent_type: LABEL_MAX, reason: LABEL_MAX },
    ofAgent: true,
  },
};

export const fileEdit: Telling = {
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
export const checks: Readonly<Record<CheckKind, Telling>> = {
  build: checkTelling('build_failed', 'Build failed', 'error'),
  test: checkTelling('test_failed', 'Tests failed', 'error'),
  quality: checkTelling('quality_warning', 'Linter or type checker failed', 'warn'),
};

function checkTelling(type: SessionEventType, words: string, severity: Severity): Telling {
  return {
    type,
    severity,
    summary: (event) => {
      const exit = numberIn(event, 'exit_code');
      return after(`${words}${exit === undefined ? '' : ` (exit ${exit})`}`, ownWords(event, 'target', NAME_MAX));
    },
    details: {},
    more: (event) => ({
      ...toolIn(event),
      ...told('command', textIn(event, 'target')),
      ...told('exit_code', numberIn(event, 'exit_code')?.toString()),
      ...told('error', textIn(event, 'error_message', PROMPT_MAX)),
    }),
  };
}

export const compaction: Telling = {
  type: 'compact',
  severity: 'info',
  summary: () => 'The conversation was compacted',
  details: {},
  ofMain: true,
};

export const overflow: Telling = {
  type: 'context_overflow',
  severity: 'warn',
  summary: (event) => {
    const [used, window] = [numberIn(event, 'context_used'), numberIn(event, 'context_window')];
    if (used === undefined) return 'The context is nearly full';
    return `The context is nearly full: ${window === undefined ? amount(used, 'token') : `${used} of ${amount(window, 'token')}`}`;
  },
  details: {},
  more: (event) => ({
    ...told('used', numberIn(event, 'context_used')?.toString()),
    ...told('window', numberIn(event, 'context_window')?.toString()),
    ...told('model', textIn(event, 'model')),
  }),
};

const workName = (event: AgentEvent) => ownWords(event, 'title', NAME_MAX) || ownWords(event, 'work_item', NAME_MAX);

/** The same of notifications, by their type. */
export const notices: Readonly<Record<string, Telling>> = {
  compacting: {
    type: 'checkpoint_created',
    severity: 'info',
    summary: (event) => `Compaction begins${because(event, 'trigger')}`,
    details: { trigger: LABEL_MAX },
    more: (event) => checkpointDetails(event.payload['checkpoint']),
    ofMain: true,
  },
  compacted: { ...compaction, details: { trigger: LABEL_MAX } },
  context_loaded: {
    type: 'context_loaded',
    summary: (event) =>
      `Told of ${amount(numberIn(event, 'sessions') ?? 0, 'earlier session')} in about ${amount(numberIn(event, 'tokens') ?? 0, 'token')}`,
    details: { source: LABEL_MAX, text: CONTEXT_MAX },
    more: (event) => ({
      sessions: String(numberIn(event, 'sessions') ?? 0),
      tokens: String(numberIn(event, 'tokens') ?? 0),
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
    summary: (event) =>
      after(event.payload['status'] === 'cancelled' ? 'Work cancelled' : 'Work done', workName(event)),
    details: { title: LABEL_MAX, status: LABEL_MAX },
  },
  dependency_resolved: {
    type: 'dependency_resolved',
    summary: (event) => {
      const ended = ownWords(event, 'ended', SUMMARY_MAX - NAME_MAX);
      return after(`Nothing more to wait for${ended === '' ? '' : ` after ${ended}`}`, workName(event));
    },
    details: { title: LABEL_MAX, ended: LABEL_MAX },
  },
  untracked_edit: {
    type: 'untracked_edit',
    severity: 'warn',
    summary: (event) => {
      const denied = event.payload['decision'] === 'denied';
      return after(denied ? 'An edit without a work item was held back' : 'An edit without a work item', fileIn(event));
    },
    details: { decision: LABEL_MAX },
    more: (event) => ({ ...toolIn(event), ...told('file', textIn(event, 'target')) }),
  },
  guard_gap: {
    type: 'guard_gap',
    severity: 'warn',
    summary: (event) => after('Nobody judged an edit, for the guard could not be asked', fileIn(event)),
    details: {},
    more: (event) => ({ ...toolIn(event), ...told('file', textIn(event, 'target')) }),
  },
  decision: {
    type: 'decision',
    summary: (event) => ownWords(event, 'summary') || 'A decision without words',
    details: { summary: PROMPT_MAX, details: OWN_DETAILS_MAX },
  },
  escalation: {
    type: 'escalation',
    severity: 'warn',
    summary: (event) => ownWords(event, 'summary') || 'An escalation without words',
    details: { summary: PROMPT_MAX, details: OWN_DETAILS_MAX },
  },
};

function told(name: string, text: string | undefined): SessionEvent['details'] {
  return text === undefined || text === '' ? {} : { [name]: text };
}

function toolIn(event: AgentEvent): SessionEvent['details'] {
  return told('tool', textIn(event, 'tool_name'));
}

function fileIn(event: AgentEvent): string {
  return oneLine(withinProject(textIn(event, 'target') ?? '', event), NAME_MAX);
}

function shownFiles(event: AgentEvent): readonly string[] {
  return editedFiles(event).map((file) => oneLine(withinProject(file, event), NAME_MAX));
}

function withinProject(path: string, event: AgentEvent): string {
  const folders = [event.project?.path, textIn(event, 'cwd', PROMPT_MAX)].filter((folder) => folder !== undefined);
  return pathWithin(path, folders);
}

/** EVT-2: what was kept of the conversation, each part as text. */
function checkpointDetails(checkpoint: Json | undefined): SessionEvent['details'] {
  if (!isJsonObject(checkpoint)) return {};
  const { request, requestBefore, tasks, files, commands, reply, work } = checkpoint;
  const parts = {
    request: textOf(request),
    request_before: textOf(requestBefore),
    work_item: textOf(work),
    open_tasks: linesOf(tasks, textOf),
    files_edited: linesOf(files, textOf),
    commands: linesOf(commands, (command) =>
      isJsonObject(command) ? `${textOf(command['text'])} (${textOf(command['outcome'])})` : '',
    ),
    last_reply: textOf(reply),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== ''));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? cutText(value, PROMPT_MAX) : '';
}

function linesOf(list: Json | undefined, toText: (value: Json) => string): string {
  return Array.isArray(list) ? (list as readonly Json[]).slice(0, LINES_MAX).map(toText).join('\n') : '';
}
