/** STO-6: what the log costs in memory, time and bytes while it is filled. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { run as runProgram } from '../lib/run.mjs';
import { bundled } from './bundled.mjs';

const DEFAULT_RECORDS = 100_000;
const MEGABYTE = 1_000_000;

/** @type {import('./frame.mjs').Bench} */
export const log = {
  name: 'log',
  about: `the log filled with ${DEFAULT_RECORDS} recorded hooks (--runs: another number): memory, bytes, hold-ups, opening`,
  async run({ root, node, scratch, runs = DEFAULT_RECORDS, signal }) {
    await bundled(root, scratch, [
      'src/node/log/recordLog.ts',
      'src/node/log/sealerThread.ts',
      'src/node/files/fileSystem.ts',
    ]);
    const sealer = path.join(scratch, 'sealer.cjs');
    await build({
      entryPoints: [path.join(root, 'src/node/log/sealerWorker.ts')],
      outfile: sealer,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      logLevel: 'error',
    });
    const samples = path.join(scratch, 'samples.json');
    await writeFile(samples, JSON.stringify(await recordedBodies(root)));
    const child = path.join(import.meta.dirname, 'logChild.mjs');
    const args = [
      '--expose-gc',
      child,
      path.join(scratch, 'source.cjs'),
      sealer,
      path.join(scratch, 'log'),
      String(runs),
      samples,
    ];
    const told = JSON.parse((await runProgram(node, args, { label: 'filling a log', signal })).stdout);
    return [
      {
        what: 'records',
        value: String(told.records),
        note: `${(told.given / MEGABYTE).toFixed(0)} MB of bodies in ${told.seconds.toFixed(1)} s`,
      },
      {
        what: 'memory held over an empty process',
        value: `${(told.held / MEGABYTE).toFixed(1)} MB`,
        note: `at its peak ${(told.peak / MEGABYTE).toFixed(1)} MB`,
      },
      { what: 'bytes on disk by bytes of bodies', value: (told.bytes / told.given).toFixed(3) },
      {
        what: 'processor time a record',
        value: `${(told.cpuMs / told.records).toFixed(3)} ms`,
        note: 'compressing in its thread included',
      },
      { what: 'longest hold-up of the thread', value: `${told.longestMs.toFixed(1)} ms` },
      { what: 'opening it again', value: `${told.openMs.toFixed(1)} ms` },
    ];
  },
};

/**
 * Hooks of recorded sessions, each in the form in which an event is stored.
 * @param {string} root
 */
async function recordedBodies(root) {
  const folder = path.join(root, 'test/recordings/claude');
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
  return lines.map((line, index) => `{"event":{"id":"${index}","raw":${line}},"keys":["d:${index}"],"rank":3}`);
}
