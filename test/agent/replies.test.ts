import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Interaction } from '../../src/protocol/reading.ts';
import type { Session } from '../../src/protocol/state.ts';
import { type Lab, startAgentLab } from '../agent-kit/lab.ts';
import { labLack, RELEASES } from '../agent-kit/program.mjs';

const lack = labLack('latest');

/** A failed request is not tried again, so that its turn ends at once. */
const env = { CLAUDE_CODE_MAX_RETRIES: '0' };

const SEEN_WITHIN_MS = 45_000;
/** At the foot of the screen; while it works it says how to interrupt it. */
const AT_REST = /\? for shortcuts/;

const said = ['greeting', 'only-calls', 'words-then-calls', 'command', 'stream', 'only-thoughts'] as const;
type Play = (typeof said)[number];
const answers: Partial<Record<Play, string>> = {
  greeting: 'Good day.',
  'words-then-calls': 'Words before a call.',
  command: 'That is all.',
};

async function told(lab: Lab, id = ''): Promise<readonly string[]> {
  const { items } = (await lab.get(`/api/sessions/${id}/interactions?limit=100`)) as { items: readonly Interaction[] };
  return items.map(({ role, content }) => `${role} ${content}`);
}

/** A session is heard of with its first hook, or found some time after its first turn. */
async function tells(lab: Lab, project: string, plays: readonly Play[]): Promise<void> {
  const now = () => told(lab, lab.watch.sessionsOf(project)[0]);
  await expect.poll(now, { timeout: SEEN_WITHIN_MS }).toEqual(conversation(plays));
}

/** The turns one after the other in one session, each over before the next; one is broken off. Gives its project. */
async function session(lab: Lab, heard: boolean): Promise<string> {
  const agent = await lab.start({ allow: ['Bash'], env, heard });
  const over = async (play: Play) => {
    await agent.screenShows(AT_REST);
    // A hook's turn whose reply the hook does not tell is looked up in the transcript as it is then.
    if (heard) await tells(lab, agent.project, said.slice(0, said.indexOf(play) + 1));
  };
  const perform = async (play: Play, last: number) => {
    const at = await agent.say(`play:${play} please`);
    await lab.watch.seePlayed(play, last, at);
    await over(play);
  };
  await perform('greeting', 0);
  for (const play of ['only-calls', 'words-then-calls', 'command'] as const) await perform(play, 1);
  await agent.say('play:stream please');
  await agent.screenShows(/word-9\b/);
  await agent.press('Escape');
  await over('stream');
  // Last: the agent forgets such a message, and what is asked next comes together with the prompt before it.
  await perform('only-thoughts', 0);
  await agent.close();
  return agent.project;
}

/** CNV-1, TRN-2: what was typed, each with the reply that its turn ended with, if it has one. */
function conversation(plays: readonly Play[]): readonly string[] {
  return plays.flatMap((play) => [
    `user play:${play} please`,
    ...(answers[play] === undefined ? [] : [`assistant ${answers[play]}`]),
  ]);
}

describe.each([
  ['by its hooks', true],
  ['by its transcript alone', false],
] as const)(`Claude Code ${RELEASES.latest}, %s`, (_name, hooks) => {
  if (lack !== undefined) {
    test('the real program in its lab', ({ skip }) => skip(lack));
    return;
  }
  let lab: Lab;
  beforeAll(async () => {
    lab = await startAgentLab({ version: 'latest', hooks });
  });
  afterAll(() => lab?.end());

  test('CNV-1 TRN-2 a failed turn has no reply', async () => {
    const { project } = await lab.print('play:failure please', { env });
    const seen = ({ sessions }: { sessions: readonly Session[] }) => sessions.length > 0;
    const { view } = await lab.watch.see({
      project,
      what: 'its session',
      after: 0,
      withinMs: SEEN_WITHIN_MS,
      is: seen,
    });
    const id = view.sessions[0]?.id ?? '';
    await expect.poll(() => told(lab, id), { timeout: SEEN_WITHIN_MS }).toEqual(['user play:failure please']);
  });

  test('CNV-1 TRN-2 tells the last reply of turns of text, calls, thoughts and interruption', async () => {
    await tells(lab, await session(lab, hooks), said);
  });
});
