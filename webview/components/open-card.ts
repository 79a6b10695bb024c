import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Session } from '../../src/protocol/state.ts';
import type { Story } from '../../src/protocol/story.ts';
import type { HostMessage, PanelMessage } from '../../src/protocol/view.ts';

/** The session whose card is open, and the agent that was chosen for it. */
export interface Opened {
  readonly sessionId: string;
  readonly agentId: string | undefined;
}

/** Which card is open, and the story that the host sends for as long as it is. */
export class OpenCard implements ReactiveController {
  opened: Opened | undefined;
  /** Undefined until it has come. */
  story: Story | null | undefined;
  private readonly host: ReactiveControllerHost;
  private readonly post: (message: PanelMessage) => void;
  private unfolded = false;

  constructor(host: ReactiveControllerHost, post: (message: PanelMessage) => void) {
    this.host = host;
    this.post = post;
    host.addController(this);
  }

  open(wanted: Opened): void {
    const sameSession = this.opened?.sessionId === wanted.sessionId;
    this.opened = wanted;
    this.unfolded = true;
    if (!sameSession) {
      this.story = undefined;
      this.post({ type: 'story', sessionId: wanted.sessionId });
    }
    this.host.requestUpdate();
  }

  close(): void {
    if (this.opened === undefined) return;
    this.opened = undefined;
    this.story = undefined;
    this.post({ type: 'story', sessionId: null });
    this.host.requestUpdate();
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

  /** A session that is gone has no card. */
  keepTo(sessions: ReadonlyMap<string, Session>): void {
    if (this.opened !== undefined && !sessions.has(this.opened.sessionId)) this.close();
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
