/**
 * A Vitest reporter that writes one run's counts and its skipped tests with their reasons to MASCOT_TEST_SUMMARY, for
 * scripts/test.mjs. The built-in JSON reporter leaves the reasons out.
 */
import { writeFileSync } from 'node:fs';

class SummaryReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const summary = {
      passed: 0,
      failed: unhandledErrors.length,
      /** @type {{ title: string, reason: string }[]} */ skipped: [],
    };
    for (const module of modules) {
      let failedHere = 0;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') summary.passed++;
        else if (result.state === 'failed') failedHere++;
        else summary.skipped.push({ title: test.fullName, reason: (result.state === 'skipped' && result.note) || '' });
      }
      // A file that doesn't load, or whose set-up fails, has no failed test of its own.
      if (failedHere === 0 && module.state() === 'failed') failedHere = 1;
      summary.failed += failedHere;
    }
    const file = process.env.MASCOT_TEST_SUMMARY;
    if (file) writeFileSync(file, `${JSON.stringify(summary, null, 2)}\n`);
  }
}

// Vitest takes a reporter's file by its default export.
export default SummaryReporter;
