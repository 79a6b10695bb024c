import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const seconds = 1000;

/** Watches for a minute how little an idle panel does: in a worker of the step `ui` it would keep a processor idle. */
const panelCost = 'test/ui/panelCost.test.ts';

/** More than cores: a third of what tests do is waiting for disks, processes and pages. */
const maxWorkers = Math.ceil(availableParallelism() * 1.5);

/** What is waited for comes in some milliseconds on a quiet machine; one second, which is usual, is short on a busy one. */
const expect = { poll: { interval: 10, timeout: 10 * seconds } };

/** What takes longest in its step: begun last, each would keep one of them waiting for the other. */
const longest = [
  'test/ui/hostilePage.test.ts',
  'test/ui/outlets.test.ts',
  'test/ui/activation.test.ts',
  'test/ui/stage.test.ts',
  'test/ui/hooks.test.ts',
  'test/ui/workbench.test.ts',
  'test/ui/notices.test.ts',
  'test/ui/panelCast.test.ts',
  'test/process/windows.test.ts',
  'test/process/postgres.test.ts',
  'test/process/hookEntry.test.ts',
  'test/agent/latest.test.ts',
  'test/agent/hooksOlder.test.ts',
  'test/unit/maskCorpus.test.ts',
  'src/node/collector/readingPace.test.ts',
];

/**
 * These have an editor of their own (`vi.mock('vscode', …)`) instead of the one that all others share. A module that they loaded would
 * keep theirs, and the next test in the same worker would talk to it.
 */
const ownEditors = ['src/vscode/statusBar.test.ts', 'src/vscode/conversations/*.test.ts'];

/** A clone knows no durations of earlier runs, and then the size of a file decides, which says little of how long it takes. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.replaceAll('\\', '/').endsWith(`/${name}`));
      return place < 0 ? longest.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

// Several projects, one after the other: what they need differs, and how long they may wait.
export default defineConfig({
  test: {
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'webview/**/*.test.ts', 'test/{unit,acceptance}/**/*.test.ts'],
          exclude: ['test/acceptance/**/*.process.test.ts', ...ownEditors],
          // Nothing here keeps state in modules (a lint rule), and starting anew for each file takes a third of the time.
          isolate: false,
          setupFiles: ['test/propertySeed.ts'],
          // Ten times what the longest takes on a quiet machine.
          testTimeout: 60 * seconds,
          expect,
        },
      },
      {
        test: {
          name: 'cost',
          include: [panelCost],
          testTimeout: 120 * seconds,
          hookTimeout: 120 * seconds,
          expect,
        },
      },
      {
        test: {
          name: 'unit-alone',
          include: ownEditors,
          setupFiles: ['test/propertySeed.ts'],
          testTimeout: 60 * seconds,
          expect,
        },
      },
      {
        test: {
          name: 'process',
          include: ['forwarder/**/*.test.ts', 'test/process/**/*.test.ts', 'test/acceptance/**/*.process.test.ts'],
          setupFiles: ['test/propertySeed.ts'],
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
          expect,
        },
      },
      {
        test: {
          name: 'ui',
          include: ['test/ui/**/*.test.ts'],
          exclude: [panelCost],
          testTimeout: 120 * seconds,
          hookTimeout: 120 * seconds,
          expect,
          // Each file has an editor, a browser and a home of its own.
          fileParallelism: true,
        },
      },
      {
        test: {
          name: 'agent',
          include: ['test/agent/**/*.test.ts'],
          testTimeout: 120 * seconds,
          hookTimeout: 60 * seconds,
          // Each file has a home, a network and processes of its own.
          fileParallelism: true,
        },
      },
    ],
  },
});
