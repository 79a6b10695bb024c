import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Loss } from '../../app/hooks/hookKit.ts';
import type { InstalledFile, Scope } from '../../app/hooks/hookPorts.ts';
import type { HookSet } from '../../domain/hooks/hookSet.ts';
import { installHooks } from '../../domain/hooks/settingsEdit.ts';
import { claudeHookSet } from '../../domain/providers/claude/hookSet.ts';
import { listeningLog, testFolder, type TestFolder } from './hooks.testkit.ts';
import { createInstallRecord } from './installRecord.ts';
import { setsFor } from './scopes.ts';
import { settingsFolders } from './settingsFolders.ts';
import { createSettingsFiles } from './settingsFiles.ts';
import { createVanishWatch } from './watchInstalled.ts';

const place = { system: 'posix', home: '$HOME/.agent-mascot' } as const;
const twelve = claudeHookSet({ place, takesNewEvents: false });
const newer = claudeHookSet({ place, takesNewEvents: true });
const persons = '{ "model": "x", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]} }\n';

function withHooks(set: HookSet, text = persons): string {
  const edit = installHooks(text, set);
  if (edit.kind !== 'edited' || edit.text === undefined) throw new Error('nothing was installed');
  return edit.text;
}

async function watching(
  folder: TestFolder,
  options: { wanted?: HookSet; pollMs?: number; settleMs?: number; brokenMs?: number; project?: string } = {},
) {
  const { wanted = twelve, pollMs = 50, settleMs = 20, brokenMs = 100, project } = options;
  const file = path.join(project ?? folder.path, '.claude', 'settings.json');
  const record = createInstallRecord(folder.at('home', 'installed.json'), listeningLog());
  const installed: InstalledFile = {
    scope: project === undefined ? 'user' : 'local',
    file,
    ...(project === undefined ? {} : { project }),
    made: false,
    format: wanted.format,
    at: '2026-11-18T20:00:00.000Z',
  };
  await record.add(installed);
  const files = createSettingsFiles({ backups: folder.at('home', 'backups') });
  const read: string[] = [];
  const scope: Scope = { id: 'user', provider: 'claude', file, wanted };
  const watch = createVanishWatch({
    record,
    files: {
      async read(name) {
        const content = await files.read(name);
        read.push(content.kind === 'text' ? content.text : content.kind);
        return content;
      },
    },
    folders: settingsFolders,
    setsFor: () => Promise.resolve(setsFor(scope)),
    pollMs,
    settleMs,
    brokenMs,
  });
  const told: string[] = [];
  const losses: Loss[] = [];
  const waiting: (() => void)[] = [];
  watch.onVanished((vanished, loss) => {
    told.push(vanished.file);
    losses.push(loss);
    waiting.splice(0).forEach((done) => done());
  });
  return {
    file,
    record,
    installed,
    told,
    losses,
    watch,
    next: () => new Promise<void>((resolve) => waiting.push(resolve)),
    /** Resolves once the watch has read this. */
    async seen(text: string) {
      while (read.at(-1) !== text) await wait(5);
    },
    [Symbol.dispose]: () => watch.dispose(),
  };
}

describe('HKI-5 hooks that vanish', () => {
  test('HKI-5 another program that rewrites the file is noticed within 5 s, at the pace of the product', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder, { pollMs: 4_000, settleMs: 500 });
    await parts.seen(withHooks(twelve));
    const told = parts.next();
    const from = performance.now();
    folder.write('draft', persons);
    renameSync(folder.at('draft'), parts.file);
    await told;
    expect(performance.now() - from).toBeLessThan(5_000);
  });

  const losses: readonly (readonly [what: string, lose: (file: string, folder: TestFolder) => void])[] = [
    ['the file is removed', (file) => unlinkSync(file)],
    ['its folder is removed', (file) => rmSync(path.dirname(file), { recursive: true })],
    [
      'one hook of the twelve is missing',
      (file) => writeFileSync(file, withHooks({ ...twelve, entries: twelve.entries.slice(1) })),
    ],
    ['the file is emptied', (file) => writeFileSync(file, '')],
  ];
  test.each(losses)('HKI-5 it is told once when %s', async (_what, lose) => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder);
    await parts.seen(withHooks(twelve));
    const told = parts.next();
    lose(parts.file, folder);
    await told;
    mkdirSync(path.dirname(parts.file), { recursive: true });
    writeFileSync(parts.file, '{"still":"gone"}');
    await parts.seen('{"still":"gone"}');
    expect(parts.told).toEqual([parts.file]);
  });

  test('HKI-5 again only after they were whole in between', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', persons);
    using parts = await watching(folder);
    // They were gone before anybody watched.
    while (parts.told.length === 0) await wait(5);
    writeFileSync(parts.file, withHooks(twelve));
    await parts.seen(withHooks(twelve));
    const told = parts.next();
    writeFileSync(parts.file, persons);
    await told;
    expect(parts.told.length).toBe(2);
  });

  test('HKI-5 a file behind a link is followed', async () => {
    using folder = testFolder();
    folder.write('dotfiles/settings.json', withHooks(twelve));
    folder.folder('.claude');
    symlinkSync(folder.at('dotfiles', 'settings.json'), folder.at('.claude', 'settings.json'));
    using parts = await watching(folder);
    await parts.seen(withHooks(twelve));
    const told = parts.next();
    folder.write('dotfiles/settings.json', persons);
    await told;
  });

  test('HKI-5 neither a broken text with ours, nor one that cannot be read, nor our own removal is told', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder);
    await parts.seen(withHooks(twelve));
    const broken = `${withHooks(twelve)},`;
    writeFileSync(parts.file, broken);
    await parts.seen(broken);
    await wait(200);
    writeFileSync(parts.file, Buffer.from([0xff]));
    await parts.seen('unreadable');
    await parts.record.remove(parts.file);
    writeFileSync(parts.file, '{"removed":"by us"}');
    await wait(200);
    expect(parts.told).toEqual([]);
  });

  test('HKI-7 a newer Claude Code on the machine, which takes more events, makes nothing vanish; losing one of those does', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder, { wanted: newer });
    await parts.seen(withHooks(twelve));
    writeFileSync(parts.file, withHooks(newer));
    await parts.seen(withHooks(newer));
    expect(parts.told).toEqual([]);
    const told = parts.next();
    writeFileSync(parts.file, withHooks(twelve));
    await told;
  });

  test('HKI-5 what is installed while watching is watched; a disposed watch is silent', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder);
    await parts.seen(withHooks(twelve));
    const another = withHooks(twelve, '{"another":"file"}');
    const later = folder.write('later/.claude/settings.json', another);
    await parts.record.add({ ...parts.installed, file: later });
    await parts.seen(another);
    const told = parts.next();
    writeFileSync(later, persons);
    await told;
    expect(parts.told).toEqual([later]);
    parts.watch.dispose();
    writeFileSync(parts.file, persons);
    await wait(200);
    expect(parts.told).toEqual([later]);
  });

  test('HKI-5 a file that stays broken without ours is told once, as such; mended without ours it is told once more', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder);
    await parts.seen(withHooks(twelve));
    const told = parts.next();
    writeFileSync(parts.file, '{ "hooks": ');
    await told;
    writeFileSync(parts.file, '{ "hooks":: ');
    await parts.seen('{ "hooks":: ');
    await wait(250);
    expect(parts.losses).toEqual(['broken']);
    const mended = parts.next();
    writeFileSync(parts.file, persons);
    await mended;
    unlinkSync(parts.file);
    await parts.seen('missing');
    expect(parts.losses).toEqual(['broken', 'rewritten']);
  });

  test('HKI-5 a file that is broken for a moment only is not told', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder, { brokenMs: 400 });
    await parts.seen(withHooks(twelve));
    writeFileSync(parts.file, '{ "hooks": ');
    await parts.seen('{ "hooks": ');
    writeFileSync(parts.file, withHooks(twelve));
    await parts.seen(withHooks(twelve));
    await wait(600);
    expect(parts.losses).toEqual([]);
  });

  test('HKI-5 a file that is missing is not called rewritten', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder);
    await parts.seen(withHooks(twelve));
    const told = parts.next();
    unlinkSync(parts.file);
    await told;
    expect(parts.losses).toEqual(['missing']);
  });

  test('HKI-5 of a project that is deleted nothing is told; of its file alone it is', async () => {
    using folder = testFolder();
    const project = folder.folder('project');
    folder.write('project/.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder, { project });
    await parts.seen(withHooks(twelve));
    rmSync(project, { recursive: true });
    await parts.seen('missing');
    await wait(200);
    expect(parts.told).toEqual([]);
    folder.write('project/.claude/settings.json', '{}');
    while (parts.told.length === 0) await wait(5);
    expect(parts.losses).toEqual(['rewritten']);
  });

  test('HKI-5 what is not needed is not told again, not by the next watch either, until it was whole in between', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', persons);
    using parts = await watching(folder);
    while (parts.told.length === 0) await wait(5);
    await parts.record.quieten(parts.file, true);
    parts.watch.dispose();
    const quietly = '{"still":"quiet"}';
    writeFileSync(parts.file, quietly);
    const files = createSettingsFiles({ backups: folder.at('home', 'backups') });
    const next = createVanishWatch({
      record: parts.record,
      files,
      folders: settingsFolders,
      setsFor: () => Promise.resolve([twelve]),
      pollMs: 30,
      settleMs: 10,
    });
    const told: Loss[] = [];
    next.onVanished((_, loss) => told.push(loss));
    await wait(200);
    expect(told).toEqual([]);
    writeFileSync(parts.file, withHooks(twelve));
    while ((await parts.record.list())[0]?.quiet === true) await wait(10);
    // The watch learns of it at its next poll.
    await wait(100);
    writeFileSync(parts.file, persons);
    while (told.length === 0) await wait(5);
    expect([told, (await parts.record.list()).length]).toEqual([['rewritten'], 1]);
    next.dispose();
  });
});
