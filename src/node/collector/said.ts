import type { EventStore } from '../../app/ports.ts';
import { isMain } from '../../domain/agentIds.ts';
import { interactionOf } from '../../domain/interactions.ts';
import type { AgentEvent } from '../../protocol/event.ts';
import type { Interaction } from '../../protocol/reading.ts';
import { isLastReply } from '../store/sayings.ts';
import { createBreather } from './breathe.ts';

export interface Said {
  readonly interaction: Interaction;
  /** Found in the transcript after the turn: a hook may tell the same all the same. */
  readonly found: boolean;
}

/** CNV-1, with the replies of agents whose Stop does not tell them. */
export function saidIn(event: AgentEvent): Said | undefined {
  const found = isLastReply(event);
  // It stands for the end of the turn, and reads like one.
  const interaction = interactionOf(found ? { ...event, event_type: 'turn_ended' } : event);
  return interaction && { interaction, found };
}

const SLICE = 50;

/** A page without what was found but told by a hook as well. Only sessions of which something was found are looked through. */
export async function eachOnce(
  store: Pick<EventStore, 'sayings'>,
  said: readonly Said[],
  signal: AbortSignal,
): Promise<Interaction[]> {
  const repeated = new Set<string>();
  const sessions = new Set(said.filter(({ found }) => found).map(({ interaction }) => interaction.sessionId));
  for (const id of sessions) for await (const repeat of repeatsIn(store, id, signal)) repeated.add(repeat);
  return said.map(({ interaction }) => interaction).filter(({ id }) => !repeated.has(id));
}

async function* repeatsIn(
  store: Pick<EventStore, 'sayings'>,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const breathe = createBreather();
  let turn: AgentEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = store.sayings(sessionId, { limit: SLICE, cursor });
    for (const event of page.items.filter(isMain)) {
      if (event.event_type !== 'user_prompt') turn.push(event);
      else {
        yield* repeatsOf(turn);
        turn = [];
      }
    }
    cursor = page.next ?? undefined;
    await breathe();
    signal.throwIfAborted();
  } while (cursor !== undefined);
  yield* repeatsOf(turn);
}

/** Between two prompts: what was found although its Stop had told it, or that another event of the turn says as well. */
function repeatsOf(turn: readonly AgentEvent[]): string[] {
  const stops = turn.filter(
    ({ event_type, payload }) => event_type === 'turn_ended' && payload['reason'] === 'completed',
  );
  const told = new Set(stops.flatMap(textOf));
  return turn.filter(isLastReply).flatMap((reply) => {
    // Found by the moment of its Stop, it may stand before it: not the place tells which one it is of.
    const stop = stops.findLast(({ ts }) => ts <= reply.ts);
    const [text = ''] = textOf(reply);
    if (told.has(text) || (stop && textOf(stop).length > 0)) return [reply.id];
    told.add(text);
    return [];
  });
}

function textOf(event: AgentEvent): string[] {
  const content = saidIn(event)?.interaction.content.trim();
  return content === undefined ? [] : [content];
}
