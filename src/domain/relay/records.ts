import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Refusal } from './answers.ts';
import type { Draft, RelayKind } from './drafts.ts';

/**
 * What is kept of a message until it is settled. `trying` is durable before a byte leaves: what is found so may have been said.
 */
export interface QueuedMessage extends Draft {
  readonly session: string;
  /** Its place among all. */
  readonly key: string;
  readonly queuedAt: number;
  readonly state: 'queued' | 'trying';
  /** When it was first tried and may have been taken; its repeats count from there. */
  readonly triedAt?: number;
  /** An attempt ended without an answer that tells whether it was taken. */
  readonly unsure?: boolean;
}

export const receiptStates = ['sent', 'givenUp', 'unknown', 'withdrawn'] as const;
export type ReceiptState = (typeof receiptStates)[number];

/** Why a message was not sent. */
export type Why =
  Refusal | 'unanswered' | 'old' | 'full' | 'answered' | 'overtaken' | 'interruptedTry' | 'turnedOff' | 'remade';

export interface Receipt {
  readonly id: string;
  readonly kind: RelayKind;
  readonly at: string;
  readonly state: ReceiptState;
  readonly when: string;
  readonly why?: Why;
}

/** What is kept of a session. */
export interface RelaySession {
  readonly session: string;
  /** Which target and channel the rest is about. */
  readonly place: string;
  readonly channel: string;
  readonly name: string;
  readonly project: string;
  readonly agent: string;
  readonly startedText: string;
  readonly seenAt: number;
  readonly thread?: string;
  /** How often one was begun without an answer. */
  readonly starts?: number;
  /** No more of this session is said there. */
  readonly closed?: Refusal | 'unanswered';
  /** Of the reply that was said last, until the person says something. */
  readonly lastReply?: string;
  /** The last ones. */
  readonly receipts: readonly Receipt[];
}

export const RELAY_SHELF = 'relay';
export const sessionKey = (session: string) => `s/${session}`;
export const messageKey = (queuedAt: number, count: number) =>
  `m/${String(queuedAt).padStart(15, '0')}/${String(count).padStart(6, '0')}`;

/** A screenful. */
export const RECEIPTS_MAX = 10;

/** These come from our own store; what an older release wrote is passed over. */
export function readMessage(value: Json): QueuedMessage | undefined {
  return isJsonObject(value) && hasTexts(value, ['session', 'key', 'id', 'kind', 'at', 'text', 'state'])
    ? (value as unknown as QueuedMessage)
    : undefined;
}

export function readSession(value: Json | undefined): RelaySession | undefined {
  const isOne =
    isJsonObject(value) && hasTexts(value, ['session', 'place', 'channel']) && Array.isArray(value['receipts']);
  return isOne ? (value as unknown as RelaySession) : undefined;
}

function hasTexts(value: JsonObject, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}
