import * as vscode from 'vscode';
import type { SecretName } from '../../app/outletPorts.ts';
import type { RelayKit } from '../../app/relay/relayPorts.ts';
import type { RelayTarget } from '../../protocol/relay.ts';
import { configSection } from '../ids.ts';
import { relayPhrase, type RelayPhrase } from './relayPhrases.ts';

const ALL = '*';

/** What each target is let in with. */
const asked: Readonly<Record<RelayTarget, readonly Question[]>> = {
  discord: [{ secret: 'relay.discordToken', asks: 'setUp.token', wrong: 'setUp.badToken', fits: /^\S{20,}$/ }],
  discordForum: [
    {
      ...{ secret: 'relay.discordForumUrl', asks: 'setUp.forumUrl', wrong: 'setUp.badForumUrl' },
      fits: /^https:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d+\/[\w-]+$/,
    },
  ],
  webhook: [
    {
      ...{ secret: 'relay.webhookUrl', asks: 'setUp.url', wrong: 'setUp.badUrl' },
      fits: /^(?:https:\/\/|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/])\S+$/,
    },
    { secret: 'relay.webhookSecret', asks: 'setUp.secret', wrong: 'setUp.badUrl', fits: /^/, mayBeEmpty: true },
  ],
};

interface Question {
  readonly secret: SecretName;
  readonly asks: RelayPhrase;
  readonly wrong: RelayPhrase;
  readonly fits: RegExp;
  readonly mayBeEmpty?: true;
}

/** True: it is set up. Nothing is kept before the last answer. */
export async function setUpRelay(kit: RelayKit): Promise<boolean> {
  const target = await pickTarget();
  if (target === undefined) return false;
  const given = new Map<SecretName, string>();
  for (const question of asked[target]) {
    const answer = await ask(question, (await kit.secrets.get(question.secret)) !== undefined);
    if (answer === undefined) return false;
    given.set(question.secret, answer);
  }
  const channels = target === 'discord' ? await withChannel(kit.rules.current().channels) : undefined;
  if (target === 'discord' && channels === undefined) return false;
  // Empty: what is kept stays.
  for (const [name, answer] of given) if (answer !== '') await kit.secrets.set(name, answer);
  const section = vscode.workspace.getConfiguration(configSection);
  if (channels) await section.update('relay.channels', channels, vscode.ConfigurationTarget.Global);
  await section.update('relay.target', target, vscode.ConfigurationTarget.Global);
  return true;
}

async function pickTarget(): Promise<RelayTarget | undefined> {
  const items = (['discord', 'discordForum', 'webhook'] as const).map((target) => ({
    target,
    label: relayPhrase(`setUp.${target}`),
    detail: relayPhrase(`setUp.${target}.detail`),
  }));
  const options = { title: relayPhrase('setUp.title'), placeHolder: relayPhrase('setUp.which') };
  return (await vscode.window.showQuickPick(items, options))?.target;
}

function ask({ asks, wrong, fits, mayBeEmpty }: Question, isKept: boolean): Thenable<string | undefined> {
  return vscode.window
    .showInputBox({
      title: relayPhrase('setUp.title'),
      prompt: [relayPhrase(asks), isKept ? relayPhrase('setUp.keep') : ''].filter(Boolean).join(' '),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) =>
        (text === '' && (isKept || mayBeEmpty)) || fits.test(text.trim()) ? undefined : relayPhrase(wrong),
    })
    .then((text) => text?.trim());
}

async function withChannel(
  channels: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>> | undefined> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const items = [
    ...folders.map((folder) => ({ folder, label: folder, description: channels[folder] ?? '' })),
    { folder: ALL, label: relayPhrase('setUp.allProjects'), description: channels[ALL] ?? '' },
  ];
  const title = relayPhrase('setUp.title');
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: relayPhrase('setUp.whichFolder') });
  if (!chosen) return undefined;
  const channel = await vscode.window.showInputBox({
    title,
    prompt: relayPhrase('setUp.channel'),
    value: channels[chosen.folder] ?? '',
    ignoreFocusOut: true,
    validateInput: (text) => (/^\d{5,25}$/.test(text.trim()) ? undefined : relayPhrase('setUp.badChannel')),
  });
  return channel === undefined ? undefined : { ...channels, [chosen.folder]: channel.trim() };
}
