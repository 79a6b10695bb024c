import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sessionRow } from '../../src/domain/postgres/rows.ts';
import { upsertInto } from '../../src/domain/postgres/statements.ts';
import { tables } from '../../src/domain/postgres/tables.ts';
import { reduceAll } from '../../src/domain/reduce.ts';
import { rowOf } from '../../src/domain/restore.ts';
import { nodeFileSystem } from '../../src/node/files/fileSystem.ts';
import { compactImage } from '../../src/node/store/compact.ts';
import { loadSqlite } from '../../src/node/store/database.ts';
import { frameImage } from '../../src/node/store/imageFile.ts';
import { migrate, migrations } from '../../src/node/store/migrations.ts';
import { nameOfImage } from '../../src/node/store/storeFiles.ts';
import { filesIn, openIn, temporaryFolder, wasm } from '../../src/node/store/store.testkit.ts';
import { useOutside } from './acceptance.testkit.ts';

const { open } = useOutside();

const where = { tty: '/dev/pts/7', agent_pid: 4711, fingerprint: '0123456789abcdef' };
const columns = 'SELECT id, tty, parent_pid, fingerprint FROM sessions ORDER BY id';
const oneTerminal = "SELECT id FROM sessions WHERE fingerprint = '0123456789abcdef'";

/** Two sessions: the hook of one has tty, pid and fingerprint, the hook of the other has none. */
async function toldSessions() {
  const { tell, hub, store } = await open();
  const start = { hook_event_name: 'SessionStart', source: 'startup', cwd: '/p' };
  await tell({ ...start, session_id: 's1', _meta: where }, { ...start, session_id: 's2' });
  const states = ['s1', 's2'].map((id) => reduceAll(store.events(id))!);
  return { sessions: hub.snapshot().sessions, rows: states.map(rowOf) };
}

async function query(image: Uint8Array, ...statements: readonly string[]) {
  const sqlite = await loadSqlite(await wasm);
  const database = new sqlite.Database(image);
  const found = statements.map((statement) => database.exec(statement)[0]?.values);
  database.close();
  return found;
}

const expected = [
  [
    ['s1', '/dev/pts/7', 4711, '0123456789abcdef'],
    ['s2', null, null, null],
  ],
  [['s1']],
];

test('B1.2-columns a stored session has tty, parent_pid and fingerprint as columns, found by an index', async () => {
  const rows = (await toldSessions()).rows;
  await using folder = await temporaryFolder();
  const { store } = await openIn(folder.path);
  store.saveSessions(rows);
  await store.checkpoint();
  await store.close();
  const [name = ''] = (await filesIn(folder.path, /\.sqlite$/)).slice(-1);
  const image = await readFile(path.join(folder.path, name));
  expect(await query(image, columns, oneTerminal)).toEqual(expected);
  const [plan] = await query(image, `EXPLAIN QUERY PLAN ${oneTerminal}`);
  expect(JSON.stringify(plan)).toContain('sessions_by_fingerprint');
});

test('B1.2-upgrade adds the columns to an image of an earlier release, in a worker too, and keeps broken rows', async () => {
  const sqlite = await loadSqlite(await wasm);
  const rows = (await toldSessions()).rows;
  const old = new sqlite.Database();
  migrate(old, migrations.slice(0, 8));
  for (const { id, json } of [...rows, { id: 's3', json: 'no { json' }])
    old.run(`INSERT INTO sessions (id, last_event_at, reducer, json) VALUES (?, '1', 1, ?)`, [id, json]);
  const image = old.export();
  old.close();
  await using folder = await temporaryFolder();
  const base = nameOfImage({ generation: 1, seq: 1 });
  await writeFile(path.join(folder.path, base), Buffer.concat([...frameImage(image)]));
  const target = path.join(folder.path, 'new');
  const nothing = { segments: [], sessions: [], unreduced: [], coverage: [] };
  await compactImage(nodeFileSystem, sqlite, { ...nothing, folder: folder.path, base, events: 0, target });
  const [all, found] = await query(await readFile(target), columns, oneTerminal);
  expect([all, found]).toEqual([[...expected[0]!, ['s3', null, null, null]], expected[1]]);
});

test('B1.2-team a session’s row for the team database has tty, parent_pid and fingerprint', async () => {
  const rows = (await toldSessions()).sessions.map((session) => sessionRow(session, 'me'));
  expect(rows).toContainEqual(
    expect.objectContaining({ session_id: 's1', tty: '/dev/pts/7', parent_pid: 4711, fingerprint: where.fingerprint }),
  );
  expect(rows).toContainEqual(
    expect.objectContaining({ session_id: 's2', tty: null, parent_pid: null, fingerprint: null }),
  );
  expect(upsertInto(tables.sessions)).toContain('parent_pid bigint');
});
