/** The command line of `npm test`, and what counts as a passed step. */
import { UsageError } from './usageError.mjs';

/**
 * @typedef {import('../install-tools.mjs').ToolName} ToolName
 * @typedef {{ passed: number, failed: number, skipped: { title: string, reason: string }[] }} Summary
 * @typedef {{ build: 'none' | 'bundles' | 'vsix', tools: readonly ToolName[] }} Needs
 * @typedef {{ help: boolean, chosen: string[], vitestArgs: readonly string[] }} TestOptions
 */

/** @type {Record<string, Needs>} */
export const STEPS = {
  types: { build: 'none', tools: [] },
  lint: { build: 'none', tools: [] },
  unit: { build: 'bundles', tools: [] },
  cost: { build: 'none', tools: ['chromium'] },
  process: { build: 'bundles', tools: ['node18', 'shells', 'postgresql', 'pgbouncer'] },
  ui: { build: 'vsix', tools: ['code-server', 'chromium', 'postgresql'] },
  exthost: { build: 'bundles', tools: ['code-server', 'chromium'] },
  agent: { build: 'bundles', tools: ['lab', 'agents'] },
};
export const VITEST_STEPS = ['unit', 'cost', 'process', 'ui', 'agent'];

const NAMES = Object.keys(STEPS);

export const TEST_USAGE = `npm test [-- step… [what goes to Vitest]]

Installs what is missing, builds, and runs every check, or only the steps that are named.

  npm test                        everything
  npm test -- unit ui             only these steps
  npm test -- unit -t 'MSK-1'     what follows the steps goes to Vitest (${VITEST_STEPS.join(', ')}): a name or a file

Steps: ${NAMES.join(' ')}`;

/**
 * @param {readonly string[]} args
 * @returns {TestOptions}
 */
export function parseTest(args) {
  const firstOther = args.findIndex((arg) => !Object.hasOwn(STEPS, arg));
  const named = firstOther === -1 ? args : args.slice(0, firstOther);
  const vitestArgs = firstOther === -1 ? [] : args.slice(firstOther);
  const chosen = named.length > 0 ? NAMES.filter((name) => named.includes(name)) : NAMES;
  if (vitestArgs[0] === '--help' || vitestArgs[0] === '-h') return { help: true, chosen: [], vitestArgs: [] };
  if (firstOther === 0 && !args[0]?.startsWith('-')) throw new UsageError(`There is no step "${args[0]}".`);
  if (vitestArgs.length > 0 && vitestSteps(chosen).length === 0)
    throw new UsageError(`"${vitestArgs[0]}" is no step, and ${chosen.join(' and ')} can't be filtered.`);
  return { help: false, chosen, vitestArgs };
}

/**
 * A filter over several steps may leave one of them empty, as long as something ran at all.
 * @param {TestOptions} options
 */
export function mayBeEmpty({ chosen, vitestArgs }) {
  return vitestArgs.length > 0 && vitestSteps(chosen).length > 1;
}

/**
 * Why a step whose program ended well has failed all the same.
 * @param {Summary | undefined} summary
 * @param {TestOptions} options
 */
export function shortcoming(summary, options) {
  if (summary === undefined) return 'ended without a result';
  return mayBeEmpty(options) || hasRun([summary], options) ? undefined : 'no test ran';
}

/**
 * With a filter everything else counts as skipped; without one a skipped test has told its reason.
 * @param {readonly Summary[]} summaries
 * @param {TestOptions} options
 */
export function hasRun(summaries, { vitestArgs }) {
  return summaries.some(
    ({ passed, failed, skipped }) => passed + failed + (vitestArgs.length > 0 ? 0 : skipped.length) > 0,
  );
}

/** @param {readonly string[]} chosen */
function vitestSteps(chosen) {
  return chosen.filter((name) => VITEST_STEPS.includes(name));
}
