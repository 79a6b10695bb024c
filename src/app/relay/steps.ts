import { hashHex } from '../../domain/hash.ts';
import type { Step } from '../../domain/relay/answers.ts';
import type { RelaySession } from '../../domain/relay/records.ts';
import {
  type Access,
  lookAtChannel,
  lookAtWebhook,
  postWebhook,
  type RelayRequest,
  sayByForumWebhook,
  sayIn,
  startByForumWebhook,
  startThread,
  type WebhookEvent,
  webhookRoute,
} from '../../domain/relay/requests.ts';
import type { RelayTarget } from '../../protocol/relay.ts';
import type { RelayWorld } from './relayPorts.ts';

/** Discord takes 25 letters. */
const NONCE_LENGTH = 24;

export interface PlannedStep {
  readonly step: Step;
  readonly target: RelayTarget;
  /** What its rate limit is counted for; names no secret. */
  readonly route: string;
  /** Made at the moment it leaves: some bear the time. */
  request(): RelayRequest;
}

/** What a request says of its session; of a test there is none. */
export type SentSession = Pick<
  RelaySession,
  'session' | 'channel' | 'name' | 'project' | 'agent' | 'startedText' | 'thread' | 'threadBy' | 'starts'
>;

export interface StepParts {
  readonly session: SentSession;
  readonly message: Pick<WebhookEvent, 'id' | 'kind' | 'at' | 'text'>;
  readonly access: Access;
  readonly world: Pick<RelayWorld, 'version' | 'sign'>;
  /** As far as they are known. */
  readonly channelTypes: ReadonlyMap<string, number>;
  readonly now: number;
}

/** What has to be asked of the target next, so that in the end this message is said. */
export function nextStep(parts: StepParts): PlannedStep {
  const { access } = parts;
  switch (access.target) {
    case 'discord':
      return botStep(parts, access);
    case 'discordForum':
      return forumStep(parts, access.url);
    case 'webhook':
      return planned('say', 'webhook', 'POST webhook', () => webhookRequest(parts, access));
  }
}

function botStep(parts: StepParts, bot: Extract<Access, { target: 'discord' }>): PlannedStep {
  const { session, message, world, channelTypes } = parts;
  const { channel, thread, name, startedText } = session;
  if (thread !== undefined) {
    const saying = { channel: thread, text: message.text, nonce: hashHex(message.id).slice(0, NONCE_LENGTH) };
    return planned('say', 'discord', `POST /channels/${thread}/messages`, () => sayIn(bot, saying, world.version));
  }
  // What a thread is begun with depends on its channel's kind.
  const channelType = channelTypes.get(channel);
  if (channelType === undefined)
    return planned('look', 'discord', `GET /channels/${channel}`, () => lookAtChannel(bot, channel, world.version));
  return planned('start', 'discord', `POST /channels/${channel}/threads`, () =>
    startThread(bot, { channel, channelType, name, text: startedText }, world.version),
  );
}

function forumStep({ session, message, world, channelTypes }: StepParts, url: string): PlannedStep {
  const { thread, threadBy, name, startedText, starts = 0, channel } = session;
  const route = webhookRoute(url);
  if (thread !== undefined && threadBy === route)
    return planned('say', 'discordForum', route, () => sayByForumWebhook(url, thread, message.text, world.version));
  // Asked before the second start: it must not be used up while nobody answers.
  if (starts > 0 && !channelTypes.has(channel))
    return planned('look', 'discordForum', `GET ${route}`, () => lookAtWebhook(url, world.version));
  return planned('start', 'discordForum', route, () => startByForumWebhook(url, name, startedText, world.version));
}

function webhookRequest(
  { session, message, world, now }: StepParts,
  { url, secret }: Extract<Access, { target: 'webhook' }>,
): RelayRequest {
  const { session: id, project, agent, channel } = session;
  const { kind, at, text } = message;
  const event = { id: message.id, kind, at, session: id, project, agent, channel, text };
  return postWebhook(event, { url, secret, version: world.version, sign: world.sign, now });
}

function planned(step: Step, target: RelayTarget, route: string, request: () => RelayRequest): PlannedStep {
  return { step, target, route, request };
}
