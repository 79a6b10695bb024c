import type { RelaySettings, RelayWorld } from '../../app/relay/relayPorts.ts';
import { englishRelayWord } from '../../domain/relay/relayWords.ts';
import type { RelayKind } from '../../protocol/relay.ts';
import { relayKinds } from '../../protocol/relay.ts';
import { createSendRequest, signWithHmac } from './sendRequest.ts';

export const allKinds = Object.fromEntries(relayKinds.map((kind) => [kind, true])) as Record<RelayKind, boolean>;

export const quietPhases = { ...allKinds, phase: false };

export const relaySettings: RelaySettings = {
  target: 'webhook',
  channels: {},
  send: quietPhases,
  quietHours: undefined,
  quietLetsWaits: false,
  webhookIgnoresRepeats: false,
};

const never = { dispose: () => undefined };

/** The relay's world with real requests, where nothing changes and nothing is excluded. */
export function relayWorld(
  settings: RelaySettings,
  secrets: Readonly<Record<string, string>>,
  changes: Partial<RelayWorld> = {},
): RelayWorld {
  return {
    rules: { current: () => settings, onChange: () => never },
    secrets: { get: (name) => Promise.resolve(secrets[name]), onChange: () => never },
    send: createSendRequest(),
    sign: signWithHmac,
    word: englishRelayWord,
    folders: { home: '/home/me', system: 'linux' },
    exclusions: () => Promise.resolve({ ...never, excludes: () => false }),
    localMinute: (at) => new Date(at).getUTCHours() * 60 + new Date(at).getUTCMinutes(),
    random: () => 1,
    version: '1.2.3',
    api: 'http://127.0.0.1:1/api/v10',
    onTrouble: () => undefined,
    ...changes,
  };
}
