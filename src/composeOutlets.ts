import { homedir } from 'node:os';
import type { SecretStorage } from 'vscode';
import type { OpenOutlet, Secrets } from './app/outletPorts.ts';
import type { Log } from './app/ports.ts';
import { placeFor } from './app/relay/places.ts';
import { relayOutlet } from './app/relay/relay.ts';
import type { RelayKit, RelayWorld } from './app/relay/relayPorts.ts';
import { sendTest } from './app/relay/sendTest.ts';
import { DISCORD_API } from './domain/relay/requests.ts';
import { systemClock } from './node/machine/clock.ts';
import { folderSystem } from './node/machine/exclusions.ts';
import { createSendRequest, signWithHmac } from './node/relay/sendRequest.ts';
import { relayPhrase, relayWord } from './vscode/relay/relayPhrases.ts';
import { relayRules } from './vscode/relay/relayRules.ts';
import { createRelayTroubles } from './vscode/relay/relayTroubles.ts';
import { createSecrets } from './vscode/secrets.ts';
import type { EditorSettings } from './vscode/settings.ts';

export interface OutletsFor {
  readonly settings: EditorSettings;
  readonly storage: SecretStorage;
  readonly log: Log;
  readonly version: string;
}

/** What leaves this machine by the person's wish, and what the editor offers of it. */
export function composeOutlets({ settings, storage, log, version }: OutletsFor): {
  readonly secrets: Secrets;
  readonly relay: RelayKit;
  readonly outlets: readonly OpenOutlet[];
} {
  const secrets = createSecrets(storage);
  const rules = relayRules(settings);
  const folders = { home: homedir(), system: folderSystem(process.platform) };
  const world: RelayWorld = {
    ...{ rules, secrets, folders, version },
    send: createSendRequest(),
    sign: signWithHmac,
    word: relayWord,
    localMinute: (at) => new Date(at).getHours() * 60 + new Date(at).getMinutes(),
    random: Math.random,
    api: DISCORD_API,
    onTrouble: createRelayTroubles(log),
  };
  const relay: RelayKit = {
    ...{ rules, secrets, word: relayWord },
    channelOf: (project) => placeFor(project, rules.current(), folders)?.channel,
    sendTest: (project) => sendTest(world, project, relayPhrase('test.text'), systemClock.now()),
  };
  return { secrets, relay, outlets: [relayOutlet(world)] };
}
