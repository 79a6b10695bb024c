import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { type Pipeline, PipelineFullError } from '../../app/ports.ts';
import { type SpoolWatch, watchSpool } from './spool.ts';

let folder = '';
let watching: SpoolWatch | undefined;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mascot-spool-'));
});
afterEach(async () => {
  await watching?.close();
  rmSync(folder, { recursive: true, force: true });
});

function drop(name: string, content: unknown): void {
  const draft = path.join(folder, `.${name}.tmp`);
  writeFileSync(draft, typeof content === 'string' ? content : `${JSON.stringify(content)}\n`);
  renameSync(draft, path.join(folder, name));
}
const hook = (prompt: string) => ({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt });

function collecting(fail?: () => Error | undefined) {
  const taken: string[] = [];
  let wake: () => void = () => undefined;
  const pipeline: Pick<Pipeline, 'ingest'> = {
    ingest: ({ raw }) => {
      const error = fail?.();
      if (error) return Promise.reject(error);
      taken.push(String(raw['prompt']));
      wake();
      return Promise.resolve({ id: 'x', duplicate: false });
    },
  };
  return {
    pipeline,
    taken,
    async until(count: number) {
      while (taken.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}
const isEmpty = async () => {
  while (readdirSync(folder).some((name) => name.endsWith('.json')))
    await new Promise((resolve) => setImmediate(resolve));
};

test('FWD-6 what waits is taken in on start, oldest first, and removed', async () => {
  for (let i = 0; i < 250; i++) drop(`${String(1000 + i)}-x.json`, hook(`p${i}`));
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  await until(250);
  expect(taken).toEqual(Array.from({ length: 250 }, (_, i) => `p${i}`));
  await isEmpty();
});

test('FWD-6 what comes later is seen by watching; a file still being written is left alone', async () => {
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  writeFileSync(path.join(folder, '.half.json.tmp'), '{"hook_event');
  drop('1-a.json', hook('late'));
  await until(1);
  await isEmpty();
  expect(taken).toEqual(['late']);
  expect(existsSync(path.join(folder, '.half.json.tmp'))).toBe(true);
});

test('FWD-6 an event whose payload does not name it is taken in by its shape, or by what the forwarder was told', async () => {
  drop('1-shape.json', { sessionId: 's', timestamp: 1, cwd: '/p', prompt: 'by shape' });
  drop('2-told.json', { session_id: 's', prompt: 'told', _meta: { provider: 'claude', event: 'UserPromptSubmit' } });
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  await until(2);
  await isEmpty();
  expect(taken).toEqual(['by shape', 'told']);
});

test('FWD-6 what can never be understood is removed and told, and does not stop the rest', async () => {
  drop('1-a.json', '{"cut');
  drop('2-b.json', ['an array']);
  drop('3-c.json', hook('good'));
  const log = logLines();
  const { pipeline, until } = collecting();
  watching = watchSpool(folder, pipeline, log);
  await until(1);
  await isEmpty();
  expect(log.lines.filter((line) => line.includes('could not be understood'))).toHaveLength(2);
});

test.each([new Error('ENOSPC'), new PipelineFullError('full')])(
  'FWD-6 what can’t be stored now (%s) stays for later',
  async (error) => {
    drop('1-a.json', hook('kept'));
    let broken = true;
    const { pipeline, taken, until } = collecting(() => (broken ? error : undefined));
    watching = watchSpool(folder, pipeline, logLines());
    await watching.close();
    expect(readdirSync(folder)).toEqual(['1-a.json']);
    broken = false;
    watching = watchSpool(folder, pipeline, logLines());
    await until(1);
    expect(taken).toEqual(['kept']);
  },
);

test('FWD-6 what can’t be read keeps nobody waiting: folders, pipes, links', async () => {
  for (let i = 0; i < 120; i++) mkdirSync(path.join(folder, `0${String(i).padStart(3, '0')}-folder.json`));
  if (process.platform !== 'win32') execFileSync('mkfifo', [path.join(folder, '0-pipe.json')]);
  symlinkSync('/etc/hostname', path.join(folder, '0-link.json'));
  drop('9-good.json', hook('good'));
  const log = logLines();
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, log);
  await until(1);
  expect(taken).toEqual(['good']);
  await watching.close();
  expect(new Set(log.lines).size).toBe(log.lines.length);
});

test('MSK-1 a killed writer’s draft does not stay: a whole one is taken in, a torn one removed', async () => {
  const old = new Date(Date.now() - 120_000);
  for (const [name, text] of [
    ['.1-whole.json.tmp', `${JSON.stringify(hook('whole'))}\n`],
    ['.2-torn.json.tmp', '{"hook_event_name":"Stop","prompt":"secr'],
    ['.3-fresh.json.tmp', '{"hook'],
  ] as const) {
    writeFileSync(path.join(folder, name), text);
    if (!name.includes('fresh')) utimesSync(path.join(folder, name), old, old);
  }
  const { pipeline, taken, until } = collecting();
  watching = watchSpool(folder, pipeline, logLines());
  await until(1);
  await isEmpty();
  expect([taken, readdirSync(folder)]).toEqual([['whole'], ['.3-fresh.json.tmp']]);
});
