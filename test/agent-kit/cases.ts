import { setTimeout as pause } from 'node:timers/promises';
import type { Phase, Session } from '../../src/protocol/state.ts';
import type { Lab } from './lab.ts';
import type { LabAgent } from './terminal.ts';
import type { View } from './watch.ts';
import { wholeRun } from './wholeRun.ts';

/** Seconds between what happened in the terminal (or at the model) and the frame of `/ws` that shows it. */
export interface Measure {
  readonly what: string;
  readonly seconds: number;
  /** What the product's rules allow, where they say it. */
  readonly atMost: number;
}

/** What a case leaves: its project, and what the project's sessions went through before the terminal was closed. */
export interface Played {
  readonly project: string;
  readonly stories: readonly (readonly string[])[];
}

export interface Case {
  readonly name: string;
  /** With the rules that it proves. */
  readonly title: string;
  /** What the sessions of the project went through in the end, oldest first. */
  readonly stories: readonly (readonly string[])[];
  /**
   * The agent writes that the call was refused, and in its next line that the turn is over: read one by one, the session is busy for
   * the moment between them, which is too short to be shown.
   */
  readonly mayPassBusy?: boolean;
  /** Takes a minute by its nature. */
  readonly slow?: boolean;
  run(lab: Lab, note: (measure: Measure) => void): Promise<Played>;
}

const ALLOW_SHELL = { allow: ['Bash'] } as const;
const turn = ['interactable', 'busy', 'interactable'] as const;
const refused = ['interactable', 'busy', 'waiting_permission', 'interactable'] as const;
/** Each of two helpers wakes the main agent at its end, for a turn of its own. */
const wakings = ['busy', 'interactable', 'busy', 'interactable'] as const;

function latest({ sessions }: View): Session | undefined {
  return sessions.at(-1);
}

function phaseIs(...phases: readonly Phase[]) {
  return (view: View) => phases.some((phase) => latest(view)?.phase === phase);
}

/** By its reply: the hook that tells that the agent is woken may come after the model's answer. */
function isLastOfThree(view: View): boolean {
  return phaseIs('interactable')(view) && latest(view)?.counts.replies === 3;
}

function waits({ agents }: View): number {
  return agents.filter(({ wait }) => wait !== null).length;
}

function helpers({ agents }: View): number {
  return agents.filter(({ kind, present }) => kind === 'subagent' && present).length;
}

interface Step {
  readonly what: string;
  readonly after: number;
  /** Seconds. */
  readonly atMost?: number;
  is(view: View): boolean;
}

const REST_MS = 1_000;
const PATIENCE_SECONDS = 10;

/** Awaits a step and notes how long it took. */
function timer(agent: LabAgent, note: (measure: Measure) => void) {
  return async ({ what, after, is, atMost = PATIENCE_SECONDS }: Step): Promise<number> => {
    const { at } = await agent.see(what, after, is, Math.max(atMost, PATIENCE_SECONDS) * 1_000);
    note({ what, seconds: (at - after) / 1_000, atMost });
    return at;
  };
}

/** Says the play's line and waits until the model's first reply to it is out. */
async function perform(lab: Lab, agent: LabAgent, play: string): Promise<number> {
  const said = await agent.say(`play:${play} please`);
  return lab.watch.seePlayed(play, 0, said);
}

async function busyWith(agent: LabAgent, play: string, shown: RegExp): Promise<void> {
  const said = await agent.say(`play:${play} please`);
  await agent.see('busy', said, phaseIs('busy'));
  await agent.screenShows(shown);
}

/** Starts an agent, and ends it whatever becomes of the case. */
async function atTerminal(
  lab: Lab,
  options: Parameters<Lab['start']>[0],
  play: (agent: LabAgent) => Promise<void>,
): Promise<Played> {
  const agent = await lab.start(options);
  try {
    await play(agent);
    // A late hook or a stale file would change it again.
    await pause(REST_MS);
    // An agent whose terminal is closed may still tell its end.
    return { project: agent.project, stories: agent.stories() };
  } catch (error) {
    if (error instanceof Error) error.message += `\nThe screen:\n${await agent.screen()}`;
    throw error;
  } finally {
    await agent.close();
  }
}

export const cases: readonly Case[] = [
  {
    name: 'headless',
    title: 'STA-2 a headless run goes from start to end',
    stories: [[...turn, 'completed']],
    async run(lab) {
      const project = await wholeRun(lab, 'play:command please');
      return { project, stories: lab.watch.stories(project) };
    },
  },
  {
    name: 'permission',
    title: 'STA-2 STA-3 a permission prompt waits, and its answer ends the wait before the tool is done',
    stories: [['interactable', 'busy', 'waiting_permission', 'busy', 'interactable']],
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        const see = timer(agent, note);
        const asked = await perform(lab, agent, 'permission');
        await see({ what: 'permission prompt shown', after: asked, is: phaseIs('waiting_permission') });
        await agent.dialog();
        const yes = await agent.press('Enter');
        const answered = await see({ what: 'permission given', after: yes, is: phaseIs('busy'), atMost: 2 });
        await agent.see('the end of the turn', answered, phaseIs('interactable'));
      }),
  },
  {
    name: 'question',
    title: 'STA-2 a question waits, and its answer ends the wait',
    stories: [['interactable', 'busy', 'waiting_question', 'busy', 'interactable']],
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        const see = timer(agent, note);
        const asked = await perform(lab, agent, 'question');
        await see({ what: 'question shown', after: asked, is: phaseIs('waiting_question') });
        await agent.dialog();
        const chosen = await agent.press('Enter');
        const answered = await see({ what: 'question answered', after: chosen, is: phaseIs('busy'), atMost: 2 });
        await agent.see('the end of the turn', answered, phaseIs('interactable'));
      }),
  },
  {
    name: 'esc-stream',
    title: 'STA-4 Esc while the model streams ends busy in time',
    stories: [turn],
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        await busyWith(agent, 'stream', /word-3/);
        const escape = await agent.interrupt();
        await timer(
          agent,
          note,
        )({ what: 'Esc while it streams', after: escape, is: phaseIs('interactable'), atMost: 2 });
      }),
  },
  {
    name: 'esc-command',
    title: 'STA-4 Esc in a shell call ends busy in time',
    stories: [turn],
    run: (lab, note) =>
      atTerminal(lab, ALLOW_SHELL, async (agent) => {
        const called = await perform(lab, agent, 'long-command');
        await agent.see('a call', called, ({ agents }) => agents.some(({ activity }) => activity?.tool === 'Bash'));
        await agent.screenShows(/tail -f/);
        const escape = await agent.interrupt();
        await timer(agent, note)({ what: 'Esc in a Bash call', after: escape, is: phaseIs('interactable'), atMost: 2 });
      }),
  },
  {
    name: 'esc-permission',
    title: 'STA-4 STA-7 Esc at a permission prompt ends the wait and the turn in time',
    stories: [refused],
    mayPassBusy: true,
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        const asked = await perform(lab, agent, 'permission');
        await agent.see('a permission prompt', asked, phaseIs('waiting_permission'));
        await agent.dialog();
        const escape = await agent.press('Escape');
        await timer(agent, note)({ what: 'Esc at a prompt', after: escape, is: phaseIs('interactable'), atMost: 2 });
      }),
  },
  {
    name: 'no-permission',
    title: 'STA-4 STA-7 No at a permission prompt ends the wait and the turn in time',
    stories: [refused],
    mayPassBusy: true,
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        const asked = await perform(lab, agent, 'permission');
        await agent.see('a permission prompt', asked, phaseIs('waiting_permission'));
        const choice = /(\d)\. No\b/.exec(await agent.dialog())?.[1] ?? '3';
        const no = await agent.press(choice);
        await timer(agent, note)({ what: 'No at a prompt', after: no, is: phaseIs('interactable'), atMost: 2 });
      }),
  },
  {
    name: 'background',
    title: 'STA-5 sub-agents in the background are counted when the main turn is over, and go when they are done',
    stories: [[...turn, ...wakings]],
    run: (lab, note) =>
      atTerminal(lab, ALLOW_SHELL, async (agent) => {
        const see = timer(agent, note);
        const began = await perform(lab, agent, 'helpers');
        const launched = await lab.watch.seePlayed('helpers', 1, began);
        const idle = (view: View) => phaseIs('interactable')(view) && latest(view)?.background === 2;
        await see({ what: 'turn over, 2 in background', after: launched, is: idle });
        const ended = await lab.watch.seePlayed('helper-long', 1, launched);
        const gone = (view: View) => latest(view)?.background === 0 && helpers(view) === 0;
        await see({ what: 'background helpers gone', after: ended, is: gone });
        await lab.watch.seePlayed('helpers', 3, ended);
        await agent.see('the last turn over', ended, isLastOfThree);
      }),
  },
  {
    name: 'two-askers',
    title: 'STA-7 two sub-agents ask at once, and an answer to one leaves the other waiting',
    stories: [['interactable', 'busy', 'interactable', 'waiting_permission', 'interactable', ...wakings]],
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        const see = timer(agent, note);
        const began = await perform(lab, agent, 'askers');
        const asked = await lab.watch.seePlayed('asker-one', 0, began);
        await see({ what: 'two helpers ask', after: asked, is: (view) => waits(view) === 2 });
        await agent.dialog();
        const first = await agent.press('Enter');
        const one = (view: View) => waits(view) === 1 && latest(view)?.phase === 'waiting_permission';
        await see({ what: 'one answered, the other stays', after: first, is: one });
        await agent.dialog();
        const second = await agent.press('Enter');
        const none = (view: View) => waits(view) === 0 && latest(view)?.phase !== 'waiting_permission';
        await see({ what: 'both answered', after: second, is: none });
        const ended = await lab.watch.seePlayed('asker-two', 1, second);
        await agent.see('the last turn over', ended, (view) => isLastOfThree(view) && helpers(view) === 0);
      }),
  },
  {
    name: 'api-failure',
    title: 'STA-5 an API failure ends the turn as failed',
    stories: [turn],
    run: (lab, note) =>
      atTerminal(lab, { env: { CLAUDE_CODE_MAX_RETRIES: '0' } }, async (agent) => {
        const failed = await perform(lab, agent, 'failure');
        const shown = (view: View) =>
          phaseIs('interactable')(view) && latest(view)?.phaseBecause?.failure !== undefined;
        await timer(agent, note)({ what: 'API failure', after: failed, is: shown });
      }),
  },
  {
    name: 'kill',
    title: 'SES-4 a killed agent is no longer active in time',
    stories: [['interactable', 'busy', 'stale']],
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        await busyWith(agent, 'stream', /word-3/);
        const killed = await agent.kill();
        const dead = (view: View) => latest(view)?.state === 'stale';
        await timer(agent, note)({ what: 'killed (-9)', after: killed, is: dead, atMost: 5 });
      }),
  },
  {
    name: 'clear',
    title: 'SES-3 /clear ends the session and begins another',
    stories: [[...turn, 'completed'], ['interactable']],
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        const said = await agent.say('play:greeting please');
        const busy = await agent.see('busy', said, phaseIs('busy'));
        await agent.see('a turn', busy.at, phaseIs('interactable'));
        const cleared = await agent.say('/clear');
        const renewed = ({ sessions }: View) =>
          sessions.length === 2 && sessions[0]?.state === 'completed' && sessions[1]?.phase === 'interactable';
        await timer(agent, note)({ what: '/clear', after: cleared, is: renewed });
      }),
  },
  {
    name: 'compact',
    title: 'STA-5 /compact leaves the session and adds no agent; it is busy meanwhile',
    stories: [[...turn, 'busy', 'interactable']],
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        const said = await agent.say('play:greeting please');
        const busy = await agent.see('busy', said, phaseIs('busy'));
        await agent.see('a turn', busy.at, phaseIs('interactable'));
        const asked = await agent.say('/compact');
        const compacted = ({ sessions, agents }: View) =>
          sessions.length === 1 &&
          sessions[0]?.source === 'compact' &&
          sessions[0].phase === 'interactable' &&
          agents.length === 1;
        await timer(agent, note)({ what: '/compact', after: asked, is: compacted });
      }),
  },
  {
    name: 'resume',
    title: 'SES-3 a resumed session comes back as itself',
    stories: [[...turn, 'completed', ...turn]],
    async run(lab, note) {
      const { project } = await atTerminal(lab, {}, async (agent) => {
        const said = await agent.say('play:greeting please');
        const busy = await agent.see('busy', said, phaseIs('busy'));
        await agent.see('a turn', busy.at, phaseIs('interactable'));
        const left = await agent.say('/exit');
        const over = (view: View) => latest(view)?.state === 'completed';
        await timer(agent, note)({ what: '/exit', after: left, is: over });
      });
      return atTerminal(lab, { project, args: ['-c'] }, async (agent) => {
        const said = await agent.say('play:greeting again');
        const busy = await agent.see('busy', said, phaseIs('busy'));
        await agent.see('a turn after the resume', busy.at, phaseIs('interactable'));
      });
    },
  },
  {
    name: 'idle',
    title: 'STA-2 a minute of nothing after a turn is a question with the cause idle',
    slow: true,
    stories: [[...turn, 'waiting_question']],
    run: (lab, note) =>
      atTerminal(lab, {}, async (agent) => {
        const said = await agent.say('play:greeting please');
        const busy = await agent.see('busy', said, phaseIs('busy'));
        const { at } = await agent.see('a turn', busy.at, phaseIs('interactable'));
        const left = (view: View) => phaseIs('waiting_question')(view) && waits(view) === 0;
        await timer(agent, note)({ what: 'a minute of nothing', after: at, is: left, atMost: 75 });
      }),
  },
];
