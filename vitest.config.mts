import { defineConfig } from 'vitest/config';

const seconds = 1000;

/** Vitest keeps one core to itself, which of two is half of the machine; while tests run it has little to do. */
const maxWorkers = '100%';

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
