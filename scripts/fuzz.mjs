#!/usr/bin/env node
/**
 * Sends odd requests to every route of the built headless collector: a hundred thousand, or as many as are asked for. Takes
 * minutes; `npm test` sends fewer.
 *
 *   npm run fuzz                    with a seed that the test's title tells
 *   npm run fuzz -- SEED [COUNT]    again with that seed
 */
import path from 'node:path';
import { run } from './lib/run.mjs';
import { toolEnv, toolNode } from './lib/toolNode.mjs';

const root = path.join(import.meta.dirname, '..');
const [seed, count = '100000'] = process.argv.slice(2);
const env = {
  ...toolEnv(root),
  AGENT_MASCOT_FUZZ_REQUESTS: count,
  ...(seed === undefined ? {} : { AGENT_MASCOT_FUZZ_SEED: seed }),
};
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
await run(toolNode(root).node, [vitest, 'run', '--project', 'process', 'test/process/fuzz.test.ts'], {
  label: `${count} odd requests`,
  cwd: root,
  env,
  advice: 'Pin the seed of the failing title in test/process/fuzz.test.ts.',
});
