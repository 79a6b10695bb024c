import type { Erasing } from '../../app/erasurePorts.ts';
import type { EventRecord, SessionRow } from '../../app/ports.ts';
import type { WorkChange } from '../../app/workPorts.ts';
import { hashHex } from '../../domain/hash.ts';
import { upgradeStoredEvent } from '../../domain/storedEvent.ts';
import type { Json } from '../../protocol/json.ts';
import { type RemovalRequest } from '../log/removal.ts';
import type { LogRecord, RecordDraft } from '../log/segmentFormat.ts';

/**
 * What the records of the log say. Their bodies are JSON; the kind of a record tells which of these shapes it has. A body that a
 * later release wrote may hold more than is named here.
 */

/** The document `key` of a shelf as it is from now on; without a value it is removed. */
export interface NoteBody {
  readonly shelf: string;
  readonly key: string;
  readonly value?: Json;
}

/** What a person asked to erase, and what a later start needs to know of it. */
export interface EraseBody extends Required<Erasing> {
  /** Hashes of the ids of all sessions that were there, if everything was erased. */
  readonly had: readonly string[];
  /** Hashes of the newest delivery keys: the same delivery may still come a second time. */
  readonly deliveries: readonly number[];
}

/** What retention took of the record's session, or what was taken back of it. */
export interface TrimBody {
  /** The session's row, if it is to stay as it is: made from the events that are left it would tell less. */
  readonly row?: SessionRow | undefined;
  /** Events are gone for good: the row tells more than what is left. */
  readonly isTrimmed?: boolean;
  /** No event is left: the session is forgotten. */
  readonly isForgotten?: boolean;
}

function bodyOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value), 'utf8');
}

/** An event as a record holds it. */
export interface StoredEvent extends EventRecord {
  /** The sequence number under which it was appended before; 0 in a store of an earlier release. */
  readonly was?: number | undefined;
}

export function eventDraft({ event, keys, rank, was }: StoredEvent, at: number): RecordDraft {
  if (!isStorable({ event, keys, rank })) {
    throw new TypeError(
      'a record needs event.id, event.session_id and event.ts as texts, keys as texts and a finite rank',
    );
  }
  return { kind: 'event', session: event.session_id, at, body: bodyOf({ event, keys, rank, was }) };
}

export function workDraft({ save, remove = [] }: WorkChange, at: number): RecordDraft {
  return { kind: 'work', at, body: bodyOf({ save, remove }) };
}

export function noteDraft(note: NoteBody, session: string | undefined, at: number): RecordDraft {
  return { kind: 'note', session, at, body: bodyOf(note) };
}

/** A record that takes others away: what it names is gone from the moment at which the record is on disk. */
export function eraseDraft(removal: RemovalRequest, erase: EraseBody, at: number): RecordDraft {
  return { kind: 'erase', at, body: bodyOf({ removal: { ...removal, isErasure: true }, erase }) };
}

/** It belongs to its session: the row in it goes when the session is erased. */
export function trimDraft(session: string, removal: RemovalRequest, trim: TrimBody, at: number): RecordDraft {
  return { kind: 'trim', session, at, body: bodyOf({ removal, trim }) };
}

/** What these events said was taken back. It belongs to no session, so that it stays when retention takes the session. */
export function takenBackDraft(ids: readonly string[], at: number): RecordDraft {
  return { kind: 'trim', at, body: bodyOf({ takenBack: ids }) };
}

/** Undefined if the record is not of that kind, or its body can't be read. */
export function readEventRecord(record: LogRecord): StoredEvent | undefined {
  const value = record.kind === 'event' ? jsonOf<StoredEvent>(record) : undefined;
  return isStorable(value) ? { ...value, event: upgradeStoredEvent(value.event) } : undefined;
}

export function readWork(record: LogRecord): WorkChange | undefined {
  return record.kind === 'work' ? jsonOf<WorkChange>(record) : undefined;
}

export function readNote(record: LogRecord): NoteBody | undefined {
  return record.kind === 'note' ? jsonOf<NoteBody>(record) : undefined;
}

export function readErase(record: LogRecord): EraseBody | undefined {
  return record.kind === 'erase' ? jsonOf<{ readonly erase?: EraseBody }>(record)?.erase : undefined;
}

export function readTrim(record: LogRecord): TrimBody | undefined {
  return record.kind === 'trim' ? jsonOf<{ readonly trim?: TrimBody }>(record)?.trim : undefined;
}

export function readTakenBack(record: LogRecord): readonly string[] | undefined {
  return record.kind === 'trim' ? jsonOf<{ readonly takenBack?: readonly string[] }>(record)?.takenBack : undefined;
}

function jsonOf<T>({ body }: LogRecord): T | undefined {
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8')) as T;
  } catch {
    return undefined;
  }
}

function isStorable(value: Partial<EventRecord> | undefined): value is EventRecord {
  const { event, keys, rank } = value ?? {};
  const texts = [event?.id, event?.session_id, event?.ts];
  return (
    texts.every((text) => typeof text === 'string') &&
    Number.isFinite(rank) &&
    Array.isArray(keys) &&
    keys.every((key) => typeof key === 'string')
  );
}

/** A number that stands for a key: 48 bits of its hash. Two keys of one session have the same by an accident of one in 10^8 sessions of 2,000 events. */
export function hashOfKey(key: string): number {
  return Number.parseInt(hashHex(key).slice(-12), 16);
}
