import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Agent } from '../../src/protocol/state.ts';
import type { Story } from '../../src/protocol/story.ts';
import type { HostMessage, PanelMessage } from '../../src/protocol/view.ts';
import type { PanelState } from '../store.ts';

/** The session whose card is open, and the agent that was chosen for it. */
export interface Opened {
  readonly sessionId: string;
  readonly agentId: string | undefined;
}

/** What is kept of it when the page ends, and read by the next one. */
export interface Keeping {
  kept(): unknown;
  keep(opened: Opened | undefined): void;
}

/** Which card is open, and the story that the host sends for as long as it is. */
export class OpenCard implements ReactiveController {
  opened: Opened | undefined;
  /** Undefined until it has come. */
  story: Story | null | undefined;
  private readonly host: ReactiveControllerHost;
  private readonly post: (message: PanelMessage) => void;
  private unfolded = false;
  private keeping: Keeping | undefined;
  /** Open in the page before this one, until its session is seen. */
  private earlier: Opened | undefined;

  constructor(host: ReactiveControllerHost, post: (message: PanelMessage) => void) {
    this.host = host;
    this.post = post;
    host.addController(this);
  }

  /** Once, before the first state comes. */
  remember(keeping: Keeping): void {
    this.keeping = keeping;
    this.earlier = openedIn(keeping.kept());
  }

  open(wanted: Opened): void {
    const sameSession = this.opened?.sessionId === wanted.sessionId;
    this.set(wanted);
    this.unfolded = true;
    if (!sameSession) {
      this.story = undefined;
      this.post({ type: 'story', sessionId: wanted.sessionId });
    }
    this.host.requestUpdate();
  }

  close(): void {
    if (this.opened === undefined) return;
    this.set(undefined);
    this.story = undefined;
    this.post({ type: 'story', sessionId: null });
    this.host.requestUpdate();
  }

  private set(opened: Opened | undefined): void {
    this.opened = opened;
    this.earlier = undefined;
    this.keeping?.keep(opened);
  }

  /** The same again closes it. */
  toggle(wanted: Opened): void {
    const same = this.opened?.sessionId === wanted.sessionId && this.opened.agentId === wanted.agentId;
    if (same) this.close();
    else this.open(wanted);
  }

  take(message: Extract<HostMessage, { type: 'story' }>): void {
    // What was asked for another card may come late.
    if (message.sessionId === this.opened?.sessionId) this.story = message.story;
  }

  /** A session that is gone has no card, nor has a mascot that left or was hidden: a card never turns into another's. */
  keepTo({ sessions, agents, config, source }: PanelState): void {
    const { earlier } = this;
    const showHidden = config.showHidden === true;
    if (earlier && sessions.has(earlier.sessionId)) {
      this.set(earlier);
      this.post({ type: 'story', sessionId: earlier.sessionId });
    } else if (source === 'live') this.earlier = undefined;
    if (this.opened === undefined) return;
    const { sessionId, agentId } = this.opened;
    const isDrawn = agentId === undefined || isSeen(agents.get(agentId), showHidden);
    if (!sessions.has(sessionId) || !isDrawn) this.close();
  }

  /** True once after it was opened: it is to be scrolled to. */
  justUnfolded(): boolean {
    const unfolded = this.unfolded && this.opened !== undefined;
    this.unfolded = false;
    return unfolded;
  }

  hostConnected(): void {
    document.addEventListener('visibilitychange', this.onVisibility);
  }

  hostDisconnected(): void {
    document.removeEventListener('visibilitychange', this.onVisibility);
  }

  /** The host sends nothing to a panel that is not seen. */
  private readonly onVisibility = (): void => {
    if (document.visibilityState !== 'visible' || this.opened === undefined) return;
    this.post({ type: 'story', sessionId: this.opened.sessionId });
  };
}

function isSeen(agent: Agent | undefined, showHidden: boolean): boolean {
  return agent?.present === true && (showHidden || agent.hidden !== true);
}

function openedIn(kept: unknown): Opened | undefined {
  if (typeof kept !== 'object' || kept === null) return undefined;
  const { sessionId, agentId }: Partial<Record<keyof Opened, unknown>> = kept;
  return typeof sessionId === 'string'
    ? { sessionId, agentId: typeof agentId === 'string' ? agentId : undefined }
    : undefined;
}
