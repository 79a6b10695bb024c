import { beforeEach, expect, test, vi } from 'vitest';
import { readSettings } from '../../protocol/settings.ts';
import { clearEditor, editor } from '../hooks/editor.testkit.ts';
import { commandIds } from '../ids.ts';
import { projectCommands } from './projectCommands.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

beforeEach(clearEditor);

const { settings } = readSettings({ 'logging.excludedProjects': ['/p/one'] });
const table = projectCommands({ current: () => settings });
const node = (project: string) => ({ kind: 'project', project });

test('CNV-4 MEM-3 adds a project to the list in the settings, after the person agrees', async () => {
  editor.answers.push('Don’t Log This Project', 'No Memory for This Project');
  await table[commandIds.dontLogProject](node('/p/two'));
  await table[commandIds.noMemoryForProject](node('/p/two'));
  expect([...editor.settings]).toEqual([
    ['agentMascot.logging.excludedProjects', ['/p/one', '/p/two']],
    ['agentMascot.memory.excludedProjects', ['/p/two']],
  ]);
  expect(editor.shown).toEqual([
    expect.stringMatching(/^warning: Keep nothing .* in \/p\/two from now on\?.*stays.*agentMascot\.logging\./s),
    expect.stringMatching(/^warning: Tell agents in \/p\/two nothing .*agentMascot\.memory\./s),
  ]);
});

test('CNV-4 writes nothing without agreement, without a project, or for a project in the list', async () => {
  editor.answers.push('-');
  await table[commandIds.dontLogProject](node('/p/two'));
  await table[commandIds.dontLogProject](undefined);
  await table[commandIds.dontLogProject](node('/p/one'));
  expect([editor.settings.size, editor.shown.at(-1)]).toEqual([
    0,
    'info: /p/one is in the list already. The setting agentMascot.logging.excludedProjects has it.',
  ]);
});
