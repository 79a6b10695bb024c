import * as vscode from 'vscode';
import { secretNames, type Secrets } from '../../app/outletPorts.ts';
import type { StateSource } from '../../app/ports.ts';
import type { RelayKit, Tested } from '../../app/relay/relayPorts.ts';
import { idsIn } from '../mascots/mascotPick.ts';
import { commandIds, configSection } from '../ids.ts';
import type { MadeDocument } from '../madeDocument.ts';
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
  readonly preview: Pick<MadeDocument, 'show'>;
}

export function relayCommands({
  kit,
  source,
  preview,
}: RelayCommandParts): Readonly<Record<RelayCommandId, (argument?: unknown) => Promise<void>>> {
  return {
    async [commandIds.setUpChatRelay]() {
      if (!(await setUpRelay(kit))) return;
      const [test, settings] = [relayPhrase('button.test'), relayPhrase('button.settings')];
      const choice = await vscode.window.showInformationMessage(relayPhrase('setUp.done'), test, settings);
      if (choice === test) await sendTest(kit);
      if (choice === settings)
        await vscode.commands.executeCommand('workbench.action.openSettings', `${configSection}.relay`);
    },
    [commandIds.testChatRelay]: () => sendTest(kit),
    async [commandIds.previewChatRelay](argument) {
      const sessionId = idsIn(argument)?.sessionId ?? (await pickSession(source, 'relay.which'));
      if (sessionId !== undefined) await preview.show(sessionId);
    },
    async [commandIds.turnChatRelayOff]() {
      const section = vscode.workspace.getConfiguration(configSection);
      await section.update('relay.target', 'off', vscode.ConfigurationTarget.Global);
      const remove = relayPhrase('off.delete');
      const text = `${relayPhrase('off.done')} ${relayPhrase('off.secrets')}`;
      if ((await vscode.window.showInformationMessage(text, remove)) === remove) await forgetRelaySecrets(kit.secrets);
    },
  };
}

async function sendTest(kit: RelayKit): Promise<void> {
  const project = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const options = { location: vscode.ProgressLocation.Notification, title: relayPhrase('test.running') };
  const tested = await vscode.window.withProgress(options, () => kit.sendTest(project));
  if (tested.kind === 'done') {
    void vscode.window.showInformationMessage(relayPhrase('test.done'));
    return;
  }
  const setUp = relayPhrase('button.setUp');
  const text = relayPhrase('test.failed', { why: whyNot(tested) });
  const choice = await vscode.window.showWarningMessage(text, setUp);
  if (choice === setUp) await vscode.commands.executeCommand(commandIds.setUpChatRelay);
}

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
