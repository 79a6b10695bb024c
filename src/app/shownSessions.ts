import type { Agent, Session } from '../protocol/state.ts';

/** What is shown of a session. */
export interface Shown {
  readonly session: Session;
  readonly agents: readonly Agent[];
}

/**
 * The sessions as they are shown. Several sessions of a team can report the same agent, whose id contains the team (NRM-6); it is shown
 * in one of them.
 */
export class ShownSessions {
  /** Sessions with all agents that they report. */
  readonly #whole = new Map<string, Shown>();
  readonly #shown = new Map<string, Shown>();
  /** The sessions that report an agent, for agents whose ids contain a team. */
  readonly #tellers = new Map<string, Set<string>>();
  readonly #changed = new Set<string>();

  get(id: string): Shown | undefined {
    return this.#shown.get(id);
  }

  all(): readonly Shown[] {
    return [...this.#shown.values()];
  }

  /** The session with all agents that it reports, also those shown in another session. */
  whole(id: string): Shown | undefined {
    return this.#whole.get(id);
  }

  /** Takes effect at the next `renew`. Undefined removes the session. */
  set(id: string, next: Shown | undefined): void {
    this.#changed.add(id);
    for (const agent of teamAgents(this.#whole.get(id))) this.#forget(agent.id, id);
    for (const agent of teamAgents(next)) this.#note(agent.id, id);
    if (next) this.#whole.set(id, next);
    else this.#whole.delete(id);
  }

  /** Applies what was set since the last call; returns the sessions that may have changed, before and after. */
  renew(): { readonly before: readonly Shown[]; readonly after: readonly Shown[] } {
    const ids = [...this.#changed];
    this.#changed.clear();
    const before = ids.flatMap((id) => this.#shown.get(id) ?? []);
    for (const id of ids) {
      const whole = this.#whole.get(id);
      if (whole) this.#shown.set(id, this.#withoutElsewhere(whole));
      else this.#shown.delete(id);
    }
    return { before, after: ids.flatMap((id) => this.#shown.get(id) ?? []) };
  }

  #withoutElsewhere(whole: Shown): Shown {
    const agents = whole.agents.filter((agent) => this.#showsIn(agent) === whole.session.id);
    return agents.length === whole.agents.length ? whole : { ...whole, agents };
  }

  #showsIn({ id, sessionId }: Agent): string {
    const tellers = this.#tellers.get(id);
    if (!tellers || tellers.size < 2) return sessionId;
    const told = [...tellers].flatMap(
      (teller) => this.#whole.get(teller)?.agents.filter((agent) => agent.id === id) ?? [],
    );
    return told.reduce((shown, agent) => (goesBefore(agent, shown) ? agent : shown)).sessionId;
  }

  #note(agent: string, session: string): void {
    const tellers = this.#tellers.get(agent) ?? new Set();
    this.#tellers.set(agent, tellers.add(session));
    for (const teller of tellers) this.#changed.add(teller);
  }

  #forget(agent: string, session: string): void {
    const tellers = this.#tellers.get(agent);
    tellers?.delete(session);
    if (tellers?.size === 0) this.#tellers.delete(agent);
    for (const teller of tellers ?? []) this.#changed.add(teller);
  }
}

function teamAgents(shown: Shown | undefined): readonly Agent[] {
  return shown?.agents.filter(({ id, sessionId }) => !id.startsWith(`${sessionId}/`)) ?? [];
}

/** Is `a` shown rather than `b`? The later start wins, unless it has left and the other was active since. */
function goesBefore(a: Agent, b: Agent): boolean {
  const startedLast = a.startedAt === b.startedAt ? a.sessionId > b.sessionId : a.startedAt > b.startedAt;
  if (a.present === b.present) return startedLast;
  return a.present ? startedLast || a.moodSince > b.moodSince : startedLast && a.moodSince >= b.moodSince;
}
