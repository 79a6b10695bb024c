/** What is proven with each version of the agent program about hooks that the product installed. */
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claudeHookSet } from '../../src/domain/providers/claude/hookSet.ts';
import { countedRun, expectedHooks, ofMainAgent, runKinds, runOnce, type Seen, tracesOn } from './hookRuns.ts';
import { installed, type Lab, startAgentLab } from './lab.ts';
import { OWN_VARIABLE, ownHooksRan, ownSettings, twelve } from './ownSettings.ts';
import { type AgentVersion, labLack, RELEASES } from './program.mjs';
import { wholeRun } from './wholeRun.ts';

/** AGENT_MASCOT_RUNS=20: as many runs of each kind. */
const RUNS = Number(process.env['AGENT_MASCOT_RUNS'] ?? 1);

export interface Person {
  readonly lab: Lab;
  readonly version: AgentVersion;
}

interface Settings {
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}

export function hookSuite(version: AgentVersion, more: (person: () => Person) => void = () => {}): void {
  const lack = labLack(version);
  describe(`hooks in Claude Code ${RELEASES[version]}`, () => {
    if (lack !== undefined) {
      test('the real program in its lab', ({ skip }) => skip(lack));
      return;
    }
    let lab: Lab;
    /** Runs of a person who has no hooks but their own. */
    const without = new Map<string, Promise<Seen>>();
    beforeAll(async () => {
      lab = await startAgentLab({ version });
    });
    afterAll(() => lab?.end());

    const runWithout = (kind: (typeof runKinds)[number]) => {
      const known = without.get(kind) ?? runOnce(lab, kind, { home: lab.newHome(`without-${kind}`) });
      without.set(kind, known);
      return known;
    };

    test('HKI-2 HKI-7 beside the person’s own hooks stand those that this version takes', () => {
      const { hooks } = JSON.parse(settingsIn(lab.home)) as Settings;
      const ours = Object.entries(hooks).flatMap(([event, groups]) =>
        groups.some((group) => group.hooks.some(({ command }) => command.includes('agent-mascot'))) ? [event] : [],
      );
      const place = { system: 'posix', home: '$HOME/.agent-mascot' } as const;
      const newer = claudeHookSet({ place, takesNewEvents: true }).entries.map(({ event }) => event);
      expect(ours.toSorted()).toEqual([...new Set(version === 'latest' ? newer : twelve)].toSorted());
      expect(newer.length).toBeGreaterThan(twelve.length + 1);
    });

    for (const kind of runKinds)
      test(
        `FWD-11 HKI-2 HKI-3 ${kind}: every hook arrives, the person’s own settings count as before, and nothing is shown`,
        async () => {
          const control = await runWithout(kind);
          for (let run = 0; run < RUNS; run++) {
            const { arrived, own, seen } = await countedRun(lab, version, kind);
            const shown = kind === 'interactive' ? tracesOn(seen.shown) : seen.shown;
            expect({ arrived: ofMainAgent(arrived), own: ofMainAgent(own), code: seen.code, shown }).toEqual({
              arrived: expectedHooks(version, kind),
              own: ofMainAgent(ownHooksRan(control.project)).toSorted(),
              code: control.code,
              shown: kind === 'interactive' ? [] : control.shown,
            });
          }
        },
        120_000 * RUNS,
      );

    // The oldest and the newest show it; each run takes seconds.
    if (version !== '2.1.100') {
      test('OUT-1 MEM-1 the second session of a project is told of the first, unless that is switched off', async () => {
        const contextOf = async (project: string, env: Readonly<Record<string, string>>) => {
          const began = Date.now();
          await lab.print('play:greeting please', { project, env });
          return lab.watch.playedSince(began)[0]?.context;
        };
        const project = await wholeRun(lab, 'play:command please');
        const told = (await contextOf(project, {})) ?? 'nothing';
        expect(told).toContain('play:command please');
        expect(await contextOf(project, { AGENT_MASCOT_MEMORY: '0' })).toBeUndefined();
      });

      test('OUT-2 a command of the agent’s finds `mascot`, and knows its session', async () => {
        const { project } = await lab.print('play:environment please');
        const left = (name: string) => readFileSync(path.join(project, name), 'utf8').trim();
        const [session] = lab.watch.sessionsOf(project);
        expect({
          session: left('session-id.txt'),
          at: left('mascot-at.txt'),
          variable: left('own-variable.txt'),
          known: left('sessions.json').includes(`"${session}"`),
        }).toEqual({
          session,
          at: path.join(lab.home, '.agent-mascot', 'bin', 'mascot'),
          variable: OWN_VARIABLE.value,
          known: true,
        });
      });
    }

    for (const { name, arrange, atTerminal } of silences.filter((each) => version === 'latest' || each.everywhere))
      for (const kind of atTerminal && version === 'latest'
        ? (['headless', 'interactive'] as const)
        : (['headless'] as const))
        test(`HKI-4 FWD-11 ${name}, ${kind}: silence, and the turn is as ever`, async () => {
          const control = await runWithout(kind);
          const home = lab.newHome(`${name} ${kind}`.replace(/\W+/g, '-'), settingsIn(lab.home));
          const { home: moved = home, project } = await arrange(lab, home, kind);
          expect(settingsIn(project ?? moved)).toContain('#agent-mascot');
          const seen = await runOnce(lab, kind, { home: moved, ...(project === undefined ? {} : { project }) });
          const shown = (one: Seen) => (kind === 'interactive' ? tracesOn(one.shown) : one.shown);
          const own = (one: Seen) => ofMainAgent(ownHooksRan(one.project)).toSorted();
          expect([seen.code, shown(seen), own(seen)]).toEqual([control.code, shown(control), own(control)]);
        });

    more(() => ({ lab, version }));

    test('HKI-2 HKI-9 uninstalled by the command line the settings are byte for byte what they were', async () => {
      const ran = await lab.mascot(['hooks', 'uninstall', '--scope', 'user', '--yes']);
      expect([ran.code, settingsIn(lab.home)]).toEqual([0, ownSettings]);
    });
  });
}

function settingsIn(home: string): string {
  return readFileSync(path.join(home, '.claude', 'settings.json'), 'utf8');
}

interface Silence {
  readonly name: string;
  /** With older versions too. */
  readonly everywhere?: boolean;
  readonly atTerminal?: boolean;
  /** Given the lab, and another HOME with our hooks in its settings and no `~/.agent-mascot`. */
  arrange(lab: Lab, home: string, kind: string): Promise<{ readonly home?: string; readonly project?: string }>;
}

const silences: readonly Silence[] = [
  { name: 'the whole home gone', arrange: () => Promise.resolve({}) },
  {
    name: 'the entry deleted',
    atTerminal: true,
    arrange(lab, home) {
      ownFolder(lab, home);
      rmSync(path.join(home, '.agent-mascot', 'bin'), { recursive: true });
      return Promise.resolve({});
    },
  },
  {
    name: 'the home moved',
    arrange(lab, home) {
      ownFolder(lab, home);
      const moved = path.join(lab.folder, "it's a $new home");
      renameSync(home, moved);
      return Promise.resolve({ home: moved });
    },
  },
  {
    name: 'a colleague’s clone',
    everywhere: true,
    atTerminal: true,
    async arrange(lab, _home, kind) {
      const project = lab.newProject();
      await installed(lab, ['--scope', 'project', '--project', project]);
      return { home: lab.newHome(`colleague-${kind}`), project };
    },
  },
];

/** Its own entry, and nobody who collects. */
function ownFolder(lab: Lab, home: string): void {
  const folder = path.join(home, '.agent-mascot');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  cpSync(path.join(lab.home, '.agent-mascot', 'bin'), path.join(folder, 'bin'), { recursive: true });
}
