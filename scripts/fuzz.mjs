#!/usr/bin/env node
/**
 * Searches longer for inputs that break a rule than `npm test` does. Takes minutes.
 *
 *   npm run fuzz                           100,000 odd requests to every route of the built headless collector, with a seed
 *                                          that the test's title names
 *   npm run fuzz -- SEED [COUNT]           that seed, that many requests
 *   npm run fuzz -- properties [ROUNDS]    all property tests, each round with a new seed (10 rounds)
 *   npm run fuzz -- thorough               every case of the tests that otherwise take samples
 */
import { randomInt } from 'node:crypto';
import { readFile, glob } from 'node:fs/promises';
import path from 'node:path';
import { run } from './lib/run.mjs';
import { toolEnv, toolNode } from './lib/toolNode.mjs';

const root = path.join(import.meta.dirname, '..');
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');

/**
 * @param {string[]} args
 * @param {{ label: string, env: Record<string, string>, advice: string }} options
 */
async function runTests(args, { label, env, advice }) {
  const options = { label, cwd: root, env: { ...toolEnv(root), ...env }, advice };
  await run(toolNode(root).node, [vitest, 'run', ...args], options);
}

/**
 * Test files that have this text in them.
 * @param {string} text
 */
async function filesWith(text) {
  const files = [];
  for await (const file of glob('{src,forwarder,test}/**/*.test.ts', { cwd: root })) {
    if ((await readFile(path.join(root, file), 'utf8')).includes(text)) files.push(file);
  }
  return files;
}

async function testThoroughly() {
  await runTests(['--project', 'unit', '--project', 'process', ...(await filesWith('isThorough'))], {
    label: 'every case',
    env: { AGENT_MASCOT_THOROUGH: '1' },
    advice: 'Repeat one file with AGENT_MASCOT_THOROUGH=1; add the failing case to those that always run.',
  });
}

/** @param {number} rounds */
async function fuzzProperties(rounds) {
  const files = await filesWith("from 'fast-check'");
  for (let round = 1; round <= rounds; round += 1) {
    const seed = String(randomInt(2 ** 31));
    await runTests(['--project', 'unit', '--project', 'process', ...files], {
      label: `property tests, round ${round} of ${rounds}, seed ${seed}`,
      env: { AGENT_MASCOT_PROPERTY_SEED: seed },
      advice: `Repeat it with AGENT_MASCOT_PROPERTY_SEED=${seed}; add the counterexample to the test as a row.`,
    });
  }
}

const [first, second] = process.argv.slice(2);
if (first === 'properties') await fuzzProperties(Number(second ?? 10));
else if (first === 'thorough') await testThoroughly();
else {
  const count = second ?? '100000';
  await runTests(['--project', 'process', 'test/process/fuzz.test.ts'], {
    label: `${count} odd requests`,
    env: { AGENT_MASCOT_FUZZ_REQUESTS: count, ...(first === undefined ? {} : { AGENT_MASCOT_FUZZ_SEED: first }) },
    advice: 'Pin the seed of the failing title in test/process/fuzz.test.ts.',
  });
}
