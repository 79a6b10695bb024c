import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Agent } from '../../src/protocol/state.ts';
import { arriving, departing } from './departures.ts';
import type { MascotCard } from './mascot-card.ts';

type Agents = ReadonlyMap<string, Agent>;

/** Who is just seen coming or going. Both end with their animation, and are none where nothing may move. */
export class Comings implements ReactiveController {
  going: Agents = new Map();
  coming: ReadonlySet<string> = new Set();
  private readonly host: ReactiveControllerHost;

  constructor(host: ReactiveControllerHost) {
    this.host = host;
    host.addController(this);
  }

  hostDisconnected(): void {
    this.going = new Map();
    this.coming = new Set();
  }

  /** `told`: one by one, as it came to pass; a whole snapshot only shows who was there already. */
  follow(before: Agents, after: Agents, animated: boolean, told: boolean): void {
    this.going = animated ? departing(this.going, before, after) : new Map();
    this.coming = animated && told ? arriving(this.coming, before, after) : new Set();
  }

  /** Who can't be seen going (no card, or no animation on it) has gone. */
  settle(cards: readonly MascotCard[]): void {
    if (this.going.size === 0) return;
    const animated = cards.filter((card) => card.departing);
    void Promise.all(animated.map((card) => card.updateComplete)).then(() => {
      const still = animated.filter((card) => card.getAnimations().length > 0).map(({ dataset }) => dataset['agentId']);
      const left = [...this.going].filter(([id]) => still.includes(id));
      if (left.length === this.going.size) return;
      this.going = new Map(left);
      this.host.requestUpdate();
    });
  }

  ended({ animationName, target }: AnimationEvent): void {
    const id = target instanceof HTMLElement ? target.dataset['agentId'] : undefined;
    if (id === undefined) return;
    if (animationName === 'appear') this.coming = new Set([...this.coming].filter((one) => one !== id));
    else if (animationName === 'depart') this.going = new Map([...this.going].filter(([one]) => one !== id));
    else return;
    this.host.requestUpdate();
  }
}
