import type { Database } from 'sql.js';
import { describe, expect, it } from 'vitest';
import { loadSqlite, openDatabase, UnreadableImageError } from './database.ts';
import { latestVersion, migrate, migrations, versionOf, type Migration } from './migrations.ts';
import { wasm, record } from './store.testkit.ts';

async function emptyDatabase(): Promise<Database> {
  const sqlite = await loadSqlite(await wasm);
  return new sqlite.Database();
}

function schemaOf(database: Database): unknown {
  return database.exec("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY name")[0]?.values;
}

describe('STO-1 migrations', () => {
  it('STO-1 are numbered from 1 without a gap', () => {
    expect(migrations.map((step) => step.id)).toEqual(migrations.map((_, index) => index + 1));
  });

  for (const { id } of migrations) {
    it(`STO-1 step ${id} brings a store of version ${id - 1} to where a new one begins`, async () => {
      const old = await emptyDatabase();
      migrate(old, migrations.slice(0, id - 1));
      expect(versionOf(old)).toBe(id - 1);
      migrate(old);
      const fresh = await emptyDatabase();
      migrate(fresh);
      expect([versionOf(old), schemaOf(old)]).toEqual([latestVersion(migrations), schemaOf(fresh)]);
    });
  }

  it('STO-1 step 2 finds what was said in a store that was written before it', async () => {
    const old = await emptyDatabase();
    migrate(old, migrations.slice(0, 1));
    for (const [number, type] of (['user_prompt', 'tool_started', 'agent_stopped', 'turn_ended'] as const).entries()) {
      const { event, rank } = record(number, { type, text: 'a "quote", a NUL \0, half \ud800' });
      old.run('INSERT INTO events (id, session_id, ts, rank, json) VALUES (?, ?, ?, ?, ?)', [
        event.id,
        event.session_id,
        event.ts,
        rank,
        JSON.stringify(event),
      ]);
    }
    migrate(old);
    expect(old.exec('SELECT session_id, id FROM sayings ORDER BY ts')[0]?.values).toEqual([
      ['s', 'evt-0'],
      ['s', 'evt-2'],
      ['s', 'evt-3'],
    ]);
  });

  it('STO-1 step 3 finds the replies that transcripts told in a store that was written before it', async () => {
    const old = await emptyDatabase();
    migrate(old, migrations.slice(0, 2));
    const payload = { notification_type: 'last_reply', message: 'done' };
    const changes = [
      { source: 'transcript', payload },
      { source: 'hook', payload },
      { source: 'transcript', payload: { ...payload, notification_type: 'usage', note: 'last_reply' } },
    ];
    for (const [number, change] of changes.entries()) {
      const { event, rank } = record(number, { type: 'notification' });
      old.run('INSERT INTO events (id, session_id, ts, rank, json) VALUES (?, ?, ?, ?, ?)', [
        event.id,
        event.session_id,
        event.ts,
        rank,
        JSON.stringify({ ...event, ...change }),
      ]);
    }
    migrate(old);
    expect(old.exec('SELECT session_id, id, rank FROM sayings')[0]?.values).toEqual([['s', 'evt-0', 0]]);
  });

  it('STO-1 a step is taken once', async () => {
    const taken: number[] = [];
    const steps: Migration[] = [1, 2, 3].map((id) => ({ id, up: () => taken.push(id) }));
    const database = await emptyDatabase();
    migrate(database, steps.slice(0, 2));
    migrate(database, steps);
    migrate(database, steps);
    expect([taken, versionOf(database)]).toEqual([[1, 2, 3], 3]);
  });

  it('STO-1 a step that fails leaves the version before it, whole', async () => {
    const steps: Migration[] = [
      { id: 1, up: (database) => void database.run('CREATE TABLE a (x)') },
      { id: 2, up: (database) => void database.run('CREATE TABLE b (x); CREATE TABLE a (x)') },
    ];
    const database = await emptyDatabase();
    expect(() => migrate(database, steps)).toThrow('could not be brought to version 2');
    expect([versionOf(database), schemaOf(database)]).toEqual([1, [['a', 'CREATE TABLE a (x)']]]);
  });

  it('STO-1 a failed migration is not taken for damage', async () => {
    const sqlite = await loadSqlite(await wasm);
    const made = openDatabase(sqlite, undefined);
    made.insert([record(1)]);
    const bytes = made.exportImage(new Map());
    made.close();
    const steps = [
      ...migrations,
      {
        id: 99,
        up: () => {
          throw new Error('planted');
        },
      },
    ];
    const open = (): unknown => openDatabase(sqlite, { bytes, verified: true }, steps);
    expect(open).toThrow('could not be brought to version 99');
    expect(open).not.toThrow(UnreadableImageError);
  });
});
