import type { AgentEvent, EventOf } from '../protocol/event.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Report } from '../protocol/report.ts';
import { endedIn, inputIn } from './calls.ts';
import { editedFiles, isEdit } from './edits.ts';
import { type CallEnd, type CallEvent, isVoid } from './eventWords.ts';
import { pathWithin } from './folders.ts';
import { keepNewest } from './reportLists.ts';
import { LABEL_MAX, oneLine, shortText } from './text.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type File = Writable<Report['files']['items'][number]>;
type Command = Writable<Report['commands']['items'][number]>;
type Failure = Writable<Report['failures']['items'][number]>;

/** A call that is open; what has not ended after so many others is waited for no more. */
const OPEN_KEPT = 500;
/** The same end is told by hook and transcript, moments apart. */
const ENDED_KEPT = 500;
const FILES_KEPT = 5_000;
const COMMANDS_KEPT = 1_000;
const FAILURES_KEPT = 500;
const SHOWN = { files: 200, commands: 60, failures: 60 } as const;
const TEXT_MAX = 200;
const MESSAGE_MAX = 300;

interface Call {
  readonly tool: string;
  readonly target: string;
  /** What it runs, if it is a command. */
  readonly command: string | undefined;
  readonly isEdit: boolean;
  readonly files: readonly string[];
  readonly workItem: string | undefined;
}

export interface ReportCalls {
  take(event: AgentEvent): void;
  readonly unkept: number;
  callsOf(agentId: string): number;
  /** Of a work item: how many files were edited for it. */
  filesFor(workItem: string): number;
  readonly workItems: readonly string[];
  told(): Pick<Report, 'files' | 'commands' | 'failures' | 'mended'>;
}

/** What the tool calls of a session came to. `folders`: paths are told from there. */
export function readCalls(folders: readonly string[]): ReportCalls {
  const open = keepNewest<Call>(OPEN_KEPT);
  const ended = keepNewest<Call>(ENDED_KEPT);
  const files = keepNewest<File>(FILES_KEPT);
  const commands = keepNewest<Command>(COMMANDS_KEPT);
  const failures = keepNewest<Failure>(FAILURES_KEPT);
  const counts = new Map<string, number>();
  const forItems = new Map<string, Set<string>>();
  let mended = 0;
  let unkept = 0;

  function end(event: CallEnd): void {
    const [key, isNamed] = [keyOf(event), shortText(event.payload.tool_use_id) !== undefined];
    const before = isNamed ? ended.get(key) : undefined;
    const call = before ?? merged(callIn(event), open.get(key));
    open.delete(key);
    if (before === undefined) counts.set(event.agent_id, (counts.get(event.agent_id) ?? 0) + 1);
    if (isNamed) ended.set(key, call);
    if (event.payload.unlogged === true && before === undefined) unkept++;
    if (isVoid(event)) return;
    // What one source called done another may know to have failed; otherwise it was told already.
    if (before !== undefined && event.event_type !== 'tool_failed') return;
    if (call.command !== undefined) noteCommand(call.command, event, before !== undefined);
    if (event.event_type === 'tool_failed') noteFailure(call, event);
    else {
      noteSuccess(call);
      if (call.isEdit) noteEdit(call);
    }
  }

  function noteEdit({ files: edited, workItem }: Call): void {
    for (const file of edited) {
      const path = pathWithin(file, folders);
      files.set(path, { path, edits: (files.get(path)?.edits ?? 0) + 1 });
      if (workItem === undefined) continue;
      const paths = forItems.get(workItem) ?? new Set();
      forItems.set(workItem, paths.add(path));
    }
  }

  function noteCommand(text: string, event: CallEnd, isCorrection: boolean): void {
    const known = commands.get(text);
    const failed = event.event_type === 'tool_failed';
    const { exit_code: exitCode = null } = event.payload;
    commands.set(text, {
      ts: event.ts,
      text,
      outcome: failed ? 'failed' : event.payload.detached === true ? 'started' : 'succeeded',
      ...(failed && exitCode !== null ? { exitCode } : {}),
      times: (known?.times ?? 0) + (isCorrection && known ? 0 : 1),
      failures: (known?.failures ?? 0) + Number(failed),
    });
  }

  function noteFailure(call: Call, event: EventOf<'tool_failed'>): void {
    // Nothing is known of it but that it failed, which the figures tell.
    if (event.payload.unlogged === true) return;
    const what = whatOf(call);
    const { check } = event.payload;
    const message = oneLine(shortText(event.payload.error_message, MESSAGE_MAX * 4) ?? '', MESSAGE_MAX);
    failures.set(what, {
      ts: event.ts,
      kind: check === undefined ? 'call' : 'check',
      ...(check === undefined ? {} : { check }),
      what,
      ...(message === '' ? {} : { message }),
      times: (failures.get(what)?.times ?? 0) + 1,
    });
  }

  /** What went well later is no failure to tell of. */
  function noteSuccess(call: Call): void {
    const what = whatOf(call);
    if (failures.get(what) === undefined) return;
    failures.delete(what);
    mended++;
  }

  return {
    take(event) {
      switch (event.event_type) {
        case 'tool_started':
          if (open.get(keyOf(event)) === undefined) open.set(keyOf(event), callIn(event));
          return;
        case 'tool_succeeded':
        case 'tool_failed':
          return end(event);
        case 'tool_batch_ended':
          for (const id of endedIn(event)) open.delete(id);
          return;
        default:
          return;
      }
    },
    get unkept() {
      return unkept;
    },
    callsOf: (agentId) => counts.get(agentId) ?? 0,
    filesFor: (workItem) => forItems.get(workItem)?.size ?? 0,
    get workItems() {
      return [...forItems.keys()];
    },
    told: () => ({
      files: files.part(SHOWN.files),
      commands: commands.part(SHOWN.commands),
      failures: failures.part(SHOWN.failures),
      mended,
    }),
  };
}

/** Some agents give their calls no ids: then the open one of that tool is meant. */
function keyOf(event: CallEvent): string {
  return shortText(event.payload.tool_use_id) ?? `${event.agent_id}\n${shortText(event.payload.tool_name) ?? ''}`;
}

function callIn(event: CallEvent): Call {
  const [tool, target] = [shortText(event.payload.tool_name) ?? '', shortText(event.payload.target) ?? ''];
  const isCommand = event.payload.mood === 'running' && target !== '' && !tool.startsWith('mcp__');
  return {
    tool,
    target,
    command: isCommand ? oneLine(lineIn(event) ?? target, TEXT_MAX) : undefined,
    isEdit: isEdit(event),
    files: isEdit(event) ? editedFiles(event) : [],
    workItem: shortText(event.payload.work_item),
  };
}

/** What a call is told to be about is cut where a command is long. */
function lineIn(event: CallEvent): string | undefined {
  const input = inputIn(event);
  const line = isJsonObject(input) ? input['command'] : undefined;
  return typeof line === 'string' && line !== '' ? line : undefined;
}

/** What only the transcript tells of names the call alone: the rest was said when it began. */
function merged(end: Call, begun: Call | undefined): Call {
  return {
    tool: end.tool || (begun?.tool ?? ''),
    target: end.target || (begun?.target ?? ''),
    command: end.command ?? begun?.command,
    isEdit: end.isEdit || begun?.isEdit === true,
    files: end.files.length > 0 ? end.files : (begun?.files ?? []),
    workItem: end.workItem ?? begun?.workItem,
  };
}

function whatOf({ tool, target, command }: Call): string {
  return command ?? oneLine(`${tool} ${target}`, LABEL_MAX);
}
