import { expect, test, vi } from 'vitest';
import { isWorkId, proposedId } from './newWork.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

test.each([
  ['Fix the login page', 'fix-the-login-page'],
  ['  $(rm -rf /) “Ship” it! ', 'rm-rf-ship-it'],
  ['로그인 고치기', '로그인-고치기'],
  ['Cafe\u0301 résumé', 'café-résumé'],
  ['?!', 'work'],
  ['Measure the parser before the first release candidate of the year', 'measure-the-parser-before-the-first'],
  ['x'.repeat(90), 'x'.repeat(40)],
  ['𝟘'.repeat(60), '𝟘'.repeat(40)],
])('GRD-1 the id that is proposed for “%s” is made of its words and keeps the rule', (title, id) => {
  expect([proposedId(title, []), isWorkId(id)]).toEqual([id, true]);
});

test('GRD-1 adds a free number to a proposed id that is taken', () => {
  expect(proposedId('Fix it', ['fix-it', 'fix-it-2'])).toBe('fix-it-3');
});
