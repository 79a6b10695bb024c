import { beforeEach, expect, test, vi } from 'vitest';
import { aSession, aSnapshot } from '../../../test/webview/fixtures.ts';
import { fakeClock, logLines } from '../../app/testkit/fakes.testkit.ts';
import { startFollower } from '../../app/followerRole.ts';
import { createHub } from '../../app/hub.ts';
import type { LinkHandlers } from '../../app/ports.ts';
import { memoryStore } from '../../app/testkit/memoryStore.testkit.ts';
import { serverFrameSchema, WIRE_VERSION } from '../../protocol/wire.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { clearEditor, editor } from '../hooks/editor.testkit.ts';
import { commandIds } from '../ids.ts';
import { type EraseCommandId, eraseCommands, onErased } from './eraseCommands.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

const transcriptPath = '/home/u/.claude/projects/p/past.jsonl';
const live = aSession({ id: 'live', title: 'A [task](command:evil)' });
const past = aSession({ id: 'past', title: 'An old task', state: 'completed', phase: null, transcriptPath });

type Answer = Awaited<ReturnType<Collector['erase']>>;

let asked: (string | undefined)[];
let erasedTimes: number;

beforeEach(() => {
  clearEditor();
  asked = [];
  erasedTimes = 0;
  hasTeam = false;
});

let hasTeam = false;

async function run(id: EraseCommandId, argument: unknown, answer: Answer | Error, ...answers: readonly string[]) {
  editor.answers.push(...answers);
  const log = logLines();
  const table = eraseCommands({
    source: {
      snapshot: () => aSnapshot([live], []),
      status: () => 'live',
      onChange: () => ({ dispose: () => undefined }),
    },
    collector: {
      erase: (sessionId) => {
        asked.push(sessionId);
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      session: (sessionId) => Promise.resolve(sessionId === 'past' ? { ...past, agents: [] } : undefined),
      sessions: () => Promise.resolve({ items: [live, past], next: null }),
    },
    clock: fakeClock(),
    log,
    isCopied: () => Promise.resolve(hasTeam),
    reread: () => void erasedTimes++,
  });
  await table[id](argument);
  return log;
}

const nothingLeft = { sessions: 1, events: 12, left: [] };

test('CNV-4 a session is deleted after a question that says what goes, what stays, and where', async () => {
  await run(commandIds.deleteSession, { sessionId: 'past' }, nothingLeft, 'Delete Session');
  const [question = '', done] = editor.shown;
  expect(question).toMatch(/^warning: Delete the session “An old task”\?\nharbour · /);
  expect(question).toContain('What goes: its prompts, replies and tool calls');
  expect(question).toContain('in history, search index and spool');
  expect(question).toContain(`which belongs to the agent: ${transcriptPath}`);
  expect(question).toContain('This can’t be undone.');
  expect(question).not.toContain('still running');
  expect([done, asked, erasedTimes]).toEqual(['info: Deleted. Sessions: 1, events: 12.', ['past'], 1]);
});

test('CNV-4 says of a running session that what happens next is kept again', async () => {
  await run(commandIds.deleteSession, 'live', nothingLeft, 'Delete Session');
  expect(editor.shown[0]).toContain('still running: what happens in it from now on is kept again');
});

test('CNV-4 all data is deleted after a question of its own', async () => {
  await run(commandIds.deleteAllData, undefined, { sessions: 7, events: 400, left: [] }, 'Delete All Data');
  expect(editor.shown[0]).toMatch(/^warning: Delete all data that Agent Mascot has stored\?\nWhat goes: every session/);
  expect(editor.shown[0]).toContain('What stays: the transcripts that the agents themselves write');
  expect([asked, editor.shown.at(-1)]).toEqual([[undefined], 'info: Deleted. Sessions: 7, events: 400.']);
});

test('CNV-4 SNK-1 says that copies in a team’s database are deleted too', async () => {
  await run(commandIds.deleteSession, 'live', nothingLeft, 'Delete Session');
  hasTeam = true;
  await run(commandIds.deleteSession, 'live', nothingLeft, 'Delete Session');
  await run(commandIds.deleteAllData, undefined, nothingLeft, 'Delete All Data');
  const questions = editor.shown.filter((each) => each.startsWith('warning: Delete '));
  expect(questions.map((each) => each.includes('team’s database goes there too'))).toEqual([false, true, true]);
});

test('CNV-4 deletes nothing without the person’s agreement', async () => {
  await run(commandIds.deleteSession, { sessionId: 'past' }, nothingLeft, '-');
  await run(commandIds.deleteAllData, undefined, nothingLeft, '-');
  await run(commandIds.deleteSession, undefined, nothingLeft, '-');
  await run(commandIds.deleteSession, undefined, nothingLeft, 'An old task', '-');
  expect([asked, erasedTimes]).toEqual([[], 0]);
});

test('CNV-4 from the palette the person chooses among all that are stored', async () => {
  await run(commandIds.deleteSession, undefined, nothingLeft, 'An old task', 'Delete Session');
  expect([asked, editor.shown[0]]).toEqual([['past'], 'pick: Delete This Session']);
});

test('CNV-4 files that could not be rewritten are named, in the log all of them', async () => {
  const left = ['/d/[x](command:y)', ...[1, 2, 3, 4, 5].map((n) => `/d/${n}`)];
  const log = await run(commandIds.deleteSession, 'past', { ...nothingLeft, left }, 'Delete Session');
  const told = editor.shown.at(-1) ?? '';
  expect(told).toMatch(/^warning: Deleted\. Sessions: 1, events: 12\. Some files could not be rewritten/);
  expect(told).toContain('/d/[x] (command:y), /d/1, /d/2, /d/3, /d/4, …. Close what uses them');
  expect(log.lines.filter((line) => line.includes('/d/')).length).toBe(6);
});

test.each<[Answer | Error, string]>([
  ['unknown', 'Nothing was deleted'],
  ['refused', 'could not be deleted, or not all of it'],
  ['silent', 'It is not known whether anything was deleted'],
  [new Error('socket hang up'), 'It is not known whether anything was deleted'],
])('CNV-4 what comes of it is told as it is: %s', async (answer, words) => {
  await run(commandIds.deleteSession, 'past', answer, 'Delete Session');
  expect([editor.shown.at(-1)?.startsWith('warning: '), editor.shown.at(-1)]).toEqual([
    true,
    expect.stringContaining(words) as string,
  ]);
  // Whatever it was, what is shown is read anew.
  expect(erasedTimes).toBe(1);
});

test('CNV-4 reports each deletion once to another window, even of sessions that the state does not have', async () => {
  const owner = { instance: 'i', generation: 1, app: 'test', version: '0', startedAt: '' };
  const log = logLines();
  const clock = fakeClock(0);
  const hub = createHub({ store: memoryStore(), clock, log, owner, unreduced: [], idleMs: () => 1 });
  let handlers: LinkHandlers | undefined;
  /** As the stream does on every reset. */
  const send = () => {
    const state = hub.snapshot();
    const frame = { type: 'snapshot', protocol: WIRE_VERSION, revision: state.revision, state };
    handlers?.onFrame(serverFrameSchema.parse(JSON.parse(JSON.stringify(frame))));
  };
  hub.onChange(({ type }) => type === 'reset' && send());
  const link = { resync: () => undefined, ping: () => undefined, dispose: () => undefined };
  const follower = await startFollower({
    links: {
      connect: (given) => {
        handlers = given;
        queueMicrotask(send);
        return Promise.resolve({ ...link, explain: () => Promise.resolve(undefined) });
      },
    },
    log,
    instance: 'i',
    onSign: () => undefined,
    abandoned: new Promise(() => undefined),
  });
  if (typeof follower === 'string') throw new Error(follower);
  let told = 0;
  onErased(follower.source, () => told++);
  send();
  expect(told).toBe(0);
  hub.erase(['of long ago']);
  await expect.poll(() => told).toBe(1);
  send();
  expect(told).toBe(1);
  hub.erase([]);
  await expect.poll(() => told).toBe(2);
  hub.dispose();
});
