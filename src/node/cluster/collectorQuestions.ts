import { z } from 'zod';
import type { Collector, Conversation } from '../../app/windowPorts.ts';
import type { PortFile } from '../../protocol/discovery.ts';
import { type Interaction, interactionSchema } from '../../protocol/reading.ts';
import { NO_AGENT } from '../../protocol/cast.ts';
import { storySchema } from '../../protocol/story.ts';
import type { Home } from '../machine/home.ts';
import { answerOf, askOwner, encoded } from './askOwner.ts';
import { readPortFile } from './portFile.ts';

const PAGE = 200;
/** A document that can be read; the whole of a longer one is at `/api/sessions/{id}/interactions`. */
const PAGES_MAX = 20;

const noAgentSchema = z.object({ error: z.literal(NO_AGENT) });
const pageSchema = z.object({ items: z.array(interactionSchema), next: z.string().nullable() });

/** Asks whoever owns now, by the port file: the window that owns asks itself by the same way, so there is but one. */
export function createCollectorQuestions(home: Pick<Home, 'portFile'>): Collector {
  // A port file that can't be trusted names nobody.
  const owner = () => readPortFile(home.portFile).catch(() => undefined);

  async function conversation(sessionId: string): Promise<Conversation | undefined> {
    const found = await owner();
    if (!found) return undefined;
    let kept: Interaction[] = [];
    let cut = false;
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await pageAfter(found, sessionId, cursor);
      if (!page) return undefined;
      kept = [...kept, ...page.items];
      if (kept.length > PAGE * PAGES_MAX) {
        kept = kept.slice(-PAGE * PAGES_MAX);
        cut = true;
      }
      cursor = page.next;
    }
    return { interactions: kept, cut };
  }

  function pageAfter(found: PortFile, sessionId: string, cursor: string) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/api/sessions/${encoded(sessionId)}/interactions?limit=${PAGE}${after}`;
    return askOwner(found, { path }, pageSchema);
  }

  return {
    async story(sessionId) {
      const found = await owner();
      return found && (await askOwner(found, { path: `/api/sessions/${encoded(sessionId)}/story` }, storySchema));
    },
    conversation,
    async changeLook(agentId, body) {
      const found = await owner();
      const answer = found && (await answerOf(found, { path: `/api/agents/${encoded(agentId)}/look`, body }));
      if (answer === undefined) return 'silent';
      if (answer.status === 200) return 'changed';
      if (answer.status !== 404) return 'refused';
      // An owner of an older version has no such route, and can't say who is there.
      return noAgentSchema.safeParse(answer.body).success ? 'unknown' : 'silent';
    },
  };
}
