import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { GUARD_FILE_NAME } from '../../protocol/handOver.ts';
import type { TrackingRule } from '../../protocol/work.ts';
import { temporaryFolder } from '../store/store.testkit.ts';
import { homeAt } from './home.ts';
import { createProjects } from './projects.ts';
import { createTrackingNotes, type OpenedTracking, openTracking } from './trackingFile.ts';

const opened: OpenedTracking[] = [];
afterEach(() => {
  for (const tracking of opened.splice(0)) tracking.dispose();
  vi.useRealTimers();
});

async function setUp(folder: string) {
  const home = homeAt(path.join(folder, 'home'));
  await mkdir(home.folder);
  const project = path.join(folder, 'shop');
  await mkdir(path.join(project, '.git'), { recursive: true });
  await mkdir(path.join(project, 'web'));
  const log = logLines();
  let rule: TrackingRule = { mode: 'off', autoCreate: false };
  const open = () => {
    const tracking = openTracking({ home, log, rule: () => rule });
    opened.push(tracking);
    return tracking;
  };
  const notes = createTrackingNotes(home, createProjects(), log);
  const sign = path.join(home.folder, GUARD_FILE_NAME);
  return {
    home,
    project,
    log,
    open,
    notes,
    isOn: () => existsSync(sign),
    sign,
    setRule: (next: TrackingRule) => void (rule = next),
  };
}

const mine = () => Promise.resolve(true);

test('GRD-2 a project’s own word goes before the person’s, and stays without a window', async () => {
  await using folder = await temporaryFolder();
  const { project, open, notes, setRule } = await setUp(folder.path);
  await notes.note(project, { mode: 'strict' });
  setRule({ mode: 'warn', autoCreate: true });
  const tracking = open();
  expect(tracking.of(project)).toEqual({ mode: 'strict', autoCreate: true });
  expect(tracking.of('/w/elsewhere')).toEqual({ mode: 'warn', autoCreate: true });
  await notes.note(project, undefined);
  expect(open().of(project)).toEqual({ mode: 'warn', autoCreate: true });
});

test('GRD-2 of several folders of a project its own decides, else the strictest', async () => {
  await using folder = await temporaryFolder();
  const { project, open, notes } = await setUp(folder.path);
  await mkdir(path.join(project, 'api'));
  await notes.note(path.join(project, 'web'), { mode: 'warn' });
  await notes.note(path.join(project, 'api'), { mode: 'strict' });
  expect(open().of(project).mode).toBe('strict');
  await symlink(project, path.join(folder.path, 'link'));
  await notes.note(path.join(folder.path, 'link'), { mode: 'off' });
  expect(open().of(project).mode).toBe('off');
});

test('HKI-3 the sign is there while anything is to be asked, and follows what changes', async () => {
  await using folder = await temporaryFolder();
  const { project, open, notes, isOn, sign, setRule } = await setUp(folder.path);
  await writeFile(sign, '');
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const tracking = open();
  await tracking.begin(mine);
  expect(isOn()).toBe(false);
  await notes.note(project, { mode: 'strict' });
  vi.advanceTimersByTime(600);
  await vi.waitFor(() => expect(isOn()).toBe(true));
  expect(tracking.of(project).mode).toBe('strict');
  await notes.note(project, undefined);
  vi.advanceTimersByTime(600);
  await vi.waitFor(() => expect(isOn()).toBe(false));
  setRule({ mode: 'warn', autoCreate: false });
  vi.advanceTimersByTime(600);
  await vi.waitFor(() => expect(isOn()).toBe(true));
});

test('HKI-3 one that is not the owner any more leaves the sign as it is', async () => {
  await using folder = await temporaryFolder();
  const { open, isOn, setRule } = await setUp(folder.path);
  setRule({ mode: 'strict', autoCreate: false });
  await open().begin(() => Promise.resolve(false));
  expect(isOn()).toBe(false);
  await open().begin(() => Promise.reject(new Error('no claim')));
  expect(isOn()).toBe(false);
});

test('GRD-2 what held before holds on while the file is broken; nothing of it is lost', async () => {
  await using folder = await temporaryFolder();
  const { home, project, log, open, notes } = await setUp(folder.path);
  await notes.note(project, { mode: 'strict' });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const tracking = open();
  await tracking.begin(mine);
  await writeFile(home.tracking, '{"version":1,"folders":{"');
  vi.advanceTimersByTime(600);
  await vi.waitFor(() => expect(log.lines).toEqual([expect.stringContaining('holds on')]));
  expect(tracking.of(project).mode).toBe('strict');
  await notes.note(project, { mode: 'warn' });
  expect(await readFile(`${home.tracking}.broken`, 'utf8')).toBe('{"version":1,"folders":{"');
});

test('GRD-2 a folder holds the repositories below it too, unless they say otherwise', async () => {
  await using folder = await temporaryFolder();
  const { project, open, notes } = await setUp(folder.path);
  await notes.note(folder.path, { mode: 'strict' });
  expect(open().of(project).mode).toBe('strict');
  await notes.note(project, { mode: 'warn' });
  expect(open().of(project).mode).toBe('warn');
});

test('HKI-3 a sign that somebody removed is put back', async () => {
  await using folder = await temporaryFolder();
  const { open, isOn, sign, setRule } = await setUp(folder.path);
  setRule({ mode: 'strict', autoCreate: false });
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await open().begin(mine);
  await rm(sign);
  vi.advanceTimersByTime(600);
  await vi.waitFor(() => expect(isOn()).toBe(true));
});
