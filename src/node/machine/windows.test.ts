import { once } from 'node:events';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WindowInfo, WindowRequest, Windows } from '../../app/windowPorts.ts';
import { isWindowFile } from './windowFiles.ts';
import { createWindows } from './windows.ts';

const log = { debug: () => undefined };
const shown = (changes: Partial<WindowInfo> = {}) => ({
  name: 'orchard',
  folders: ['/p/orchard'],
  terminals: [100],
  focused: true,
  ...changes,
});

let home = '';
let folder = '';
let opened: Windows[] = [];

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'windows-'));
  folder = path.join(home, 'windows');
});
afterEach(() => {
  for (const window of opened) window.dispose();
  opened = [];
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

function windowOf(app = 'Code', answerMs = 10_000): Windows {
  const window = createWindows({ folder, app, log, answerMs });
  opened.push(window);
  return window;
}

const names = async (window: Windows) => (await window.all()).map(({ name }) => name).sort();

describe('MWN-1 windows of one home know of each other', () => {
  test('MWN-1 UI-3 each tells what it shows, and what changes', async () => {
    const [one, two] = [windowOf('Code'), windowOf('Cursor')];
    one.tell(shown());
    two.tell(shown({ name: 'harbour', terminals: [7], focused: false, opens: 'file:///p/harbour' }));
    await expect.poll(() => names(one)).toEqual(['harbour', 'orchard']);
    await expect.poll(() => names(two)).toEqual(['harbour', 'orchard']);
    expect((await one.all()).find(({ id }) => id === two.id)).toMatchObject({
      app: 'Cursor',
      terminals: [7],
      opens: 'file:///p/harbour',
      focused: false,
    });
    two.tell(shown({ name: 'lighthouse' }));
    await expect.poll(() => names(one)).toEqual(['lighthouse', 'orchard']);
  });

  test('MWN-1 one that closed is not told of any more, nor one that was killed', async () => {
    const [one, two] = [windowOf(), windowOf()];
    one.tell(shown());
    two.tell(shown({ name: 'closed' }));
    await expect.poll(() => names(one)).toEqual(['closed', 'orchard']);
    const dead = spawn(process.execPath, ['-e', '']);
    await once(dead, 'exit');
    const file = path.join(folder, `${two.id}.window`);
    const info = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    const id = '12345678-1234-4234-8234-123456789abc';
    writeFileSync(path.join(folder, `${id}.window`), JSON.stringify({ ...info, id, name: 'killed', pid: dead.pid }), {
      mode: 0o600,
    });
    two.dispose();
    expect(await names(one)).toEqual(['orchard']);
  });

  test('UI-3 a window is asked to show a terminal and takes it once; one that is gone does not answer', async () => {
    const [one, two] = [windowOf(), windowOf()];
    const asked: WindowRequest[] = [];
    two.onAsked((request) => void asked.push(request));
    two.tell(shown());
    await expect.poll(() => names(one)).toEqual(['orchard']);
    expect(await one.ask(two.id, { what: 'showTerminal', terminal: 100 })).toBe(true);
    await expect.poll(() => asked).toEqual([{ what: 'showTerminal', terminal: 100 }]);
    two.dispose();
    const short = windowOf('Code', 60);
    expect(await short.ask(two.id, { what: 'showTerminal', terminal: 100 })).toBe(false);
    expect(readdirSync(folder).filter((name) => name.includes('.ask-'))).toEqual([]);
  });

  test('UI-3 what is half written, no request, or for somebody else is asked of nobody', async () => {
    const window = windowOf();
    const asked: WindowRequest[] = [];
    window.onAsked((request) => void asked.push(request));
    window.tell(shown());
    await expect.poll(() => names(window)).toEqual(['orchard']);
    await expect.poll(() => readdirSync(folder).length).toBe(1);
    const put = (id: string, end: string, text: string) =>
      writeFileSync(path.join(folder, `${id}.ask-12345678-1234-4234-8234-12345678${end}`), text, { mode: 0o600 });
    put(window.id, '0001', '{"what":"show');
    put(window.id, '0002', '{"what":"removeEverything"}');
    put('12345678-1234-4234-8234-123456789abc', '0003', '{"what":"showTerminal","terminal":5}');
    put(window.id, '0004', '{"what":"showTerminal","terminal":4}');
    await expect.poll(() => asked).toEqual([{ what: 'showTerminal', terminal: 4 }]);
  });

  test('UI-5 of all windows one claims a notice, and nobody misses it where it can’t be told', async () => {
    const windows = [windowOf(), windowOf(), windowOf()];
    for (const window of windows) window.tell(shown());
    await expect.poll(async () => (await windows[0]?.all())?.length).toBe(3);
    const claims = await Promise.all(windows.map((window) => window.claim('s/permission/1')));
    expect(claims.filter(Boolean)).toHaveLength(1);
    expect(await windows[0]?.claim('s/permission/2')).toBe(true);
    rmSync(folder, { recursive: true });
    expect(await windows[1]?.claim('s/permission/1')).toBe(true);
  });

  test('HKI-6 what it writes has names of its own, and a home that was removed does not come back', async () => {
    const [one, two] = [windowOf(), windowOf()];
    one.tell(shown());
    await expect.poll(() => names(two)).toEqual(['orchard']);
    await one.claim('key');
    expect(readdirSync(folder).filter((name) => !isWindowFile(name))).toEqual([]);
    rmSync(home, { recursive: true });
    one.tell(shown({ name: 'after' }));
    await expect.poll(() => names(one)).toEqual(['after']);
    expect(await one.claim('key')).toBe(true);
    expect(() => readdirSync(home)).toThrow(/ENOENT/);
  });

  test('MWN-1 UI-5 a thousand notices hide no window from another', async () => {
    mkdirSync(folder, { mode: 0o700 });
    for (let index = 0; index < 1_000; index++) {
      const name = `claim-${index.toString(16).padStart(32, '0')}`;
      writeFileSync(path.join(folder, name), '', { mode: 0o600 });
    }
    const windows = Array.from({ length: 12 }, () => windowOf());
    for (const window of windows) window.tell(shown());
    await expect.poll(async () => (await windows[0]?.all())?.length).toBe(12);
  });

  test('MWN-1 UI-3 in a folder that was removed and made anew, or stood open to others, it is heard again', async () => {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o777);
    const [one, two] = [windowOf(), windowOf()];
    const asked: WindowRequest[] = [];
    two.onAsked((request) => void asked.push(request));
    for (const window of [one, two]) window.tell(shown());
    await expect.poll(() => names(one)).toEqual(['orchard', 'orchard']);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    rmSync(folder, { recursive: true });
    for (const window of [one, two]) window.tell(shown({ name: 'again' }));
    await expect.poll(() => names(one)).toEqual(['again', 'again']);
    expect(await one.ask(two.id, { what: 'showTerminal', terminal: 1 })).toBe(true);
    await expect.poll(() => asked).toEqual([{ what: 'showTerminal', terminal: 1 }]);
  });

  test('MWN-1 a window that closes while it tells of itself leaves nothing', async () => {
    mkdirSync(folder, { mode: 0o700 });
    const watched = windowOf();
    watched.tell(shown());
    await expect.poll(() => readdirSync(folder).length).toBe(1);
    for (let round = 0; round < 20; round++) {
      const window = windowOf();
      window.tell(shown());
      await expect.poll(() => readdirSync(folder).length).toBeGreaterThan(1);
      window.dispose();
      await expect.poll(() => readdirSync(folder).length).toBe(1);
    }
  });

  test('MWN-1 what killed windows left is swept after a day, and nothing else', async () => {
    mkdirSync(folder, { mode: 0o700 });
    const old = new Date(Date.now() - 2 * 86_400_000);
    const gone = ['claim-0123456789abcdef0123456789abcdef', '12345678-1234-4234-8234-123456789abc.window'];
    for (const name of [...gone, 'notes.txt', 'claim-fedcba9876543210fedcba9876543210']) {
      writeFileSync(path.join(folder, name), '{}', { mode: 0o600 });
      if (!name.startsWith('claim-f')) utimesSync(path.join(folder, name), old, old);
    }
    const window = windowOf();
    window.tell(shown());
    await expect
      .poll(() => readdirSync(folder).sort())
      .toEqual(['claim-fedcba9876543210fedcba9876543210', `${window.id}.window`, 'notes.txt'].sort());
  });
});
