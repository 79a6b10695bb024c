import { defineConfig } from 'vitest/config';

const seconds = 1000;

// Several projects so that the quick ones can run in parallel and the ones that own a browser or many processes do not fight for two cores.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'webview/**/*.test.ts', 'test/unit/**/*.test.ts'],
          testTimeout: 30 * seconds,
        },
      },
      {
        test: {
          name: 'process',
          include: ['forwarder/**/*.test.ts', 'test/process/**/*.test.ts'],
          testTimeout: 60 * seconds,
          hookTimeout: 60 * seconds,
        },
      },
      {
        test: {
          name: 'ui',
          include: ['test/ui/**/*.test.ts'],
          testTimeout: 120 * seconds,
          hookTimeout: 120 * seconds,
          fileParallelism: false,
        },
      },
      {
        test: {
          name: 'agent',
          include: ['test/agent/**/*.test.ts'],
          testTimeout: 120 * seconds,
          hookTimeout: 60 * seconds,
          fileParallelism: false,
        },
      },
    ],
  },
});
