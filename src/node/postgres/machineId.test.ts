import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SinkTrouble } from '../../app/sink/sinkPorts.ts';
import { temporaryFolder } from '../store/store.testkit.ts';
import { machineId } from './machineId.ts';

const isWindows = process.platform === 'win32';

test('SNK-1 a machine’s id is made once, kept, and readable by the person alone', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'machine.json');
  const made = await machineId(file);
  expect(made).toMatch(/^[0-9a-f-]{36}$/);
  expect(await machineId(file)).toBe(made);
  if (!isWindows) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder.path)).toEqual(['machine.json']);
});

test('SNK-1 windows that make it at the same instant have one id', async () => {
  for (let round = 0; round < 10; round++) {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'machine.json');
    const ids = await Promise.all(Array.from({ length: 8 }, () => machineId(file)));
    expect(new Set(ids).size).toBe(1);
    expect(await readFile(file, 'utf8')).toContain(ids[0]);
    expect(await readdir(folder.path)).toEqual(['machine.json']);
  }
});

test('SNK-1 a machine’s id that can’t be read is made anew', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'machine.json');
  await writeFile(file, '', { mode: 0o600 });
  const made = await machineId(file);
  expect(await machineId(file)).toBe(made);
});

test.skipIf(isWindows)(
  'SNK-1 a machine’s id that others could have written is refused, and left as it is',
  async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, 'machine.json');
    const text = '{"version":1,"id":"00000000-0000-4000-8000-000000000000"}\n';
    await writeFile(file, text, { mode: 0o600 });
    await chmod(file, 0o666);
    await expect(machineId(file)).rejects.toBeInstanceOf(SinkTrouble);
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);
