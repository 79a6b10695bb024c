import type { Access } from '../../domain/relay/requests.ts';
import type { RelaySettings, RelayWorld } from './relayPorts.ts';

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
