import { beforeEach, expect, test, vi } from 'vitest';
import { commandIds } from '../ids.ts';
import { clearEditor, editor, FakeUri } from './editor.testkit.ts';
import { createInstalledHooks } from './installedHooks.ts';
import { createHookCommands, type HookCommandId } from './hookCommands.ts';
import { FakeKit } from './kit.testkit.ts';

vi.mock('vscode', async () => (await import('./editor.testkit.ts')).fakeVscode);

const user = '/home/u/.claude/settings.json';
const codex = '/home/u/.codex/hooks.json';

let kit: FakeKit;
let owns: boolean;
let changed: (change: { type: 'reset' }) => void;
const logged: string[] = [];

function commands() {
  const log = (text: string) => void logged.push(text);
  return createHookCommands({
    kit,
    membership: {
      owns: () => owns,
      onChange: (listener) => {
        changed = listener;
        return { dispose: () => undefined };
      },
      stop: () => Promise.resolve(void kit.done.push('stop')),
    },
    log: { debug: log, info: log, warn: log, error: log },
    version: '1.2.3',
    folders: { person: '/home/u', home: '/home/u/.agent-mascot', storage: '/home/u/data/store' },
    changed: () => undefined,
    turnedOff: () => void kit.done.push('off'),
    forgetSecrets: () => Promise.resolve(void kit.done.push('secrets')),
  });
}

/** What is told after a command has ended waits for the person, not for the command. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function run(id: HookCommandId, ...answers: readonly string[]): Promise<void> {
  editor.answers.push(...answers);
  await commands().table[id]();
  await settled();
}

const folder = (path: string) => ({ name: path.slice(1), uri: new FakeUri('file', path) });
const lines = (list = editor.lists[0]) =>
  list?.map(({ label, description, detail }) => [label, description ?? '', detail ?? '']);

beforeEach(() => {
  clearEditor();
  kit = new FakeKit();
  owns = false;
  logged.length = 0;
});

test('HKI-1 it asks where, with what is there now and for whom it counts; the diff is shown before a byte is written', async () => {
  editor.folders.push(folder('/p'));
  editor.existing.push('/home/u/.claude', '/p');
  kit.texts.set(user, 'mine');
  kit.texts.set('/p/.claude/settings.json', 'a ? b');
  await run(commandIds.installHooks, 'This user', 'Write these changes');
  expect(lines()).toEqual([
    [
      '$(account) This user',
      '~/.claude/settings.json',
      '$(circle-large-outline) Not installed · Claude Code, for you in every project',
    ],
    [
      '$(folder) This project, only here',
      '/p/.claude/settings.local.json',
      '$(circle-large-outline) Not installed · Claude Code, for you in this project; not committed',
    ],
    [
      '$(organization) This project, shared',
      '/p/.claude/settings.json',
      '$(error) The file is broken at line 3, column 7 · Claude Code, for everyone in this project; committed',
    ],
    [
      '$(terminal) Codex',
      '~/.codex/hooks.json',
      '$(circle-large-outline) Not installed · for you in every project · not found on this machine',
    ],
  ]);
  expect(editor.shown).toEqual([
    'pick: Install Hooks: where?',
    'diff: settings.json: now ↔ with hooks [mine] -> [mine +hooks]',
    'pick: Install Hooks: ~/.claude/settings.json',
    'info: Hooks are in ~/.claude/settings.json. From now on its sessions report here. | Undo',
  ]);
  expect([kit.texts.get(user), editor.tabs]).toEqual(['mine +hooks', []]);
});

test.each([['-'], ['Cancel']])('HKI-1 after %s nothing is written, and the diff closes', async (answer) => {
  kit.texts.set(user, 'mine');
  await run(commandIds.installHooks, 'This user', answer);
  expect([kit.texts.get(user), editor.tabs, editor.shown.length]).toEqual(['mine', [], 3]);
});

test('HKI-1 the question stays while the file is looked at, and a note is there to be read', async () => {
  kit.notes.push('codex-asks-for-trust', 'link');
  kit.linkTarget = '/home/u/dotfiles/hooks.json';
  kit.texts.set(codex, 'theirs');
  await run(commandIds.installHooks, 'Codex', 'Show the file', 'Codex asks', 'Write these changes');
  expect(lines(editor.lists[1])?.map(([label]) => label)).toEqual([
    '$(check) Write these changes to ~/.codex/hooks.json',
    '$(go-to-file) Show the file as it is',
    '$(close) Cancel',
    'Good to know',
    '$(info) Codex asks at its next start whether you trust these hooks',
    '$(info) The file is a link; written is ~/dotfiles/hooks.json',
  ]);
  await settled();
  expect(editor.shown).toContain(`open: ${codex}`);
  expect(kit.texts.get(codex)).toBe('theirs +hooks');
});

test('HKI-1 with several folders it asks which, for the scopes of a project only', async () => {
  editor.folders.push(folder('/one'), folder('/two'));
  await run(commandIds.installHooks, 'only here', 'two', 'Write these changes');
  expect(editor.shown.slice(0, 3)).toEqual([
    'pick: Install Hooks: where?',
    'pick: Which project?',
    'diff: settings.local.json: new file with hooks [] -> [ +hooks]',
  ]);
  expect([...kit.texts.keys()]).toEqual(['/two/.claude/settings.local.json']);
  expect(lines()?.map(([label, what]) => [label, what])).toEqual([
    ['$(account) This user', '~/.claude/settings.json'],
    ['$(folder) This project, only here', 'asks which project'],
    ['$(organization) This project, shared', 'asks which project'],
    ['$(terminal) Codex', '~/.codex/hooks.json'],
  ]);
});

test('HKI-2 Undo gives back the very text that was there, or no file', async () => {
  await run(commandIds.installHooks, 'This user', 'Write these changes', 'Undo');
  expect([[...kit.texts], [...kit.recorded]]).toEqual([[], []]);
  expect(editor.shown.at(-1)).toBe('info: ~/.claude/settings.json is as it was before.');
});

test('HKI-2 Undo of a file that was written since takes out only ours, and asks again', async () => {
  kit.texts.set(user, 'mine');
  const command = commands();
  editor.answers.push('This user', 'Write these changes', 'Undo', 'Write these changes');
  kit.meanwhile = () => {
    // Runs at the first writing; the other program writes right after it.
    queueMicrotask(() => kit.texts.set(user, 'mine and theirs +hooks'));
  };
  await command.table[commandIds.installHooks]();
  await settled();
  expect(editor.shown.slice(3)).toEqual([
    'info: Hooks are in ~/.claude/settings.json. From now on its sessions report here. | Undo',
    'info: ~/.claude/settings.json has just been changed by another program. Here is the new difference.',
    'diff: settings.json: now ↔ without hooks [mine and theirs +hooks] -> [mine and theirs]',
    'pick: Uninstall Hooks: ~/.claude/settings.json',
    'info: No hooks of Agent Mascot are left in ~/.claude/settings.json. | Undo',
  ]);
});

test('HKI-1 after the person’s own scope other agents that are there are offered, in the same message', async () => {
  editor.existing.push('/home/u/.codex');
  await run(commandIds.installHooks, 'This user', 'Write', 'Other Agents…', 'Codex', 'Write', '-');
  expect(editor.shown.filter((line) => line.startsWith('info'))).toEqual([
    'info: Hooks are in ~/.claude/settings.json. From now on its sessions report here. | Undo | Other Agents…',
    'info: Hooks are in ~/.codex/hooks.json. Codex asks at its next start whether you trust them. | Undo',
  ]);
});

test('HKI-2 a file that changed meanwhile is planned and shown again before it is written', async () => {
  kit.texts.set(user, 'mine');
  kit.meanwhile = () => kit.texts.set(user, 'other');
  await run(commandIds.installHooks, 'This user', 'Write', 'Write');
  expect(editor.shown.filter((line) => line.startsWith('diff'))).toEqual([
    'diff: settings.json: now ↔ with hooks [mine] -> [mine +hooks]',
    'diff: settings.json: now ↔ with hooks [other] -> [other +hooks]',
  ]);
  expect(kit.texts.get(user)).toBe('other +hooks');
});

test('HKI-2 a broken file is never written: the place and what the agent does with it are told', async () => {
  kit.texts.set(user, 'mine ? yours');
  await run(commandIds.installHooks, 'This user', 'Open File', 'Try Again', '-');
  const told =
    'error: ~/.claude/settings.json, line 3, column 7: a comment, which JSON does not have. Claude Code ignores the whole file without a word. Agent Mascot leaves it as it is. | Open File | Try Again';
  expect(editor.shown).toEqual(['pick: Install Hooks: where?', told, `open: ${user}:2:6`, told, told]);
  expect(kit.texts.get(user)).toBe('mine ? yours');
});

test.each([
  [
    { kind: 'failed', code: 'EACCES' },
    'error: ~/.claude/settings.json is read-only (EACCES). Nothing was written. | Try Again | Show What to Add',
  ],
  [
    { kind: 'failed', code: 'EROFS', linkTarget: '/nix/store/x' },
    'error: ~/.claude/settings.json is a link to /nix/store/x, which can’t be written (EROFS). If another program keeps it, add the hooks there. | Try Again | Show What to Add',
  ],
  [
    { kind: 'failed', code: 'ENOSPC' },
    'error: ~/.claude/settings.json could not be written (ENOSPC). It is as it was. | Try Again | Show What to Add',
  ],
] as const)('HKI-2 %j is told with a way on', async (outcome, told) => {
  kit.texts.set(user, 'mine');
  kit.outcomes.push(outcome);
  await run(commandIds.installHooks, 'This user', 'Write', 'Show What to Add');
  expect(editor.shown.slice(3)).toEqual([told, 'open: mine +hooks']);
  expect([kit.texts.get(user), editor.tabs]).toEqual(['mine', []]);
});

test('HKI-2 what another program overwrote at once is told, and tried again if wanted', async () => {
  kit.outcomes.push({ kind: 'overwritten' });
  await run(commandIds.installHooks, 'This user', 'Write', 'Try Again', 'Write');
  expect(editor.shown).toContain(
    'warning: ~/.claude/settings.json was written, and another program overwrote it at once. | Try Again',
  );
  expect(kit.texts.get(user)).toBe(' +hooks');
});

test('HKI-1 only what has something of ours can be uninstalled', async () => {
  editor.folders.push(folder('/one'), folder('/two'));
  kit.texts.set('/two/.claude/settings.local.json', ' +hooks');
  kit.texts.set(user, 'mine');
  await run(commandIds.uninstallHooks, 'only here', 'Remove');
  expect(lines()?.map(([, file]) => file)).toEqual(['/two/.claude/settings.local.json']);
  expect([...kit.texts]).toEqual([[user, 'mine']]);
  editor.shown.length = 0;
  await run(commandIds.uninstallHooks);
  expect(editor.shown).toEqual(['info: No hooks of Agent Mascot are installed.']);
});

test('HKI-1 repair copies our own files without asking, and shows each of the person’s', async () => {
  kit.texts.set(user, 'part');
  kit.texts.set(codex, 'rewritten');
  kit.recorded.add(codex);
  await run(commandIds.repairHooks, 'Write', '-', '-');
  expect([kit.done, kit.texts.get(user), kit.texts.get(codex)]).toEqual([['refresh'], 'part +hooks', 'rewritten']);
  expect(editor.shown.at(-1)).toBe('info: Repaired: 1 of 2 files. The others are as they were.');
});

test('HKI-1 repair says so when there is nothing to repair', async () => {
  await run(commandIds.repairHooks);
  expect(editor.shown).toEqual(['info: All hooks are in order.']);
});

test('HKI-9 the window’s folders are excluded and included again; what a setting excludes is changed there', async () => {
  editor.folders.push(folder('/p'), folder('/x/setting/below'));
  kit.excludedFolders = ['/x/setting', '/far'];
  await run(commandIds.excludeProject, 'Exclude p', '-');
  expect(lines()).toEqual([
    ['$(eye) Exclude p', '/p', 'Shown and stored now'],
    ['$(eye-closed) below', '/x/setting/below', 'Excluded together with /x/setting: choose it to include that again'],
    ['$(eye-closed) setting', '/x/setting', 'Excluded: choose it to include it again'],
    ['$(eye-closed) far', '/far', 'Excluded: choose it to include it again'],
  ]);
  await run(commandIds.excludeProject, 'far');
  await run(commandIds.excludeProject, 'below', 'Open Settings');
  expect([kit.excludedFolders, editor.commands]).toEqual([['/x/setting', '/p'], ['workbench.action.openSettings']]);
  expect(editor.shown.filter((line) => line.startsWith('info'))).toEqual([
    'info: Sessions in /p are no longer shown or stored. | Undo',
    'info: Sessions in /far are shown and stored again.',
    'info: Excluded by the setting agentMascot.excludedProjects | Open Settings',
  ]);
  Object.assign(editor.state, { remoteName: 'ssh-remote' });
  await run(commandIds.excludeProject, 'below', 'Open Settings');
  expect(editor.commands.at(-1)).toBe('workbench.action.openRemoteSettings');
});

test('HKI-6 one question names all that goes; the collector is stopped before anything is deleted', async () => {
  owns = true;
  kit.texts.set(user, 'mine +hooks');
  kit.toRemove = [user, '/elsewhere/settings.json'];
  kit.removed = { done: ['x'], failed: [{ what: '/home/u/.agent-mascot', why: 'another window' }] };
  await run(commandIds.removeEverything, 'Remove Everything', 'Reload Window');
  expect(kit.done).toEqual(['watch', 'unwatch', 'stop', 'off', 'secrets', 'remove everything']);
  expect(editor.shown).toEqual([
    [
      'warning: Remove everything of Agent Mascot from this machine?',
      'Hooks in: ~/.claude/settings.json, /elsewhere/settings.json',
      'The folder ~/.agent-mascot: what hooks run, backups, waiting events',
      'All stored conversations: ~/data/store',
      '',
      'Everything else in those files stays as it is. The conversations can’t be brought back. What was sent to a chat stays there, and so do this machine’s rows in a team’s database: to delete those, run Disconnect the Team Database first. | Remove Everything',
    ].join('\n'),
    'warning: Not everything could be removed: ~/.agent-mascot (another window). Agent Mascot is off until the window is reloaded. | Show Extension | Reload Window',
  ]);
  expect(editor.commands).toEqual(['workbench.action.reloadWindow']);
});

test('HKI-6 who does not say yes loses nothing', async () => {
  await run(commandIds.removeEverything, '-');
  expect(kit.done).toEqual([]);
});

const vanishedUser = {
  scope: 'user',
  file: user,
  made: false,
  format: { shape: 'grouped', commandKey: 'command' },
  at: '2026-01-01T00:00:00.000Z',
} as const;

test('HKI-5 only the window that owns the collector watches, and no longer when another owns it', () => {
  const hooks = commands();
  expect(kit.done).toEqual([]);
  owns = true;
  changed({ type: 'reset' });
  changed({ type: 'reset' });
  owns = false;
  changed({ type: 'reset' });
  owns = true;
  changed({ type: 'reset' });
  hooks.dispose();
  expect(kit.done).toEqual(['watch', 'unwatch', 'watch', 'unwatch']);
});

test.each([
  ['Put Back', 'rewritten +hooks', true, ['info: The hooks are back in ~/.claude/settings.json.']],
  ['Not Needed', 'rewritten', true, []],
  ['-', 'rewritten', true, []],
] as const)(
  'HKI-5 what vanished is told; %s does what it says, and nothing happens by itself',
  async (button, text, recorded, then) => {
    owns = true;
    kit.recorded.add(user);
    kit.texts.set(user, 'rewritten');
    commands();
    editor.answers.push(button);
    kit.vanished?.(vanishedUser, 'rewritten');
    await settled();
    expect(editor.shown).toEqual([
      'warning: Agent Mascot’s hooks are gone from ~/.claude/settings.json: another program rewrote it. | Put Back | Not Needed | Show',
      ...then,
    ]);
    expect([kit.texts.get(user), kit.recorded.has(user)]).toEqual([text, recorded]);
    expect([...kit.quiet]).toEqual(button === 'Not Needed' ? [user] : []);
  },
);

test('HKI-5 a file that is gone is called so, and a broken one can be opened at its place', async () => {
  owns = true;
  commands();
  kit.vanished?.(vanishedUser, 'missing');
  await settled();
  kit.texts.set(user, 'broken ?');
  editor.answers.push('Open File');
  kit.vanished?.(vanishedUser, 'broken');
  await settled();
  editor.answers.push('Not Needed');
  kit.vanished?.(vanishedUser, 'broken');
  await settled();
  const broken =
    'warning: ~/.claude/settings.json is broken, Claude Code ignores it. Agent Mascot’s hooks are not in it any more. | Open File | Not Needed';
  expect(editor.shown).toEqual([
    'warning: Agent Mascot’s hooks are gone: ~/.claude/settings.json is gone. | Put Back | Not Needed | Show',
    broken,
    `open: ${user}:2:6`,
    broken,
  ]);
  expect([...kit.quiet]).toEqual([user]);
});

test('HKI-5 Put Back reaches a file that only our record names', async () => {
  owns = true;
  commands();
  editor.answers.push('Put Back');
  kit.vanished?.({ ...vanishedUser, file: '/elsewhere/settings.json' }, 'missing');
  await settled();
  expect(kit.texts.get('/elsewhere/settings.json')).toBe(' +hooks');
});

test('HKI-1 what only our record names can be uninstalled and repaired, and is no place to install in', async () => {
  const [usual] = await kit.scopes.all();
  if (!usual) throw new Error('no scope');
  kit.elsewhere.push({ ...usual, file: '/elsewhere/settings.json' });
  kit.texts.set('/elsewhere/settings.json', 'part');
  await run(commandIds.installHooks, '-');
  await run(commandIds.uninstallHooks, '-');
  expect(editor.lists.map((list) => list.map(({ description }) => description))).toEqual([
    ['~/.claude/settings.json', '~/.codex/hooks.json'],
    ['/elsewhere/settings.json'],
  ]);
  await run(commandIds.repairHooks, 'Write');
  expect(kit.texts.get('/elsewhere/settings.json')).toBe('part +hooks');
});

test('HKI-5 Put Back plans anew when the file changes again, and asks only if it never rests', async () => {
  owns = true;
  kit.texts.set(user, 'rewritten');
  kit.outcomes.push(...Array.from({ length: 5 }, () => ({ kind: 'changed' }) as const));
  commands();
  editor.answers.push('Put Back', 'Write');
  kit.vanished?.(vanishedUser, 'rewritten');
  await settled();
  expect([kit.texts.get(user), editor.shown.filter((line) => line.startsWith('pick'))]).toEqual([
    'rewritten +hooks',
    ['pick: Install Hooks: ~/.claude/settings.json'],
  ]);
});

test.each([
  ['-', 'rewritten', []],
  [
    'Write',
    'rewritten +hooks',
    [
      'info: The hooks are back in ~/.claude/settings.json.',
      'info: Hooks are in ~/.claude/settings.json. From now on its sessions report here. | Undo',
    ],
  ],
] as const)('SEC Put Back asks where the file is a link, and %s answers', async (answer, text, then) => {
  owns = true;
  kit.texts.set(user, 'rewritten');
  kit.linkTarget = '/etc/passwd';
  kit.notes.push('link');
  commands();
  editor.answers.push('Put Back', answer);
  kit.vanished?.(vanishedUser, 'rewritten');
  await settled();
  expect([kit.texts.get(user), lines(editor.lists[0])?.at(-1)?.[0]]).toEqual([
    text,
    '$(info) The file is a link; written is /etc/passwd',
  ]);
  expect(editor.shown.slice(1)).toEqual([
    'diff: settings.json: now ↔ with hooks [rewritten] -> [rewritten +hooks]',
    'pick: Install Hooks: ~/.claude/settings.json',
    ...then,
  ]);
});

test('HKI-5 Show leads to the difference', async () => {
  owns = true;
  kit.texts.set(user, 'rewritten');
  commands();
  editor.answers.push('Show', '-');
  kit.vanished?.(vanishedUser, 'rewritten');
  await settled();
  expect(editor.shown.slice(1)).toEqual([
    'diff: settings.json: now ↔ with hooks [rewritten] -> [rewritten +hooks]',
    'pick: Install Hooks: ~/.claude/settings.json',
  ]);
});

test('HKI-1 what goes wrong is told in words, and logged', async () => {
  kit.installer.survey = () => Promise.reject(new Error('no home'));
  await run(commandIds.installHooks);
  expect([editor.shown, logged]).toEqual([['error: That did not work: no home'], ['no home']]);
});

test('UI-2 whether hooks are installed is looked up when asked, and told when it changes', async () => {
  const log = () => undefined;
  const installed = createInstalledHooks(kit, { debug: log, info: log, warn: log, error: log });
  const told: boolean[] = [];
  installed.onChange((now) => void told.push(now));
  installed.look();
  await settled();
  kit.texts.set(user, ' +hooks');
  expect(installed.current()).toBe(false);
  installed.look();
  installed.look();
  await settled();
  expect([installed.current(), told]).toEqual([true, [true]]);
});
