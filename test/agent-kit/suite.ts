import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Case, Measure } from './cases.ts';
import { type Lab, startAgentLab } from './lab.ts';
import { type AgentVersion, labLack, RELEASES } from './program.mjs';

/** A test tells a corrector that works from one that does not, on a machine under any load; the times themselves are `npm run agent:timings`'. */
const PATIENCE = 3;

interface Outcome {
  readonly stories: readonly (readonly string[])[];
  /** What took longer than the rules allow. */
  readonly late: readonly Measure[];
}

/** Without being busy for a moment between a refused call and the end of its turn. */
function withoutPassing(story: readonly string[]): readonly string[] {
  const passes = (step: string, at: number) =>
    step === 'busy' && story[at - 1] === 'waiting_permission' && story[at + 1] === 'interactable';
  return story.filter((step, at) => !passes(step, at));
}

async function perform(lab: Lab, each: Case): Promise<Outcome> {
  const measures: Measure[] = [];
  const { stories } = await each.run(lab, (measure) => measures.push(measure));
  return {
    stories: each.mayPassBusy ? stories.map(withoutPassing) : stories,
    late: measures.filter(({ seconds, atMost }) => seconds > atMost * PATIENCE),
  };
}

/** One lab for all of these cases; the slow ones run beside the others. */
export function agentSuite(version: AgentVersion, chosen: readonly Case[], more: (lab: () => Lab) => void = () => {}) {
  const lack = labLack(version);
  describe(`Claude Code ${RELEASES[version]}`, () => {
    if (lack !== undefined) {
      test('the real program in its lab', ({ skip }) => skip(lack));
      return;
    }
    let lab: Lab;
    let slow: ReadonlyMap<Case, Promise<() => Outcome>>;
    beforeAll(async () => {
      lab = await startAgentLab({ version });
      slow = new Map(chosen.filter((each) => each.slow).map((each) => [each, settled(perform(lab, each))]));
    });
    afterAll(() => lab?.end());

    for (const each of chosen.toSorted((a, b) => Number(a.slow ?? false) - Number(b.slow ?? false)))
      test(each.title, async () => {
        const outcome = (await slow.get(each))?.() ?? (await perform(lab, each));
        expect(outcome).toEqual({ stories: each.stories, late: [] });
      });
    more(() => lab);
  });
}

/** A failure that nobody awaits yet is not an unhandled one. */
function settled<T>(work: Promise<T>): Promise<() => T> {
  return work.then(
    (value) => () => value,
    (error: unknown) => () => {
      throw error;
    },
  );
}
