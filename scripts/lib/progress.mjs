/** Shows what a script is doing: a line when a step starts and ends, a ticking line meanwhile, a table at the end. */

const TICK_MS = 1000;
/** Without a terminal nothing ticks; a line now and then tells a log's reader that it still moves. */
const REMIND_MS = 20_000;

/**
 * @typedef {{ name: string, outcome: 'ok' | 'failed' | 'not run', seconds: number, note: string }} StepResult
 * @typedef {ReturnType<typeof createProgress>} Progress
 */

/** @param {NodeJS.WriteStream} [out] */
export function createProgress(out = process.stdout) {
  /** @type {Map<string, { since: number, streams: boolean }>} */
  const running = new Map();
  /** @type {StepResult[]} */
  const results = [];
  /** @type {NodeJS.Timeout | undefined} */
  let timer;

  const clear = () => {
    if (out.isTTY) out.write('\r\x1b[K');
  };
  /** @param {string} text */
  const line = (text) => {
    clear();
    out.write(`${text}\n`);
  };
  const tick = () => {
    const steps = [...running];
    // A child that writes to the terminal itself must not be written over.
    if (steps.length === 0 || steps.some(([, step]) => step.streams)) return;
    const text = steps.map(([name, { since }]) => `${name} ${Math.round((performance.now() - since) / 1000)} s`);
    if (out.isTTY) out.write(`\r\x1b[K  ${text.join(' · ')}`);
    else line(`  still at work: ${text.join(' · ')}`);
  };
  const schedule = () => {
    if (running.size > 0) timer ??= setInterval(tick, out.isTTY ? TICK_MS : REMIND_MS).unref();
    else {
      clearInterval(timer);
      timer = undefined;
      clear();
    }
  };

  /**
   * @template T
   * @param {string} name
   * @param {(note: (text: string) => void) => Promise<T>} work
   * @param {{ streams?: boolean }} [options]  streams: the step's child writes to the terminal itself
   * @returns {Promise<T>}
   */
  async function step(name, work, { streams = false } = {}) {
    const since = performance.now();
    line(`> ${name}`);
    running.set(name, { since, streams });
    schedule();
    /** @type {StepResult} */
    const result = { name, outcome: 'failed', seconds: 0, note: '' };
    try {
      const value = await work((text) => {
        result.note = text;
      });
      result.outcome = 'ok';
      return value;
    } finally {
      result.seconds = (performance.now() - since) / 1000;
      results.push(result);
      running.delete(name);
      schedule();
      line(`${result.outcome === 'ok' ? '✓' : '✗'} ${describe(result)}`);
    }
  }

  return {
    line,
    step,
    results,
    /** @param {string} name @param {string} reason */
    notRun(name, reason) {
      results.push({ name, outcome: 'not run', seconds: 0, note: reason });
      line(`- ${name}: not run, ${reason}`);
    },
    /** The steps so far as lines of a table. */
    table: () => [
      `${'step'.padEnd(14)} ${'result'.padEnd(8)} ${'seconds'.padStart(8)}`,
      ...results.map((r) =>
        `${r.name.padEnd(14)} ${r.outcome.padEnd(8)} ${r.seconds.toFixed(1).padStart(8)}  ${r.note}`.trimEnd(),
      ),
    ],
  };
}

/** @param {StepResult} result */
function describe({ name, seconds, note }) {
  return `${name} ${seconds.toFixed(1)} s${note ? ` (${note})` : ''}`;
}
