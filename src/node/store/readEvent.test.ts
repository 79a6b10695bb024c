import { expect, test } from 'vitest';
import type { EventRecord } from '../../app/ports.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { loadSqlite, openDatabase } from './database.ts';
import { decodeEntry, encodeRecord, encodeTrim } from './record.ts';
import { record, wasm } from './store.testkit.ts';

/** As a release before 2026-11 stored it. */
function oldRecord(number: number, notification_type: string, payload: JsonObject): EventRecord {
  const made = record(number, { type: 'notification', rank: 2, payload: { notification_type, ...payload } });
  return { ...made, event: { ...made.event, source: 'transcript' } };
}

const old = oldRecord(1, 'last_reply', { message: 'needle' });
const upgraded = { event_type: 'last_reply_found', payload: { message: 'needle' } };

test('STO-1 events of an earlier release have today’s types in every read of the database', async () => {
  const database = openDatabase(await loadSqlite(await wasm), undefined);
  database.insert([old]);
  expect(database.events('s')).toMatchObject([upgraded]);
  database.close();
});

test('STO-1 events of an earlier release have today’s types when the journal is replayed', () => {
  expect(decodeEntry(encodeRecord(old))).toMatchObject({ kind: 'event', record: { event: upgraded, rank: 2 } });
  const trim = { remove: [], strip: [], forget: [], rows: [], rewrite: [old.event] };
  expect(decodeEntry(encodeTrim(trim))).toMatchObject({ kind: 'trim', trim: { rewrite: [upgraded] } });
});
