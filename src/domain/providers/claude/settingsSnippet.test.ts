import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { claudeEvents, claudeSettingsSnippet } from './settingsSnippet.ts';

interface Settings {
  readonly hooks: Readonly<
    Record<string, readonly { readonly hooks: readonly { readonly command: string; readonly timeout: number }[] }[]>
  >;
}

test('HKI-7 the snippet names the twelve events that every version knows, each with a timeout', () => {
  const { hooks } = JSON.parse(claudeSettingsSnippet('$HOME/x')) as Settings;
  expect(Object.keys(hooks)).toEqual([...claudeEvents]);
  expect(claudeEvents).toHaveLength(12);
  expect(Object.values(hooks).every(([group]) => (group?.hooks[0]?.timeout ?? 0) > 0)).toBe(true);
});

test.runIf(process.platform !== 'win32')(
  'HKI-4 its command runs the forwarder, and is silent with exit 0 where that or Node is gone',
  () => {
    const bin = mkdtempSync(path.join(tmpdir(), 'mascot snippet-'));
    const { hooks } = JSON.parse(claudeSettingsSnippet(bin)) as Settings;
    const command = hooks['Stop']?.[0]?.hooks[0]?.command ?? '';
    const run = (PATH: string) =>
      execFileSync('/bin/sh', ['-c', command], { env: { PATH }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    try {
      const withNode = `${path.dirname(process.execPath)}:/usr/bin:/bin`;
      expect(run(withNode)).toBe('');
      writeFileSync(path.join(bin, 'forward-to-mascot.mjs'), 'console.log(process.argv.slice(2).join());');
      expect(run(withNode)).toBe('--provider,claude\n');
      expect(run('/nowhere')).toBe('');
    } finally {
      rmSync(bin, { recursive: true });
    }
  },
);
