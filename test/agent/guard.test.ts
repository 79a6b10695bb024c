import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SessionEvent } from '../../src/protocol/sessionEvent.ts';
import type { Snapshot } from '../../src/protocol/state.ts';
import type { TrackingMode, WorkItem } from '../../src/protocol/work.ts';
import { type Lab, startAgentLab } from '../agent-kit/lab.ts';
import { EDITS, NOTEBOOK, PRESENT } from '../agent-kit/plays.ts';
import { labLack, RELEASES } from '../agent-kit/program.mjs';
import type { View } from '../agent-kit/watch.ts';
import { wholeRun } from '../agent-kit/wholeRun.ts';

const HELD = 'Agent Mascot held this edit back';
/** What the hook's own deadline allows. */
const DEADLINE_MS = 2_000;
/** How much longer than at other times the same may take on a busy machine. */
const PATIENCE = 3;

const phaseIs = (phase: string) => (view: View) => view.sessions.at(-1)?.phase === phase;

async function withTracking(lab: Lab, mode: TrackingMode, autoCreate = false): Promise<void> {
  await lab.stopCollector('SIGTERM');
  await lab.startCollector({ 'agentMascot.tracking.mode': mode, 'agentMascot.tracking.autoCreate': autoCreate });
}

async function storyOf(lab: Lab, project: string): Promise<readonly SessionEvent[]> {
  const [id] = lab.watch.sessionsOf(project);
  const { items } = (await lab.get(`/api/sessions/${id}/session-events?limit=500`)) as { items: SessionEvent[] };
  return items;
}

function toldOf(story: readonly SessionEvent[], type: SessionEvent['event_type']): readonly SessionEvent[] {
  return story.filter(({ event_type: each }) => each === type);
}

/** A notebook with one cell, and a line of text. */
function furnished(lab: Lab): string {
  const project = lab.newProject();
  writeFileSync(path.join(project, PRESENT), 'Present.\n');
  const cell = {
    cell_type: 'code',
    execution_count: null,
    id: 'first',
    metadata: {},
    outputs: [],
    source: ['print(0)'],
  };
  const notebook = { cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 };
  writeFileSync(path.join(project, NOTEBOOK), JSON.stringify(notebook));
  return project;
}

/** Everything in the project but what Git and the person's own hooks have there. */
function filesIn(project: string): Readonly<Record<string, string>> {
  const names = readdirSync(project).filter((name) => name !== '.git' && name !== 'own-hooks.txt');
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(project, name), 'utf8')]));
}

const lack = labLack('latest');

describe(`edits of Claude Code ${RELEASES.latest} and work items`, () => {
  if (lack !== undefined) {
    test('GRD-2 the real program in its lab', ({ skip }) => skip(lack));
    return;
  }
  let lab: Lab;
  beforeAll(async () => void (lab = await startAgentLab({ version: 'latest' })));
  afterAll(() => lab?.end());

  test('GRD-2 strict: a denied edit tells the model a command, which it runs, and the edit passes', async () => {
    await withTracking(lab, 'strict', true);
    const began = Date.now();
    const project = await wholeRun(lab, 'play:tracked-work please', { allow: ['Bash', 'Write', 'Edit'] });
    const errors = lab.watch.playedSince(began).map(({ heard }) => heard.errors);
    expect(errors.map(({ length }) => length)).toEqual([0, 1, 0, 0, 0, 0]);
    expect(errors[1]?.[0]).toContain(HELD);
    expect(errors[1]?.[0]).toContain('mascot work create edit-notes-md --title "Edit notes.md" --start');
    expect(filesIn(project)).toEqual({ 'notes.md': '# Notes of the week\n', 'list.md': '- milk\n' });

    const [session] = lab.watch.sessionsOf(project);
    const { items } = (await lab.get(`/api/work-items?project=${project}`)) as { items: readonly WorkItem[] };
    expect(items).toMatchObject([
      {
        ...{ id: 'edit-notes-md', title: 'Edit notes.md', status: 'done', project, startedBy: session },
        touches: [{ session, files: ['notes.md', 'list.md'] }],
      },
    ]);
    const told = (await storyOf(lab, project)).map(({ event_type: type, work_item_id: item, details }) =>
      [type, item, details['decision']].filter((part) => part !== undefined).join(' '),
    );
    expect(told).toEqual([
      'session_start',
      'user_request',
      'untracked_edit denied',
      'work_start edit-notes-md',
      'file_edit edit-notes-md',
      'file_edit edit-notes-md',
      'file_edit edit-notes-md',
      'work_end edit-notes-md',
      'session_end',
    ]);
  });

  test(`GRD-4 strict: ${EDITS} edits of a main agent and two sub-agents, ${EDITS} denials`, async () => {
    await withTracking(lab, 'strict');
    const project = furnished(lab);
    const before = filesIn(project);
    const began = Date.now();
    await wholeRun(lab, 'play:hundred-edits please', {
      project,
      allow: ['Write', 'Edit', 'NotebookEdit'],
      timeoutMs: 100_000,
    });
    const errors = lab.watch.playedSince(began).flatMap(({ heard }) => heard.errors);
    expect(errors.filter((error) => !error.includes(HELD))).toEqual([]);
    const story = await storyOf(lab, project);
    // GRD-3: where a machine is so busy that an answer takes two seconds an edit passes, and each such one is told of.
    const gaps = toldOf(story, 'guard_gap').length;
    expect(gaps).toBeLessThan(EDITS / 20);
    const denied = toldOf(story, 'untracked_edit');
    expect([errors.length, denied.length]).toEqual([EDITS - gaps, EDITS - gaps]);
    expect(new Set(denied.map(({ details }) => details['decision']))).toEqual(new Set(['denied']));
    expect(new Set(denied.map(({ details }) => details['tool']))).toEqual(new Set(['Write', 'Edit', 'NotebookEdit']));
    expect(new Set(denied.map(({ details }) => details['agent_id'])).size).toBe(3);
    expect(toldOf(story, 'file_edit').length).toBe(gaps);
    if (gaps === 0) expect(filesIn(project)).toEqual(before);
  }, 180_000);

  describe('warn', () => {
    beforeAll(() => withTracking(lab, 'warn'));

    test('GRD-2 warn: the person is asked as ever, then the model is told', async () => {
      const agent = await lab.start();
      try {
        const said = await agent.say('play:note please');
        const asked = await agent.see('the person is asked', said, phaseIs('waiting_permission'));
        await agent.dialog();
        expect(filesIn(agent.project)).toEqual({});
        await agent.press('Enter');
        await lab.watch.seePlayed('note', 1, said);
        await agent.see('the end of the turn', asked.at, phaseIs('interactable'));
        const { heard } = lab.watch.playedSince(said)[1] ?? {};
        expect([heard?.errors, heard?.besides]).toEqual([
          [],
          expect.stringContaining('Agent Mascot: this edit belongs to no work item and is noted as untracked.'),
        ]);
        expect(filesIn(agent.project)).toEqual({ 'note.txt': 'One line.\n' });
        const told = toldOf(await storyOf(lab, agent.project), 'untracked_edit');
        expect(told.map(({ details }) => details['decision'])).toEqual(['warned']);
      } finally {
        await agent.close();
      }
    });

    test('GRD-2 warn: what the person’s own rules forbid stays forbidden', async () => {
      const began = Date.now();
      const project = await wholeRun(lab, 'play:note please', { allow: [] });
      const [error, ...others] = lab.watch.playedSince(began)[1]?.heard.errors ?? [];
      expect([error, others]).toEqual([expect.stringMatching(/permission/), []]);
      expect(error).not.toContain('Agent Mascot');
      expect(filesIn(project)).toEqual({});
    });
  });

  describe('an outage', () => {
    beforeAll(() => withTracking(lab, 'strict'));

    /** How long the model waited for the result of its one edit; and the project. */
    async function oneEdit(): Promise<{
      readonly tookMs: number;
      readonly project: string;
      readonly errors: readonly string[];
    }> {
      const began = Date.now();
      const { project } = await lab.print('play:note please', { allow: ['Write'] });
      const [called, answered] = lab.watch.playedSince(began);
      return {
        ...{ project, tookMs: (answered?.at ?? Infinity) - (called?.at ?? 0) },
        errors: answered?.heard.errors ?? ['nothing was asked'],
      };
    }

    const outages = [
      {
        ...{ name: 'ended', begin: () => lab.stopCollector('SIGTERM') },
        end: () => lab.startCollector({ 'agentMascot.tracking.mode': 'strict' }),
      },
      {
        ...{ name: 'killed', begin: () => lab.stopCollector('SIGKILL') },
        end: () => lab.startCollector({ 'agentMascot.tracking.mode': 'strict' }),
      },
      { name: 'hung', begin: () => lab.hangCollector(true), end: () => lab.hangCollector(false) },
    ];
    for (const { name, begin, end } of outages)
      test(`GRD-3 strict: the collector ${name}, the edit goes through in time, and the gap is told`, async () => {
        const control = await oneEdit();
        expect(control.errors).toEqual([expect.stringContaining(HELD)]);
        await begin();
        const { tookMs, project, errors } = await oneEdit().finally(end);
        expect([errors, filesIn(project)]).toEqual([[], { 'note.txt': 'One line.\n' }]);
        const story = () => storyOf(lab, project).then((events) => events.map(({ event_type: type }) => type));
        const whole = ['session_start', 'user_request', 'guard_gap', 'file_edit', 'session_end'];
        await expect.poll(story, { timeout: 20_000 }).toEqual(whole);
        const { guardGaps } = (await lab.get('/api/state')) as Snapshot;
        expect(guardGaps).toContainEqual({ project, count: 1, lastAt: expect.any(String) });
        const later = await oneEdit();
        expect(later.errors).toEqual([expect.stringContaining(HELD)]);
        expect(tookMs).toBeLessThan(DEADLINE_MS + PATIENCE * Math.max(control.tookMs, later.tookMs));
        // What had been asked while nobody answered is not judged afterwards.
        expect(await story()).toEqual(whole);
      });
  });
});
