import type { Heard, Outcome, Refusal } from '../../domain/relay/answers.ts';
import { channelFor, type FolderWays } from '../../domain/relay/channels.ts';
import { learnLimits, limitedUntil, noLimits, sooner } from '../../domain/relay/rateLimits.ts';
import type { Held } from '../../domain/relay/records.ts';
import { type Access, authorOf } from '../../domain/relay/requests.ts';
import type { Clock, Log } from '../ports.ts';
import type { RelaySettings, RelayTrouble, RelayWorld } from './relayPorts.ts';

const BACKOFF_FIRST_MS = 2_000;
const BACKOFF_MAX_MS = 5 * 60_000;

/** A service that says "later" more often than this without a success between has nothing to do with its own limits any more. */
const LATER_MAX = 5;

/** What lets us in at the chosen target. Undefined: the person has not given it yet. */
export async function accessFor(
  settings: RelaySettings,
  { secrets, api }: Pick<RelayWorld, 'secrets' | 'api'>,
): Promise<Access | undefined> {
  switch (settings.target) {
    case 'off':
      return undefined;
    case 'discord': {
      const token = await secrets.get('relay.discordToken');
      return token ? { target: 'discord', api, token } : undefined;
    }
    case 'discordForum': {
      const url = await secrets.get('relay.discordForumUrl');
      return url ? { target: 'discordForum', url } : undefined;
    }
    case 'webhook': {
      const url = await secrets.get('relay.webhookUrl');
      if (!url) return undefined;
      const secret = await secrets.get('relay.webhookSecret');
      return { target: 'webhook', url, secret, ignoresRepeats: settings.webhookIgnoresRepeats };
    }
  }
}

export interface Place {
  readonly channel: string;
  /** Threads of one place are of no use in another. */
  readonly place: string;
}

/** Where messages about a project's sessions go; undefined if nothing of it is sent. Only a bot needs a channel: a webhook has its own. */
export function placeFor(
  project: string,
  { target, channels }: Pick<RelaySettings, 'target' | 'channels'>,
  folders: FolderWays,
): Place | undefined {
  if (target === 'off') return undefined;
  const isChosen = target === 'discord' || Object.keys(channels).length > 0;
  const channel = isChosen ? channelFor(channels, project, folders) : '';
  if (channel === undefined) return undefined;
  if (target !== 'discord') return { channel, place: target };
  // It becomes a part of an address.
  return /^\d+$/.test(channel) ? { channel, place: `${target} ${channel}` } : undefined;
}

export interface TargetParts {
  readonly world: Pick<RelayWorld, 'rules' | 'random' | 'onTrouble'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** What is known of the service that messages go to: what lets us in, whether it answers, and how much it takes. */
export class Target {
  readonly #parts: TargetParts;
  /** The types of the channels that were looked at. */
  readonly channelTypes = new Map<string, number>();
  /** Troubles that the person was told of, until something went well. */
  readonly #told = new Set<string>();
  #access: Access | undefined;
  #isAccessRead = false;
  #halted: Refusal | undefined;
  #limits = noLimits;
  #failures = 0;
  #laters = 0;
  #tryAgainAt = 0;

  constructor(parts: TargetParts) {
    this.#parts = parts;
  }

  /** Sets what lets us in; without it nothing can leave. Whoever changed settings or secrets need not wait for an outage to end. */
  use(access: Access | undefined): void {
    if (JSON.stringify(access) !== JSON.stringify(this.#access)) this.#limits = noLimits;
    this.#access = access;
    this.#isAccessRead = this.#chosen !== 'off';
    this.#halted = undefined;
    this.#endOutage();
    this.channelTypes.clear();
    this.#told.clear();
  }

  get #chosen(): RelaySettings['target'] {
    return this.#parts.world.rules.current().target;
  }

  /** What lets us in at the target that is chosen now. Until the secrets of a new target are read, those of the old one are here. */
  get access(): Access | undefined {
    return this.#access?.target === this.#chosen ? this.#access : undefined;
  }

  /** As whom the target sees what we send; no secret. */
  get author(): string {
    return this.access ? authorOf(this.access) : '';
  }

  /** Does the target take anything at all, as far as is known? */
  get isOpen(): boolean {
    return this.#access !== undefined && this.#halted === undefined;
  }

  /** Why nothing is sent now. */
  get held(): Held | undefined {
    if (this.#chosen === 'off') return 'off';
    if (!this.#access) return this.#isAccessRead ? 'noSecretThere' : undefined;
    return this.#halted ?? (this.#failures > 0 ? 'notAnswering' : undefined);
  }

  /** When the target may be asked for something by this route again. */
  opensAt(route: string): number {
    return Math.max(this.#tryAgainAt, limitedUntil(this.#limits, route));
  }

  learnLimits(route: string, heard: Heard): void {
    this.#limits = learnLimits(this.#limits, route, heard, this.#parts.clock.now());
  }

  clockWasSetBack(ms: number): void {
    this.#tryAgainAt -= ms;
    this.#limits = sooner(this.#limits, ms);
  }

  /** Something was taken there. A channel that refuses is not mended by what another one takes. */
  wentWell(channel: string): void {
    if (this.#failures > 0) this.#parts.log.info('Chat relay: the target answers again.');
    this.#endOutage();
    for (const key of this.#told) if (key.endsWith(' ') || key.endsWith(` ${channel}`)) this.#told.delete(key);
  }

  #endOutage(): void {
    [this.#failures, this.#laters, this.#tryAgainAt] = [0, 0, 0];
  }

  /** Something was not taken, or may not have been. */
  failed(kind: Outcome['kind']): void {
    // A rate limit says for how long it holds.
    if (kind === 'later' && ++this.#laters <= LATER_MAX) return;
    this.#failures++;
    const longest = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** (this.#failures - 1));
    const { clock, world, log } = this.#parts;
    // Not all at the same moment: others lost the same network.
    this.#tryAgainAt = clock.now() + Math.round(longest * (0.5 + world.random() / 2));
    if (this.#failures === 1) log.warn('Chat relay: the target does not answer; it is tried again.');
  }

  /** Nothing leaves for this target until its settings or secrets change. */
  halt(why: Refusal): void {
    this.#halted = why;
    this.#parts.log.warn(
      `Chat relay: the target refuses everything (${why}). Nothing is sent until its settings or secrets change.`,
    );
    this.tell(why);
  }

  /** Tells the person, once until something went well. */
  tell(why: RelayTrouble['why'], channel?: string): void {
    const key = `${why} ${channel ?? ''}`;
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#parts.world.onTrouble({ why, channel });
  }
}
