import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { createAncestry } from './ancestry.ts';

test('UI-3 a process is followed to whoever started it, through shells', async () => {
  const shell = spawn('sh', [
    '-c',
    '"$0" -e "setTimeout(() => {}, 60_000); console.log(process.pid)" & wait',
    process.execPath,
  ]);
  const [line] = (await once(shell.stdout, 'data')) as [Buffer];
  const chain = await createAncestry().of(Number(line.toString()));
  process.kill(Number(line.toString()));
  expect(chain.slice(0, 3)).toEqual([Number(line.toString()), shell.pid, process.pid]);
});

test('UI-3 a pid that has gone to another process is followed nowhere', async () => {
  const began = new Date(Date.now() - process.uptime() * 1_000);
  const other = new Date(began.getTime() - 3_600_000);
  expect((await createAncestry().of(process.pid, began.toISOString()))[0]).toBe(process.pid);
  expect(await createAncestry().of(process.pid, other.toISOString())).toEqual([]);
});

test('UI-3 of a process that is not there nothing is told', async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  expect(await createAncestry().of(dead.pid ?? 0)).toEqual([]);
  expect(await createAncestry().of(-1)).toEqual([]);
});
