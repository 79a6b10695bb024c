import { beforeEach, expect, test, vi } from 'vitest';
import { aSession, aSnapshot } from '../../../test/webview/fixtures.ts';
import type { SecretName, Secrets } from '../../app/outletPorts.ts';
import { type SinkStanding, SinkTrouble, type TeamCounts } from '../../app/sink/sinkPorts.ts';
import type { SinkTroubleKind } from '../../domain/postgres/trouble.ts';
import { clearEditor, editor, settled } from '../hooks/editor.testkit.ts';
import { commandIds, teamScheme } from '../ids.ts';
import { teamCommands } from './teamCommands.ts';
import { createTeamPreview } from './teamPreview.ts';
import { createTeamStanding } from './teamStanding.ts';

vi.mock('vscode', async () => (await import('../hooks/editor.testkit.ts')).fakeVscode);

const MINUTE = 60_000;
const noon = new Date(2026, 0, 2, 12, 0, 0).getTime();
const url = 'postgresql://ada:s3cret@db.example:5432/team';
const counts: TeamCounts = {
  ...{ seenAt: undefined, machines: 2, sessions: 12, interactions: 340, sessionEvents: 56, workItems: 7 },
};

const kept = new Map<SecretName, string>();
/** What was done, in its order. */
const done: string[] = [];
let refuses: SinkTrouble | undefined;
let now = noon;
let standing: ReturnType<typeof createTeamStanding>;

beforeEach(() => {
  clearEditor();
  kept.clear();
  done.length = 0;
  refuses = undefined;
  now = noon;
  standing = createTeamStanding(() => now);
});

const secrets: Secrets = {
  get: (name) => Promise.resolve(kept.get(name)),
  set: (name, value) => Promise.resolve(void (kept.set(name, value), done.push('kept'))),
  delete: (name) => Promise.resolve(void (kept.delete(name), done.push('forgotten'))),
  onChange: () => ({ dispose: () => undefined }),
};

function act(what: string): Promise<void> {
  done.push(`${what}, kept: ${kept.size}`);
  return refuses ? Promise.reject(refuses) : Promise.resolve();
}

function commands(holder = 'Test Code') {
  const owner = { instance: 'i', generation: 1, app: holder, version: '1', startedAt: '' };
  const control = {
    look: () => act('look').then(() => counts),
    removeRows: () => act('remove'),
    describe(text: string) {
      if (!text.startsWith('postgresql://')) throw new SinkTrouble('address', 'It has to begin with postgresql://.');
      return text.replace(/^.*@/, '');
    },
  };
  const preview = { show: () => act('preview') };
  const source = { snapshot: () => ({ ...aSnapshot([], []), owner }) };
  const set = teamCommands({ secrets, control, standing, user: () => 'Ada' }, preview, source);
  return {
    connect: set[commandIds.connectTeamDatabase],
    status: set[commandIds.teamDatabaseStatus],
    disconnect: set[commandIds.disconnectTeamDatabase],
  };
}

const lastSaid = () => editor.shown.at(-1)?.split(' | ')[0];

test('SNK-1 a URL that is none is refused while it is typed, before anybody is asked', async () => {
  editor.answers.push('mysql://db.example');
  await commands().connect();
  expect(editor.shown).toEqual([
    'input: Connect a Team Database [] This URL can’t be used. It has to begin with postgresql://.',
  ]);
  expect(done).toEqual([]);
});

test.each<[SinkTroubleKind, RegExp]>([
  ['unreachable', /can’t be reached: no answer\. Check host and port/],
  ['host', /host is not known here: no answer\. Check its name/],
  ['password', /refuses user or password: no answer\. Connect it again with the right ones\./],
  ['tls', /No safe connection .*: no answer\. Certificate not trusted: name its authority/],
  ['rights', /does not let this user do what is needed: no answer\. Ask for the right/],
  ['role', /belong to another role: no answer\. Connect with that role’s URL, or ask the schema’s owner/],
])('SNK-1 where the database refuses (%s) the person is told what to do, and can try again', async (kind, words) => {
  refuses = new SinkTrouble(kind, 'no answer');
  editor.answers.push(url, 'Try Again…', '-');
  await commands().connect();
  expect(editor.shown[1]).toMatch(words);
  expect(editor.shown[1]).toMatch(/^error: /);
  // What was typed is there again; the fake shows what the editor hides behind dots.
  expect(editor.shown[2]).toContain(`[${url}]`);
  expect([done, kept.size]).toEqual([['look, kept: 0'], 0]);
});

test('SNK-1 it is tried, shown and asked for, and only then kept; the password is in no question', async () => {
  editor.answers.push(url, 'Show What Would Be Sent', 'Copy from Now On', '-');
  await commands().connect();
  expect(done).toEqual(['look, kept: 0', 'preview, kept: 0', 'kept']);
  expect([...kept]).toEqual([['postgres.url', url]]);
  const question = editor.shown.find((line) => line.startsWith('warning'));
  expect(question).toMatch(/Copy what Agent Mascot stores to db\.example:5432\/team\?\n.*under the name Ada/);
  expect(JSON.stringify(editor.shown)).not.toContain('s3cret');
  expect(lastSaid()).toBe('info: Agent Mascot copies to the team database from now on.');
});

test.each([
  ['with no URL', ['-']],
  ['at the question', [url, '-']],
  ['after the preview', [url, 'Show What Would Be Sent', '-']],
  ['by saying no', [url, 'Show What Would Be Sent', 'Don’t Copy']],
])('SNK-1 whoever leaves connecting %s has changed nothing', async (_, answers) => {
  editor.answers.push(...answers);
  await commands().connect();
  expect([kept.size, done.includes('kept')]).toEqual([0, false]);
});

test('SNK-1 the status says that nothing is connected', async () => {
  await commands().status();
  expect([lastSaid(), done]).toEqual(['info: No team database is connected.', []]);
});

const behind = { events: 40, since: noon - 57 * MINUTE };
const trouble: SinkStanding = {
  ...{ kind: 'trouble', trouble: 'unreachable', detail: 'ECONNREFUSED', since: noon - 5 * MINUTE, behind },
};
const rows =
  'This machine’s rows: 12 sessions, 340 interactions, 56 session events, 7 work items. Last push: never. Visible machines: 2.';

test.each<[string, SinkStanding | undefined, string, string]>([
  ['up to date', { kind: 'upToDate', at: noon }, 'Test Code', 'db.example:5432/team: up to date.'],
  [
    'how much is behind, and since when',
    { kind: 'copying', behind },
    'Test Code',
    'db.example:5432/team: copying; events waiting: 40, since 11:03.',
  ],
  [
    'copying, where nothing tells what is behind',
    { kind: 'copying', behind: { events: 0, since: undefined } },
    'Test Code',
    'db.example:5432/team: copying.',
  ],
  [
    'the trouble, and how long it lasts',
    trouble,
    'Test Code',
    'db.example:5432/team: The team database can’t be reached now: ECONNREFUSED. It is tried again; nothing is lost. Since 11:55; events waiting: 40.',
  ],
  ['that another window copies', undefined, 'Test Code', 'db.example:5432/team: another window does the copying.'],
  [
    'the same where this one stopped',
    { kind: 'off' },
    'Test Code',
    'db.example:5432/team: another window does the copying.',
  ],
  [
    'that another editor holds the history',
    undefined,
    'Another Editor',
    'db.example:5432/team: Another Editor holds the history now, and copies it if the team database is connected there, too.',
  ],
  [
    'that nobody copies while a collector without an editor holds it',
    undefined,
    'headless',
    'db.example:5432/team: a collector without an editor holds the history now, and copies nothing. End it, and this editor takes over.',
  ],
])('SNK-1 the status tells %s', async (_, stands, holder, words) => {
  kept.set('postgres.url', url);
  if (stands) standing.set(stands);
  editor.answers.push('-');
  await commands(holder).status();
  expect(lastSaid()).toBe(`info: Team database ${words} ${rows}`);
});

test('SNK-1 disconnecting takes the URL away first, and the rows only where that is wanted', async () => {
  kept.set('postgres.url', url);
  editor.answers.push('-');
  await commands().disconnect();
  expect([kept.size, done]).toEqual([1, []]);

  editor.answers.push('Stop, Keep the Rows');
  await commands().disconnect();
  expect([kept.size, done]).toEqual([0, ['forgotten']]);
  expect(lastSaid()).toBe('info: Agent Mascot copies to no team database any more.');

  kept.set('postgres.url', url);
  editor.answers.push('Stop, Delete the Rows');
  await commands().disconnect();
  expect([kept.size, done.slice(1)]).toEqual([0, ['forgotten', 'remove, kept: 0']]);
  expect(lastSaid()).toBe('info: This machine’s rows were deleted from the team database.');
});

test('SNK-1 rows that can’t be deleted leave the URL where it was: it takes one to try again', async () => {
  kept.set('postgres.url', url);
  refuses = new SinkTrouble('unreachable', 'ECONNREFUSED');
  editor.answers.push('Stop, Delete the Rows', '-');
  await commands().disconnect();
  expect([...kept]).toEqual([['postgres.url', url]]);
  expect(lastSaid()).toMatch(/^error: This machine’s rows are still there, and copying goes on\. .*ECONNREFUSED/);
});

test('SNK-1 where another editor holds the history it may copy on, and the person is told', async () => {
  kept.set('postgres.url', url);
  editor.answers.push('Stop, Delete the Rows');
  await commands('Another Editor').disconnect();
  expect(lastSaid()).toBe(
    'info: This machine’s rows were deleted from the team database. Another Editor holds the history now: disconnect the team database there, too.',
  );
});

const told = () => editor.shown.filter((line) => line.startsWith('warning')).length;
const stands = (kind: SinkTroubleKind, since = now): SinkStanding => ({ ...trouble, trouble: kind, since });

test('SNK-1 what waits for the person is told at once, once for each kind until it works again', () => {
  standing.set(stands('password'));
  expect(editor.shown).toEqual([
    'warning: The team database refuses user or password: ECONNREFUSED. Connect it again with the right ones. | Connect Again… | Show Log',
  ]);
  standing.set(stands('password'));
  expect(told()).toBe(1);
  standing.set(stands('rights'));
  expect(told()).toBe(2);
  standing.set({ kind: 'copying', behind });
  standing.set(stands('password'));
  expect(told()).toBe(2);
  standing.set({ kind: 'upToDate', at: now });
  standing.set(stands('password'));
  expect(told()).toBe(3);
});

// Without a network the host's name is not known either.
test.each(['unreachable', 'host'] as const)(
  'SNK-1 an outage (%s) is told when it has lasted a quarter of an hour, once, and its end not at all',
  (kind) => {
    for (let minute = 0; minute < 15; minute++) {
      standing.set(stands(kind, noon));
      now += MINUTE;
    }
    expect(told()).toBe(0);
    standing.set(stands(kind, noon));
    now += 60 * MINUTE;
    standing.set(stands(kind, noon));
    expect(told()).toBe(1);
    standing.set({ kind: 'upToDate', at: now });
    expect(editor.shown.length).toBe(1);
  },
);

test('SNK-1 a trouble stays in one line as long as it lasts, and its notice leads on', async () => {
  let changes = 0;
  const listening = standing.onChange(() => changes++);
  expect([standing.trouble(), standing.text()]).toEqual([undefined, undefined]);
  editor.answers.push('Connect Again…');
  standing.set(stands('tls', noon - 90 * MINUTE));
  expect(standing.trouble()).toMatch(/^No safe connection .* Since 10:30; events waiting: 40\.$/);
  await settled();
  expect(editor.commands).toEqual([commandIds.connectTeamDatabase]);
  standing.set({ kind: 'upToDate', at: now });
  expect([standing.trouble(), changes]).toEqual([undefined, 2]);
  listening.dispose();
  standing.set({ kind: 'off' });
  expect(changes).toBe(2);
});

const at = '2026-01-01T00:00:01.000Z';
const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const hostile = `Here: ${secret}\n\`\`\`\n\`\`\`\`\n# A heading\n[click](command:workbench.action.quit)`;

function previewOf(sessions: readonly ReturnType<typeof aSession>[], stored = sessions) {
  const of = { sessionId: 'new', agentId: 'new/main' };
  const said = { ...of, id: 'said', role: 'assistant', content: hostile, skillName: 'claude_response', ts: at };
  const call = {
    ...{ ...of, id: 'call', skillName: 'Bash', arguments: JSON.stringify({ command: `echo ${secret}` }), ts: at },
    ...{ target: 'echo', response: secret, outcome: 'succeeded', durationMs: 5, metadata: {} },
  };
  const event = {
    ...{ id: 'event', session_id: 'new', event_type: 'decision', summary: secret, details: {}, severity: 'info' },
    created_at: at,
  };
  const lists: Record<string, readonly unknown[]> = {
    interactions: [said],
    observations: [call],
    'session-events': [event],
  };
  const asked: string[] = [];
  createTeamPreview({
    source: { snapshot: () => aSnapshot([...sessions], []) },
    collector: {
      list: ((id: string, name: string) => {
        asked.push(id);
        return Promise.resolve({ items: lists[name], next: null });
      }) as never,
      sessions: () => Promise.resolve({ items: [...stored], next: null }),
    },
    user: () => 'Ada',
  });
  const text = () => editor.providers.get(teamScheme)!({ query: '' } as never) as unknown as Promise<string>;
  return { text, asked };
}

test('SNK-1 the preview shows rows of the newest session as they would be sent, masked, and nothing in them closes their fence', async () => {
  const old = aSession({ id: 'old', lastEventAt: '2025-12-31T00:00:00.000Z' });
  const { text, asked } = previewOf([old, aSession({ id: 'new', title: `Use ${secret}`, lastEventAt: at })]);
  const shown = await text();
  expect(new Set(asked)).toEqual(new Set(['new']));
  expect(shown).not.toContain(secret);
  const parts = shown.split(/^## /m).slice(1);
  expect(parts.map((part) => part.split('\n')[0])).toEqual([
    'agent_mascot.sessions',
    'agent_mascot.interactions',
    'agent_mascot.session_events',
    'agent_mascot.work_items',
  ]);
  const rowsIn = parts.map((part) => {
    const [, fence, json] = /^(`{3,})json\n([\s\S]*?)\n\1$/m.exec(part) ?? [];
    return { fence, rows: JSON.parse(json ?? '') as Record<string, unknown>[] };
  });
  expect(rowsIn.map(({ rows: { length } }) => length)).toEqual([1, 2, 1, 0]);
  const [sessions, interactions] = rowsIn;
  expect(sessions?.rows[0]).toMatchObject({ session_id: 'new', user_name: 'Ada' });
  expect(interactions?.fence).toBe('`````');
  expect(String(interactions?.rows[0]?.['content'])).toContain('# A heading');
});

test('SNK-1 while no session lives the preview shows a stored one, and says where there is none', async () => {
  const { text, asked } = previewOf([], [aSession({ id: 'stored' })]);
  expect(await text()).toContain('"session_id": "stored"');
  expect(asked[0]).toBe('stored');
  expect(await previewOf([]).text()).toBe('There is no session to show.');
});
