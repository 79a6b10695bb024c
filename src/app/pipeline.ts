import { beginsCompaction, withCheckpoint } from '../domain/checkpoint.ts';
import { withOverflow } from '../domain/contextOverflow.ts';
import { limitDepth } from '../domain/depth.ts';
import { hashHex } from '../domain/hash.ts';
import { maskPayload, maskPayloadInTurns, maskText } from '../domain/mask/mask.ts';
import { type Arrival, boundedId, normalize, type NormalizedHook, sessionIdOf } from '../domain/normalize.ts';
import { type Observation, observed } from '../domain/observed.ts';
import { rankOf } from '../domain/order.ts';
import { providerFor } from '../domain/providers/registry.ts';
import { agentCalled } from '../domain/reduce.ts';
import { storedSession } from '../domain/restore.ts';
import { forgetting } from '../domain/told.ts';
import type { AgentEvent } from '../protocol/event.ts';
import { wordsOf } from '../protocol/eventPayloads.ts';
import { type HookEnvelope, type HookMeta, readHookMeta } from '../protocol/hook.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { DEFAULT_PROVIDER } from '../protocol/providers.ts';
import type { SessionState } from '../protocol/stored.ts';
import { WAITING_REQUESTS_MAX } from '../protocol/limits.ts';
import { type Ahead, createAhead } from './ahead.ts';
import type { Hub } from './hub.ts';
import type { LeftOut } from './leftOut.ts';
import type { ObservedTime } from './observedTime.ts';
import {
  type Breather,
  type Clock,
  type EventStore,
  type Ingested,
  type Log,
  type Pipeline,
  PipelineFullError,
  type Place,
  type Projects,
} from './ports.ts';
import { createStoring } from './storing.ts';
import { startTakingBack, type Told } from './takingBack.ts';
import type { Tracking } from './tracking.ts';
import type { Unlogging } from './unlogging.ts';

export interface PipelineParts {
  readonly store: EventStore;
  readonly hub: Pick<Hub, 'commit' | 'remake' | 'state'>;
  readonly projects: Projects;
  readonly leftOut: Pick<LeftOut, 'leavesOut'>;
  readonly unlogging: Pick<Unlogging, 'kept' | 'overtaken'>;
  readonly tracking: Tracking;
  /** EVT-1: the setting `contextBudget`. */
  readonly contextBudget: () => number;
  /** STO-5: notes late arrivals for retention. */
  readonly time: Pick<ObservedTime, 'arriving'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Without it a large payload holds up the thread's other users until all of it is done. */
  readonly breather?: Breather | undefined;
}

interface Waiting {
  readonly receivedAt: string;
  /** The hook comes from its sender now, not from the spool. */
  readonly isLive: boolean;
  /** The hook asks the guard, and waits for the answer. */
  readonly isQuestion?: boolean;
  /** Asked for before the queue, so that one slow folder holds up nobody else's lookup. */
  readonly places: Promise<readonly Place[]>;
  /** CNV-5: number of erasures when this was read; a later erasure of its session drops it. */
  readonly asOf: number;
  toEvents(arrival: Arrival): NormalizedHook;
  resolve(ingested: Ingested): void;
  reject(error: unknown): void;
}

type Entering = Pick<Waiting, 'receivedAt' | 'isLive' | 'isQuestion' | 'asOf' | 'toEvents'> & {
  readonly folders: readonly string[];
};

/** The one way of a hook, top to bottom. One batch at a time, so nothing comes between "seen?" and "append". */
export function createPipeline(parts: PipelineParts): Pipeline {
  const { store, hub, leftOut, unlogging, tracking, clock, log, breather = breathless } = parts;
  const storing = createStoring({ folder: store.folder, clock, log });
  let waiting: Waiting[] = [];
  /** The newest of each session that is not in the queue yet. */
  const behind = new Map<string, Promise<unknown>>();
  /** Work that runs between two batches. */
  const works: (() => Promise<void>)[] = [];
  let beside = 0;
  let running = false;

  function ingest(unsafe: HookEnvelope, isLive = false, asOf = Infinity): Promise<Ingested> {
    if (waiting.length + beside >= WAITING_REQUESTS_MAX) {
      return Promise.reject(new PipelineFullError('too many events wait'));
    }
    const receivedAt = nowText();
    const folders = foldersOf(unsafe);
    const isQuestion = unsafe.meta.guard === 'asks';
    const go = (hook: HookEnvelope) =>
      enqueue({ folders, toEvents: (arrival) => normalize(hook, arrival), receivedAt, isLive, isQuestion, asOf });
    const steps = mask(unsafe);
    // Nearly all are masked in one; what needs more takes its turns beside the queue, and only its own session waits for it.
    const first = steps.next();
    if (first.done && behind.size === 0) return go(first.value);
    return inOrder(sessionIdOf(unsafe), first.done ? first.value : finished(steps), go);
  }

  /** CNV-4: a prompt decides whether what comes after it is kept, however long it is. */
  async function inOrder<T>(
    sessionId: string,
    masked: T | Promise<T>,
    go: (masked: T) => Promise<Ingested>,
  ): Promise<Ingested> {
    const before = behind.get(sessionId);
    if (!before && !(masked instanceof Promise)) return go(masked);
    const entering = enter(before, masked, go);
    const entered = entering.catch(() => undefined);
    behind.set(sessionId, entered);
    void entered.then(() => {
      if (behind.get(sessionId) === entered) behind.delete(sessionId);
    });
    return (await entering).ingested;
  }

  async function enter<T>(
    before: Promise<unknown> | undefined,
    masked: T | Promise<T>,
    go: (masked: T) => Promise<Ingested>,
  ) {
    beside++;
    try {
      await before;
      return { ingested: go(await masked) };
    } finally {
      beside--;
    }
  }

  async function finished(steps: Masking): Promise<HookEnvelope> {
    const breathe = breather();
    for (;;) {
      await breathe();
      const step = steps.next();
      if (step.done) return step.value;
    }
  }

  function nowText(): string {
    return new Date(clock.now()).toISOString();
  }

  async function record(observations: readonly Observation[], asOf = store.erased.count()): Promise<void> {
    await Promise.all(
      observations.map((unsafe) => {
        const observation = maskObservation(unsafe);
        return inOrder(observation.sessionId, observation, () =>
          enqueue({
            folders: foldersSeen(unsafe),
            toEvents: (arrival) => observed(observation, arrival, hub.state(observation.sessionId)?.last.ts),
            receivedAt: nowText(),
            isLive: false,
            asOf,
          }),
        );
      }),
    );
  }

  function enqueue({ folders, ...asked }: Entering): Promise<Ingested> {
    return new Promise((resolve, reject) => {
      waiting.push({ ...asked, places: locate(parts.projects, folders), resolve, reject });
      if (!running) void drain();
    });
  }

  function between<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      works.push(() => work().then(resolve, reject));
      if (!running) void drain();
    });
  }

  async function drain(): Promise<void> {
    running = true;
    // Let everything that arrived in this turn of the event loop into the first batch: they share one fsync.
    await Promise.resolve();
    while (works.length + waiting.length > 0) {
      await works.shift()?.();
      const batch = waiting;
      waiting = [];
      await take(batch).catch((error: unknown) => {
        if (!storing.hasTold(error)) log.error(`${batch.length} event(s) could not be stored: ${String(error)}`);
        for (const { reject } of batch) reject(error);
      });
    }
    running = false;
  }

  async function take(waiters: readonly Waiting[]): Promise<void> {
    const { results, fresh, live, back } = await prepared(waiters);
    try {
      const batch = await stored(() => back.take(fresh));
      if (batch.length > 0) {
        const touching = (events: readonly AgentEvent[]) => tracking.touching(events, stateOf);
        await stored(() => parts.time.arriving(batch.flatMap(({ events }) => events)));
        await stored(() => store.append(batch.flatMap(toRecords), touching));
        storing.stored();
      }
      show(
        batch.flatMap(({ events }) => events),
        live,
      );
    } finally {
      back.end();
    }
    for (const { waiter, ingested } of results) waiter.resolve(ingested);
  }

  /** Each event as it may be kept, where it is to be kept at all; each may decide about the next. */
  async function prepared(waiters: readonly Waiting[]) {
    const breathe = breather();
    const ahead = createAhead(stateOf);
    const back = startTakingBack({ store, hub, unlogging, tracking, log });
    const seen = new Map<string, string>();
    const results: { readonly waiter: Waiting; readonly ingested: Ingested }[] = [];
    const fresh: Told[] = [];
    const live = new Set<string>();
    for (const waiter of waiters) {
      await breathe();
      const places = await waiter.places;
      const { events: told, keys } = waiter.toEvents({ receivedAt: waiter.receivedAt, project: projectIn(places) });
      const sessionId = told[0]?.session_id;
      // HKI-9: before anything of it is kept.
      const project = sessionId === undefined ? undefined : stateOf(sessionId)?.session.project;
      const leftOutBy = sessionId === undefined ? undefined : leftOut.leavesOut({ sessionId, project, places });
      const isErased = (id: string) => store.erased.of(id) > waiter.asOf;
      if (leftOutBy || (sessionId !== undefined && isErased(sessionId))) {
        const judged = leftOutBy === 'folder' && waiter.isQuestion ? inProject(told[0], project) : undefined;
        results.push({ waiter, ingested: { id: '', duplicate: false, ...(judged && { event: judged }) } });
        continue;
      }
      const whole = told.map((event) =>
        noted(checkpointed(addressed(forgetting(event, isErased), ahead), ahead), ahead),
      );
      const events = unlogging.kept(whole, places, ahead).map((event) => bound(event, ahead));
      const known = keys
        .map((key) => seen.get(key) ?? store.lookup(key, told[0]?.session_id ?? ''))
        .find((id) => id !== undefined);
      const id = known ?? events[0]?.id ?? '';
      results.push({ waiter, ingested: { id, duplicate: known !== undefined, event: events[0] } });
      if (known !== undefined) continue;
      for (const key of keys) seen.set(key, id);
      back.look(events, ahead);
      ahead.took(events);
      fresh.push({ events, keys });
      if (waiter.isLive) for (const { agent_id: agent } of events) live.add(agent);
    }
    return { results, fresh, live, back };
  }

  async function stored<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      storing.refused(error);
      throw error;
    }
  }

  /** NRM-4: an agent writes to another by its name; whose name that is only the state knows. */
  function addressed(event: AgentEvent, ahead: Ahead): AgentEvent {
    const to = event.event_type === 'tool_started' ? event.payload.talks_to : undefined;
    if (to === undefined) return event;
    const target = agentCalled(ahead.state(event.session_id)?.agents ?? [], to)?.agent.id;
    return target === undefined ? event : { ...event, target_agent_id: target };
  }

  /** EVT-2: what the conversation was at before it is compacted, with what came in the same batch. */
  function checkpointed(event: AgentEvent, ahead: Ahead): AgentEvent {
    return beginsCompaction(event) ? withCheckpoint(event, ahead.state(event.session_id)) : event;
  }

  function noted(event: AgentEvent, ahead: Ahead): AgentEvent {
    return event.event_type === 'tool_started' ? tracking.noted(event, ahead.state(event.session_id)) : event;
  }

  /** GRD-1, and what only the state before tells of a measure. */
  function bound(event: AgentEvent, ahead: Ahead): AgentEvent {
    const state = ahead.state(event.session_id);
    return withOverflow(tracking.bound(event, state), state?.session.usage ?? null, parts.contextBudget());
  }

  function stateOf(id: string): SessionState | undefined {
    const live = hub.state(id);
    const row = live ? undefined : store.session(id);
    return live ?? (row && storedSession(row));
  }

  /** Stored is stored: an event that can't be shown is answered all the same, or its sender would keep it and come again. */
  function show(events: readonly AgentEvent[], liveAgents: ReadonlySet<string>): void {
    try {
      hub.commit(events, liveAgents);
    } catch (error) {
      log.error(`${events.length} stored event(s) could not be shown: ${String(error)}`);
    }
  }

  const { state, onChange } = storing;
  return { ingest, record, between, erasures: () => store.erased.count(), storing: state, onStoring: onChange };
}

function breathless(): () => Promise<void> {
  return () => Promise.resolve();
}

type Masking = Generator<undefined, HookEnvelope>;

/** MSK-1: the first step. From here on nothing holds the hook as it came. */
function* mask({ name, meta, raw }: HookEnvelope): Masking {
  const masked: HookMeta = readHookMeta(yield* maskPayloadInTurns(limitDepth(meta as JsonObject)));
  // As a hash it stays unique: two ids that look like tokens would be masked to one.
  const delivery = meta.delivery_id === undefined ? {} : { delivery_id: hashHex(meta.delivery_id) };
  return { name: maskText(name), meta: { ...masked, ...delivery }, raw: yield* maskPayloadInTurns(limitDepth(raw)) };
}

/** MSK-1, for what comes from transcripts and other files. Ids that hooks gave have been masked before and stay the same. */
function maskObservation(unsafe: Observation): Observation {
  return {
    ...unsafe,
    sessionId: boundedId(maskText(unsafe.sessionId)),
    agentId: maskText(unsafe.agentId),
    payload: maskPayload(limitDepth(wordsOf(unsafe.payload))),
  } as Observation;
}

/** The folder that the agent was started for, which its project is told by, and the one where it is now. As they came: masked, they might be other folders. */
function foldersOf(hook: HookEnvelope): readonly string[] {
  const { meta, raw } = hook;
  const now = typeof raw['cwd'] === 'string' && raw['cwd'] !== '' ? raw['cwd'] : meta.cwd;
  // An inherited CLAUDE_PROJECT_DIR would lead its edits out of a guarded project (GRD-4).
  const isInherited = providerFor(meta.provider ?? DEFAULT_PROVIDER).inheritsProjectFolder;
  const told = unique([isInherited ? undefined : meta.project_dir, now]);
  return told.length === 0 ? unique([folderOfEdit(hook)]) : told;
}

/** No system opens a longer path. */
const PATH_MAX = 4_096;

/** GRD-2: the folder of the edited file, for a hook that names no folder. */
function folderOfEdit({ meta, raw }: HookEnvelope): string | undefined {
  const { tool_name: tool, tool_input: input } = raw;
  const isEdit = typeof tool === 'string' && providerFor(meta.provider ?? DEFAULT_PROVIDER).guarded?.has(tool) === true;
  if (!isEdit || !isJsonObject(input)) return undefined;
  const file = [input['file_path'], input['notebook_path']].find((path) => typeof path === 'string');
  // Never looks at a share of another machine (`//host/…`).
  if (typeof file !== 'string' || file.length > PATH_MAX || !/^(?:\/(?!\/)|[A-Za-z]:[\\/])/.test(file))
    return undefined;
  const end = Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\'));
  return file.slice(0, end) || '/';
}

function foldersSeen({ folder, wasIn = [] }: Observation): readonly string[] {
  return unique([folder, ...wasIn]);
}

function unique(folders: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

function locate(projects: Projects, folders: readonly string[]): Promise<readonly Place[]> {
  return Promise.all(
    folders.map(async (folder) => {
      const place = await projects.locate(folder);
      return { ...place, folder: place.folder ?? folder };
    }),
  );
}

/** These come from the disk, and a link's target can be called anything. */
function projectIn([place]: readonly Place[]): AgentEvent['project'] {
  if (!place) return undefined;
  const { path, worktree } = place;
  return { path: maskText(path), worktree: worktree === undefined ? undefined : maskText(worktree) };
}

/** GRD-4: the event in its session's project, in which the guard judges it even if the agent is in an excluded folder or names one. */
function inProject(event: AgentEvent | undefined, project: string | undefined): AgentEvent | undefined {
  return event && project ? { ...event, project: { path: project } } : event;
}

/** A hook's keys stand with its first event: the hook counts as seen when that one is stored. */
function toRecords({ events, keys }: Told) {
  return events.map((event, index) => ({ event, keys: index === 0 ? keys : [], rank: rankOf(event.event_type) }));
}
