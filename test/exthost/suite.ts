/** The entry point of the tests in the extension host: runs every bundled test file beside it with Mocha. */
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Summary {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly { readonly title: string; readonly reason: string }[];
}

export async function run(): Promise<void> {
  // Mocha stays outside the bundle: it finds its reporters and interfaces by file.
  const { default: Mocha } = await import('mocha');
  const mocha = new Mocha({ ui: 'bdd', timeout: 60_000, color: false, forbidOnly: Boolean(process.env['CI']) });
  for (const file of readdirSync(import.meta.dirname).toSorted()) {
    if (file.endsWith('.test.cjs')) mocha.addFile(path.join(import.meta.dirname, file));
  }
  const summary = await new Promise<Summary>((resolve) => {
    let passed = 0;
    let failed = 0;
    const skipped: { title: string; reason: string }[] = [];
    const runner = mocha.run(() => resolve({ passed, failed, skipped }));
    runner.on('pass', () => passed++);
    // A hook that fails is reported as a failure too, and its tests never run.
    runner.on('fail', () => failed++);
    runner.on('pending', (test) => skipped.push({ title: test.fullTitle(), reason: '' }));
  });
  const file = process.env['MOCHA_SUMMARY_FILE'];
  if (file) writeFileSync(file, `${JSON.stringify(summary, null, 2)}\n`);
  if (summary.failed > 0) throw new Error(`${summary.failed} of the tests in the extension host failed`);
  if (summary.passed === 0) throw new Error('no test ran in the extension host');
}
