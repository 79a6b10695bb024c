import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

const seconds = 1000;

/** More than cores: a third of what tests do is waiting for disks, processes and pages. */
const maxWorkers = Math.ceil(availableParallelism() * 1.5);

/** What is waited for comes in some milliseconds on a quiet machine; one second, which is usual, is short on a busy one. */
const expect = { poll: { interval: 10, timeout: 10 * seconds } };

// Several projects, one after the other: what they need differs, and how long they may wait.
export default defineConfig({
  test: {
    maxWorkers,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'webview/**/*.test.ts', 'test/unit/**/*.test.ts'],
          // Nothing here keeps state in modules (a lint rule), and starting anew for each file takes a third of the time.
          isolate: false,
          // Ten times what the longest takes on a quiet machine.
          testTimeout: 60 * seconds,
          expect,
        },
      },
      {
        test: {
          name: 'process',
          include: ['forwarder/**/*.test.ts', 'test/process/**/*.test.ts'],
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
          expect,
        },
      },
      {
        test: {
          name: 'ui',
          include: ['test/ui/**/*.test.ts'],
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
