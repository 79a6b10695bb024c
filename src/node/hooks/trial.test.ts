import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runTrial, timeCost, type TrialParts } from './trial.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mascot-trial-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const asked: string[] = [];
const parts = (changes: Partial<TrialParts> = {}): TrialParts => ({
  environment: { PATH: process.env['PATH'], HOME: folder },
  platform: process.platform,
  cwd: folder,
  arrivalOf(id) {
    asked.push(id);
    return Promise.resolve(12.4);
  },
  ...changes,
});

describe.skipIf(process.platform === 'win32')('HKI-5 a test event', () => {
  test('HKI-5 goes to the command as an agent gives it: on standard input, in its folder, with a bare environment', async () => {
    const command = 'cat >payload; env >environment; pwd >folder';
    expect(await runTrial(command, parts())).toEqual({ arrivedMs: 12, seconds: 3, code: 0, said: '' });
    const payload = JSON.parse(readFileSync(path.join(folder, 'payload'), 'utf8')) as Record<string, string>;
    expect(payload).toEqual({
      hook_event_name: 'AgentMascotTrial',
      agent_mascot_trial: asked.at(-1),
      session_id: `trial-${asked.at(-1)}`,
      cwd: folder,
    });
    expect(payload['agent_mascot_trial']).toMatch(/^[\w-]+$/);
    const names = readFileSync(path.join(folder, 'environment'), 'utf8').match(/^\w+(?==)/gm) ?? [];
    expect(names.filter((name) => !['HOME', 'PATH', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([]);
  });

  test.each([
    ['echo out; echo err >&2; exit 3', { code: 3, said: expect.stringMatching(/out|err/) as string }],
    ['kill -9 $$', { code: 'SIGKILL', said: '' }],
    ['exit 0', { code: 0, said: '' }],
    ['printf %01000d 7', { code: 0, said: '0'.repeat(200) }],
  ])('HKI-5 %s is told as it ended', async (command, expected) => {
    expect(await runTrial(command, parts())).toMatchObject(expected);
  });

  test('HKI-5 what stays running in the background with open pipes is not waited for', async () => {
    const begin = performance.now();
    const run = await runTrial('sleep 20 & echo $! >pid', parts());
    process.kill(Number(readFileSync(path.join(folder, 'pid'), 'utf8')));
    expect(run.code).toBe(0);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  test('HKI-5 a folder that is gone fails the trial, not the doctor', async () => {
    const run = await runTrial('true', parts({ cwd: path.join(folder, 'gone') }));
    expect(run.code).toBe('ENOENT');
  });

  test('HKI-5 it waits until the event is there, and gives up after its time', async () => {
    let looks = 0;
    const late = parts({ arrivalOf: () => Promise.resolve(++looks < 3 ? undefined : 99) });
    expect((await runTrial('true', late)).arrivedMs).toBe(99);
    const lost = await runTrial('true', parts({ arrivalOf: () => Promise.resolve(undefined) }));
    expect([lost.arrivedMs, lost.seconds]).toEqual([null, 3]);
  });

  test('HKI-5 the cost is that of the command, beside that of nothing', async () => {
    const { p50, p95, nothing } = await timeCost('sleep 0.03', parts());
    expect(p50).toBeGreaterThan(30);
    expect(p95).toBeGreaterThanOrEqual(p50);
    expect(nothing).toBeLessThan(p50);
  });
});
