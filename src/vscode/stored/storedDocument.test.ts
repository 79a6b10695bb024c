import { expect, test, vi } from 'vitest';
import type { Stored } from '../../protocol/reading.ts';
import { readSettings, settingNames } from '../../protocol/settings.ts';
import { storedText } from './storedDocument.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

const stored: Stored = {
  folders: ['/home/u/.config/Code/agent-mascot', '/home/u/.agent-mascot/`spool`'],
  ...{ sessions: 1_234, interactions: 56_789, events: 1_000_000, oldest: '2026-03-02T10:00:00.000Z' },
  ...{ databaseBytes: 1_234_567, journalBytes: 123_456_789, spoolBytes: 0 },
  ...{ retentionDays: 90, retentionMegabytes: 2_000, retentionPlanned: [], logging: true },
};
const telling = { locale: 'en', timeZone: 'UTC', now: Date.UTC(2026, 3, 1), scheme: 'vscode' };
const { settings } = readSettings({ 'logging.excludedProjects': ['/a', '/b'] });

const text = (changes: Partial<Stored> = {}, other = settings) =>
  storedText({ stored: { ...stored, ...changes }, settings: other }, telling);

test('CNV-4 the page says where it lies, how much it is, since when and for how long', () => {
  const lines = text().split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      '# What Is Stored',
      '- Sessions: 1,234. Prompts and replies: 56,789. Events: 1,000,000.',
      '- Oldest: Mar 2, 2026 10:00:00.',
      '- History: 123 MB. Index: 1.2 MB. Spool, which waits to be taken in: 0 MB.',
      '- `/home/u/.config/Code/agent-mascot`',
      '- `` /home/u/.agent-mascot/`spool` ``',
      '- A session goes when nothing has happened in it for 90 days. ([`agentMascot.retention.days`](vscode://settings/agentMascot.retention.days))',
      '- What is said in folders whose conversations are not logged: 2 now. Their agents are shown all the same; names of tools and files, counts and times remain. ([`agentMascot.logging.excludedProjects`](vscode://settings/agentMascot.logging.excludedProjects))',
      '- A prompt that begins with `[private]`, what is answered to it, and what is done meanwhile: only the names of tools, counts and times remain. ([`agentMascot.logging.privateMarker`](vscode://settings/agentMascot.logging.privateMarker))',
    ]),
  );
  expect(text({ oldest: null })).toContain('Nothing is stored yet.');
});

test('CNV-4 it says what is masked, what is not kept, and how to turn off, export and delete', () => {
  for (const words of [
    'What is masked',
    'Keys, tokens, passwords and private keys',
    '`.env`-like files',
    '`agentMascot.logging.enabled`',
    '**Export Conversation…**',
    '**Delete This Session…**',
    '**Agent Mascot: Delete All Data…**',
    'transcripts that your agents write themselves are theirs',
  ])
    expect(text()).toContain(words);
});

test('CNV-4 logging that is off, and a marker that is not set, are said first and as they are', () => {
  expect(text()).not.toContain('logging is off');
  expect(text({ logging: false })).toContain(
    '**Nothing that is said is kept now: logging is off. What was stored before is still there.** ([`agentMascot.logging.enabled`](vscode://settings/agentMascot.logging.enabled))',
  );
  const without = readSettings({ 'logging.privateMarker': ' ' }).settings;
  expect(text({}, without)).toContain('No marker for private prompts is set: every prompt is kept.');
});

test('CNV-4 MEM-3 it says that what memory tells goes to the agent’s service, or that memory is off', () => {
  expect(text()).not.toContain('Nothing is sent anywhere');
  expect(text()).toMatch(/\(5 at most\).* goes to its own service.*settings\/agentMascot\.memory\.sessions/);
  const off = readSettings({ 'memory.sessions': 0 }).settings;
  expect(text({}, off)).toContain('- Memory is off: no agent is told of earlier sessions');
  const some = readSettings({ 'memory.excludedProjects': ['/a'] }).settings;
  expect(text({}, some)).toContain('- Folders whose agents are told nothing of this: 1 now.');
});

test('CNV-4 links only settings that exist', () => {
  const named = [...text({ logging: false }).matchAll(/vscode:\/\/settings\/agentMascot\.([\w.]+)/g)].map(
    ([, name]) => name,
  );
  expect(new Set(named).size).toBe(8);
  const inBrowser = storedText({ stored, settings }, { ...telling, scheme: undefined });
  expect(inBrowser).toContain('(`agentMascot.retention.days`)');
  expect(named.filter((name) => !settingNames.some((known) => known === name))).toEqual([]);
});

test('STO-5 the page shows what retention will delete, when, and how to keep it', () => {
  const plan = { why: 'age', since: '2026-06-01T00:00:00.000Z', sessions: 21, of: 22, inHours: 23 } as const;
  expect(text({ retentionPlanned: [plan] })).toContain(
    '- **21 of 22 sessions are older than agentMascot.retention.days and will be deleted after about 23 more hours of use. To keep them, raise that setting.**',
  );
});
