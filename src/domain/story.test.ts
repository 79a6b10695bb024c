import type { EventType } from '../protocol/eventPayloads.ts';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../protocol/json.ts';
import { storySchema } from '../protocol/story.ts';
import { anEvent } from './event.testkit.ts';
import { eventsOf, recordings } from './recordings.testkit.ts';
import { STORY_FILES, STORY_STEPS, storyOf } from './story.ts';

const call = (at: number, id: string, mood: string, target: string, tool = 'Tool') =>
  anEvent(at, 'tool_started', { tool_name: tool, tool_use_id: id, mood, target });
const done = (at: number, id: string, tool = 'Tool') =>
  anEvent(at, 'tool_succeeded', { tool_name: tool, tool_use_id: id });
const failed = (at: number, id: string, error_message: string) =>
  anEvent(at, 'tool_failed', { tool_name: 'Tool', tool_use_id: id, error_message });

describe('UI-3 the story that a card tells', () => {
  test('UI-3 a call is told when it is over, with what it was about, and a denied one is not', () => {
    const story = storyOf('s', [
      anEvent(1, 'user_prompt', { prompt: 'fix   the\nbug' }),
      call(2, 'a', 'reading', '/p/a.ts'),
      done(3, 'a'),
      call(4, 'b', 'running', 'rm -rf build'),
      anEvent(5, 'agent_blocked', { tool_name: 'Bash', target: 'rm -rf build', wait: 'permission' }),
      call(6, 'c', 'writing', '/p/b.ts'),
      failed(7, 'c', 'no such\nstring'),
      anEvent(8, 'turn_ended', { reason: 'completed', message: 'Done.' }),
    ]);
    expect(story.steps.map(({ kind, target, text }) => [kind, target, text])).toEqual([
      ['turn_ended', undefined, 'Done.'],
      ['tool_failed', '/p/b.ts', 'no such string'],
      ['waits', 'rm -rf build', undefined],
      ['tool', '/p/a.ts', undefined],
      ['prompt', undefined, 'fix the bug'],
    ]);
    expect(story.files).toEqual([{ path: '/p/a.ts', change: 'read', at: story.steps[3]?.ts, agentId: 's/main' }]);
  });

  test('UI-3 a wait says whether it is for permission or a question, however it is told', () => {
    const { steps } = storyOf('s', [
      anEvent(1, 'agent_blocked', { tool_name: 'Bash', wait: 'permission' }),
      anEvent(30, 'agent_blocked', { tool_name: 'AskUserQuestion', wait: 'question' }),
      anEvent(60, 'notification', { notification_type: 'permission_prompt', message: 'May I?' }),
      anEvent(90, 'notification', { notification_type: 'elicitation_dialog', message: 'Which?' }),
    ]);
    expect(steps.map(({ kind, mood }) => `${kind} ${mood}`)).toEqual([
      'waits asking',
      'waits waiting',
      'waits asking',
      'waits waiting',
    ]);
  });

  test('UI-3 a file that was written stays written when it is read again, and the newest is first', () => {
    const { files } = storyOf('s', [
      ...[call(1, 'a', 'writing', '/p/a.ts'), done(2, 'a'), call(3, 'b', 'reading', '/p/b.ts'), done(4, 'b')],
      ...[call(5, 'c', 'reading', '/p/a.ts'), done(6, 'c'), call(7, 'd', 'searching', 'TODO'), done(8, 'd')],
    ]);
    expect(files.map(({ path, change }) => [path, change])).toEqual([
      ['/p/a.ts', 'written'],
      ['/p/b.ts', 'read'],
    ]);
  });

  test('UI-3 what two sources tell of one end is told once, and what nobody did not at all', () => {
    const { steps } = storyOf('s', [
      anEvent(1, 'user_prompt', { prompt: '<task-notification>', synthetic: true }),
      anEvent(2, 'turn_ended', { reason: 'interrupted' }),
      anEvent(3, 'turn_ended', { reason: 'interrupted' }, { source: 'transcript' }),
      anEvent(4, 'heartbeat'),
    ]);
    expect(steps.map(({ kind }) => kind)).toEqual(['interrupted']);
  });

  test('EVT-1 UI-3 what happened beside the calls is told, too', () => {
    const note = (at: number, type: EventType, payload: JsonObject = {}) => anEvent(at, type, payload);
    const work = { work_item: 'login', title: 'Mend the login' };
    const edit = { tool_name: 'Edit', target: '/p/a.ts' };
    const { steps, files } = storyOf('s', [
      note(1, 'work_started', work),
      note(2, 'untracked_edit', { ...edit, decision: 'warned' }),
      note(3, 'guard_gap', edit),
      note(4, 'decision', { summary: 'Use sql.js', details: 'no native module' }),
      note(5, 'escalation', { summary: 'Which schema?' }),
      note(6, 'usage_reported', { context_used: 81, context_window: 100, overflow: true }),
      note(7, 'usage_reported', { context_used: 90, context_window: 100 }),
      note(8, 'compaction_started', { trigger: 'auto' }),
      anEvent(9, 'session_started', { source: 'compact' }),
      note(10, 'context_loaded', { sessions: 2, tokens: 9, text: 'long' }),
      note(11, 'work_ended', { ...work, status: 'done' }),
      note(12, 'work_ended', { work_item: 'b', status: 'cancelled' }),
      note(13, 'dependency_resolved', { work_item: 'c', title: 'Then this', ended: 'login' }),
      note(14, 'model_called'),
    ]);
    expect(steps.map(({ kind, news, text }) => [kind, news, text]).toReversed()).toEqual([
      ['message', 'work_start', 'Mend the login'],
      ['message', 'edit_untracked', 'An edit without a work item: /p/a.ts'],
      ['message', 'guard_gap', expect.stringContaining('/p/a.ts')],
      ['message', 'decision', 'Use sql.js'],
      ['message', 'escalation', 'Which schema?'],
      ['message', 'context_overflow', '81%'],
      ['message', 'checkpoint_created', 'Compaction begins (auto)'],
      ['message', 'compact', 'The conversation was compacted'],
      ['message', 'context_loaded', 'Told of 2 earlier sessions in about 9 tokens'],
      ['message', 'work_done', 'Mend the login'],
      ['message', 'work_cancelled', 'b'],
      ['message', 'dependency_resolved', 'Then this'],
    ]);
    expect(steps.at(-2)).toMatchObject({ tool: 'Edit', target: '/p/a.ts' });
    expect(files).toEqual([]);
  });

  test('EVT-1 UI-3 a failed check says what it was', () => {
    const { steps } = storyOf('s', [
      call(1, 'a', 'running', 'npm test'),
      anEvent(2, 'tool_failed', { tool_name: 'Tool', tool_use_id: 'a', error_message: 'Exit code 1', check: 'test' }),
    ]);
    expect(steps).toMatchObject([
      { kind: 'tool_failed', news: 'test_failed', target: 'npm test', text: 'Exit code 1' },
    ]);
  });

  test('GRD-4 EVT-1 an edit that was held back is told once, with why', () => {
    const edit = { tool_name: 'Edit', tool_use_id: 'a', target: '/p/a.ts', mood: 'writing' };
    const denied = { tool_name: 'Edit', exit_code: null, error_message: 'no work item', denied: true };
    const { steps } = storyOf('s', [
      anEvent(1, 'tool_started', edit),
      anEvent(2, 'untracked_edit', { ...edit, decision: 'denied' }),
      anEvent(3, 'tool_failed', { ...denied, tool_use_id: 'a' }),
      anEvent(4, 'tool_failed', { ...denied, tool_use_id: 'b' }),
    ]);
    expect(steps.map(({ kind, news }) => [kind, news])).toEqual([
      ['tool_failed', undefined],
      ['message', 'edit_denied'],
    ]);
  });

  test('UI-3 a long session tells of its last part only', () => {
    const events = Array.from({ length: 300 }, (_, index) => [
      call(index * 2, `c${index}`, 'reading', `/p/${index}.ts`),
      done(index * 2 + 1, `c${index}`),
    ]).flat();
    const { steps, files } = storyOf('s', events);
    expect([steps.length, files.length, steps[0]?.target, files[0]?.path]).toEqual([
      STORY_STEPS,
      STORY_FILES,
      '/p/299.ts',
      '/p/299.ts',
    ]);
  });

  test('UI-3 who is quiet while another works hard has a story too', () => {
    const quiet = { agent_id: 's/quiet' };
    const events = [
      anEvent(0, 'tool_started', { tool_name: 'Tool', tool_use_id: 'q', mood: 'reading', target: '/p/q.ts' }, quiet),
      anEvent(1, 'tool_succeeded', { tool_name: 'Tool', tool_use_id: 'q' }, { ...quiet, id: 'q-end' }),
      ...Array.from({ length: 100 }, (_, index) => [
        call(index * 2 + 2, `c${index}`, 'reading', `/p/${index}.ts`),
        done(index * 2 + 3, `c${index}`),
      ]).flat(),
    ];
    const { steps } = storyOf('s', events);
    expect([steps.length, steps.at(-1)?.target]).toEqual([STORY_STEPS + 1, '/p/q.ts']);
  });

  test('UI-3 every recorded session has a story that its card understands', () => {
    let steps = 0;
    for (const recorded of recordings()) {
      const events = eventsOf(recorded);
      const story = storySchema.parse(storyOf('s', events));
      for (const { ts } of story.steps) expect(Date.parse(ts)).not.toBeNaN();
      steps += story.steps.length;
    }
    expect(steps).toBeGreaterThan(500);
  });
});
