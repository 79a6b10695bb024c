import type { EventStore } from '../../app/ports.ts';
import { isMain } from '../../domain/agentIds.ts';
import { isTurnDone } from '../../domain/phase.ts';
import { foundPromptIn, heardAfter, promptHeard } from '../../domain/heard.ts';
import { interactionOf } from '../../domain/interactions.ts';
import { type AgentEvent, isOfType } from '../../protocol/event.ts';
import type { Interaction } from '../../protocol/reading.ts';
import { createBreather } from './breathe.ts';

export interface Said {
  readonly interaction: Interaction;
  /** Found in the transcript: a hook may tell the same all the same. */
  readonly found: boolean;
}

export function saidIn(event: AgentEvent): Said | undefined {
  const interaction = interactionOf(event);
  return interaction && { interaction, found: isOfType(event, 'last_reply_found', 'prompt_found', 'reply_found') };
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
  const prompts: AgentEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = store.sayings(sessionId, { limit: SLICE, cursor });
    for (const event of page.items.filter(isMain)) {
      if (!isOfType(event, 'user_prompt', 'prompt_found')) turn.push(event);
      else {
        yield* repeatsOf(turn);
        turn = [];
        prompts.push(event);
        if (prompts.length < 3 * PROMPTS_BESIDE) continue;
        yield* promptsTold(prompts, 2 * PROMPTS_BESIDE);
        prompts.splice(0, PROMPTS_BESIDE);
      }
    }
    cursor = page.next ?? undefined;
    await breathe();
    signal.throwIfAborted();
  } while (cursor !== undefined);
  yield* repeatsOf(turn);
  yield* promptsTold(prompts);
}

/** A prompt's hook and its line are moments apart; between them stand at most a few others. */
const PROMPTS_BESIDE = 20;

/** Those found that a hook told as well, be it just after them. */
function promptsTold(prompts: readonly AgentEvent[], upTo = prompts.length): string[] {
  const heard = prompts.flatMap((event) => heardAfter(undefined, event) ?? []);
  const isTold = (event: AgentEvent) =>
    event.event_type === 'prompt_found' && promptHeard(heard, foundPromptIn(event)) !== undefined;
  return prompts
    .slice(0, upTo)
    .filter(isTold)
    .map(({ id }) => id);
}

/** Between two prompts: what was found although its Stop had told it, or that another event of the turn says as well. */
function repeatsOf(turn: readonly AgentEvent[]): string[] {
  const stops = turn.filter(isTurnDone);
  const told = new Set(stops.flatMap(textOf));
  return turn.filter(isFoundAnswer).flatMap((reply) => {
    // What was looked for after its Stop bears the same moment or a later one; what was written before it an earlier one.
    const stop =
      reply.event_type === 'reply_found'
        ? stops.find(({ ts }) => ts >= reply.ts)
        : stops.findLast(({ ts }) => ts <= reply.ts);
    const [text = ''] = textOf(reply);
    if (told.has(text) || (stop && textOf(stop).length > 0)) return [reply.id];
    told.add(text);
    return [];
  });
}

function isFoundAnswer(event: AgentEvent): boolean {
  return isOfType(event, 'last_reply_found', 'reply_found');
}

function textOf(event: AgentEvent): string[] {
  const content = saidIn(event)?.interaction.content.trim();
  return content === undefined ? [] : [content];
}
