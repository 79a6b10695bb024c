import { type AgentEvent, isOfType } from '../../protocol/event.ts';
import type { RelayKind } from '../../protocol/relay.ts';
import type { Agent, Session, Wait } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import { isMain } from '../agentIds.ts';
import { nameOfProvider } from '../../protocol/providers.ts';
import { interactionOf } from '../interactions.ts';
import { lastPart } from '../folders.ts';
import { shortText } from '../text.ts';
import { isInSpan } from '../unlogged.ts';
import { CHAT_TEXT_MAX, chatText, quotedTarget } from './chatText.ts';
import type { RelayWord } from './relayWords.ts';

/** Something that may be said, before it is decided whether it is. */
export interface Draft {
  /** The same for the same happening, whoever tells it and however often. */
  readonly id: string;
  readonly kind: RelayKind;
  readonly at: string;
  /** Masked and cut; as the agent wrote it otherwise. */
  readonly text: string;
  /** It is worth saying only as long as this agent waits since then. */
  readonly wait?: { readonly agentId: string; readonly since: string; readonly call?: string | undefined };
}

const ERROR_MAX = 600;

/** The person is called, and may let these in where it is quiet otherwise. */
export function calls(kind: RelayKind): boolean {
  return kind === 'permission' || kind === 'question' || kind === 'escalation';
}

export function startedDraft(session: Session, word: RelayWord): Draft {
  const places = { agent: nameOfProvider(session.provider) ?? session.provider, project: lastPart(session.project) };
  return {
    id: `started/${session.id}`,
    kind: 'started',
    at: session.startedAt,
    text: chatText(word('started', places)),
  };
}

/** What an event itself has to say; nothing where the person wants it not kept (CNV-4). */
export function eventDraft(event: AgentEvent, word: RelayWord): Draft | undefined {
  if (event.payload.unlogged === true) return undefined;
  const own = ownDraft(event, word);
  // What a sub-agent comes to is told by the one that it works for.
  if (own || !isMain(event)) return own;
  const { id, ts: at } = event;
  if (event.event_type === 'session_ended') return { id, kind: 'ended', at, text: word('ended') };
  if (event.event_type === 'turn_ended' && event.payload.reason === 'failed') {
    const error =
      shortText(event.payload.message, ERROR_MAX) ?? shortText(event.payload.error, ERROR_MAX) ?? word('unsaid');
    return { id, kind: 'failed', at, text: chatText(word('failed', { what: error })) };
  }
  const said = interactionOf(event);
  if (said?.role !== 'assistant') return undefined;
  const text = chatText(said.content);
  return text === '' ? undefined : { id, kind: 'reply', at, text };
}

/** EVT-3: what an agent logs by itself, for the person to read. */
function ownDraft(event: AgentEvent, word: RelayWord): Draft | undefined {
  if (!isOfType(event, 'escalation', 'decision')) return undefined;
  const { id, ts: at, event_type: kind } = event;
  const said = [
    shortText(event.payload.summary, CHAT_TEXT_MAX) || word('unsaid'),
    shortText(event.payload.details, CHAT_TEXT_MAX),
  ];
  return { id, kind, at, text: chatText(word(kind, { what: said.filter(Boolean).join('\n') })) };
}

interface Waiting extends Pick<SessionState, 'unlogged'> {
  readonly agents: readonly { readonly agent: Pick<Agent, 'id' | 'wait'>; readonly unlogged?: true | undefined }[];
}

/** Everybody in the session who waits for the person. */
export function waitDrafts({ agents, unlogged }: Waiting, word: RelayWord): readonly Draft[] {
  return agents.flatMap(({ agent: { id, wait }, unlogged: isUnlogged }) => {
    // Who was sent for by a private turn may ask later.
    if (wait === null || isUnlogged || isInSpan(unlogged, wait.since)) return [];
    const text = chatText(word(wait.kind, { what: askedFor(wait) || word('unsaid') }));
    const { kind, since, toolUseId } = wait;
    return [{ id: waitId(id, wait), kind, at: since, text, wait: { agentId: id, since, call: toolUseId } }];
  });
}

/** Two words about one wait come from two sources within this time. */
const SAME_WAIT_MS = 5_000;

/** Whether somebody waits still, or another source tells of that wait. Two calls are two waits, however near. */
export function isWait({ since, call }: Required<Draft>['wait'], now: Pick<Wait, 'since' | 'toolUseId'>): boolean {
  return call === undefined || now.toolUseId === undefined ? isNear(since, now.since) : call === now.toolUseId;
}

interface Told {
  readonly id: string;
  readonly kind: RelayKind;
  readonly at: string;
  /** Of a receipt. */
  readonly state: string;
}

/** Whether what was told of before is the wait of this draft. One that was answered is over. */
export function isToldOf({ kind, at, wait }: Draft, told: Told): boolean {
  const start = `${kind}/${wait?.agentId}/`;
  if (!told.id.startsWith(start) || told.state === 'withdrawn') return false;
  const areCalls = wait?.call !== undefined && !/^\d{4}-\d\d-\d\dT/.test(told.id.slice(start.length));
  return isNear(told.at, at) && !areCalls;
}

function isNear(one: string, other: string): boolean {
  return Math.abs(Date.parse(one) - Date.parse(other)) < SAME_WAIT_MS;
}

/** By its call, where that is known: two sources may tell the moment of one wait differently. */
function waitId(agentId: string, { kind, since, toolUseId }: Wait): string {
  return `${kind}/${agentId}/${toolUseId ?? since}`;
}

function askedFor({ tool, target, message }: Wait): string {
  const call = [tool, target === undefined || target === '' ? undefined : quotedTarget(target)];
  return call.some((part) => part !== undefined) ? call.filter(Boolean).join(' ') : (message ?? '');
}

/** A change of the phase that nothing else says. */
export function phaseDraft(session: Session, before: Session['phase'], word: RelayWord): Draft | undefined {
  const { id, phase, phaseSince, phaseBecause } = session;
  if (phase === before || phaseSince === null) return undefined;
  const said = { id: `phase/${id}/${phaseSince}/${phase}`, kind: 'phase', at: phaseSince } as const;
  if (phase === 'busy') return { ...said, text: word('working') };
  if (phase !== 'interactable' || before === null) return undefined;
  return { ...said, text: word(phaseBecause?.detail === 'interrupted' ? 'interrupted' : 'yourMove') };
}
