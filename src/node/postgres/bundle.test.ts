import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SinkTrouble } from '../../app/sink/sinkPorts.ts';
import type { CreateTeamDatabase } from './teamDatabase.ts';

const file = path.join(import.meta.dirname, '../../../dist/postgres.js');

test('SNK-1 what the built part that talks to PostgreSQL fails with is told by its kind, though its classes are its own', async () => {
  const { createTeamDatabase } = createRequire(import.meta.url)(file) as { createTeamDatabase: CreateTeamDatabase };
  const machine = () => Promise.resolve({ id: 'm', host: 'h', user: 'u', version: '1' });
  const failing = (url: string) => createTeamDatabase({ url, caFile: () => '', machine }).connect();
  const failures = await Promise.allSettled([failing('postgresql://u:p@127.0.0.1:1/d'), failing('nothing')]);
  const kinds = failures.map(
    (each) => each.status === 'rejected' && each.reason instanceof SinkTrouble && each.reason.kind,
  );
  expect(kinds).toEqual(['unreachable', 'address']);
  expect(new Error('odd') instanceof SinkTrouble).toBe(false);
});
