import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openIn, temporaryFolder } from '../../src/node/store/store.testkit.ts';

const kills = 15;
const child = path.join(import.meta.dirname, 'storeChild.ts');
const seed = Number(process.env['STORE_KILL_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Numbers in [0, 1), the same for the same seed. */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function runUntilKilled(folder: string, generation: number, first: number, aliveMs: number): Promise<string[]> {
  const running = spawn(
    process.execPath,
    ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', child, folder, String(generation), String(first)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let output = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const closed = once(running, 'close');
  await once(running.stdout, 'data');
  await wait(aliveMs);
  running.kill('SIGKILL');
  const [code, signal] = (await closed) as [number | null, string | null];
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
  // A last line without its end was not told whole.
  return output.split('\n').slice(0, -1);
}

it.skipIf(process.platform === 'win32')(
  `STO-2 killed ${kills} times at any instant (seed ${seed}): all that was acknowledged is there, once`,
  async () => {
    await using folder = await temporaryFolder();
    const random = randomFrom(seed);
    const acknowledged = new Set<string>();
    let next = 0;
    for (let kill = 1; kill <= kills; kill++) {
      const told = await runUntilKilled(folder.path, 2 * kill, next, random() * 400);
      expect(told.length).toBeGreaterThan(0);
      for (const id of told) acknowledged.add(id);

      const reopened = await openIn(folder.path, { generation: 2 * kill + 1 });
      const ids = reopened.store.events('s').map((event) => event.id);
      expect(new Set(ids).size, `kill ${kill}: twice`).toBe(ids.length);
      expect(
        [...acknowledged].filter((id) => !ids.includes(id)),
        `kill ${kill}: lost`,
      ).toEqual([]);
      next = 1 + Math.max(...ids.map((id) => Number(id.slice(4))));
      // Every other time as the next process would find it after a clean stop.
      if (kill % 2 === 0) await reopened.store.close();
    }
    expect(acknowledged.size).toBeGreaterThan(kills);
  },
);
