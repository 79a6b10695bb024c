import * as vscode from 'vscode';
import { secretNames, type Secrets } from '../../app/outletPorts.ts';
import type { StateSource } from '../../app/ports.ts';
import type { RelayKit, Tested } from '../../app/relay/relayPorts.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { idsIn } from '../mascots/mascotPick.ts';
import { commandIds, configSection } from '../ids.ts';
import { openMachineSettings } from '../machineSettings.ts';
import type { MadeDocument } from '../madeDocument.ts';
import { otherHolder } from '../otherHolder.ts';
import { pickSession } from '../sessionPick.ts';
import { relayPhrase, whyPhrase } from './relayPhrases.ts';
import { setUpRelay } from './relaySetUp.ts';

export type RelayCommandId =
  | typeof commandIds.setUpChatRelay
  | typeof commandIds.testChatRelay
  | typeof commandIds.previewChatRelay
  | typeof commandIds.turnChatRelayOff;

export interface RelayCommandParts {
  readonly kit: RelayKit;
  readonly source: StateSource;
  readonly collector: Pick<Collector, 'tracking'>;
  readonly preview: Pick<MadeDocument, 'show'>;
}

export function relayCommands(
  parts: RelayCommandParts,
): Readonly<Record<RelayCommandId, (argument?: unknown) => Promise<void>>> {
  const { kit, source, collector, preview } = parts;
  return {
    async [commandIds.setUpChatRelay]() {
      const newest = source.snapshot().sessions.toSorted((a, b) => (a.lastEventAt < b.lastEventAt ? 1 : -1))[0];
      const setUp = await setUpRelay({
        kit,
        projectOf: async (folder) => (await collector.tracking(folder))?.project ?? folder,
        preview: newest && (() => preview.show(newest.id)),
      });
      if (!setUp) return;
      const [test, settings] = [relayPhrase('button.test'), relayPhrase('button.settings')];
      const text = withElsewhere(source, relayPhrase('setUp.done'));
      const choice = await vscode.window.showInformationMessage(text, test, settings);
      if (choice === test) await sendTest(parts, setUp.project);
      if (choice === settings) await openMachineSettings('relay');
    },
    [commandIds.testChatRelay]: () => sendTest(parts),
    async [commandIds.previewChatRelay](argument) {
      const sessionId = idsIn(argument)?.sessionId ?? (await pickSession(source, 'relay.which'));
      if (sessionId !== undefined) await preview.show(sessionId);
    },
    async [commandIds.turnChatRelayOff]() {
      const section = vscode.workspace.getConfiguration(configSection);
      await section.update('relay.target', 'off', vscode.ConfigurationTarget.Global);
      const remove = relayPhrase('off.delete');
      const other = otherHolder(source);
      const there = other?.kind === 'editor' ? [relayPhrase('off.there', { app: other.app })] : [];
      const text = [relayPhrase('off.done'), ...there, relayPhrase('off.secrets')].join(' ');
      if ((await vscode.window.showInformationMessage(text, remove)) === remove) await forgetRelaySecrets(kit.secrets);
    },
  };
}

/** This editor's own secrets are good for a test, whoever holds the history. */
function withElsewhere(source: Pick<StateSource, 'snapshot'>, text: string): string {
  const other = otherHolder(source);
  return other === undefined ? text : `${text} ${relayPhrase(`elsewhere.${other.kind}`, { app: other.app })}`;
}

async function sendTest({ kit, source }: Pick<RelayCommandParts, 'kit' | 'source'>, of = ''): Promise<void> {
  const project = of || (vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');
  const options = { location: vscode.ProgressLocation.Notification, title: relayPhrase('test.running') };
  const tested = await vscode.window.withProgress(options, () => kit.sendTest(project));
  if (tested.kind === 'done') {
    await storeAgain(kit);
    void vscode.window.showInformationMessage(withElsewhere(source, relayPhrase('test.done')));
    return;
  }
  const setUp = relayPhrase('button.setUp');
  const text = relayPhrase('test.failed', { why: whyNot(tested) });
  const choice = await vscode.window.showWarningMessage(text, setUp);
  if (choice === setUp) await vscode.commands.executeCommand(commandIds.setUpChatRelay);
}

/** Whoever was refused by the target hears of it, in whatever window, and tries again. */
async function storeAgain({ rules, secrets }: RelayKit): Promise<void> {
  const { target } = rules.current();
  const name = target === 'off' ? undefined : letsIn[target];
  const value = name && (await secrets.get(name));
  if (name && value) await secrets.set(name, value);
}

const letsIn = {
  discord: 'relay.discordToken',
  discordForum: 'relay.discordForumUrl',
  webhook: 'relay.webhookUrl',
} as const;

function whyNot(tested: Exclude<Tested, { kind: 'done' }>): string {
  if (tested.kind === 'refused') return whyPhrase(tested.why);
  return tested.kind === 'again' || tested.kind === 'unsure'
    ? whyPhrase('noAnswer', tested.why)
    : whyPhrase(tested.kind);
}

async function forgetRelaySecrets(secrets: Pick<Secrets, 'delete'>): Promise<void> {
  for (const name of secretNames) if (name.startsWith('relay.')) await secrets.delete(name);
}

/** HKI-6: nothing that lets anybody in anywhere stays behind. */
export async function forgetSecrets(secrets: Pick<Secrets, 'delete'>): Promise<void> {
  for (const name of secretNames) await secrets.delete(name);
}
