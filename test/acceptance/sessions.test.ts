import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sessionRow } from '../../src/domain/postgres/rows.ts';
import { upsertInto } from '../../src/domain/postgres/statements.ts';
import { tables } from '../../src/domain/postgres/tables.ts';
import { reduceAll } from '../../src/domain/reduce.ts';
import { rowOf } from '../../src/domain/restore.ts';
import { loadSqlite } from '../../src/node/store/sqlite.ts';
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
  const [name = ''] = await filesIn(folder.path, /^index-.*db$/);
  const image = await readFile(path.join(folder.path, name));
  expect(await query(image, columns, oneTerminal)).toEqual(expected);
  const [plan] = await query(image, `EXPLAIN QUERY PLAN ${oneTerminal}`);
  expect(JSON.stringify(plan)).toContain('sessions_by_fingerprint');
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
