import type { EventRecord } from '../../app/ports.ts';

/**
 * Whether a record can become rows. Asked before it goes into the journal and when it comes out: what is acknowledged
 * must be replayable, so the two may not differ.
 */
export function isStorable(value: unknown): value is EventRecord {
  const record = value as Partial<EventRecord> | null;
  const event = record?.event;
  return (
    typeof event?.id === 'string' &&
    typeof event.session_id === 'string' &&
    typeof event.ts === 'string' &&
    Number.isFinite(record?.rank) &&
    Array.isArray(record?.keys) &&
    record.keys.every((key) => typeof key === 'string')
  );
}

export function encodeRecord(record: EventRecord): Uint8Array {
  if (!isStorable(record)) {
    throw new TypeError(
      'a record needs event.id, event.session_id and event.ts as texts, keys as texts and a finite rank',
    );
  }
  const { event, keys, rank } = record;
  return Buffer.from(JSON.stringify({ event, keys, rank }), 'utf8');
}

export function decodeRecord(payload: Uint8Array): EventRecord | undefined {
  try {
    const value: unknown = JSON.parse(
      Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8'),
    );
    return isStorable(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
