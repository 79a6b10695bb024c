import type { AgentEvent } from '../../protocol/event.ts';
import type { Agent, Session, Wait } from '../../protocol/state.ts';
import type { SessionState } from '../../protocol/stored.ts';
import { isMain } from '../agentIds.ts';
import { interactionOf } from '../interactions.ts';
import { lastPart } from '../folders.ts';
import { textIn } from '../text.ts';
import { isInSpan } from '../unlogged.ts';
import { chatText, quotedTarget } from './chatText.ts';
import type { RelayWord } from './relayWords.ts';

/** RLY-1: what is said in a chat; each can be chosen. `note`: what somebody else asked to be said. */
export const chosenKinds = ['started', 'reply', 'permission', 'question', 'failed', 'phase', 'ended'] as const;
export type ChosenKind = (typeof chosenKinds)[number];
export type RelayKind = ChosenKind | 'note';

/** Something that may be said, before it is decided whether it is. */
export interface Draft {
  /** The same for the same happening, whoever tells it and however often. */
  readonly id: string;
  readonly kind: RelayKind;
  readonly at: string;
  /** Masked and cut; as the agent wrote it otherwise. */
  readonly text: string;
  /** It is worth saying only as long as this agent waits since then. */
  readonly wait?: { readonly agentId: string; readonly since: string };
}

const ERROR_MAX = 600;

export function startedDraft(session: Session, word: RelayWord): Draft {
  const places = { agent: session.provider, project: lastPart(session.project) };
  return {
    id: `started/${session.id}`,
    kind: 'started',
    at: session.startedAt,
    text: chatText(word('started', places)),
  };
}

/** What an event itself has to say; nothing where the person wants it not kept (CNV-4). */
export function eventDraft(event: AgentEvent, word: RelayWord): Draft | undefined {
  if (event.payload['unlogged'] === true || !isMain(event)) return undefined;
  const { id, ts: at } = event;
  if (event.event_type === 'session_ended') return { id, kind: 'ended', at, text: word('ended') };
  if (event.event_type === 'turn_ended' && event.payload['reason'] === 'failed') {
    const error = textIn(event, 'message', ERROR_MAX) ?? textIn(event, 'error', ERROR_MAX) ?? word('unsaid');
    return { id, kind: 'failed', at, text: chatText(word('failed', { what: error })) };
  }
  const said = interactionOf(event);
  if (said?.role !== 'assistant') return undefined;
  const text = chatText(said.content);
  return text === '' ? undefined : { id, kind: 'reply', at, text };
}

interface Waiting extends Pick<SessionState, 'unlogged'> {
  readonly agents: readonly { readonly agent: Pick<Agent, 'id' | 'wait'> }[];
}

/** Everybody in the session who waits for the person. */
export function waitDrafts({ agents, unlogged }: Waiting, word: RelayWord): readonly Draft[] {
  return agents.flatMap(({ agent: { id, wait } }) => {
    if (wait === null || isInSpan(unlogged, wait.since)) return [];
    const text = chatText(word(wait.kind, { what: askedFor(wait) || word('unsaid') }));
    return [{ id: waitId(id, wait), kind: wait.kind, at: wait.since, text, wait: { agentId: id, since: wait.since } }];
  });
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
