import * as vscode from 'vscode';
import type { SecretName } from '../../app/outletPorts.ts';
import type { RelayKit } from '../../app/relay/relayPorts.ts';
import type { RelayTarget } from '../../protocol/relay.ts';
import { agreedBeside } from '../besideQuestion.ts';
import { configSection } from '../ids.ts';
import { relayPhrase, type RelayPhrase } from './relayPhrases.ts';
import { type Answered, askText, pickOne, type Step } from './setUpSteps.ts';

const ALL = '*';

const portal = { words: 'setUp.openPortal', url: 'https://discord.com/developers/applications' } as const;
const webhookHelp = { words: 'setUp.openHelp', url: 'https://support.discord.com/hc/articles/228383668' } as const;
const idHelp = { words: 'setUp.openHelp', url: 'https://support.discord.com/hc/articles/206346498' } as const;

interface Question {
  readonly secret: SecretName;
  readonly asks: RelayPhrase;
  readonly wrong: RelayPhrase;
  readonly fits: RegExp;
  readonly mayBeEmpty?: true;
  readonly link?: { readonly words: RelayPhrase; readonly url: string };
}

/** What each target is let in with. */
const asked: Readonly<Record<RelayTarget, readonly Question[]>> = {
  discord: [
    {
      ...{ secret: 'relay.discordToken', asks: 'setUp.token', wrong: 'setUp.badToken', link: portal },
      // An application's ID, public key and client secret have no dots.
      fits: /^(?=.{50})[\w-]+\.[\w-]+\.[\w-]+$/,
    },
  ],
  discordForum: [
    {
      ...{ secret: 'relay.discordForumUrl', asks: 'setUp.forumUrl', wrong: 'setUp.badForumUrl', link: webhookHelp },
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

export interface SetUpParts {
  readonly kit: RelayKit;
  /** The project that a folder belongs to: a channel is found by it. */
  readonly projectOf: (folder: string) => Promise<string>;
  /** Shows what would be sent, if there is something. */
  readonly preview: (() => Promise<void>) | undefined;
}

/** What was answered so far; none of it is kept before the last yes. */
interface Given {
  target?: RelayTarget;
  readonly secrets: Map<SecretName, string>;
  folder?: string;
  channel?: string;
}

type AskStep = (given: Given, step: Step) => Promise<Answered<'next'>>;

/** The project that it was set up for (empty: all of them), or undefined. */
export async function setUpRelay(parts: SetUpParts): Promise<{ readonly project: string } | undefined> {
  const { kit } = parts;
  const given: Given = { secrets: new Map() };
  for (let at = 0; ;) {
    const steps = [pickTarget, ...(given.target === undefined ? [] : stepsOf(given.target, parts))];
    const step = steps[at];
    if (step === undefined) break;
    const totalSteps = given.target === undefined ? undefined : steps.length;
    const went = await step(given, { title: relayPhrase('setUp.title'), step: at + 1, totalSteps });
    if (went === undefined) return undefined;
    at += went === 'back' ? -1 : 1;
  }
  const { target = 'webhook', secrets, folder, channel } = given;
  const before = kit.rules.current().channels;
  const channels = folder === undefined || channel === undefined ? before : { ...before, [folder]: channel };
  if (!(await agreed(target, channels, given, parts))) return undefined;
  for (const [name, answer] of secrets) {
    // Empty: what is kept stays, and is stored once more, so that whoever was refused with it hears of it and tries again.
    const value = answer === '' ? await kit.secrets.get(name) : answer;
    if (value !== undefined) await kit.secrets.set(name, value);
  }
  const section = vscode.workspace.getConfiguration(configSection);
  if (channels !== before) await section.update('relay.channels', channels, vscode.ConfigurationTarget.Global);
  await section.update('relay.target', target, vscode.ConfigurationTarget.Global);
  return { project: folder === undefined || folder === ALL ? '' : folder };
}

function stepsOf(target: RelayTarget, { kit, projectOf }: SetUpParts): readonly AskStep[] {
  const secrets = asked[target].map(
    (question): AskStep =>
      (given, step) =>
        askSecret(question, kit, given, step),
  );
  const { channels } = kit.rules.current();
  if (target !== 'discord') return secrets;
  return [
    ...secrets,
    (given, step) => pickFolder(channels, projectOf, given, step),
    (given, step) => askChannel(channels, given, step),
  ];
}

async function pickTarget(given: Given, step: Step): Promise<Answered<'next'>> {
  const items = (['discord', 'discordForum', 'webhook'] as const).map((target) => ({
    target,
    label: relayPhrase(`setUp.${target}`),
    detail: relayPhrase(`setUp.${target}.detail`),
  }));
  const chosen = await pickOne(items, { ...step, placeholder: relayPhrase('setUp.which') });
  if (typeof chosen !== 'object') return chosen;
  given.target = chosen.target;
  return 'next';
}

async function askSecret(question: Question, kit: RelayKit, given: Given, step: Step): Promise<Answered<'next'>> {
  const { secret, asks, wrong, fits, mayBeEmpty, link } = question;
  const isKept = (await kit.secrets.get(secret)) !== undefined;
  const empty = isKept ? [relayPhrase('setUp.keep')] : mayBeEmpty ? [relayPhrase('setUp.unsigned')] : [];
  const answer = await askText({
    ...step,
    prompt: [relayPhrase(asks), ...empty].join(' '),
    value: given.secrets.get(secret) ?? '',
    password: true,
    wrong: (text) => ((text === '' && (isKept || mayBeEmpty)) || fits.test(text) ? undefined : relayPhrase(wrong)),
    ...(link ? { link: { words: relayPhrase(link.words), url: link.url } } : {}),
  });
  if (typeof answer !== 'object') return answer;
  given.secrets.set(secret, answer.text);
  return 'next';
}

async function pickFolder(
  channels: Readonly<Record<string, string>>,
  projectOf: SetUpParts['projectOf'],
  given: Given,
  step: Step,
): Promise<Answered<'next'>> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const projects = new Set(await Promise.all(folders.map(projectOf)));
  const items = [
    ...[...projects].map((folder) => ({ folder, label: folder, description: channels[folder] ?? '' })),
    { folder: ALL, label: relayPhrase('setUp.allProjects'), description: channels[ALL] ?? '' },
  ];
  const chosen = await pickOne(items, { ...step, placeholder: relayPhrase('setUp.whichFolder') });
  if (typeof chosen !== 'object') return chosen;
  if (chosen.folder !== given.folder) delete given.channel;
  given.folder = chosen.folder;
  return 'next';
}

async function askChannel(
  channels: Readonly<Record<string, string>>,
  given: Given,
  step: Step,
): Promise<Answered<'next'>> {
  const answer = await askText({
    ...step,
    prompt: relayPhrase('setUp.channel'),
    value: given.channel ?? channels[given.folder ?? ALL] ?? '',
    password: false,
    wrong: (text) => (channelIn(text) === undefined ? relayPhrase('setUp.badChannel') : undefined),
    link: { words: relayPhrase(idHelp.words), url: idHelp.url },
  });
  if (typeof answer !== 'object') return answer;
  given.channel = channelIn(answer.text) ?? '';
  return 'next';
}

/** Discord offers a channel's link more readily than its ID. */
function channelIn(text: string): string | undefined {
  return /^(?:https:\/\/(?:\w+\.)?discord(?:app)?\.com\/channels\/\d+\/)?(\d{17,20})$/.exec(text)?.[1];
}

/** The last yes. What would be sent can be looked at before it. */
async function agreed(
  target: RelayTarget,
  channels: Readonly<Record<string, string>>,
  { folder, channel }: Given,
  { kit, preview }: SetUpParts,
): Promise<boolean> {
  const { send } = kit.rules.current();
  const chosen = (Object.keys(send) as (keyof typeof send)[]).filter((kind) => send[kind]);
  const others = Object.keys(channels).filter((each) => each !== ALL);
  const isAll = folder === ALL || (folder === undefined && Object.keys(channels).length === 0);
  const allOf = others.length === 0 ? 'setUp.ofEvery' : 'setUp.ofAll';
  const detail = relayPhrase('setUp.detail', {
    to: [relayPhrase(`setUp.${target}`), channel].filter(Boolean).join(' · '),
    of: folder === undefined || isAll ? relayPhrase(isAll ? allOf : 'setUp.ofChosen') : folder,
    kinds: chosen.map((kind) => relayPhrase(`kind.${kind}`)).join(', '),
  });
  const [yes, show] = [relayPhrase('setUp.turnOn'), relayPhrase('setUp.preview')];
  const question = relayPhrase('setUp.question');
  const buttons = preview ? [yes, show] : [yes];
  const choice = await vscode.window.showWarningMessage(question, { modal: true, detail }, ...buttons);
  if (choice !== show || !preview) return choice === yes;
  await preview();
  return agreedBeside({ title: relayPhrase('setUp.title'), question, yes, no: relayPhrase('setUp.leaveOff') });
}
