import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { interactionOf } from '../../src/domain/interactions.ts';
import { noCallsYet, readObservations } from '../../src/domain/observations.ts';
import { openIn, temporaryFolder, unsyncedFileSystem } from '../../src/node/store/store.testkit.ts';
import { binaries, type Postgres, startPostgres } from './postgres.testkit.ts';
import { type Machine, machineWith, turns } from './sinkMachine.testkit.ts';

const there = binaries !== undefined;
if (!there) console.warn('SNK-1: no PostgreSQL on this machine, so nothing is tested against a real one.');

/** What the API tells of the stored events is what the team's database has to have. */
function expectedIds(machine: Machine): string[] {
  const sessions = machine.store.sessions({ limit: 500 }).items.map(({ id }) => id);
  return sessions
    .flatMap((id) => {
      const events = machine.store.events(id);
      const reader = readObservations(noCallsYet);
      for (const event of events) reader.take(event, true);
      return [
        ...events.flatMap((event) => interactionOf(event)?.id ?? []),
        ...reader.items(false).map((call) => `${call.id} ${call.outcome}`),
      ];
    })
    .sort();
}

describe.skipIf(!there)('SNK-1 the team’s PostgreSQL', () => {
  let postgres: Postgres;
  const ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    await postgres[Symbol.asyncDispose]();
  });

  async function machine(id: string, url: string): Promise<Machine> {
    const folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem });
    const made = machineWith(store, id, url);
    ends.push(async () => {
      await made.stop();
      await store.close();
      await folder[Symbol.asyncDispose]();
    });
    return made;
  }

  async function interactionsIn(url: string, id: string): Promise<string[]> {
    const rows = await postgres.query<{ id: string; outcome: string | null }>(
      url,
      'SELECT id, outcome FROM agent_mascot.interactions WHERE machine_id = $1',
      [id],
    );
    return rows.map((row) => (row.outcome === null ? row.id : `${row.id} ${row.outcome}`)).sort();
  }

  const upToDate = async (one: Machine, act: () => Promise<void> | void) => {
    const reached = one.standing();
    await act();
    await reached;
  };

  test('SNK-1 what is stored is there after the first push, and pushing it again changes nothing', async () => {
    const url = await postgres.database('first');
    const one = await machine('m1', url);
    await one.say(turns('s1', 0, 7));
    await upToDate(one, () => one.start());
    expect(await interactionsIn(url, 'm1')).toEqual(expectedIds(one));
    const [said] = await postgres.query(
      url,
      `SELECT user_name, role, content, skill_name FROM agent_mascot.interactions WHERE id = 's1-3'`,
    );
    expect(said).toEqual({
      user_name: 'user-m1',
      role: 'assistant',
      content: 'done 0 \ufffd \ufffd \\u0000',
      skill_name: 'claude_response',
    });
    await upToDate(one, () => one.say(turns('s1', 7, 3)));
    expect(await interactionsIn(url, 'm1')).toEqual(expectedIds(one));
  });
});
