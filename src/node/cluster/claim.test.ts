import { spawn } from 'node:child_process';
import {
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
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { homeAt, prepareHome } from '../machine/home.ts';
import { ownProcess } from '../machine/processes.ts';
import { createClaims } from './claim.ts';
import { place as placeClaim, removeExactly, type ClaimFile } from './claimFile.ts';
import { isSameTable, ownTable } from './processTable.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mascot-claim-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const home = () => homeAt(folder);
const claimsOf = (place: ReturnType<typeof home>) => createClaims(place, () => prepareHome(place));

async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await new Promise((resolve) => child.once('exit', resolve));
  return child.pid ?? 0;
}

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
    while (taken < 80) {
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

/** A claim as another process of this machine would have made it. */
async function claimFile(changes: Partial<ClaimFile> = {}): Promise<ClaimFile> {
  return { version: 1, ...(await ownProcess()), ...(await ownTable()), instance: 'other', generation: 4, ...changes };
}
const writeClaim = async (changes: Partial<ClaimFile> = {}) =>
  writeFileSync(home().claim, JSON.stringify(await claimFile(changes)));
const held = () => (JSON.parse(readFileSync(home().claim, 'utf8')) as ClaimFile).instance;

test('MWN-2 a hung holder is passed over as it was seen, not once it has moved again', async () => {
  await writeClaim();
  const claims = claimsOf(home());
  const hung = await claims.look();
  expect([hung?.instance, hung?.elsewhere, await claims.take()]).toEqual(['other', false, undefined]);
  utimesSync(home().claim, new Date(), new Date(Date.now() + 5_000));
  expect(await claims.take(hung)).toBeUndefined();
  const again = await claims.look();
  const claim = await claims.take(again);
  expect([claim?.generation, await claim?.holds(), held()]).toEqual([5, true, claim?.instance]);
});

test('MWN-2 of ten that depose a hung holder at once one owns, and nobody passes over the new one', async () => {
  for (let round = 0; round < 20; round++) {
    rmSync(home().claim, { force: true });
    await writeClaim({ instance: `hung ${round}`, generation: round + 1 });
    const claims = Array.from({ length: 10 }, () => claimsOf(home()));
    const hung = await claims[0]?.look();
    const taken = (await Promise.all(claims.map((each) => each.take(hung)))).filter((claim) => claim !== undefined);
    expect([taken.length, taken[0]?.instance === held()]).toEqual([1, true]);
  }
});

test('MWN-2 a deposed owner that wakes up touches and frees nothing of the next one', async () => {
  const former = await claimsOf(home()).take();
  const claims = claimsOf(home());
  const next = await claims.take(await claims.look());
  const before = statSync(home().claim).mtimeMs;
  await former?.touch();
  await former?.release();
  expect([await former?.holds(), await next?.holds(), statSync(home().claim).mtimeMs]).toEqual([false, true, before]);
  utimesSync(home().claim, 1, 1);
  await next?.touch();
  expect(statSync(home().claim).mtimeMs).toBeGreaterThan(1_000_000);
});

test('MWN-2 what was judged goes, not what has come to its place meanwhile', async () => {
  await placeClaim(home().claim, await claimFile({ instance: 'fresh' }));
  expect([await removeExactly(home().claim, 'dead'), held(), readdirSync(folder)]).toEqual([
    false,
    'fresh',
    ['owner.json'],
  ]);
  expect([await removeExactly(home().claim, 'fresh'), readdirSync(folder)]).toEqual([true, []]);
  expect(await removeExactly(home().claim, 'fresh')).toBe(false);
});

test('MWN-2 the generation rises over what the hung one had, and never falls; the home keeps its name', async () => {
  const first = await claimsOf(home()).take();
  await first?.release();
  // Stopped between its claim and its number.
  await writeClaim({ generation: 40 });
  const claims = claimsOf(home());
  const second = await claims.take(await claims.look());
  await second?.release();
  const third = await claims.take();
  expect([first?.generation, second?.generation, third?.generation]).toEqual([1, 41, 42]);
  expect(new Set([first?.home, second?.home, third?.home]).size).toBe(1);
});

test('MWN-3 whoever died while it swept does not keep the others from it', async () => {
  await writeClaim({ pid: await deadPid() });
  const sweep = `${home().claim}.sweep`;
  writeFileSync(sweep, JSON.stringify(await claimFile({ pid: await deadPid(), instance: 'sweeper' })));
  const claim = await claimsOf(home()).take();
  expect([claim?.generation, readdirSync(folder).filter((name) => name.includes('sweep'))]).toEqual([5, []]);
});

test('MWN-3 nobody is judged by another table of processes: a container’s owner may live though its pid is nobody here', async () => {
  const pid = await deadPid();
  const strangers: Partial<ClaimFile>[] = [
    { pid, pidNamespace: 'pid:[1]' },
    { pid, host: 'another machine', kernelStart: 'another-boot:1' },
  ];
  const seen: unknown[] = [];
  for (const stranger of strangers) {
    await writeClaim(stranger);
    const claims = claimsOf(home());
    seen.push([
      (await claims.look())?.elsewhere,
      await claims.take(),
      (await claims.take(await claims.look())) !== undefined,
    ]);
  }
  expect(seen).toEqual(strangers.map(() => [true, undefined, true]));
});

test.each([
  ['what an older version wrote', {}, { host: 'h', pidNamespace: 'n', kernelStart: 'b:1' }, true],
  [
    'the same in all',
    { host: 'h', pidNamespace: 'n', kernelStart: 'b:1' },
    { host: 'h', pidNamespace: 'n', kernelStart: 'b:2' },
    true,
  ],
  [
    'a container of the same machine',
    { host: 'c', pidNamespace: 'm', kernelStart: 'b:1' },
    { host: 'h', pidNamespace: 'n', kernelStart: 'b:2' },
    false,
  ],
  [
    'a container with its host’s name',
    { host: 'h', pidNamespace: 'm', kernelStart: 'b:1' },
    { host: 'h', pidNamespace: 'n', kernelStart: 'b:2' },
    false,
  ],
  [
    'a machine whose name has changed',
    { host: 'old', pidNamespace: 'n', kernelStart: 'b:1' },
    { host: 'new', pidNamespace: 'n', kernelStart: 'b:2' },
    true,
  ],
  [
    'this machine before its restart',
    { host: 'h', pidNamespace: 'n', kernelStart: 'a:1' },
    { host: 'h', pidNamespace: 'n', kernelStart: 'b:2' },
    true,
  ],
  [
    'another machine',
    { host: 'g', pidNamespace: 'n', kernelStart: 'a:1' },
    { host: 'h', pidNamespace: 'n', kernelStart: 'b:2' },
    false,
  ],
  ['a Mac', { host: 'h' }, { host: 'h' }, true],
  ['two Macs', { host: 'g' }, { host: 'h' }, false],
  [
    'a Mac that took another name with its network',
    { host: 'g', bootSession: 'b' },
    { host: 'h', bootSession: 'b' },
    true,
  ],
  ['two Macs that tell their boots', { host: 'g', bootSession: 'a' }, { host: 'h', bootSession: 'b' }, false],
])('MWN-3 whether pids mean the same: %s', (_name, found, own, same) => {
  expect(isSameTable(found, own)).toBe(same);
});

test('MWN-3 what killed claimants left behind is cleared away when it is an hour old', async () => {
  const draft = (digit: string) => path.join(folder, `owner.json.${digit.repeat(8)}-0000-0000-0000-000000000000`);
  for (const digit of ['1', '2']) writeFileSync(draft(digit), '');
  utimesSync(draft('1'), 1, 1);
  await claimsOf(home()).take();
  expect(readdirSync(folder).filter((name) => name.startsWith('owner.json'))).toEqual([
    'owner.json',
    path.basename(draft('2')),
  ]);
});

test('STO-3 a disk that takes no claim is told with what to do, in the same words each time', async () => {
  const missing = path.join(folder, 'gone');
  const claims = createClaims(
    { claim: path.join(missing, 'owner.json'), generation: path.join(missing, 'generation') },
    () => Promise.resolve(),
  );
  const told = async () => claims.take().catch((error: unknown) => String(error));
  const sentence = `ClaimDiskError: ${missing} can’t be written (ENOENT): make it writable for your account.`;
  expect([await told(), await told()]).toEqual([sentence, sentence]);
});

describe('MWN-3 in a home on a disk without hard links', () => {
  const linking = {
    link: () => Promise.reject(Object.assign(new Error('operation not permitted'), { code: 'EPERM' })),
  };
  const claims = () => createClaims(home(), () => Promise.resolve(), { linking });

  test('MWN-3 one of ten simultaneous claimants becomes owner, and the next one after its release', async () => {
    const taken = (await Promise.all(Array.from({ length: 10 }, () => claims().take()))).filter(Boolean);
    expect(taken.length).toBe(1);
    expect(await claims().take()).toBeUndefined();
    await taken[0]?.release();
    expect((await claims().take())?.generation).toBe(2);
  });

  test('MWN-3 a dead owner’s claim is taken over', async () => {
    const dead = { version: 1, pid: await deadPid(), startedAt: '', instance: 'dead', generation: 4 };
    writeFileSync(home().claim, JSON.stringify({ ...dead, ...(await ownTable()) }));
    expect((await claims().take())?.generation).toBe(5);
  });

  test('MWN-3 an empty claim file blocks others for five seconds, and is free afterwards', async () => {
    writeFileSync(home().claim, '');
    expect(await claims().take()).toBeUndefined();
    utimesSync(home().claim, Date.now() / 1000 - 6, Date.now() / 1000 - 6);
    expect((await claims().take())?.generation).toBe(1);
  });
});

test('STO-3 with a dead owner’s claim in the way as well: that nobody can take over is no living owner', async () => {
  const place = { claim: path.join(folder, 'owner.json'), generation: path.join(folder, 'generation') };
  const dead = { version: 1, pid: await deadPid(), startedAt: '', instance: 'dead', generation: 1 };
  writeFileSync(place.claim, JSON.stringify({ ...dead, ...(await ownTable()) }));
  const claims = createClaims(place, () => Promise.resolve());
  const broken = new Error('no space left');
  const full = vi.spyOn(JSON, 'stringify').mockImplementation(() => {
    throw Object.assign(broken, { code: 'ENOSPC' });
  });
  const told = await claims.take().catch((error: unknown) => String(error));
  full.mockRestore();
  expect(told).toBe(`ClaimDiskError: ${folder} can’t be written (ENOSPC): make room on its disk.`);
});

test('MWN-3 a claim that can’t be read is told, for nobody can say whose it is', async () => {
  mkdirSync(path.join(folder, 'owner.json'));
  await expect(claimsOf(home()).take()).rejects.toThrow(
    expect.objectContaining({
      name: 'ClaimDiskError',
      message: `${path.join(folder, 'owner.json')} can’t be read (EISDIR): make it readable for your account.`,
    }),
  );
});
