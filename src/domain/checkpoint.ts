import { type AgentEvent, type EventOf, withWords } from '../protocol/event.ts';
import type { Checkpoint, Digest, PersonWords, SessionState } from '../protocol/stored.ts';
import type { WorkItem } from '../protocol/work.ts';
import { isMain } from './agentIds.ts';
import { isShortRequest } from './digest.ts';
import { type ContextPart, ours, personWords } from './provenance.ts';
import { oneLine } from './text.ts';

const TASKS_MAX = 6;
const TASK_MAX = 100;
const REPLY_MAX = 300;

type Remembered = Pick<SessionState, 'session' | 'digest'>;

/** EVT-2: what a conversation must not lose, at any time. Undefined: nothing was asked or done yet. */
export function checkpointOf({ session, digest }: Remembered): Checkpoint | undefined {
  const request = digest?.requests.at(-1) ?? digest?.name ?? nothing;
  const files = digest?.files.filter(({ written }) => written).map(({ path }) => path) ?? [];
  const tasks = openTasks(session.tasks).slice(0, TASKS_MAX);
  const reply = session.lastReply === null ? '' : oneLine(session.lastReply, REPLY_MAX);
  if ([request, reply].every((words) => words === '') && files.length + tasks.length === 0) return undefined;
  return {
    request,
    requestBefore: taskBefore(digest?.requests ?? []),
    requestOpen: digest?.turn === 'open',
    tasks: tasks.map((title) => oneLine(title, TASK_MAX)),
    files,
    moreFiles: digest?.unnamed?.length ?? 0,
    commands: digest?.commands.map(toldCommand) ?? [],
    reply,
    work: '',
  };
}

/** EVT-2: the work item of this conversation, as people see it. */
export function workWords({ id, title }: WorkItem): string {
  return oneLine(`${id}: ${title}`, TASK_MAX);
}

const nothing = personWords('', 0);

/** Of a request that nobody may keep the one before says nothing. */
function taskBefore(requests: Digest['requests']): PersonWords {
  const [request = nothing, ...before] = requests.toReversed();
  if (request === '' || !isShortRequest(request)) return nothing;
  const [longest = nothing] = before.toSorted((one, other) => other.length - one.length);
  return before.find((words) => !isShortRequest(words)) ?? (longest.length > request.length ? longest : nothing);
}

export function openTasks(tasks: SessionState['session']['tasks']): readonly string[] {
  const open = tasks.filter(({ status }) => status === 'in_progress' || status === 'pending');
  // What is being worked on goes first.
  return [...open.filter(isBegun), ...open.filter((task) => !isBegun(task))].map(({ title }) => title);
}

function isBegun({ status }: SessionState['session']['tasks'][number]): boolean {
  return status === 'in_progress';
}

type Command = Digest['commands'][number];

/** A command and how it ended, in words. */
function toldCommand(command: Command): Checkpoint['commands'][number] {
  const { text, check = false } = command;
  return { text, outcome: outcomeOf(command), check };
}

/** MEM-5: in our words, whatever its program printed. */
export function outcomeOf({ outcome, exit, check = false }: Command): ContextPart {
  if (outcome === 'started') return ours`left running`;
  if (outcome === 'failed') return exit === undefined ? ours`failed` : ours`failed with exit code ${exit}`;
  return check ? ours`passed` : ours`done`;
}

/** The conversation of a session's main agent is about to be replaced by a summary. */
export function beginsCompaction(event: AgentEvent): event is EventOf<'compaction_started'> {
  return event.event_type === 'compaction_started' && isMain(event);
}

/** EVT-2: a compaction as it is stored, with what the session was at just before. */
export function withCheckpoint(event: EventOf<'compaction_started'>, before: Remembered | undefined): AgentEvent {
  const checkpoint = before && checkpointOf(before);
  return checkpoint === undefined ? event : withWords(event, { checkpoint });
}
