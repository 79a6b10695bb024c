import { hashHex } from '../../domain/hash.ts';
import { maskText } from '../../domain/mask/mask.ts';
import { readAnswer } from '../../domain/relay/answers.ts';
import {
  type Access,
  isForum,
  lookAtChannel,
  postWebhook,
  type RelayRequest,
  sayIn,
  startByForumWebhook,
  startThread,
} from '../../domain/relay/requests.ts';
import { accessFor } from './access.ts';
import { placeFor } from './places.ts';
import type { RelayWorld, Tested } from './relayPorts.ts';

const NAME = 'Agent Mascot';

/** Below the post of a forum, which has the words: what may begin one may not always answer in it. */
const REPLY = '✅';

/** By the ways that replies go, at once and without a queue: somebody looks on. */
export async function sendTest(world: RelayWorld, project: string, text: string, now: number): Promise<Tested> {
  const settings = world.rules.current();
  if (settings.target === 'off') return { kind: 'off' };
  const place = placeFor(project, settings, world.folders);
  if (!place) return { kind: 'noChannel' };
  const access = await accessFor(settings, world);
  if (!access) return { kind: 'noSecret' };
  const { channel } = place;
  const ask = async (request: RelayRequest, step: 'look' | 'start' | 'say') =>
    readAnswer(await world.send(request, patiently), access.target, step);
  if (access.target !== 'discord') return ask(webhookTest(world, access, { channel, project, text, now }), 'start');
  const looked = await ask(lookAtChannel(access, channel, world.version), 'look');
  if (looked.kind !== 'done') return looked;
  const channelType = looked.type ?? 0;
  const started = await ask(startThread(access, { channel, channelType, name: NAME, text }, world.version), 'start');
  if (started.kind !== 'done' || started.id === undefined) return started;
  const nonce = hashHex(`test ${now}`).slice(0, 24);
  return ask(
    sayIn(access, { channel: started.id, text: isForum(channelType) ? REPLY : text, nonce }, world.version),
    'say',
  );
}

interface Telling {
  readonly channel: string;
  readonly project: string;
  readonly text: string;
  readonly now: number;
}

function webhookTest(
  { version, sign }: RelayWorld,
  access: Exclude<Access, { target: 'discord' }>,
  { channel, project, text, now }: Telling,
): RelayRequest {
  if (access.target === 'discordForum') return startByForumWebhook(access.url, NAME, text, version);
  const about = { id: `test/${now}`, kind: 'test', session: '', agent: '' } as const;
  const event = { ...about, at: new Date(now).toISOString(), project: maskText(project), channel, text };
  return postWebhook(event, { url: access.url, secret: access.secret, version, sign, now });
}

const patiently = { onAbandoned: () => ({ dispose: () => undefined }) };
