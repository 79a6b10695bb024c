import { beforeEach, expect, test, vi } from 'vitest';
import type { StateChange } from '../../app/ports.ts';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import { aSnapshot } from '../../../test/webview/fixtures.ts';
import { clearEditor, editor, FakeEvent, settled } from '../hooks/editor.testkit.ts';
import { ConversationDocuments } from './conversationDocument.ts';
import { clearWorkbench, closeDocument, workbench } from './conversationEditor.testkit.ts';
import { aStoredSession, said, storedThere, type StoredThere } from './conversations.testkit.ts';

vi.mock('vscode', async () => (await import('./conversationEditor.testkit.ts')).conversationVscode);

beforeEach(() => {
  clearEditor();
  clearWorkbench();
});

function setUp(changes: Partial<StoredThere> = {}) {
  const running = aStoredSession({ state: 'active', endedAt: undefined });
  const there = storedThere({ session: running, interactions: [said(1, 'user', 'Hello')], ...changes });
  const clock = fakeClock();
  const changed = new FakeEvent<StateChange>();
  const source = { snapshot: () => aSnapshot([], []), status: () => 'live' as const, onChange: changed.on };
  const conversation = new ConversationDocuments({ source, collector: there.source, clock });
  const goOn = async (ms = 1_000) => {
    const nothing = {
      revision: 1,
      agents: [],
      removedSessions: [],
      removedAgents: [],
      workItems: [],
      removedWorkItems: [],
      events: [],
    };
    changed.fire({ type: 'patch', patch: { ...nothing, sessions: [aStoredSession()] } });
    await clock.advance(ms);
    await settled();
  };
  const say = (second: number, content: string) => {
    there.interactions = [...there.interactions, said(second, 'assistant', content)];
  };
  return { there, clock, conversation, goOn, say, changed };
}

const opened = () => {
  const [one] = workbench.editors;
  if (one === undefined) throw new Error('nothing is open');
  return one;
};

test('CNV-3 a conversation opens as a Markdown document that is named after its project', async () => {
  const { conversation } = setUp({ session: aStoredSession() });
  await conversation.show('s');
  const { document, selection } = opened();
  expect([document.uri.scheme, document.uri.path, document.uri.query]).toEqual([
    'agent-mascot-conversation',
    '/Conversation: harbour.md',
    's',
  ]);
  expect(document.text).toMatch(/^# Fix the light\n[\s\S]*\n## Hello\n[\s\S]*\n> Hello\n$/);
  expect(selection).toBeUndefined();
});

test('CNV-3 grows a document while its session goes on, and keeps an editor at the end there', async () => {
  const { conversation, goOn, say, there } = setUp();
  await conversation.show('s');
  const at = opened();
  expect(at.selection?.start.line).toBe(at.document.lineCount - 1);
  say(2, 'One more');
  await goOn();
  expect(at.document.text).toContain('> One more\n');
  expect(at.revealed).toEqual([at.document.lineCount - 1]);

  at.scrollTo(3);
  say(3, 'Further');
  await goOn();
  expect([at.document.text.includes('> Further'), at.revealed.length]).toEqual([true, 1]);

  const before = there.asked;
  await goOn(900);
  expect(there.asked).toBe(before);
});

test('CNV-3 asks nothing for a document that is hidden or closed', async () => {
  const { conversation, goOn, say, there } = setUp();
  await conversation.show('s');
  const at = opened();
  workbench.editors.length = 0;
  say(2, 'Unseen');
  const asked = there.asked;
  await goOn();
  expect([there.asked, at.document.text.includes('Unseen')]).toEqual([asked, false]);

  workbench.editors.push(at);
  workbench.seen.fire(undefined);
  await goOn();
  expect(at.document.text).toContain('> Unseen');

  closeDocument(at.document);
  const last = there.asked;
  await goOn();
  expect(there.asked).toBe(last);
});

test('CNV-3 asks nothing while the state does not change', async () => {
  const { conversation, clock, there } = setUp();
  await conversation.show('s');
  const asked = there.asked;
  await clock.advance(60_000);
  await settled();
  expect(there.asked).toBe(asked);
});

test('CNV-3 CNV-4 says in an open document that its session was deleted', async () => {
  const { conversation, goOn, there } = setUp();
  await conversation.show('s');
  there.session = undefined;
  await goOn();
  expect(opened().document.text).toBe('This session is not stored any more: it was deleted, or it expired.');
  await conversation.show('s');
  expect(editor.shown).toEqual(['info: This session is not stored any more: it was deleted, or it expired.']);
});

test('CNV-4 says so after `reread` too, without a change of the state', async () => {
  const { conversation, clock, there } = setUp();
  await conversation.show('s');
  there.session = undefined;
  conversation.reread();
  await clock.advance(1_000);
  await settled();
  expect(opened().document.text).toBe('This session is not stored any more: it was deleted, or it expired.');
});

test('CNV-3 keeps the text while no collector responds, and says that a document can’t be opened', async () => {
  const { conversation, goOn, say, there } = setUp();
  there.silent = true;
  await conversation.show('s');
  expect([editor.shown.length, workbench.editors.length]).toEqual([1, 0]);
  there.silent = false;
  await conversation.show('s');
  const { document } = opened();
  const before = document.text;
  there.silent = true;
  say(2, 'Later');
  await goOn();
  expect(document.text).toBe(before);
  there.silent = false;
  await goOn();
  expect(document.text).toContain('> Later');
});

test('CNV-3 fills a document that the editor restores after a reload once a collector responds', async () => {
  const { there, goOn } = setUp({ silent: true });
  const { conversationVscode } = await import('./conversationEditor.testkit.ts');
  const address = conversationVscode.Uri.from({
    scheme: 'agent-mascot-conversation',
    path: '/Conversation: x.md',
    query: 's',
  });
  const document = await conversationVscode.workspace.openTextDocument(address);
  await conversationVscode.window.showTextDocument(document);
  expect(document.text).toMatch(/^The conversation can’t be read now/);
  there.silent = false;
  await goOn();
  expect(document.text).toContain('## Hello');
});

test('CNV-3 opens at a place with the words selected, in a long session with the part around it', async () => {
  const many = Array.from({ length: 6_000 }, (_, index) =>
    said(index, 'user', `prompt ${index}\n항구의 불빛 ${index}`),
  );
  const { conversation, goOn, there } = setUp({ interactions: many });
  const selected = () => {
    const { document, selection } = opened();
    const line = document.text.split('\n')[selection?.start.line ?? 0] ?? '';
    return line.slice(selection?.start.character, selection?.end.character);
  };
  const around = (index: number, words: string) =>
    conversation.show('s', { interactionId: `prompt ${index}\n항구의 불빛 ${index}`, words });
  await around(5_990, '불빛 5990');
  expect(selected()).toBe('불빛 5990');
  await around(1_500, '불빛 1500');
  const { document } = opened();
  expect([selected(), document.text.includes('prompt 5990'), workbench.editors.length]).toEqual([
    '불빛 1500',
    false,
    1,
  ]);
  expect(document.text).toContain('_What was said after that is left out._');
  const asked = there.asked;
  await goOn();
  expect(there.asked).toBe(asked);
  await conversation.show('s');
  expect(document.text).toContain('prompt 5990');
});

test('RLY-1 shows a changed receipt without a change of the state, and then stops asking', async () => {
  const at = '2026-01-01T10:00:02.000Z';
  const waiting = { kind: 'reply', at, event: 'Done', state: 'waiting' } as const;
  const { conversation, clock, there, say, goOn } = setUp({
    interactions: [said(1, 'user', 'Hello'), said(2, 'assistant', 'Done')],
    deliveries: [waiting],
  });
  await conversation.show('s');
  const { document } = opened();
  expect(document.text).toContain('> Done\n\n_Chat: waits to be sent_\n');
  const pass = async (ms: number) => {
    await clock.advance(ms);
    await settled();
  };
  await pass(2_000);
  there.deliveries = [{ ...waiting, state: 'sent', when: at }];
  const asked = there.asked;
  await pass(5_000);
  await pass(1_000);
  expect(document.text).toMatch(/> Done\n\n_Chat: sent .*\d\d:\d\d:\d\d_\n$/);
  expect(there.asked).toBeGreaterThan(asked);
  const last = there.receiptsAsked;
  await pass(600_000);
  expect(there.receiptsAsked).toBe(last);

  say(3, 'More');
  there.deliveries = [...there.deliveries, { ...waiting, event: 'More' }];
  await goOn();
  expect(document.text).toContain('> More\n\n_Chat: waits to be sent_\n');
  there.deliveries = there.deliveries.map((delivery) => ({ ...delivery, state: 'givenUp', when: at, why: 'locked' }));
  await pass(2_000);
  await pass(1_000);
  expect(document.text).toMatch(/> More\n\n_Chat: given up .*: the thread was locked_\n$/);
});

test('RLY-1 asks less and less often for a receipt, and not at all while hidden', async () => {
  const deliveries = [{ kind: 'phase', at: '2026-01-01T10:00:02.000Z', state: 'waiting' } as const];
  const { conversation, clock, there } = setUp({ deliveries });
  await conversation.show('s');
  const pass = async (times: number) => {
    for (let second = 0; second < times; second++) {
      await clock.advance(1_000);
      await settled();
    }
  };
  const before = there.receiptsAsked;
  await pass(600);
  expect(there.receiptsAsked - before).toBeGreaterThan(8);
  expect(there.receiptsAsked - before).toBeLessThan(15);
  const at = opened();
  workbench.editors.length = 0;
  await pass(60);
  const unseen = there.receiptsAsked;
  await pass(300);
  expect(there.receiptsAsked).toBe(unseen);
  workbench.editors.push(at);
  workbench.seen.fire(undefined);
  await pass(60);
  expect(there.receiptsAsked).toBeGreaterThan(unseen);
});
