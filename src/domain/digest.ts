import type { AgentEvent, EventOf } from '../protocol/event.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Digest, SessionState } from '../protocol/stored.ts';
import { isMain } from './agentIds.ts';
import { inputIn } from './calls.ts';
import { isCheck } from './checkCommands.ts';
import { commandShape } from './commandShape.ts';
import { pathWithin } from './folders.ts';
import { type CallEnd, type CallEvent, isVoid } from './eventWords.ts';
import { hashHex } from './hash.ts';
import { personWords } from './provenance.ts';
import { reachesOut } from './reach.ts';
import { LABEL_MAX, oneLine, textFrom, shortText } from './text.ts';

/** MEM-2: with these and the most that each takes a digest stays below five thousand characters. */
const REQUESTS_KEPT = 3;
const WRITTEN_KEPT = 8;
const READ_KEPT = 3;
const UNNAMED_KEPT = 100;
const COMMANDS_KEPT = 4;
const FAILED_KEPT = 2;
/** As long as a session's title. */
const NAMED_MAX = 80;
/** Of a task that a compaction must not lose; later sessions are told its beginning. */
const REQUEST_MAX = 800;
const PATH_MAX = 80;
const COMMAND_MAX = 90;
const NAME_MAX = 40;

const emptyDigest: Digest = { requests: [], files: [], commands: [], failedEdits: [] };

/** As it was before the event, but for the session: whose project it is may be told by the event itself. */
type State = Pick<SessionState, 'digest' | 'session' | 'agents'>;

/** MEM-2: the session's digest after an event; the same object when it says nothing of what was asked or done. */
export function stepDigest(state: State, event: AgentEvent): Digest | undefined {
  const before = state.digest ?? emptyDigest;
  const after = stepped(withReach(before, state, event), state, event);
  return after === emptyDigest ? state.digest : after;
}

/** Sources with which a session begins empty; a resumed or forked conversation may contain anything. */
const beginnings: ReadonlySet<string | undefined> = new Set(['startup', 'clear', 'new']);

/** MEM-5: runs before any event is skipped, because a call that was not kept, denied or broken off may still have fetched something. */
function withReach(digest: Digest, { session }: State, event: AgentEvent): Digest {
  switch (event.event_type) {
    case 'session_started': {
      const { replies, toolCalls } = session.counts;
      const isFresh = event.source === 'hook' && beginnings.has(event.payload.source) && replies + toolCalls === 0;
      return isFresh && digest.reachedOut === undefined ? { ...digest, reachedOut: false } : digest;
    }
    case 'tool_started':
    case 'tool_succeeded':
    case 'tool_failed':
      return digest.reachedOut !== true && reachesOut(event, lineIn(event)) ? { ...digest, reachedOut: true } : digest;
    default:
      return digest;
  }
}

function stepped(digest: Digest, state: State, event: AgentEvent): Digest {
  switch (event.event_type) {
    case 'user_prompt':
      return isMain(event) && event.payload.synthetic !== true ? asked(digest, event) : digest;
    case 'usage_reported':
      return named(digest, event);
    case 'turn_ended':
      return isMain(event) ? turnEnded(digest, event) : digest;
    case 'tool_succeeded':
    case 'tool_failed':
      return isVoid(event) || event.payload.unlogged === true ? digest : called(digest, state, event);
    default:
      return digest;
  }
}

function asked(digest: Digest, event: EventOf<'user_prompt'>): Digest {
  // Empty where nothing of it is kept: then nobody takes the one before for what is asked now.
  const words = personWords(shortText(event.payload.prompt, REQUEST_MAX * 4) ?? '', REQUEST_MAX);
  const name = digest.name ?? (words === '' ? undefined : personWords(words, NAMED_MAX));
  // What a request asks that only says "go on" stands in an earlier one.
  const requests = newestWith([...digest.requests, words], REQUESTS_KEPT, (each) => !isShortRequest(each));
  return { ...digest, ...(name === undefined ? {} : { name }), requests, turn: 'open', error: undefined };
}

/** By a transcript: the title that the person gave, else the first prompt where no hook told one. */
function named(digest: Digest, event: EventOf<'usage_reported'>): Digest {
  if (event.source !== 'transcript') return digest;
  const title = event.payload.title_by_person === true ? shortText(event.payload.title_told) : undefined;
  const name = title ?? (digest.name === undefined ? shortText(event.payload.first_prompt) : undefined);
  return name === undefined || name === digest.name ? digest : { ...digest, name: personWords(name, NAMED_MAX) };
}

const SHORT_REQUEST = 60;

export function isShortRequest(words: string): boolean {
  return words.length < SHORT_REQUEST;
}

function turnEnded(digest: Digest, event: EventOf<'turn_ended'>): Digest {
  const reason = event.payload.reason;
  const turn = reason === 'failed' || reason === 'interrupted' ? reason : 'completed';
  const error = turn === 'failed' ? oneLine(shortText(event.payload.error) ?? 'unknown', NAME_MAX) : undefined;
  return { ...digest, turn, error };
}

interface Call {
  readonly id: string | undefined;
  readonly tool: string;
  readonly mood: string;
  readonly target: string;
  readonly isCheck: boolean;
}

/** What only the transcript tells of names the call alone: the rest was said when it began. */
function callIn({ agents }: State, event: CallEnd): Call {
  const id = shortText(event.payload.tool_use_id);
  const begun = agents.flatMap(({ openTools }) => openTools).find((tool) => tool.id === id)?.activity;
  const target = shortText(event.payload.target) ?? begun?.target ?? '';
  return {
    id,
    tool: shortText(event.payload.tool_name) ?? begun?.tool ?? '',
    mood: event.payload.mood ?? begun?.mood ?? '',
    target,
    isCheck: isCheck(lineIn(event) ?? (target.length < LABEL_MAX ? target : '')),
  };
}

/** What a call is told to be about is on one line and cut: which commands it holds only the agent's own words say. */
function lineIn(event: CallEvent): string | undefined {
  const input = inputIn(event);
  const line = isJsonObject(input) ? input['command'] : undefined;
  return typeof line === 'string' ? line : undefined;
}

function called(digest: Digest, state: State, event: CallEnd): Digest {
  const call = callIn(state, event);
  const known = call.id === undefined ? undefined : digest.commands.find(({ id }) => id === shortId(call.id));
  if (known) return corrected(digest, known, event);
  const isOwn = isMain(event);
  if (isCommand(call)) return isOwn || call.isCheck ? withCommand(digest, call, event) : digest;
  // What sub-agents looked at and tried fills their reports; what they changed is the session's.
  if (!isOwn && (event.event_type === 'tool_failed' || call.mood !== 'writing')) return digest;
  if (call.mood !== 'writing' && call.mood !== 'reading') return digest;
  const path = fileOf(call, state.session);
  if (path === undefined) return digest;
  if (event.event_type === 'tool_failed') return call.mood === 'writing' ? withFailedEdit(digest, path) : digest;
  return withFile(digest, path, call.mood === 'writing');
}

/** What a server offers is told by its name alone, which is no command. */
function isCommand({ mood, target, tool }: Call): boolean {
  return mood === 'running' && target !== '' && !tool.startsWith('mcp__');
}

type Command = Digest['commands'][number];

/** Some agents tell of every command as if it had gone well; that it failed stands in their transcript. */
function corrected(digest: Digest, known: Command, event: CallEnd): Digest {
  if (event.event_type !== 'tool_failed') return digest;
  const commands = digest.commands.map((each) => (each === known ? { ...each, ...outcomeOf(event) } : each));
  return { ...digest, commands };
}

function outcomeOf(event: CallEnd): Pick<Command, 'outcome' | 'exit'> {
  if (event.event_type === 'tool_failed') return { outcome: 'failed', exit: event.payload.exit_code ?? undefined };
  // Its tool is done once the command runs; how that ended nobody tells.
  return { outcome: event.payload.detached === true ? 'started' : 'succeeded' };
}

function withCommand(digest: Digest, { id, target, isCheck: check }: Call, event: CallEnd): Digest {
  const text = oneLine(commandShape(lineIn(event) ?? target), COMMAND_MAX);
  const command: Command = {
    ...(id === undefined ? {} : { id: shortId(id) }),
    text,
    ...(check ? { check } : {}),
    ...outcomeOf(event),
  };
  // Cut, two commands may look the same, of which one only is a check.
  const isSame = (each: Command) => each.text === text && each.check === command.check;
  const commands = [...digest.commands.filter((each) => !isSame(each)), command];
  return { ...digest, commands: newestCommands(commands, COMMANDS_KEPT) };
}

/** Whether the work was right is told by the last test or build: it stays, however much came after it. */
export function newestCommands<Told extends Pick<Command, 'check'>>(commands: readonly Told[], count: number): Told[] {
  return newestWith(commands, count, ({ check = false }) => check);
}

/** Of a list that is oldest first the newest, among them the last one that matters more than they do. */
function newestWith<Item>(all: readonly Item[], count: number, matters: (item: Item) => boolean): Item[] {
  const newest = all.slice(-count);
  const last = all.findLast(matters);
  return last === undefined || newest.includes(last) ? newest : [last, ...newest.slice(1)];
}

/** The end of an id tells it from others: what they share stands at its beginning. */
function shortId(id: string | undefined): string | undefined {
  return id?.slice(-NAME_MAX);
}

/** The call's file; undefined if the path was cut and so is no path any more. */
function fileOf({ target }: Call, { project, cwd }: SessionState['session']): string | undefined {
  if (target === '' || target.length >= LABEL_MAX) return undefined;
  return endOf(pathWithin(target, [project, cwd]), PATH_MAX);
}

function withFailedEdit(digest: Digest, path: string): Digest {
  return { ...digest, failedEdits: [...digest.failedEdits.filter((each) => each !== path), path].slice(-FAILED_KEPT) };
}

function withFile(digest: Digest, path: string, isWritten: boolean): Digest {
  const known = digest.files.find((file) => file.path === path);
  const file = { path, written: isWritten || known?.written === true };
  const files = [...digest.files.filter((each) => each !== known), file];
  const kept = new Set([
    ...files.filter(({ written }) => written).slice(-WRITTEN_KEPT),
    ...files.filter(({ written }) => !written).slice(-READ_KEPT),
  ]);
  const gone = files.filter((each) => each.written && !kept.has(each)).map((each) => hashHex(each.path));
  const before = digest.unnamed ?? [];
  const unnamed = [...new Set([...before, ...gone])].filter((mark) => mark !== hashHex(path)).slice(-UNNAMED_KEPT);
  return {
    ...digest,
    // A later success removes the failure.
    failedEdits: isWritten ? digest.failedEdits.filter((each) => each !== path) : digest.failedEdits,
    files: files.filter((each) => kept.has(each)),
    ...(unnamed.length + before.length === 0 ? {} : { unnamed }),
  };
}

/** The end of a path says which file it is. */
function endOf(path: string, max: number): string {
  return path.length <= max ? path : `…${textFrom(path, 1 - max)}`;
}
