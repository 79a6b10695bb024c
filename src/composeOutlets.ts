import { homedir } from 'node:os';
import type { SecretStorage } from 'vscode';
import type { OpenOutlet, Secrets } from './app/outletPorts.ts';
import type { Log } from './app/ports.ts';
import { placeFor } from './app/relay/target.ts';
import { relayOutlet } from './app/relay/relay.ts';
import type { RelayKit, RelayWorld } from './app/relay/relayPorts.ts';
import { sendTest } from './app/relay/sendTest.ts';
import { createSink } from './app/sink/sink.ts';
import { DISCORD_API } from './domain/relay/requests.ts';
import { createBreather } from './node/collector/breathe.ts';
import { systemClock } from './node/machine/clock.ts';
import { folderSystem } from './node/machine/exclusions.ts';
import type { Home } from './node/machine/home.ts';
import { teamHere } from './node/postgres/teamHere.ts';
import { createSendRequest, signWithHmac } from './node/relay/sendRequest.ts';
import type { TeamKit } from './vscode/postgres/teamCommands.ts';
import { createTeamStanding } from './vscode/postgres/teamStanding.ts';
import { relayPhrase, relayWord } from './vscode/relay/relayPhrases.ts';
import { relayRules } from './vscode/relay/relayRules.ts';
import { createRelayTroubles } from './vscode/relay/relayTroubles.ts';
import { createSecrets } from './vscode/secrets.ts';
import type { EditorSettings } from './vscode/settings.ts';

export interface OutletsFor {
  readonly settings: EditorSettings;
  readonly storage: SecretStorage;
  readonly home: Home;
  readonly assets: string;
  readonly log: Log;
  readonly version: string;
}

/** What leaves this machine by the person's wish, and what the editor offers of it. */
export function composeOutlets({ settings, storage, home, assets, log, version }: OutletsFor): {
  readonly secrets: Secrets;
  readonly relay: RelayKit;
  readonly team: TeamKit;
  readonly outlets: readonly OpenOutlet[];
} {
  const secrets = createSecrets(storage);
  const rules = relayRules(settings);
  const here = teamHere({ home, assets, version, settings: settings.current, log });
  const folders = { home: homedir(), system: folderSystem(process.platform) };
  const world: RelayWorld = {
    ...{ rules, secrets, folders, version, exclusions: here.exclusions },
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
  const standing = createTeamStanding();
  const sink = createSink({
    ...here,
    ...{ secrets, breather: createBreather, random: Math.random, onStanding: standing.set },
  });
  const team: TeamKit = { secrets, standing, control: here.control, user: here.user };
  return { secrets, relay, team, outlets: [relayOutlet(world), sink] };
}
