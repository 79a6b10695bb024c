import { createHash, createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import type { PageRequest, SessionRow, StateSource } from '../../app/ports.ts';
import { anEvent } from '../../domain/event.testkit.ts';
import { reduceAll } from '../../domain/reduce.ts';
import { rowOf } from '../../domain/restore.ts';
import { answerProofText, PROOF_HEADER } from '../../protocol/discovery.ts';
import { openIn, temporaryFolder, unsyncedFileSystem } from '../store/store.testkit.ts';
import { collectorUnderTest } from './collector.testkit.ts';
import { createPastSessions } from './pastSessions.ts';

const opened: { close(): Promise<void> }[] = [];
async function setUp(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  opened.push(parts.collector);
  const told = async (body: object) => (await parts.post(body)).json();
  return { ...parts, told };
}
afterEach(async () => {
  for (const collector of opened.splice(0)) await collector.close();
});

const start = (id: string, more: object = {}) => ({
  hook_event_name: 'SessionStart',
  session_id: id,
  cwd: '/w/shop',
  source: 'startup',
  ...more,
});
const prompt = (id: string, words: string, more: object = {}) => ({
  hook_event_name: 'UserPromptSubmit',
  session_id: id,
  cwd: '/w/shop',
  prompt: words,
  ...more,
});
const titlesIn = (answer: unknown) => JSON.stringify(answer).match(/(?<=\\")[^"\\]+(?=\\")/g) ?? [];

test('SEC-8 an answer with output has a proof over this body and answer; an answer without output has none', async () => {
  const { collector, post } = await setUp();
  const sent = start('b', { prompt: '한글 🦊' });
  const refused = await post({ session_id: 'a' });
  await post(prompt('a', 'mend the till'));
  const { headers, text } = await post(sent);
  const bodySha256 = createHash('sha256').update(JSON.stringify(sent)).digest('hex');
  const proof = createHmac('sha256', 'a-key-of-the-test').update(answerProofText(collector.port, bodySha256, text));
  expect(JSON.parse(text)).toHaveProperty('output');
  expect([headers[PROOF_HEADER], headers['content-type']]).toEqual([
    proof.digest('hex'),
    'application/json; charset=utf-8',
  ]);
  expect(refused.headers[PROOF_HEADER]).toBeUndefined();
});

test('SEC-8 answers a start from two settings files once, and a repeated delivery again', async () => {
  const { told } = await setUp();
  await told(prompt('a', 'mend the till'));
  const collected_at = new Date().toISOString();
  const by = (delivery_id: string) => told(start('b', { _meta: { delivery_id, collected_at } }));
  const answers = [await by('user'), await by('project'), await by('user'), await by('project')];
  expect(answers.map((answer) => JSON.stringify(answer).includes('additionalContext'))).toEqual([
    ...[true, false],
    ...[true, false],
  ]);
  expect(answers.map(({ duplicate }) => duplicate)).toEqual([undefined, true, true, true]);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
});

describe('OUT-1 what a starting session is told', () => {
  test('OUT-1 of the sessions of its own project, newest first, and not of itself', async () => {
    const { told, clock } = await setUp();
    for (const [id, words, cwd] of [
      ['a', 'mend the till', '/w/shop'],
      ['b', 'paint the door', '/w/house'],
      ['c', 'count the coins', '/w/shop'],
    ] as const) {
      await told(prompt(id, words, { cwd }));
      clock.advance(60_000);
    }
    const [fresh, compacted] = [await told(start('d')), await told(start('c', { source: 'compact' }))];
    expect(titlesIn(fresh)).toEqual(['count the coins', 'mend the till']);
    // EVT-2: after a compaction its own request comes first.
    expect(titlesIn(compacted)).toEqual(['count the coins', 'mend the till']);
    expect(JSON.stringify(compacted)).toContain('This conversation, as it was before it was compacted:');
    expect(fresh).toMatchObject({ ok: true, output: { hookSpecificOutput: { hookEventName: 'SessionStart' } } });
  });

  test('OUT-1 nothing, and no word of it, where nothing was before, and in answer to other hooks', async () => {
    const { told } = await setUp();
    const answers = [await told(start('a')), await told(prompt('a', 'mend the till')), await told(prompt('b', 'x'))];
    expect(JSON.stringify(answers)).not.toMatch(/additionalContext|mend the till/);
  });

  test('OUT-1 a hook that is delivered twice gets the same answer', async () => {
    const { told } = await setUp();
    await told(prompt('a', 'mend the till'));
    const hook = start('b', { _meta: { delivery_id: 'd1' } });
    const [first, again] = [await told(hook), await told(hook)];
    expect([titlesIn(first), again]).toEqual([['mend the till'], { ...first, duplicate: true }]);
  });

  test('MEM-3 nothing when its environment says so', async () => {
    const { told } = await setUp();
    await told(prompt('a', 'mend the till'));
    expect(JSON.stringify(await told(start('b', { _meta: { memory: false } })))).not.toMatch(/additionalContext|mend/);
  });

  test('MSK-1 no secret of an earlier session', async () => {
    const { told } = await setUp();
    const secret = ['ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
    await told(prompt('a', `use ${secret}`));
    const answer = await told(start('b'));
    expect([titlesIn(answer).length, JSON.stringify(answer).includes(secret)]).toEqual([1, false]);
  });

  test('COL-5 /api/hook stays with its two words', async () => {
    const { told, ask } = await setUp();
    await told(prompt('a', 'mend the till'));
    const answer = await ask('POST', '/api/hook', JSON.stringify({ provider: 'claude', ...start('b') }));
    expect(answer.json()).toEqual({ ok: true });
  });
});

describe('COL-4 the answer comes after the event is durable and shown', () => {
  test('COL-4 what is replied is made of the state with the event', async () => {
    const states: unknown[] = [];
    const { told, hub, store } = await setUp({
      replies: {
        to: ({ session_id: id }) => {
          states.push([hub.state(id)?.session.id, store.events(id).length]);
          return Promise.resolve(undefined);
        },
      },
    });
    await told(start('a'));
    expect(states).toEqual([['a', 1]]);
  });

  test('COL-4 an event that could not be stored gets no reply', async () => {
    const { post, store } = await setUp();
    await post(prompt('a', 'mend the till'));
    store.failAppendsWith(new Error('ENOSPC'));
    const answer = await post(start('b'));
    expect([answer.status, Object.keys(answer.json())]).toEqual([500, ['ok', 'error']]);
  });

  test('HKI-9 an excluded project’s hook is answered with an empty id and no word', async () => {
    const { told } = await setUp({ pipeline: { ingest: () => Promise.resolve({ id: '', duplicate: false }) } });
    expect(await told(start('a'))).toEqual({ ok: true, id: '' });
  });
});

const nobodyLive: StateSource = {
  snapshot: () => ({ revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] }),
  status: () => 'live',
  onChange: () => ({ dispose: () => undefined }),
};

describe('MEM-4 it answers in time', () => {
  const SESSIONS = 1_000;
  const CALLS = 40;

  /** Sessions of many calls, each in a project of its own but for the oldest. */
  function rows(): SessionRow[] {
    return Array.from({ length: SESSIONS }, (_, index) => {
      const project = { path: index < 5 ? '/w/shop' : `/w/p${index}` };
      const own = { session_id: `s${index}`, agent_id: `s${index}/main`, project };
      const at = index * (CALLS + 1);
      const calls = Array.from({ length: CALLS }, (_, call) =>
        anEvent(at + call + 1, 'tool_started', { tool_name: 'Bash', tool_use_id: `t${call}`, target: 'npm test' }, own),
      );
      return rowOf(reduceAll([anEvent(at, 'user_prompt', { prompt: `job ${index}` }, own), ...calls])!);
    });
  }

  test('MEM-4 looking through 1,000 sessions for the oldest five', { timeout: 60_000 }, async () => {
    await using folder = await temporaryFolder();
    const { store } = await openIn(folder.path, { fs: unsyncedFileSystem });
    const all = rows();
    store.saveSessions(all);
    // The time is what is measured: on a busy machine the deadline would end what is compared.
    const past = createPastSessions({ source: nobodyLive, store, now: () => Date.UTC(2026, 0, 2) }, 60_000);
    const request = { project: '/w/shop', limit: 5, except: 'none' };
    const looking: number[] = [];
    const parsing: number[] = [];
    for (let round = 0; round < 7; round++) {
      looking.push(
        await timed(async () =>
          expect((await past.last(request)).map(({ session }) => session.id)).toEqual(['s4', 's3', 's2', 's1', 's0']),
        ),
      );
      parsing.push(await timed(() => all.forEach(({ json }) => JSON.parse(json))));
    }
    // As long as merely parsing them all, which takes 22 ms on a quiet machine; the rule allows 50.
    expect(median(looking)).toBeLessThan(2.2 * median(parsing));
    await store.close();
  });

  test('MEM-4 a disk that is slow costs the answer the oldest sessions, not its time', async () => {
    const { store } = await setUp();
    store.saveSessions(rows());
    const slow = {
      ...store,
      sessions(page: PageRequest) {
        const until = performance.now() + 50;
        while (performance.now() < until);
        return store.sessions(page);
      },
    };
    // The five oldest: they are on the last of twenty pages.
    const request = { project: '/w/shop', limit: 5, except: 'none' };
    const world = { source: nobodyLive, now: () => Date.UTC(2026, 0, 2) };
    const found = [
      await createPastSessions({ ...world, store: slow }, 200).last(request),
      await createPastSessions({ ...world, store }).last(request),
    ];
    expect(found.map((sessions) => sessions.length)).toEqual([0, 5]);
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
