import type { PageAfter, SessionLists } from '../../app/windowPorts.ts';
import type { Interaction, SessionWithAgents, ToolObservation } from '../../protocol/reading.ts';
import type { Delivery } from '../../protocol/relay.ts';
import type { SessionEvent } from '../../protocol/sessionEvent.ts';
import { aSession, anAgent } from '../../../test/webview/fixtures.ts';
import { conversationFormat } from './conversationFormat.ts';
import type { ConversationSource } from './conversationReading.ts';

const l10n = {
  t: (text: string, places: Record<string, string | number> = {}) =>
    text.replace(/\{(\w+)\}/g, (place, name: string) => (name in places ? String(places[name]) : place)),
};

export const format = conversationFormat(
  l10n,
  { locale: 'en', timeZone: 'UTC', now: Date.UTC(2026, 0, 1, 12) },
  { said: 200, given: 60, answered: 60 },
);

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();

/** The id is the content's. */
export function said(second: number, role: Interaction['role'], content: string, agentId = 's/main'): Interaction {
  const skillName = role === 'user' ? 'user_prompt' : 'claude_response';
  return { id: content, sessionId: 's', agentId, role, content, skillName, ts: at(second) };
}

export function called(second: number, skillName: string, changes: Partial<ToolObservation> = {}): ToolObservation {
  return {
    id: `call ${second}`,
    sessionId: 's',
    agentId: 's/main',
    skillName,
    arguments: '{}',
    target: null,
    response: null,
    outcome: 'succeeded',
    durationMs: 200,
    metadata: {},
    ts: at(second),
    ...changes,
  };
}

export function told(
  second: number,
  event_type: SessionEvent['event_type'],
  details: Record<string, string>,
): SessionEvent {
  return {
    id: `event ${second}`,
    session_id: 's',
    event_type,
    summary: '',
    details,
    severity: 'info',
    created_at: at(second),
  };
}

export function aStoredSession(changes: Partial<SessionWithAgents> = {}): SessionWithAgents {
  return {
    ...aSession({
      id: 's',
      title: 'Fix the light',
      model: 'opus',
      startedAt: at(0),
      lastEventAt: at(90),
      endedAt: at(90),
      state: 'completed',
      phase: null,
    }),
    agents: [
      anAgent({ id: 's/main', sessionId: 's', name: 'Juno' }),
      anAgent({ id: 's/a', sessionId: 's', name: 'Waffle', kind: 'subagent', type: 'Explore' }),
    ],
    ...changes,
  };
}

export interface StoredThere {
  session: SessionWithAgents | undefined;
  silent: boolean;
  interactions: readonly Interaction[];
  observations: readonly ToolObservation[] | undefined;
  events: readonly SessionEvent[];
  deliveries: readonly Delivery[];
  /** Pages that were asked for. */
  asked: number;
  receiptsAsked: number;
}

/** A collector that keeps one session, and gives it away page by page. */
export function storedThere(changes: Partial<StoredThere> = {}): StoredThere & { readonly source: ConversationSource } {
  const there: StoredThere = {
    session: aStoredSession(),
    silent: false,
    interactions: [],
    observations: [],
    events: [],
    deliveries: [],
    asked: 0,
    receiptsAsked: 0,
    ...changes,
  };
  const source: ConversationSource = {
    session: () => Promise.resolve(there.silent ? undefined : there.session),
    statistics: () => Promise.resolve(undefined),
    deliveries: () => {
      there.receiptsAsked++;
      return Promise.resolve(there.silent ? undefined : there.deliveries);
    },
    list: (_id, name, { limit = 50, cursor = '0' }: PageAfter) => {
      there.asked++;
      if (there.silent) return Promise.resolve(undefined);
      const lists: { readonly [Name in keyof SessionLists]: readonly SessionLists[Name][] | undefined } = {
        interactions: there.session && there.interactions,
        observations: there.session && there.observations,
        'session-events': there.session && there.events,
      };
      const items = lists[name];
      if (items === undefined) return Promise.resolve('unknown' as const);
      const from = Number(cursor);
      const next = from + limit < items.length ? String(from + limit) : null;
      return Promise.resolve({ items: items.slice(from, from + limit), next });
    },
  };
  return Object.assign(there, { source });
}
