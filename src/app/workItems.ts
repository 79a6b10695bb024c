import { mainIdOf } from '../domain/agentIds.ts';
import { maskText } from '../domain/mask/mask.ts';
import type { ObservedFields } from '../domain/observed.ts';
import { storedSession } from '../domain/restore.ts';
import {
  endedItem,
  freedBy,
  hasEnded,
  itemAt,
  joinedItem,
  newItem,
  openNeeds,
  seenItem,
  startedItem,
  waitsForItself,
} from '../domain/workItems.ts';
import type { Session } from '../protocol/state.ts';
import type { OwnEvent, WorkCreation, WorkEnd, WorkItem, WorkRefusal, WorkStart } from '../protocol/work.ts';
import type { Hub } from './hub.ts';
import type { Clock, EventStore, Log, Pipeline, Projects } from './ports.ts';
import type { Asker, WorkItems, WorkOutcome } from './workPorts.ts';

/** More than anybody can look over; an agent that makes one for each edit has misunderstood. */
const OPEN_MAX = 500;

export interface WorkItemsParts {
  readonly store: Pick<EventStore, 'work' | 'session' | 'erased'>;
  readonly hub: Pick<Hub, 'state' | 'snapshot' | 'reworked'>;
  readonly pipeline: Pick<Pipeline, 'record'>;
  readonly projects: Projects;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** A clock that went back by more is believed. */
const SET_BACK_MS = 1_000;

/** GRD-1: work items as people and agents make, start and end them. */
export function createWorkItems({ store, hub, pipeline, projects, clock, log }: WorkItemsParts): WorkItems {
  const nowText = () => new Date(clock.now()).toISOString();
  let toldAt = 0;

  function sessionOf({ session: id, processes = [] }: Asker): Session | undefined {
    const { sessions } = hub.snapshot();
    if (id !== undefined) {
      const live = sessions.find((each) => each.id === id);
      const row = live ? undefined : store.session(id);
      return live ?? (row && storedSession(row)?.session);
    }
    for (const pid of processes) {
      const own = sessions.filter(({ agentPid, state }) => agentPid === pid && isLive(state));
      // Several may run in one process: whoever did something last asks now.
      const last = own.toSorted((a, b) => (a.lastEventAt < b.lastEventAt ? 1 : -1))[0];
      if (last) return last;
    }
    return undefined;
  }

  async function projectOf(asker: Asker): Promise<string | undefined> {
    const own = sessionOf(asker)?.project;
    // The folder at hand may be any that its shell has gone to; where the session belongs is what the guard asks.
    if (own && asker.project !== undefined) {
      const place = await projects.locate(asker.project);
      const path = maskText(place.path);
      return isBelow(asker.project, own) || path === own ? own : path;
    }
    if (own) return own;
    // MSK-1: as the project of an event is written.
    return asker.project === undefined ? undefined : maskText((await projects.locate(asker.project)).path);
  }

  async function find(id: string, asker: Asker): Promise<WorkOutcome & { readonly project?: string }> {
    const project = await projectOf(asker);
    const named = store.work.items().filter((item) => item.id === id);
    const item = named.find((each) => each.project === project);
    if (item) return { kind: 'done', item, changed: false };
    const [only, ...others] = named;
    if (project === undefined && only && others.length === 0) return { kind: 'done', item: only, changed: false };
    if (project === undefined && only)
      return refused('ambiguous', `several projects have a work item "${id}": name the project`);
    const error = `${inProject(project)} has no work item "${id}": mascot work list shows those there are`;
    return { ...refused('unknown', error), ...(only && { elsewhere: only.project }) };
  }

  /** One thing at a time of an item: what is decided is decided of what is there when it is written. */
  async function changed(
    id: string,
    asker: Asker,
    decide: (item: WorkItem, present: readonly WorkItem[]) => WorkItem | WorkOutcome,
  ): Promise<WorkOutcome> {
    const found = await find(id, asker);
    if (found.kind === 'refused') return found;
    return change((present) => {
      const item = present.find(({ key }) => key === found.item.key);
      const next = item ? decide(item, present) : refused('unknown', `the work item "${id}" is gone`);
      return 'kind' in next ? next : { kind: 'done', item: next, changed: true };
    });
  }

  /** What is done is saved. */
  async function change(make: (present: readonly WorkItem[]) => WorkOutcome): Promise<WorkOutcome> {
    const made: WorkOutcome[] = [];
    await store.work.change((present) => {
      const answer = make(present);
      made.push(answer);
      return { save: answer.kind === 'done' && answer.changed ? [answer.item] : [] };
    });
    hub.reworked();
    return made[0] ?? refused('unknown', 'nothing was changed');
  }

  async function create(creation: WorkCreation, isPerson: boolean): Promise<WorkOutcome> {
    const { id, dependencies = [], start = false } = creation;
    const session = sessionOf(creation);
    // GRD-5: a session can only make items of its own project, whatever project it names.
    const project = session?.project || (await projectOf(creation));
    if (project === undefined)
      return refused('no-project', 'can’t tell which project this is for: name a folder of it, or a session');
    if (maskText(id) !== id)
      return refused('secret', 'the id looks like a secret, which is never kept: choose another');
    // MSK-1: a title may quote anything.
    const title = maskText(creation.title ?? id);
    const madeBy = isPerson && isNobodys(creation, session) ? 'person' : 'agent';
    const isKept = sinceNow(session);
    const answer = await change((present) => {
      const own = present.filter((item) => item.project === project);
      const madeIn = isKept() ? session?.id : undefined;
      const item = newItem({ id, title, project, dependencies, madeBy, madeIn }, nowText());
      return (
        refusalOf(item, own, start) ?? {
          kind: 'done',
          item: start ? startedItem(item, nowText(), madeIn) : item,
          changed: true,
        }
      );
    });
    if (answer.kind === 'done' && start) await tell('work_started', answer.item, session);
    return answer;
  }

  /** CNV-4: whether nothing was erased of the session since it was looked up. */
  function sinceNow(session: Session | undefined): () => boolean {
    const before = session && store.erased.of(session.id);
    return () => session !== undefined && store.erased.of(session.id) === before;
  }

  async function start(id: string, asked: WorkStart, isPerson: boolean): Promise<WorkOutcome> {
    const session = sessionOf(asked);
    const isKept = sinceNow(session);
    const moved: WorkItem[] = [];
    const isSeen = isPerson && isNobodys(asked, session);
    const answer = await changed(id, asked, (found, present) => {
      const item = isSeen ? seenItem(found, nowText()) : found;
      const by = isKept() ? session?.id : undefined;
      if (item.status === 'running') {
        const joined = by === undefined ? item : joinedItem(item, nowText(), by);
        return joined === found ? { kind: 'done', item, changed: false } : joined;
      }
      const needs = openNeeds(item, present);
      if (needs.length > 0) return needsOpen(id, needs);
      const started = startedItem(item, nowText(), by);
      moved.push(started);
      return started;
    });
    for (const started of moved) await tell('work_started', started, session);
    return answer;
  }

  async function saw(keys: readonly string[]): Promise<void> {
    const wanted = new Set(keys);
    const isNews = ({ key, seenAt }: WorkItem) => wanted.has(key) && seenAt === undefined;
    if (!store.work.items().some(isNews)) return;
    await store.work.change((present) => ({ save: present.filter(isNews).map((item) => seenItem(item, nowText())) }));
    hub.reworked();
  }

  async function end(id: string, asked: WorkEnd): Promise<WorkOutcome> {
    const session = sessionOf(asked);
    const status = asked.cancel === true ? 'cancelled' : 'done';
    const freed: WorkItem[] = [];
    const answer = await changed(id, asked, (item, present) => {
      if (hasEnded(item)) return { kind: 'done', item, changed: false };
      if (item.status === 'running' || status === 'cancelled') {
        const ended = endedItem(item, status, nowText());
        freed.push(...freedBy(ended, [...present.filter(({ key }) => key !== item.key), ended]));
        return ended;
      }
      return refused('not-running', `"${id}" does not run: start it first, or cancel it`);
    });
    if (answer.kind === 'done' && answer.changed) {
      await tell('work_ended', answer.item, session);
      for (const item of freed) await tell('dependency_resolved', item, session, id);
    }
    return answer;
  }

  /** Of two that are told within a millisecond the order would be anything. */
  function nextMoment(): string {
    const now = Date.parse(nowText());
    const isSetBack = toldAt - now > SET_BACK_MS;
    toldAt = now > toldAt || isSetBack ? now : toldAt + 1;
    return new Date(toldAt).toISOString();
  }

  /** EVT-1: into the story of the session that did it; what a person did is a part of all that work in the project now. */
  async function tell(type: WorkMove, item: WorkItem, session: Session | undefined, ended?: string): Promise<void> {
    const { sessions } = hub.snapshot();
    const concerned = session
      ? [session]
      : sessions.filter((each) => each.project === item.project && isLive(each.state));
    const { id: work_item, title, status } = item;
    const payload = { work_item, title, status, ...(ended === undefined ? {} : { ended }) };
    const moment = `${type}/${item.key}/${item.startedAt ?? ''}/${item.finishedAt ?? ''}/${ended ?? ''}`;
    const ts = nextMoment();
    try {
      await pipeline.record(
        concerned.map((each) => ({ ...noteFields(each, `${moment}/${each.id}`, ts), type, payload })),
      );
    } catch (error) {
      log.warn(`That a work item moved is kept, but in no session's story: ${String(error)}`);
    }
  }

  function noteFields({ id, provider }: Session, key: string, ts: string): ObservedFields {
    const agentId = mainIdOf(id, hub.state(id)?.agents ?? []);
    return { key, ts, provider, sessionId: id, agentId, source: 'synthetic' };
  }

  async function logOwn(own: OwnEvent): Promise<string | undefined> {
    const session = sessionOf(own);
    if (!session) return undefined;
    const { type, summary, details } = own;
    const at = nowText();
    const item = itemAt(store.work.items(), { project: session.project, session: session.id, at });
    const key = `${type}/${session.id}/${at}/${summary}`;
    const payload = {
      summary,
      ...(details === undefined ? {} : { details }),
      ...(item ? { work_item: item.id } : {}),
    };
    await pipeline.record([{ ...noteFields(session, key, at), type, payload }]);
    return session.id;
  }

  return {
    list: (project) => store.work.items().filter((item) => project === undefined || item.project === project),
    one: find,
    create,
    start,
    end,
    saw,
    log: logOwn,
    sessionOf,
    projectOf,
  };
}

type WorkMove = 'work_started' | 'work_ended' | 'dependency_resolved';

/** A request that names a session comes from an agent, even if the session is unknown. */
function isNobodys({ session }: Pick<Asker, 'session'>, found: Session | undefined): boolean {
  return session === undefined && found === undefined;
}

/** Why it can't be made; undefined: it can. */
function refusalOf(item: WorkItem, own: readonly WorkItem[], isStarting: boolean): WorkOutcome | undefined {
  const { id, dependencies } = item;
  const before = own.find((each) => each.id === id);
  if (before) return refused('exists', `this project has a work item "${id}" already: ${hintFor(before)}`);
  const missing = dependencies.find((need) => !own.some((each) => each.id === need));
  if (missing !== undefined)
    return refused(
      'unknown',
      `this project has no work item "${missing}" that "${id}" could wait for: make that one first`,
    );
  if (waitsForItself(item, own))
    return refused('unknown', `"${id}" would wait for itself: one of its needs waits for "${id}". Leave that need out`);
  if (own.filter((each) => !hasEnded(each)).length >= OPEN_MAX)
    return refused('too-many', `${OPEN_MAX} work items are open in this project: end some first`);
  const needs = openNeeds(item, own);
  return isStarting && needs.length > 0 ? needsOpen(id, needs) : undefined;
}

function refused(
  reason: WorkRefusal,
  error: string,
  needs?: readonly string[],
): Extract<WorkOutcome, { kind: 'refused' }> {
  return { kind: 'refused', reason, error, ...(needs ? { needs } : {}) };
}

function needsOpen(id: string, needs: readonly string[]) {
  return refused(
    'needs-open',
    `"${id}" waits for ${needs.join(', ')}: end ${needs.length > 1 ? 'those' : 'that'} first`,
    needs,
  );
}

function hintFor({ id, status }: WorkItem): string {
  if (status === 'running') return 'it runs, so nothing is to be done';
  return `it is ${status}; start it (mascot work start ${id}), or choose another id`;
}

function inProject(project: string | undefined): string {
  return project === undefined ? 'this machine' : `the project ${project}`;
}

function isLive(state: Session['state']): boolean {
  return state === 'active' || state === 'idle';
}

function isBelow(folder: string, root: string): boolean {
  return folder === root || folder.startsWith(`${root}/`);
}
