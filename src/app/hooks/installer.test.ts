import { describe, expect, test } from 'vitest';
import type { HookAction, HookPlan } from './hookInstaller.ts';
import type { InstallRecord, Scope } from './hookPorts.ts';
import {
  memoryFiles,
  type MemoryFiles,
  memoryFolders,
  memoryRecord,
  recorded,
  scopeAt,
  scopesOf,
  smallSet,
} from './hooks.testkit.ts';
import { createHookInstaller } from './installer.ts';

const at = '2026-11-18T12:34:56.000Z';
const user = scopeAt('user');

function installerOver(files: MemoryFiles, record: InstallRecord = memoryRecord(), ...scopes: readonly Scope[]) {
  const inline = new Set<string>();
  const folders = memoryFolders();
  const installer = createHookInstaller({
    files,
    folders,
    scopes: scopesOf(...(scopes.length > 0 ? scopes : [user])),
    record,
    now: () => at,
    codexInline: ({ file }) => Promise.resolve(inline.has(file) ? '/home/dev/config.toml' : undefined),
  });
  return { installer, inline, folders };
}

function changeOf(plan: HookPlan): Extract<HookPlan, { kind: 'change' }> {
  if (plan.kind !== 'change') throw new Error(`not a change: ${JSON.stringify(plan)}`);
  return plan;
}

async function carriedOut(files: MemoryFiles, record: InstallRecord, action: HookAction, scope = user) {
  const { installer } = installerOver(files, record);
  return installer.carryOut(changeOf(await installer.plan(action, scope)));
}

describe('HKI-1 plan, then write', () => {
  test('HKI-1 a plan holds both texts and writes nothing', async () => {
    const files = memoryFiles({ [user.file]: '{"model":"opus"}\n' });
    const plan = changeOf(await installerOver(files).installer.plan('install', user));
    expect(plan).toMatchObject({ action: 'install', scope: user, before: '{"model":"opus"}\n', notes: [] });
    expect(Object.keys(JSON.parse(plan.after ?? '') as object)).toEqual(['model', 'hooks']);
    expect(files.texts.get(user.file)).toBe('{"model":"opus"}\n');
  });

  test('HKI-2 install and uninstall give the text back, and a second time there is nothing to do', async () => {
    const text = '{\r\n\t"model": "opus",\r\n\t"hooks": {"Stop": []}\r\n}';
    const files = memoryFiles({ [user.file]: text });
    const record = memoryRecord();
    expect(await carriedOut(files, record, 'install')).toEqual({ kind: 'written', backup: `${user.file}.backup` });
    expect(record.all).toEqual([{ ...recorded(user), at }]);
    const { installer } = installerOver(files, record);
    expect(await installer.plan('install', user)).toEqual({ kind: 'nothing', action: 'install', scope: user });
    await carriedOut(files, record, 'uninstall');
    expect([files.texts.get(user.file), record.all]).toEqual([text, []]);
    expect(await installer.plan('uninstall', user)).toEqual({ kind: 'nothing', action: 'uninstall', scope: user });
  });

  test('HKI-2 a file that we made is removed again, also after it was repaired', async () => {
    const files = memoryFiles();
    const record = memoryRecord();
    await carriedOut(files, record, 'install');
    expect(record.all).toEqual([{ ...recorded(user, true), at }]);
    const { hooks } = JSON.parse(files.texts.get(user.file) ?? '') as { hooks: Record<string, unknown> };
    files.texts.set(user.file, JSON.stringify({ hooks: { Stop: hooks['Stop'] } }));
    await carriedOut(files, record, 'install');
    expect(record.all).toEqual([{ ...recorded(user, true), at }]);
    await carriedOut(files, record, 'uninstall');
    expect([files.texts.has(user.file), record.all]).toEqual([false, []]);
  });

  test.each([
    [{ kind: 'changed' }],
    [{ kind: 'failed', code: 'EACCES', linkTarget: '/dotfiles/settings.json' }],
    [{ kind: 'overwritten' }],
  ] as const)('HKI-2 %j is handed on, and nothing counts as installed', async (answer) => {
    const files = memoryFiles({ [user.file]: '{}' });
    const record = memoryRecord();
    files.answer = answer;
    expect(await carriedOut(files, record, 'install')).toEqual(answer);
    expect(record.all).toEqual([]);
  });

  test('HKI-2 a file that somebody wrote since the plan stays as they wrote it', async () => {
    const files = memoryFiles({ [user.file]: '{}' });
    const record = memoryRecord();
    const { installer } = installerOver(files, record);
    const plan = changeOf(await installer.plan('install', user));
    files.texts.set(user.file, '{"theirs":1}');
    expect(await installer.carryOut(plan)).toEqual({ kind: 'changed' });
    expect([files.texts.get(user.file), record.all]).toEqual(['{"theirs":1}', []]);
  });

  test('HKI-2 a broken or unreadable file is refused with its place, for both actions', async () => {
    const files = memoryFiles({ [user.file]: '{\n  // mine\n}' });
    const { installer } = installerOver(files);
    for (const action of ['install', 'uninstall'] as const) {
      expect(await installer.plan(action, user)).toMatchObject({
        kind: 'refused',
        action,
        refusal: { reason: 'comment', line: 2, column: 3 },
      });
    }
    files.contents.set(user.file, { kind: 'unreadable', why: 'EACCES' });
    expect(await installer.plan('install', user)).toEqual({
      kind: 'unreadable',
      action: 'install',
      scope: user,
      why: 'EACCES',
    });
  });

  test('HKI-1 a survey tells how each scope stands', async () => {
    const local = scopeAt('local');
    const project = scopeAt('project');
    const files = memoryFiles({ [local.file]: '[]' });
    const record = memoryRecord(recorded(user));
    const { installer } = installerOver(files, record, user, local, project);
    files.contents.set(project.file, { kind: 'unreadable', why: 'a folder' });
    const standings = await installer.survey('/home/dev/project');
    expect(
      standings.map(({ scope, content, why, recorded: isRecorded, standing }) => ({
        id: scope.id,
        content,
        why,
        isRecorded,
        found: standing && ('reason' in standing ? standing.reason : standing.state),
      })),
    ).toEqual([
      { id: 'user', content: 'missing', why: undefined, isRecorded: true, found: 'absent' },
      { id: 'local', content: 'text', why: undefined, isRecorded: false, found: 'not-an-object' },
      { id: 'project', content: 'unreadable', why: 'a folder', isRecorded: false, found: undefined },
    ]);
  });
});

describe('HKI-5 files that only our record names', () => {
  const elsewhere = scopeAt('user', { file: '/elsewhere/settings.json' });
  const other = scopeAt('local', { file: '/work/other/.claude/settings.local.json', project: '/work/other' });
  const surveyed = async (parts: ReturnType<typeof installerOver>) =>
    (await parts.installer.survey('/home/dev/project')).map(
      ({ scope: { id, file, project }, recorded: isRecorded }) => [id, file, project, isRecorded],
    );

  test('HKI-5 a survey shows them too, none twice, whatever its name', async () => {
    const record = memoryRecord(
      recorded(user),
      recorded(elsewhere),
      recorded(other),
      recorded({ ...user, file: '/link' }),
    );
    const parts = installerOver(memoryFiles(), record);
    parts.folders.links.set('/link', user.file);
    expect(await surveyed(parts)).toEqual([
      ['user', user.file, undefined, true],
      ['user', elsewhere.file, undefined, true],
      ['local', other.file, '/work/other', true],
    ]);
  });

  test('HKI-5 a project that was deleted is not told, and never made anew', async () => {
    const parts = installerOver(memoryFiles(), memoryRecord(recorded(other)));
    const early = changeOf(await parts.installer.plan('install', other));
    parts.folders.gone.add('/work/other');
    expect(await surveyed(parts)).toEqual([['user', user.file, undefined, false]]);
    expect((await parts.installer.plan('install', other)).kind).toBe('unreadable');
    expect(await parts.installer.carryOut(early)).toEqual({ kind: 'failed', code: 'ENOENT' });
  });

  test('HKI-2 a file known by another name is removed with what is noted of it', async () => {
    const files = memoryFiles();
    const record = memoryRecord();
    await carriedOut(files, record, 'install');
    const parts = installerOver(files, record);
    const named = { ...user, file: '/link' };
    parts.folders.links.set('/link', user.file);
    files.texts.set('/link', files.texts.get(user.file) ?? '');
    await parts.installer.carryOut(changeOf(await parts.installer.plan('uninstall', named)));
    expect([files.texts.has('/link'), record.all]).toEqual([false, []]);
  });
});

describe('HKI-5 what stays on record', () => {
  test('HKI-5 undoing a repair keeps it while some of ours stand, without telling of what is missing; undoing all does not', async () => {
    const files = memoryFiles();
    const record = memoryRecord();
    await carriedOut(files, record, 'install');
    const { hooks } = JSON.parse(files.texts.get(user.file) ?? '') as { hooks: Record<string, unknown> };
    const partial = JSON.stringify({ hooks: { Stop: hooks['Stop'] } });
    files.texts.set(user.file, partial);
    const { installer } = installerOver(files, record);
    const repair = changeOf(await installer.plan('install', user));
    await installer.carryOut(repair);
    const undo = { ...repair, action: 'uninstall', before: repair.after, after: repair.before } as const;
    await installer.carryOut(undo);
    expect([files.texts.get(user.file), record.all]).toEqual([partial, [{ ...recorded(user, true), at, quiet: true }]]);
    await carriedOut(files, record, 'install');
    expect(record.all).toEqual([{ ...recorded(user, true), at }]);
    files.texts.set(user.file, '{}');
    const again = changeOf(await installer.plan('install', user));
    await installer.carryOut(again);
    await installer.carryOut({ ...again, action: 'uninstall', before: again.after, after: again.before });
    expect(record.all).toEqual([]);
  });

  test('HKI-5 what is not needed any more counts as not installed, but what stands there still does', async () => {
    const record = memoryRecord({ ...recorded(user), quiet: true });
    const files = memoryFiles({ [user.file]: '{}' });
    const { installer } = installerOver(files, record);
    expect((await installer.survey()).map((shown) => shown.recorded)).toEqual([false]);
    files.texts.set(user.file, JSON.stringify({ hooks: { Stop: [smallSet.entries[1]?.element] } }));
    expect((await installer.survey()).map((shown) => shown.recorded)).toEqual([true]);
  });

  test('HKI-6 folders that we make are noted, also over a repair, and go with the file', async () => {
    const files = memoryFiles();
    const record = memoryRecord();
    const { installer, folders } = installerOver(files, record);
    folders.missing.add('/home/dev');
    await installer.carryOut(changeOf(await installer.plan('install', user)));
    expect(record.all).toEqual([{ ...recorded(user, true), at, madeFolders: ['/home/dev'] }]);
    folders.missing.clear();
    files.texts.delete(user.file);
    await installer.carryOut(changeOf(await installer.plan('install', user)));
    expect(record.all[0]?.madeFolders).toEqual(['/home/dev']);
    expect(folders.removed).toEqual([]);
    await installer.carryOut(changeOf(await installer.plan('uninstall', user)));
    expect([files.texts.size, folders.removed, record.all]).toEqual([0, ['/home/dev'], []]);
  });
});

describe('HKI-1 what the person is told before they say yes', () => {
  const notesFor = async (action: HookAction, scope: Scope, text: string) => {
    const files = memoryFiles({ [scope.file]: text });
    return changeOf(await installerOver(files).installer.plan(action, scope)).notes;
  };

  test('HKI-1 that a project’s file is shared, that hooks are turned off, and that it is a link', async () => {
    expect(await notesFor('install', scopeAt('project'), '{}')).toEqual(['shared-with-team']);
    expect(await notesFor('install', user, '{"disableAllHooks":true}')).toEqual(['disabled-by-person']);
    const files = memoryFiles();
    files.contents.set(user.file, { kind: 'text', text: '{}', linkTarget: '/dotfiles/settings.json' });
    const plan = await installerOver(files).installer.plan('install', user);
    expect(plan).toMatchObject({ notes: ['link'], linkTarget: '/dotfiles/settings.json' });
  });

  test('SEC that it is a link also when that leads to no file yet', async () => {
    const files = memoryFiles();
    files.contents.set(user.file, { kind: 'missing', linkTarget: '/elsewhere/new.json' });
    const plan = await installerOver(files).installer.plan('install', user);
    expect(plan).toMatchObject({ notes: ['link'], before: undefined, linkTarget: '/elsewhere/new.json' });
  });

  test('HKI-8 that Codex asks for trust, of hooks in its other file, and of hooks that move', async () => {
    const codex = scopeAt('codex');
    const theirs = '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"theirs"}]}]}}';
    expect(await notesFor('install', codex, theirs)).toEqual(['codex-asks-for-trust']);

    const files = memoryFiles({ [codex.file]: '{}' });
    const record = memoryRecord();
    const { installer, inline } = installerOver(files, record);
    inline.add(codex.file);
    const plan = changeOf(await installer.plan('install', codex));
    expect(plan.notes).toEqual(['codex-asks-for-trust', 'codex-inline-hooks']);
    await installer.carryOut(plan);
    expect(changeOf(await installer.plan('uninstall', codex)).notes).toEqual([]);

    const settings = JSON.parse(files.texts.get(codex.file) ?? '') as { hooks: { Stop: unknown[] } };
    settings.hooks.Stop.push({ hooks: [{ type: 'command', command: 'later' }] });
    files.texts.set(codex.file, JSON.stringify(settings));
    expect(changeOf(await installer.plan('uninstall', codex)).notes).toEqual(['codex-later-hooks-lose-trust']);
  });
});
