import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { Refusal } from './answers.ts';
import type { RelayKind } from '../../protocol/relay.ts';
import type { Draft } from './drafts.ts';

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
  /** And as whom: another's repeat would be another message. */
  readonly triedBy?: string;
  /** An attempt ended without an answer that tells whether it was taken. */
  readonly unsure?: boolean;
}

export const receiptStates = ['sent', 'givenUp', 'unknown', 'withdrawn'] as const;
export type ReceiptState = (typeof receiptStates)[number];

/** Why a message was not sent. */
export type Why =
  | Refusal
  | 'unanswered'
  | 'old'
  | 'full'
  | 'answered'
  | 'overtaken'
  | 'interruptedTry'
  | 'turnedOff'
  | 'remade'
  | 'excluded'
  | 'notSoon';

/** Why nothing that waits is sent now. */
export type Held = Refusal | 'off' | 'noSecretThere' | 'notAnswering' | 'quietHours';

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
  readonly starts?: number | undefined;
  /** No more of this session is said there. */
  readonly closed?: Refusal | 'unanswered' | undefined;
  readonly closedAt?: number | undefined;
  /** Whose thread it is: another webhook knows nothing of it. */
  readonly threadBy?: string;
  /** Project and folder, as they are here; excluding one holds for what waits (HKI-9). */
  readonly folders?: readonly string[];
  /** The last replies that were said, and when the person said something last. */
  readonly replies?: readonly { readonly mark: string; readonly at: string }[];
  readonly promptAt?: string;
  /** The last ones. */
  readonly receipts: readonly Receipt[];
}

export const RELAY_SHELF = 'relay';
export const HELD_KEY = 'held';
/** The key of the note that says how far the log was heard. */
export const HEARD_KEY = 'on';
export const sessionKey = (session: string) => `s/${session}`;
export const messageKey = (queuedAt: number, count: number) =>
  `m/${String(queuedAt).padStart(15, '0')}/${String(count).padStart(6, '0')}`;

/** As many replies as one reads back in a conversation bear what became of them; older ones bear nothing. */
export const RECEIPTS_MAX = 30;

/** How far the relay has heard the store's log. There is none while it is off and nothing waits. */
export interface HeardNote {
  /** Every record up to this number was heard, and what came of it is on the shelf. */
  readonly seq: number;
  /** What comes after `seq` is no news: it was stored while the relay was off. */
  readonly off?: true;
}

/** What is told of a stored event bears its id; all else is named by its kind and what it is about. */
export function isOfEvent({ kind, id }: { readonly kind: RelayKind; readonly id: string }): boolean {
  return !id.startsWith(`${kind}/`);
}

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

/** Undefined for what an earlier release wrote, too: it followed no numbers. */
export function readHeard(value: Json | undefined): HeardNote | undefined {
  if (!isJsonObject(value) || typeof value['seq'] !== 'number') return undefined;
  return { seq: value['seq'], ...(value['off'] === true && { off: true }) };
}

export function readHeld(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function hasTexts(value: JsonObject, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}
