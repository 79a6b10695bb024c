import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { InstalledFile, Scope } from '../../app/hooks/hookPorts.ts';
import type { HookSet } from '../../domain/hooks/hookSet.ts';
import { installHooks } from '../../domain/hooks/settingsEdit.ts';
import { claudeHookSet } from '../../domain/providers/claude/hookSet.ts';
import { listeningLog, testFolder, type TestFolder } from './hooks.testkit.ts';
import { createInstallRecord } from './installRecord.ts';
import { setsFor } from './scopes.ts';
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
  options: { wanted?: HookSet; pollMs?: number; settleMs?: number; file?: string } = {},
) {
  const { wanted = twelve, pollMs = 50, settleMs = 20, file = folder.at('.claude', 'settings.json') } = options;
  const record = createInstallRecord(folder.at('home', 'installed.json'), listeningLog());
  const installed: InstalledFile = {
    scope: 'user',
    file,
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
    setsFor: () => Promise.resolve(setsFor(scope)),
    pollMs,
    settleMs,
  });
  const told: string[] = [];
  const waiting: (() => void)[] = [];
  watch.onVanished((vanished) => {
    told.push(vanished.file);
    waiting.splice(0).forEach((done) => done());
  });
  return {
    file,
    record,
    installed,
    told,
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

  test('HKI-5 neither a broken text, nor one that cannot be read, nor our own removal is told', async () => {
    using folder = testFolder();
    folder.write('.claude/settings.json', withHooks(twelve));
    using parts = await watching(folder);
    await parts.seen(withHooks(twelve));
    writeFileSync(parts.file, '{ "hooks": ');
    await parts.seen('{ "hooks": ');
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
});
