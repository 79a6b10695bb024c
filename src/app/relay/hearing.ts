import { isMain } from '../../domain/agentIds.ts';
import { maskText } from '../../domain/mask/mask.ts';
import { threadName } from '../../domain/relay/chatText.ts';
import { type Draft, eventDraft, isToldOf, phaseDraft, startedDraft, waitDrafts } from '../../domain/relay/drafts.ts';
import { isOfEvent, type QueuedMessage, type RelaySession } from '../../domain/relay/records.ts';
import { isRepeated, withPrompt, withReply } from '../../domain/relay/replies.ts';
import { isInSpan } from '../../domain/unlogged.ts';
import { type AgentEvent, isOfType } from '../../protocol/event.ts';
import type { Phase, Session } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import type { OutletParts } from '../outletPorts.ts';
import type { Place } from './places.ts';
import { FRESH_MS, type Queue } from './queue.ts';
import type { RelayWorld } from './relayPorts.ts';
import type { Standing } from './relayStanding.ts';

/** As many events as one owner may have stored, and not told on, before it ended. */
const UNHEARD_MAX = 50;

/** Who was busy before the last so many sessions is told of no phase that changed. */
const PHASES_MAX = 1_000;

/** What a person mends at the service shows in nothing that is told here; it is asked for again, this seldom. */
const REOPEN_MS = 5 * 60_000;

/** Each of these may have begun a thread: two in a row are enough for a while. */
const REOPEN_UNANSWERED_MS = 3_600_000;

export interface HearingParts extends Pick<OutletParts, 'store' | 'source' | 'state' | 'clock' | 'log'> {
  readonly queue: Queue;
  readonly world: Pick<RelayWorld, 'rules' | 'word'>;
  readonly standing: Standing;
  readonly placeOf: (project: string) => Place | undefined;
  /** There is something to send. */
  readonly onAdded: () => void;
}

/** Makes of what is stored what is to be said, each of it once. */
export interface Hearing {
  hear(sessionId: string, events: readonly AgentEvent[]): void;
  /** What was stored when the last owner ended, and not told on. */
  catchUp(): void;
  forget(sessionIds: readonly string[]): void;
  /** It goes somewhere else from now on, or nowhere: what was meant for there is not said elsewhere. */
  leave(sessionId: string): void;
  /** With what a person may have mended. */
  reopen(session: RelaySession): void;
}

export function startHearing(parts: HearingParts): Hearing {
  const { queue, world, standing, placeOf, store, source, state, clock, log, onAdded } = parts;
  const { rules, word } = world;
  const phases = new Map<string, Phase | null>();

  function hear(id: string, events: readonly AgentEvent[]): void {
    const now = state(id);
    if (!now || rules.current().target === 'off') return;
    const before = phases.get(id);
    keepPhase(id, now.session.phase);
    const fresh = events.filter(({ ts }) => isFresh(ts)).toSorted((a, b) => (a.ts < b.ts ? -1 : a.ts > b.ts ? 1 : 0));
    if (fresh.length === 0 || isHidden(now, fresh) || !known(now.session)) return;
    const said = fresh.flatMap((event) => hearOne(id, event) ?? []);
    for (const draft of waitDrafts(now, word)) if (isFresh(draft.at) && !isSameWait(id, draft)) say(id, draft);
    const phase = before === undefined ? undefined : phaseDraft(now.session, before, word);
    const isTold = said.some(({ kind }) => kind === 'reply' || kind === 'failed' || kind === 'ended');
    if (phase && !isTold) say(id, phase);
    onAdded();
  }

  function hearOne(id: string, event: AgentEvent): Draft | undefined {
    if (isMain(event) && isOfType(event, 'user_prompt', 'prompt_found')) hearPrompt(id, event.ts);
    const draft = eventDraft(event, word);
    if (draft) say(id, draft);
    return draft;
  }

  function keepPhase(id: string, phase: Phase | null): void {
    phases.delete(id);
    phases.set(id, phase);
    const oldest = phases.size > PHASES_MAX ? phases.keys().next().value : undefined;
    if (oldest !== undefined) phases.delete(oldest);
  }

  function isFresh(ts: string): boolean {
    return clock.now() - Date.parse(ts) < FRESH_MS;
  }

  /** RLY-3: nothing is told of what the person wants not kept, nor of what runs without a person. */
  function isHidden({ session, unlogged }: SessionState, events: readonly AgentEvent[]): boolean {
    if (session.surface === 'headless') return true;
    return events.every(({ ts, payload }) => payload.unlogged === true || isInSpan(unlogged, ts));
  }

  /** At first sight it gets its thread, if its project has a channel. */
  function known(session: Session): RelaySession | undefined {
    const place = placeOf(session.project || session.cwd);
    if (!place) return undefined;
    const before = queue.session(session.id);
    if (before && before.place === place.place) return before;
    const started = startedDraft(session, word);
    const { id, project, cwd, provider } = session;
    const { receipts = [], replies, promptAt, heardTo } = before ?? {};
    const fresh: RelaySession = {
      ...{ session: id, ...place, agent: provider },
      project: maskText(project || cwd),
      folders: [project || cwd, cwd],
      name: threadName({ ...session, project: project || cwd }),
      startedText: started.text,
      seenAt: clock.now(),
      // What was said elsewhere was said.
      ...{ receipts, ...(replies && { replies }), ...(promptAt && { promptAt }), ...(heardTo && { heardTo }) },
    };
    leave(id);
    void queue.keepSession(fresh).catch(() => undefined);
    say(id, started);
    return fresh;
  }

  function say(id: string, draft: Draft): void {
    const session = open(queue.session(id));
    if (!session || queue.knows(id, draft.id) || !rules.current().send[draft.kind]) return;
    const isReply = draft.kind === 'reply';
    if (isReply && isRepeated(session, draft)) return;
    const after: RelaySession = isReply ? { ...withReply(session, draft), seenAt: clock.now() } : session;
    if (after.closed !== undefined) {
      // Nobody hears of a phase that nobody is told.
      if (draft.kind === 'phase') return;
      log.warn(`Chat relay: gave up a message (${draft.kind}) of session ${id} (${after.closed}).`);
      queue.refuse(draft, after, after.closed).catch(() => undefined);
      return;
    }
    // One line about the phase is enough, and none where more is said.
    if (draft.kind !== 'started')
      for (const message of queue.messagesOf(id)) if (message.kind === 'phase') drop(message);
    void queue.add(id, draft, isReply ? after : undefined).catch(() => undefined);
  }

  function open(session: RelaySession | undefined): RelaySession | undefined {
    if (session?.closed === undefined) return session;
    const ms = session.closed === 'unanswered' ? REOPEN_UNANSWERED_MS : REOPEN_MS;
    const ago = clock.now() - (session.closedAt ?? 0);
    if (ago >= 0 && ago < ms) return session;
    reopen(session);
    return queue.session(session.session);
  }

  function reopen({ closed, closedAt: _, starts: __, ...session }: RelaySession): void {
    // These are a person's word.
    if (closed === 'threadGone' || closed === 'locked') return;
    void queue.keepSession(session).catch(() => undefined);
  }

  function leave(sessionId: string): void {
    for (const message of queue.messagesOf(sessionId)) queue.recall(message, 'turnedOff');
  }

  /** A reply after it is another, though it may say the same. */
  function hearPrompt(id: string, at: string): void {
    const session = queue.session(id);
    if (!session?.replies) return;
    const after = withPrompt(session, at, new Date(clock.now()).toISOString());
    if (after === undefined) return;
    const heardTo = at > (session.heardTo ?? '') ? at : (session.heardTo ?? at);
    void queue.keepSession({ ...session, ...after, heardTo }).catch(() => undefined);
  }

  function drop(message: QueuedMessage): void {
    if (message.state === 'queued') queue.recall(message, 'overtaken');
  }

  /** What was stored when the last owner ended, and not told on. */
  function catchUp(): void {
    for (const { id, lastEventAt, startedAt } of source.snapshot().sessions) {
      const session = queue.session(id);
      if (!isFresh(lastEventAt) || (!session && startedAt < standing.since())) continue;
      const waiting = queue.messagesOf(id).filter(isOfEvent);
      const heardTo = [session?.heardTo ?? '', standing.since(), ...waiting.map(({ at }) => at)].sort().at(-1) ?? '';
      const unheard = store.newestEvents(id, UNHEARD_MAX).filter(({ ts }) => ts >= heardTo);
      hear(id, unheard);
    }
  }

  function isSameWait(id: string, draft: Draft): boolean {
    return [...queue.messagesOf(id), ...(queue.session(id)?.receipts ?? [])].some((told) => isToldOf(draft, told));
  }

  return {
    hear,
    catchUp,
    leave,
    reopen,
    forget(ids) {
      for (const id of ids) phases.delete(id);
    },
  };
}
