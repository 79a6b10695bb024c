import { beforeEach, expect, test, vi } from 'vitest';
import { fakeClock } from '../../app/testkit/fakes.testkit.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { anEvent } from '../../domain/event.testkit.ts';
import { readReport } from '../../domain/report.ts';
import { aSession } from '../../../test/webview/fixtures.ts';
import { clearEditor, editor, FakeUri, settled } from '../hooks/editor.testkit.ts';
import { conversationCommands } from './conversationCommands.ts';
import { clearWorkbench, closeDocument, workbench } from './conversationEditor.testkit.ts';
import { ReportDocuments } from './reportDocument.ts';

vi.mock('vscode', async () => (await import('./conversationEditor.testkit.ts')).conversationVscode);

beforeEach(() => {
  clearEditor();
  clearWorkbench();
});

type Answer = Awaited<ReturnType<Collector['report']>>;

function aReport(summary: string): Answer {
  const reader = readReport([]);
  reader.take(anEvent(1, 'decision', { summary }));
  const session = aSession({ id: 's', title: 'Fix the light', project: '/work/harbour', cwd: '/work/harbour' });
  return reader.report({ session, agents: [], items: [] }, true);
}

function setUp(answer: Answer) {
  const there = { answer, asked: [] as string[] };
  const collector = {
    report(id: string) {
      there.asked.push(id);
      return Promise.resolve(there.answer);
    },
  };
  return { there, report: new ReportDocuments({ collector, clock: fakeClock() }) };
}

const texts = () => workbench.documents.map(({ text }) => text);

test('EVT-1 a report opens as a Markdown document of its own, named after the project, and is made anew each time', async () => {
  const { there, report } = setUp(aReport('Use a lamp'));
  await report.show('s');
  const [document] = workbench.documents;
  expect([document?.uri.scheme, document?.uri.path, document?.uri.query]).toEqual([
    'agent-mascot-report',
    '/Report: harbour.md',
    's',
  ]);
  expect(texts()).toEqual([expect.stringMatching(/^# Session report: Fix the light\n[^]*\*\*Use a lamp\*\*/)]);
  there.answer = aReport('Use two');
  await report.show('s');
  expect(texts()).toEqual([expect.stringContaining('**Use two**')]);
  expect(there.asked).toEqual(['s', 's']);
});

test.each([
  [undefined, 'There is no report now: the window that runs the collector does not answer'],
  ['unknown', 'This session is not stored any more'],
] as const)('EVT-1 where the answer is %s nothing opens, and it is said why', async (answer, words) => {
  const { report } = setUp(answer);
  await report.show('s');
  expect([workbench.documents, editor.shown.join('\n')]).toEqual([[], expect.stringContaining(words)]);
});

test('CNV-4 EVT-1 empties an open report when its session is deleted', async () => {
  const { there, report } = setUp(aReport('A secret plan'));
  await report.show('s');
  there.answer = 'unknown';
  report.reread();
  await settled();
  expect(texts()).toEqual(['This session is not stored any more: it was deleted, or it expired.']);
});

test('EVT-1 a report that the editor brings back after a reload is made then, and forgotten once it is closed', async () => {
  const { there, report } = setUp(aReport('Use a lamp'));
  const address = new FakeUri('agent-mascot-report', '/Report: harbour.md', 's');
  expect(await workbench.state.provider?.provideTextDocumentContent(address)).toContain('**Use a lamp**');
  expect(await workbench.state.provider?.provideTextDocumentContent(address)).toContain('**Use a lamp**');
  expect(there.asked).toEqual(['s']);
  await report.show('s');
  closeDocument(workbench.documents[0]!);
  report.reread();
  expect(there.asked).toEqual(['s', 's']);
});

test('EVT-1 reports the session that was clicked', async () => {
  const shown: string[] = [];
  const parts = { report: { show: (id: string) => Promise.resolve(void shown.push(id)) } };
  const table = conversationCommands(parts as unknown as Parameters<typeof conversationCommands>[0]);
  await table['agentMascot.showReport']({ sessionId: 's-7' });
  expect(shown).toEqual(['s-7']);
});
