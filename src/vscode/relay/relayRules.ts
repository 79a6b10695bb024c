import type { RelayRules, RelaySettings } from '../../app/relay/relayPorts.ts';
import { readQuietHours } from '../../domain/relay/quietHours.ts';
import { relayKinds } from '../../protocol/relay.ts';
import type { Settings } from '../../protocol/settings.ts';
import type { EditorSettings } from '../settings.ts';

/** The settings `relay.*`, and when one of them changes. */
export function relayRules(settings: Pick<EditorSettings, 'current' | 'onChange'>): RelayRules {
  const current = () => relaySettingsOf(settings.current());
  return {
    current,
    onChange(listener) {
      let before = JSON.stringify(current());
      return settings.onChange(() => {
        const now = JSON.stringify(current());
        if (now === before) return;
        before = now;
        listener();
      });
    },
  };
}

function relaySettingsOf(settings: Settings): RelaySettings {
  const send = Object.fromEntries(relayKinds.map((kind) => [kind, settings[`relay.send.${kind}`]]));
  return {
    target: settings['relay.target'],
    channels: settings['relay.channels'],
    send: send as RelaySettings['send'],
    quietHours: readQuietHours(settings['relay.quietHours']),
    quietLetsWaits: settings['relay.quietHoursLetWaitsThrough'],
    webhookIgnoresRepeats: settings['relay.webhookIgnoresRepeats'],
  };
}
