import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { arrivedHooks, tracesOn } from '../agent-kit/hookRuns.ts';
import { hookSuite } from '../agent-kit/hookSuite.ts';
import type { Lab } from '../agent-kit/lab.ts';

hookSuite('latest', (person) => {
  test('FWD-6 COL-4 the collector stopped in mid-session: the agent goes on, and nothing is lost or counted twice', async () => {
    const { lab } = person();
    const agent = await lab.start({ allow: ['Bash'] });
    try {
      const turn = ['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreToolUse', 'PostToolUse', 'Stop'];
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        const said = await agent.say('play:two-commands please');
        await lab.watch.seePlayed('two-commands', 0, said);
        await lab.stopCollector(signal);
        await lab.watch.seePlayed('two-commands', 2, said);
        await expect.poll(() => waiting(lab), { timeout: 5_000 }).toBeGreaterThanOrEqual(3);
        expect(tracesOn(await agent.everythingShown())).toEqual([]);
        await lab.startCollector();
        await expect.poll(() => waiting(lab), { timeout: 5_000 }).toBe(0);
      }
      await agent.say('/exit');
      await agent.over();
      expect(await arrivedHooks(lab, agent.project)).toEqual(['SessionStart', ...turn, ...turn, 'SessionEnd']);
    } finally {
      await agent.close();
    }
  });

  test('FWD-6 a whole run while no collector lives waits for one', async () => {
    const { lab } = person();
    await lab.stopCollector('SIGTERM');
    const { project } = await lab.print('play:command please');
    await lab.startCollector();
    expect(await arrivedHooks(lab, project)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PreToolUse',
      'PostToolUse',
      'Stop',
      'SessionEnd',
    ]);
  });

  test('HKI-5 the doctor finds nothing wrong', async () => {
    const { lab } = person();
    const { code, stdout, stderr } = await lab.mascot(['hooks', 'doctor', '--json']);
    const { findings } = JSON.parse(stdout) as { findings: readonly { code: string; level: string }[] };
    const wrong = findings.filter(({ level }) => level === 'error' || level === 'warning');
    expect([code, wrong, stderr]).toEqual([0, [], '']);
    expect(findings.map(({ code: name }) => name)).toContain('trial.arrived');
  });
});

function waiting(lab: Lab): number {
  return readdirSync(path.join(lab.home, '.agent-mascot', 'spool')).filter((name) => !name.startsWith('.')).length;
}
