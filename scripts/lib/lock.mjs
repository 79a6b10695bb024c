/** A lock between processes on one machine, as a file that names its holder. A dead holder doesn't keep it. */
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStart } from './processes.mjs';

const POLL_MS = 250;
const SWEEP_LIMIT_MS = 10_000;

/**
 * @template T
 * @param {string} file
 * @param {{ signal?: AbortSignal | undefined, waiting: (holder: number) => void }} options  `waiting` is called once
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, { signal, waiting }, work) {
  await mkdir(path.dirname(file), { recursive: true });
  const mine = JSON.stringify({ pid: process.pid, start: processStart(process.pid) ?? null });
  let told = false;
  while (!(await claim(file, mine))) {
    const holder = await readFile(file, 'utf8').catch(() => '');
    if (holder === '') continue;
    if (isProvenDead(holder)) await takeAway(file, holder);
    else {
      if (!told) waiting(JSON.parse(holder).pid);
      told = true;
      await sleep(POLL_MS, undefined, signal ? { signal } : {});
    }
  }
  try {
    return await work();
  } finally {
    if ((await readFile(file, 'utf8').catch(() => '')) === mine) await rm(file, { force: true });
  }
}

/**
 * The file appears whole or not at all, so that no reader takes a half-written one for a dead holder's.
 * @param {string} file
 * @param {string} mine
 */
async function claim(file, mine) {
  const draft = `${file}.${process.pid}`;
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(mine);
    await handle.close();
    await link(draft, file);
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** @param {string} holder */
function isProvenDead(holder) {
  try {
    const { pid, start } = JSON.parse(holder);
    const running = processStart(pid);
    return running === undefined || (start !== null && running !== null && running !== start);
  } catch {
    return true;
  }
}

/**
 * Only one process at a time may remove a dead holder's lock: whoever judged a little earlier would otherwise remove the
 * lock of the one that came after.
 * @param {string} file
 * @param {string} dead
 */
async function takeAway(file, dead) {
  const sweep = `${file}.sweep`;
  if (!(await claim(sweep, String(process.pid)))) {
    // Sweeping takes a millisecond; a sweeper that died in it must not block all others.
    const since = await stat(sweep).then(
      ({ mtimeMs }) => mtimeMs,
      () => Date.now(),
    );
    if (Date.now() - since > SWEEP_LIMIT_MS) await rm(sweep, { force: true });
    return sleep(POLL_MS / 10);
  }
  try {
    if ((await readFile(file, 'utf8').catch(() => '')) === dead) await rm(file, { force: true });
  } finally {
    await rm(sweep, { force: true });
  }
}
