import { channelFor, type FolderWays } from '../../domain/relay/channels.ts';
import type { RelaySettings } from './relayPorts.ts';

export interface Place {
  readonly channel: string;
  /** Threads of one place are of no use in another. */
  readonly place: string;
}

/** Where a project's sessions are told of. Only a bot needs a channel: a webhook has its own. */
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
