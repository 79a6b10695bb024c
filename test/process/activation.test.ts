import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** What the built extension did in a process of its own, with an editor that answers nothing. */
async function activated(life: 'until it owns' | 'not at all' | 'without its parts'): Promise<unknown> {
  const home = mkdtempSync(path.join(tmpdir(), 'mascot-activation-'));
  const child = path.join(import.meta.dirname, 'activationChild.cjs');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, AGENT_MASCOT_HOME: path.join(home, 'mascot') };
  try {
    const dist = path.join(import.meta.dirname, '../../dist');
    const { stdout } = await promisify(execFile)(process.execPath, [child, dist, life], { env });
    return JSON.parse(stdout) as unknown;
  } finally {
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const whole = { loadedAtFirst: 2, loadedOnReturn: 2, endedWhatStarted: true, left: [], shown: [] };

test('OPS-5 activate returns with nothing loaded but its own two files, and the collector runs afterwards', async () => {
  expect(await activated('until it owns')).toEqual({ ...whole, ran: true });
});

test('COL-1 deactivated before its program is loaded, the extension ends it then: no claim and no port file stays', async () => {
  expect(await activated('not at all')).toEqual({ ...whole, ran: false });
});

test('UI-6 shows a message if the program can’t be loaded, and ends without an error', async () => {
  expect(await activated('without its parts')).toMatchObject({
    ran: false,
    endedWhatStarted: false,
    shown: [expect.stringMatching(/^Agent Mascot can’t run in this window: .*Cannot find module '[^']*parts[^']*'"}$/)],
  });
});
