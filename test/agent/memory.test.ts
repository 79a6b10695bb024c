import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Lab, startAgentLab, type StartOptions } from '../agent-kit/lab.ts';
import { labLack, RELEASES } from '../agent-kit/program.mjs';
import type { LabAgent } from '../agent-kit/terminal.ts';
import type { View } from '../agent-kit/watch.ts';
import { wholeRun } from '../agent-kit/wholeRun.ts';
import type { Settings } from '../agent-kit/words.ts';

const lack = labLack('latest');
const OWN = 'This conversation, as it was before it was compacted:';

const latest = ({ sessions }: View) => sessions.at(-1);
const isBusy = (view: View) => latest(view)?.phase === 'busy';
const isReady = (view: View) => latest(view)?.phase === 'interactable';

/** What the model got to read of earlier sessions with this prompt, after the agent's turn. */
async function contextWith(lab: Lab, agent: LabAgent, prompt: string): Promise<string | undefined> {
  const said = await agent.say(prompt);
  const busy = await agent.see('busy', said, isBusy);
  await agent.see('a turn', busy.at, isReady);
  return lab.watch.playedSince(said)[0]?.context;
}

/** At startup, after /compact and after /clear. */
async function contextsOf(lab: Lab, options: StartOptions): Promise<readonly (string | undefined)[]> {
  const agent = await lab.start({ allow: ['Bash'], ...options });
  try {
    const started = await contextWith(lab, agent, 'play:command please');
    const asked = await agent.say('/compact');
    const isCompacted = (view: View) => latest(view)?.source === 'compact' && isReady(view);
    await agent.see('the compaction', asked, isCompacted);
    const compacted = await contextWith(lab, agent, 'play:greeting please');
    const left = await agent.say('/clear');
    await agent.see('the new session', left, (view) => latest(view)?.source === 'clear' && isReady(view));
    return [started, compacted, await contextWith(lab, agent, 'play:greeting again')];
  } finally {
    await agent.close();
  }
}

describe(`Claude Code ${RELEASES.latest}`, () => {
  if (lack !== undefined) {
    test('MEM-1 the real program in its lab', ({ skip }) => skip(lack));
    return;
  }
  let lab: Lab;
  beforeAll(async () => void (lab = await startAgentLab({ version: 'latest' })));
  afterAll(() => lab?.end());

  /** A project in which somebody has worked already. */
  const worked = () => wholeRun(lab, 'play:command in the first session');

  async function anew(settings: Settings): Promise<void> {
    await lab.stopCollector('SIGTERM');
    await lab.startCollector(settings);
  }

  test('MEM-1 EVT-2 the model reads it at startup, after /compact with what the conversation was at, and after /clear', async () => {
    const project = await worked();
    const [started, compacted, cleared] = await contextsOf(lab, { project });
    expect(started).toContain('"play:command in the first session"');
    expect(started).toContain('ran: "echo …" (done)');
    expect(started).not.toContain(OWN);
    expect(compacted).toContain(OWN);
    expect(compacted).toContain('last request: "play:command please"');
    expect(compacted).toContain('"play:command in the first session"');
    expect(cleared).not.toContain(OWN);
    expect(cleared).toMatch(/"play:command please"[^]*"play:command in the first session"/);
    const { items } = (await lab.get(`/api/sessions/${lab.watch.sessionsOf(project)[1]}/session-events`)) as {
      items: readonly { event_type: string; details: Record<string, string> }[];
    };
    const loaded = items.filter(({ event_type: type }) => type === 'context_loaded');
    expect(loaded.map(({ details }) => details['source'])).toEqual(['startup', 'compact']);
    expect(loaded.map(({ details }) => details['text'])).toEqual([started, compacted]);
    const types = items.map(({ event_type: type }) => type);
    expect(types.slice(types.indexOf('checkpoint_created'))).toEqual([
      'checkpoint_created',
      'compact',
      'context_loaded',
      'user_request',
      'session_end',
    ]);
  });

  test('MEM-3 nothing of it where the session’s environment says so', async () => {
    const env = { AGENT_MASCOT_MEMORY: '0' };
    expect(await contextsOf(lab, { project: await worked(), env })).toEqual([undefined, undefined, undefined]);
  });

  test('MEM-3 nothing of it with memory.sessions 0', async () => {
    const project = await worked();
    await anew({ 'agentMascot.memory.sessions': 0 });
    expect(await contextsOf(lab, { project })).toEqual([undefined, undefined, undefined]);
  });

  test('MEM-3 nothing of it in a project of memory.excludedProjects, and all of it beside', async () => {
    const [project, beside] = [await worked(), await worked()];
    await anew({ 'agentMascot.memory.excludedProjects': [project] });
    expect(await contextsOf(lab, { project })).toEqual([undefined, undefined, undefined]);
    expect(await contextsOf(lab, { project: beside })).toEqual(Array.from({ length: 3 }, () => expect.any(String)));
  });
});
