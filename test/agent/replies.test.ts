import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Interaction } from '../../src/protocol/reading.ts';
import type { Session } from '../../src/protocol/state.ts';
import { type Lab, startAgentLab } from '../agent-kit/lab.ts';
import { labLack, RELEASES } from '../agent-kit/program.mjs';

const lack = labLack('latest');

/** A failed request is not tried again, so that its turn ends at once. */
const env = { CLAUDE_CODE_MAX_RETRIES: '0' };

const SEEN_WITHIN_MS = 45_000;
const REST_MS = 1_500;

/** The turns one after the other in one session, each over before the next; one is broken off. */
async function session(lab: Lab, heard: boolean): Promise<Session> {
  const agent = await lab.start({ allow: ['Bash'], env, heard });
  const turns = [
    ['greeting', 0],
    ['only-calls', 1],
    ['words-then-calls', 1],
    ['command', 1],
  ] as const;
  const perform = async (play: string, last: number) => {
    const said = await agent.say(`play:${play} please`);
    await lab.watch.seePlayed(play, last, said);
    await pause(REST_MS);
  };
  for (const [play, last] of turns) await perform(play, last);
  await agent.say('play:stream please');
  await agent.screenShows(/word-9\b/);
  await agent.press('Escape');
  await pause(REST_MS);
  // Last: the agent forgets such a message, and what is asked next comes together with the prompt before it.
  await perform('only-thoughts', 0);
  const { view } = await lab.watch.see({ project: agent.project, what: 'its session', after: 0, withinMs: SEEN_WITHIN_MS, is: ({ sessions }) => sessions.length > 0 }); // prettier-ignore
  const [shown] = view.sessions;
  if (!shown) throw new Error('it has just been seen');
  await agent.close();
  return shown;
}

const said = ['greeting', 'only-calls', 'words-then-calls', 'command', 'stream', 'only-thoughts'];
const answers: Readonly<Record<string, string>> = {
  greeting: 'Good day.',
  'words-then-calls': 'Words before a call.',
  command: 'That is all.',
};
/** CNV-1, TRN-2: what was typed, each with the reply that its turn ended with, if it has one. */
const conversation = said.flatMap((play) => [
  `user play:${play} please`,
  ...(answers[play] === undefined ? [] : [`assistant ${answers[play]}`]),
]);

async function told(lab: Lab, id: string): Promise<readonly string[]> {
  const { items } = (await lab.get(`/api/sessions/${id}/interactions?limit=100`)) as { items: readonly Interaction[] };
  return items.map(({ role, content }) => `${role} ${content}`);
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
    const { id } = await session(lab, hooks);
    await expect.poll(() => told(lab, id), { timeout: SEEN_WITHIN_MS }).toEqual(conversation);
  });
});
