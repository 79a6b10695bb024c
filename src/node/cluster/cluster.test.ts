import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { parsePortFile, type PortFile } from '../../protocol/discovery.ts';
import type { ServerFrame } from '../../protocol/wire.ts';
import { collectorUnderTest } from '../collector/collector.testkit.ts';
import { homeAt, prepareHome } from '../machine/home.ts';
import { ownProcess } from '../machine/processes.ts';
import { locateStore } from '../store/location.ts';
import { createClaims } from './claim.ts';
import { createOwnerLinks } from './ownerLink.ts';
import { publishPortFile, readPortFile, removePortFile } from './portFile.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mascot-cluster-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const home = () => homeAt(folder);
const claimsOf = (place: ReturnType<typeof home>) => createClaims(place, () => prepareHome(place));

const portFile = async (changes: Partial<PortFile> = {}): Promise<PortFile> => ({
  version: 1,
  url: 'http://127.0.0.1:4820',
  port: 4820,
  token: 't',
  instance: 'i',
  generation: 1,
  app: 'test',
  ...(await ownProcess()),
  ...changes,
});

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.once('exit', resolve));
  return child.pid ?? 0;
}

describe('COL-2 the port file', () => {
  test('COL-2 is private, whole, and read back as it was written', async () => {
    const content = await portFile();
    await publishPortFile(home().portFile, content);
    if (process.platform !== 'win32') expect(statSync(home().portFile).mode & 0o777).toBe(0o600);
    expect(await readPortFile(home().portFile)).toEqual(content);
    expect(readdirSync(folder)).toEqual(['collector.json']);
  });

  test('COL-2 is removed by its owner alone', async () => {
    await publishPortFile(home().portFile, await portFile({ instance: 'next' }));
    await removePortFile(home().portFile, 'former');
    expect(readdirSync(folder)).toEqual(['collector.json']);
    await removePortFile(home().portFile, 'next');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['not JSON', '{'],
    ['another version', JSON.stringify({ version: 2 })],
    [
      'an address elsewhere',
      JSON.stringify({
        version: 1,
        url: 'http://evil.example:1',
        port: 1,
        token: 't',
        pid: 1,
        instance: 'i',
        startedAt: '',
      }),
    ],
    [
      'an address of another port',
      JSON.stringify({
        version: 1,
        url: 'http://127.0.0.1:2',
        port: 1,
        token: 't',
        pid: 1,
        instance: 'i',
        startedAt: '',
      }),
    ],
    [
      'no token',
      JSON.stringify({
        version: 1,
        url: 'http://127.0.0.1:1',
        port: 1,
        token: '',
        pid: 1,
        instance: 'i',
        startedAt: '',
      }),
    ],
    [
      'a port that is none',
      JSON.stringify({
        version: 1,
        url: 'http://127.0.0.1:99999',
        port: 99999,
        token: 't',
        pid: 1,
        instance: 'i',
        startedAt: '',
      }),
    ],
    ['null', 'null'],
  ])('COL-2 %s is no port file', (_name, text) => expect(parsePortFile(text)).toBeUndefined());
});

describe('MWN-3 the claim', () => {
  test('MWN-3 many at the same instant make one owner', async () => {
    const claims = await Promise.all(Array.from({ length: 20 }, () => claimsOf(home()).take()));
    expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
    expect(readdirSync(folder).filter((name) => name.startsWith('owner.json'))).toEqual(['owner.json']);
  });

  test('MWN-2 released, the next one gets it with a higher generation; the former holds nothing and frees nothing', async () => {
    const first = await claimsOf(home()).take();
    expect(await first?.holds()).toBe(true);
    await first?.release();
    const second = await claimsOf(home()).take();
    await first?.release();
    expect([first?.generation, second?.generation, await first?.holds(), await second?.holds()]).toEqual([
      1,
      2,
      false,
      true,
    ]);
  });

  test('MWN-3 a dead owner’s claim is swept, by one of many; a reused pid is told by its start', async () => {
    const stale = { version: 1, pid: await deadPid(), startedAt: '', instance: 'dead', generation: 7 };
    writeFileSync(home().claim, JSON.stringify(stale));
    const claims = await Promise.all(Array.from({ length: 10 }, () => claimsOf(home()).take()));
    expect(claims.filter((claim) => claim !== undefined).length).toBeLessThanOrEqual(1);
    const holder = claims.find((claim) => claim !== undefined) ?? (await claimsOf(home()).take());
    expect(await holder?.holds()).toBe(true);
    await holder?.release();
    if (process.platform !== 'linux') return;
    writeFileSync(home().claim, JSON.stringify({ ...stale, pid: process.pid, startedAt: '2001-01-01T00:00:00.000Z' }));
    expect(await claimsOf(home()).take()).toBeDefined();
  });

  test('MWN-3 nobody’s fresh claim is taken for the one before it, however they crowd', async () => {
    const place = homeAt(path.join(folder, 'home'));
    const claims = createClaims(place, () => prepareHome(place));
    let holding = 0;
    let taken = 0;
    const faults: string[] = [];
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const crowd = Array.from({ length: 6 }, async () => {
      while (taken < 500) {
        const claim = await claims.take();
        if (!claim) await turn();
        else {
          taken++;
          if (++holding > 1) faults.push('two at once');
          for (let turns = 0; turns < 3; turns++) {
            await turn();
            if (!(await claim.holds())) faults.push('swept');
          }
          holding--;
          await claim.release();
        }
      }
    });
    await Promise.all(crowd);
    expect(faults).toEqual([]);
  });

  test('MWN-3 a claim file that is none can be held by nobody', async () => {
    writeFileSync(home().claim, 'half a li');
    expect(await claimsOf(home()).take()).toBeDefined();
  });
});

describe('COL-7 a follower’s link', () => {
  test('COL-7 hears the snapshot and the patches of the owner the port file names', async () => {
    const { collector, post, token } = await collectorUnderTest();
    await publishPortFile(home().portFile, await portFile({ url: collector.url, port: collector.port, token }));
    const frames: ServerFrame[] = [];
    let wake: () => void = () => undefined;
    const closed = Promise.withResolvers<void>();
    const link = await createOwnerLinks(home(), { app: 'test', version: '1' }).connect({
      onFrame: (frame) => {
        frames.push(frame);
        wake();
      },
      onClosed: closed.resolve,
    });
    const until = async (count: number) => {
      while (frames.length < count) await new Promise<void>((resolve) => (wake = resolve));
    };
    await until(1);
    await post({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'x' });
    await until(2);
    link?.resync(0);
    await until(3);
    expect(frames.map(({ type }) => type)).toEqual(['snapshot', 'patch', 'snapshot']);
    await collector.close();
    await closed.promise;
  });

  test('COL-7 there is none to a dead owner, a wrong token or no port file', async () => {
    const { collector } = await collectorUnderTest();
    const connect = () =>
      createOwnerLinks(home(), { app: 'test', version: '1' }).connect({
        onFrame: () => undefined,
        onClosed: () => undefined,
      });
    expect(await connect()).toBeUndefined();
    await publishPortFile(
      home().portFile,
      await portFile({ url: collector.url, port: collector.port, token: 'wrong' }),
    );
    expect(await connect()).toBeUndefined();
    await publishPortFile(home().portFile, await portFile({ pid: await deadPid() }));
    expect(await connect()).toBeUndefined();
    await collector.close();
  });

  test('COL-7 explains the sessions that its owner knows, and none whose id no address can hold', async () => {
    const { collector, post, token } = await collectorUnderTest();
    await publishPortFile(home().portFile, await portFile({ url: collector.url, port: collector.port, token }));
    const ids = ['s', 'a/b?c#%', 'none', '\ud800', 'half \udc00 a pair'];
    for (const session_id of ids.slice(0, 2)) await post({ hook_event_name: 'UserPromptSubmit', session_id });
    const link = await createOwnerLinks(home(), { app: 'test', version: '1' }).connect({
      onFrame: () => undefined,
      onClosed: () => undefined,
    });
    const told = await Promise.all(ids.map((id) => link?.explain(id)));
    expect(told.map((explanation) => explanation?.sessionId)).toEqual([
      's',
      'a/b?c#%',
      undefined,
      undefined,
      undefined,
    ]);
    link?.dispose();
    await collector.close();
  });
});

describe('STO-1 where the store is', () => {
  test('STO-1 the first editor’s storage becomes everybody’s, while it is there', async () => {
    const log = logLines();
    const first = path.join(folder, 'first');
    expect(await locateStore(home(), { folder: first, app: 'one' }, log)).toBe(first);
    expect(await locateStore(home(), { folder: first, app: 'one' }, log)).toBe(first);
    const second = path.join(folder, 'second');
    writeFileSync(first, '');
    expect(await locateStore(home(), { folder: second, app: 'two' }, log)).toBe(first);
    rmSync(first);
    expect(await locateStore(home(), { folder: second, app: 'two' }, log)).toBe(second);
    expect(JSON.parse(readFileSync(home().storeLocation, 'utf8'))).toMatchObject({ folder: second, app: 'two' });
    expect(log.lines.join()).toContain('The store of one is gone');
  });
});
