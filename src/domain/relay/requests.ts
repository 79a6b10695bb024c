import { hashHex } from '../hash.ts';
import type { RelayKind } from '../../protocol/relay.ts';
import { slackText } from './chatText.ts';

export const DISCORD_API = 'https://discord.com/api/v10';

/** Where it goes, with what lets us in there. Never to be written anywhere. */
export type Access =
  | { readonly target: 'discord'; readonly api: string; readonly token: string }
  | { readonly target: 'discordForum'; readonly url: string }
  | {
      readonly target: 'webhook';
      readonly url: string;
      readonly secret: string | undefined;
      /** Its receiver ignores what it had already, by the key. */
      readonly ignoresRepeats: boolean;
    };

/** Who says it, as far as repeats are known by that: the bot's own number, or the receiver. Nothing of it is a secret. */
export function authorOf(access: Access): string {
  return access.target === 'discord'
    ? (access.token.split('.')[0] ?? '')
    : (/^https?:\/\/(?:[^/?#]*@)?([^/?#]+)/.exec(access.url)?.[1] ?? '');
}

export interface RelayRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As Discord asks of every client. */
function agentName(version: string): string {
  return `DiscordBot (https://marketplace.visualstudio.com/items?itemName=agent-mascot.agent-mascot, ${version})`;
}

/** Nobody is called by what an agent wrote. */
const calmed = { allowed_mentions: { parse: [] as const } };

/** Minutes; a day of silence takes it out of the channel's list, and the next message brings it back. */
const AUTO_ARCHIVE = 1_440;

/** Discord's numbers for the kinds of channels and threads that matter here. */
const channelTypes = { text: 0, announcement: 5, announcementThread: 10, publicThread: 11, forum: 15, media: 16 };

export function isForum(channelType: number): boolean {
  return channelType === channelTypes.forum || channelType === channelTypes.media;
}

export interface Bot {
  readonly api: string;
  readonly token: string;
}

export function lookAtChannel({ api, token }: Bot, channel: string, version: string): RelayRequest {
  return {
    method: 'GET',
    url: `${api}/channels/${channel}`,
    headers: { authorization: `Bot ${token}`, 'user-agent': agentName(version) },
  };
}

export interface Starting {
  readonly channel: string;
  readonly channelType: number;
  readonly name: string;
  /** A thread of a forum begins with a message. */
  readonly text: string;
}

export function startThread({ api, token }: Bot, starting: Starting, version: string): RelayRequest {
  const { channel, channelType, name, text } = starting;
  const { announcement, announcementThread, publicThread } = channelTypes;
  const kind = isForum(channelType)
    ? { message: { content: text, ...calmed } }
    : { type: channelType === announcement ? announcementThread : publicThread };
  return {
    ...posting(`${api}/channels/${channel}/threads`, { name, auto_archive_duration: AUTO_ARCHIVE, ...kind }, version),
    headers: { ...jsonHeaders(version), authorization: `Bot ${token}` },
  };
}

export interface Saying {
  /** A thread, or a channel. */
  readonly channel: string;
  readonly text: string;
  /** Within some minutes Discord makes no second message of the same author and nonce. */
  readonly nonce: string;
}

export function sayIn({ api, token }: Bot, { channel, text, nonce }: Saying, version: string): RelayRequest {
  return {
    ...posting(
      `${api}/channels/${channel}/messages`,
      { content: text, nonce, enforce_nonce: true, ...calmed },
      version,
    ),
    headers: { ...jsonHeaders(version), authorization: `Bot ${token}` },
  };
}

/** As Discord tells who holds a webhook's URL of it. */
export function lookAtWebhook(url: string, version: string): RelayRequest {
  return { method: 'GET', url: withoutQuery(url), headers: { 'user-agent': agentName(version) } };
}

/** `wait`: without it Discord answers before it knows whether the message could be kept. */
export function startByForumWebhook(url: string, name: string, text: string, version: string): RelayRequest {
  const address = `${withoutQuery(url)}?wait=true`;
  return posting(address, { content: text, thread_name: name, ...calmed }, version);
}

export function sayByForumWebhook(url: string, thread: string, text: string, version: string): RelayRequest {
  const address = `${withoutQuery(url)}?wait=true&thread_id=${thread}`;
  return posting(address, { content: text, ...calmed }, version);
}

function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

export interface WebhookEvent {
  readonly id: string;
  readonly kind: RelayKind | 'test';
  readonly at: string;
  readonly session: string;
  readonly project: string;
  readonly agent: string;
  readonly channel: string;
  readonly text: string;
}

/** HMAC-SHA256 of a text with a key, in hexadecimal digits. */
export type Sign = (key: string, text: string) => string;

export interface WebhookParts {
  readonly url: string;
  readonly secret: string | undefined;
  readonly version: string;
  readonly sign: Sign;
  /** Milliseconds. */
  readonly now: number;
}

export function postWebhook({ text, ...event }: WebhookEvent, parts: WebhookParts): RelayRequest {
  const { url, secret, version, sign, now } = parts;
  const body = JSON.stringify({ text: slackText(text), event });
  const timestamp = String(Math.floor(now / 1000));
  return {
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': `agent-mascot/${version}`,
      'idempotency-key': headerSafe(event.id),
      'x-agent-mascot-timestamp': timestamp,
      ...(secret === undefined || secret === ''
        ? {}
        : { 'x-agent-mascot-signature': `v1=${sign(secret, `${timestamp}.${body}`)}` }),
    },
    body,
  };
}

/** An id may be of an agent's own making, and no header takes all letters. */
function headerSafe(id: string): string {
  return /^[!-~]{1,200}$/.test(id) ? id : hashHex(id);
}

function jsonHeaders(version: string) {
  return { 'content-type': 'application/json', 'user-agent': agentName(version) };
}

function posting(url: string, body: unknown, version: string) {
  return { method: 'POST', url, headers: jsonHeaders(version), body: JSON.stringify(body) } as const;
}

/** By the webhook's number, which is no secret; what follows it is. */
export function webhookRoute(url: string): string {
  return `POST /webhooks/${/\/webhooks\/(\d+)\//.exec(url)?.[1] ?? '?'}`;
}
