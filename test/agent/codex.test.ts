import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CodexPerson, codexPerson } from '../agent-kit/codex.ts';
import { arrivedHooks, hooksSoFar } from '../agent-kit/hookRuns.ts';
import { installed, type Lab, startAgentLab } from '../agent-kit/lab.ts';
import { CODEX_RELEASE, codexLack } from '../agent-kit/program.mjs';

interface Findings {
  readonly findings: readonly { readonly code: string }[];
}

const lack = codexLack();

describe(`Codex ${CODEX_RELEASE}`, () => {
  if (lack !== undefined) {
    test('the real program in its lab', ({ skip }) => skip(lack));
    return;
  }
  let lab: Lab;
  let person: CodexPerson;
  beforeAll(async () => {
    lab = await startAgentLab({ version: '2.0.77', hooks: false });
    person = codexPerson(lab);
    await person.trustAll('their own hooks');
    await installed(lab, ['--scope', 'codex']);
  });
  afterAll(() => lab?.end());

  const doctor = async () => {
    const { stdout } = await lab.mascot(['hooks', 'doctor', '--json']);
    const { findings } = JSON.parse(stdout) as Findings;
    return findings.map(({ code }) => code).filter((code) => code.startsWith('codex.'));
  };

  test('HKI-8 appended hooks wait for the person’s trust, which the doctor tells; those before keep it', async () => {
    const project = await person.exec('play:command please');
    expect([person.ownRan(), await doctor()]).toEqual([['Stop'], ['codex.untrusted']]);
    expect(await hooksSoFar(lab, project)).toEqual([]);
  });

  test('HKI-8 trusted, every hook of a run arrives', async () => {
    await person.trustAll('ours');
    const project = await person.exec('play:command please');
    expect(await arrivedHooks(lab, project)).toEqual([
      'SessionStart',
      'UserPromptSubmit',
      'PostModelRequest',
      'PreToolUse',
      'PostToolUse',
      'PostModelRequest',
      'Stop',
      'SessionEnd',
    ]);
    expect(await doctor()).toEqual(['codex.trusted']);
  });

  test('GRD-2 strict: a patch is denied, and the model hears what to do next', async () => {
    await lab.stopCollector('SIGTERM');
    await lab.startCollector({ 'agentMascot.tracking.mode': 'strict' });
    const began = Date.now();
    const project = await person.exec('play:patch please');
    const heard = lab.watch.playedSince(began)[1]?.heard.results;
    expect(heard).toEqual([expect.stringContaining('Agent Mascot held this edit back')]);
    expect(existsSync(path.join(project, 'patched.txt'))).toBe(false);
  });

  test('HKI-2 HKI-9 uninstalled, the file is what it was, and their hook still runs', async () => {
    const ran = await lab.mascot(['hooks', 'uninstall', '--scope', 'codex', '--yes']);
    expect([ran.code, person.hooksFile()]).toEqual([0, person.ownHooks]);
    const before = person.ownRan().length;
    await person.exec('play:greeting please');
    expect(person.ownRan().length).toBe(before + 1);
  });
});
