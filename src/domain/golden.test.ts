import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '../protocol/event.ts';
import { wordsOf } from '../protocol/eventPayloads.ts';
import type { SessionState } from '../protocol/stored.ts';
import { expectationsOf, replayed } from './golden.testkit.ts';
import { compareKeys, orderKey } from './order.ts';
import { eventsOfHooks, recordings } from './recordings.testkit.ts';
import { reduceAll } from './reduce.ts';
import { insert, type Timeline, timelineFrom } from './timeline.ts';

const all = recordings().map((recording) => {
  const events = eventsOfHooks(recording);
  const hooks = recording.hooks.map(({ atMs }, index) => ({ atMs, events: events[index] ?? [] }));
  return { recording, hooks: hooks.toSorted((a, b) => inOrder(a.events, b.events)) };
});
const named = all.map((each) => [each.recording.name, each] as const);

function inOrder([a]: readonly AgentEvent[], [b]: readonly AgentEvent[]): number {
  return a && b ? compareKeys(orderKey(a), orderKey(b)) : 0;
}

test('every recording has its expectations', () => {
  expect(all.filter(({ recording }) => !expectationsOf(recording)).map(({ recording }) => recording.name)).toEqual([]);
});

describe('what a person expects of every recording, as written beside it', () => {
  test.each(named)('STA-5 %s', (_name, { recording, hooks }) => {
    expect(replayed(hooks)).toEqual(expectationsOf(recording));
  });
});

/** A hook arrives up to so much later than it was fired. */
const DELAY_MS = 300;

describe('COL-8 shuffled within 300 ms and with every event doubled, each ends as in order', () => {
  test.each(named)('%s', (_name, { hooks }) => {
    const events = hooks.flatMap((hook) => hook.events);
    const inTurn = endOf(events);
    fc.assert(
      fc.property(fc.array(fc.nat(DELAY_MS), { minLength: events.length, maxLength: events.length }), (delays) => {
        const late = events.map((event, index) => ({ event, at: Date.parse(event.ts) + (delays[index] ?? 0) }));
        const arrived = late.toSorted((a, b) => a.at - b.at).flatMap(({ event }) => [event, event]);
        expect(endOf(arrived)).toEqual(inTurn);
      }),
      { numRuns: 5 },
    );
  });
});

function endOf(events: readonly AgentEvent[]): Map<string, SessionState | undefined> {
  const lines = new Map<string, Timeline>();
  for (const event of events) {
    const line = lines.get(event.session_id) ?? timelineFrom(undefined);
    const next = insert(line, event);
    if (!next) throw new Error('a recording is short enough to be remembered whole');
    lines.set(event.session_id, next);
  }
  return new Map([...lines].map(([id, { state }]) => [id, state]));
}

describe('STA-5 with every tenth event lost nobody is made up, and the end is one that the correctors know', () => {
  test.each(named)('%s', (_name, { hooks }) => {
    const events = hooks.flatMap((hook) => hook.events);
    const known = new Set(events.map((event) => event.agent_id));
    for (let lost = 0; lost < 10; lost++) {
      const left = events.filter((_event, index) => index % 10 !== lost);
      for (const [id, state] of endOf(left)) {
        // Nobody but those who really were there; no wait that no event asked for.
        expect(state?.agents.map(({ agent }) => agent.id).filter((agent) => !known.has(agent))).toEqual([]);
        const asked = left.some((event) => event.event_type === 'agent_blocked' || isPromptNotice(event));
        if (!asked) expect(state?.agents.filter(({ agent }) => agent.wait !== null)).toEqual([]);
        // Whatever was lost, the end of the process ends it all.
        const over = reduceAll([processGone(id, state)], state);
        expect([over?.session.phase, over?.agents.filter(({ agent }) => agent.present)]).toEqual([null, []]);
        expect(['completed', 'stale']).toContain(over?.session.state);
      }
    }
  });
});

function isPromptNotice({ payload }: AgentEvent): boolean {
  return ['permission_prompt', 'agent_needs_input', 'elicitation_dialog'].includes(
    String(wordsOf(payload)['notification_type']),
  );
}

function processGone(session: string, state: SessionState | undefined): AgentEvent {
  const last = state?.last.ts ?? '';
  return {
    id: 'gone',
    version: '1.1',
    ts: new Date(Date.parse(last) + 2_000).toISOString(),
    event_type: 'agent_stopped',
    source: 'synthetic',
    provider: state?.session.provider ?? '',
    workspace_id: '',
    terminal_session_id: 'unknown',
    session_id: session,
    agent_id: `${session}/main`,
    severity: 'warn',
    payload: { reason: 'process_gone', by: 'process' },
    raw: {},
  };
}
