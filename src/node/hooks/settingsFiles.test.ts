import { execFileSync } from 'node:child_process';
import {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { faultyFileSystem, meddledFileSystem } from '../files/faultyFs.testkit.ts';
import { nodeFileSystem, type FileSystem } from '../files/fileSystem.ts';
import { type TestFolder, testFolder } from './hooks.testkit.ts';
import { createSettingsFiles } from './settingsFiles.ts';

const isWindows = process.platform === 'win32';
const isRoot = process.getuid?.() === 0;
const NOW = new Date('2026-11-18T20:15:30.123Z');

function filesIn(folder: TestFolder, fs?: FileSystem, now = () => NOW) {
  return createSettingsFiles({ backups: folder.at('home', 'backups'), now, ...(fs ? { fs } : {}) });
}
const textsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => !name.endsWith('.path'))
    .map((name) => readFileSync(path.join(folder, name), 'utf8'));

describe('HKI-2 reading a settings file', () => {
  test.each([
    ['a byte order mark, CRLF and no final newline', '\uFEFF{\r\n\t"a": "ü\u{1F99D}"}'],
    ['nothing', ''],
    ['two byte order marks and a NUL', '\uFEFF\uFEFF\0'],
  ])('HKI-2 %s come as they are', async (_what, text) => {
    using folder = testFolder();
    const file = folder.write('settings.json', text);
    expect(await filesIn(folder).read(file)).toEqual({ kind: 'text', text });
  });

  test('SEC a link that leads to no file says where writing would make one', async () => {
    using folder = testFolder();
    symlinkSync(folder.at('nowhere.json'), folder.at('settings.json'));
    expect(await filesIn(folder).read(folder.at('settings.json'))).toEqual({
      kind: 'missing',
      linkTarget: folder.at('nowhere.json'),
    });
  });

  test('HKI-2 what can’t be given back byte for byte is unreadable', async () => {
    using folder = testFolder();
    const files = filesIn(folder);
    symlinkSync(folder.at('circle'), folder.at('circle'));
    execFileSync('mkfifo', [folder.at('pipe')]);
    execFileSync('truncate', ['-s', String(16 * 1024 * 1024 + 1), folder.at('huge')]);
    const told = {
      missing: await files.read(folder.at('missing')),
      below: await files.read(path.join(folder.write('plain', ''), 'below')),
      latin1: await files.read(folder.write('latin1', Buffer.from('{"a":"\xfc"}', 'latin1'))),
      surrogate: await files.read(folder.write('surrogate', Buffer.from([0xed, 0xa0, 0x80]))),
      folder: await files.read(folder.folder('folder')),
      pipe: await files.read(folder.at('pipe')),
      huge: await files.read(folder.at('huge')),
      circle: await files.read(folder.at('circle')),
    };
    expect(told).toEqual({
      missing: { kind: 'missing' },
      below: { kind: 'missing' },
      latin1: { kind: 'unreadable', why: 'not UTF-8' },
      surrogate: { kind: 'unreadable', why: 'not UTF-8' },
      folder: { kind: 'unreadable', why: 'a folder' },
      pipe: { kind: 'unreadable', why: 'not a file' },
      huge: { kind: 'unreadable', why: 'more than 16 MB' },
      circle: { kind: 'unreadable', why: 'ELOOP' },
    });
  });

  test('HKI-2 a link says where it leads, also when it is the folder’s', async () => {
    using folder = testFolder();
    folder.write('dotfiles/settings.json', '{}');
    symlinkSync(folder.at('dotfiles', 'settings.json'), folder.at('settings.json'));
    symlinkSync(folder.at('dotfiles'), folder.at('.claude'));
    const found = { kind: 'text', text: '{}', linkTarget: folder.at('dotfiles', 'settings.json') };
    expect(await filesIn(folder).read(folder.at('settings.json'))).toEqual(found);
    expect(await filesIn(folder).read(folder.at('.claude', 'settings.json'))).toEqual(found);
  });
});

describe('HKI-2 replacing a settings file', () => {
  test('HKI-2 the old bytes are kept, private, with the name of where they were', async () => {
    using folder = testFolder();
    const file = folder.write('.claude/settings.json', '\uFEFF{ }\r\n', 0o640);
    const written = await filesIn(folder).replace(file, '\uFEFF{ }\r\n', '\uFEFF{"a":1}\r\n');
    const backups = folder.at('home', 'backups');
    // The second name is a hash of where the file was: it sorts before or after the other as it happens.
    const names = readdirSync(backups);
    const [backup = ''] = names.filter((name) => !name.endsWith('.path'));
    const [origin = ''] = names.filter((name) => name.endsWith('.path'));
    expect(names).toHaveLength(2);
    expect(backup).toMatch(/^20261118T201530123Z-claude-settings\.json-[0-9a-f]{12}$/);
    expect(written).toEqual({ kind: 'written', backup: path.join(backups, backup) });
    expect([readFileSync(file, 'utf8'), readFileSync(path.join(backups, backup), 'utf8')]).toEqual([
      '\uFEFF{"a":1}\r\n',
      '\uFEFF{ }\r\n',
    ]);
    expect(readFileSync(path.join(backups, origin), 'utf8')).toBe(`${file}\n`);
    if (!isWindows) {
      const modes = [file, path.join(backups, backup), backups].map((name) => statSync(name).mode & 0o777);
      expect(modes).toEqual([0o640, 0o600, 0o700]);
    }
  });

  test('HKI-2 fifty backups of a file are kept, the newest, and those of others are left alone', async () => {
    using folder = testFolder();
    const one = folder.write('one.json', '0');
    const other = folder.write('other.json', 'other');
    let ms = NOW.getTime();
    // Three in each moment, so that a name is taken.
    const files = filesIn(folder, undefined, () => new Date((ms += 1) - (ms % 3)));
    await files.replace(other, 'other', 'new');
    for (let i = 0; i < 54; i++) await files.replace(one, String(i), String(i + 1));
    const kept = textsIn(folder.at('home', 'backups'));
    expect(kept.toSorted()).toEqual(['other', ...Array.from({ length: 50 }, (_, i) => String(i + 4))].toSorted());
  });

  test('HKI-2 deletes backups older than ninety days, but keeps the newest five of each file', async () => {
    using folder = testFolder();
    const one = folder.write('one.json', '0');
    const other = folder.write('other.json', 'a');
    let days = 0;
    const files = filesIn(folder, undefined, () => new Date(NOW.getTime() + days * 86_400_000));
    for (let i = 0; i < 7; i++) await files.replace(one, String(i), String(i + 1));
    days = 100;
    await files.replace(other, 'a', 'b');
    expect(textsIn(folder.at('home', 'backups')).toSorted()).toEqual(['2', '3', '4', '5', '6', 'a']);
  });

  test('HKI-2 a file that is not what was read is not written', async () => {
    using folder = testFolder();
    const files = filesIn(folder);
    const file = folder.write('settings.json', 'theirs');
    expect(await files.replace(file, 'old', 'new')).toEqual({ kind: 'changed' });
    expect(await files.replace(file, undefined, 'new')).toEqual({ kind: 'changed' });
    expect(await files.replace(folder.at('gone.json'), 'old', 'new')).toEqual({ kind: 'changed' });
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    expect(readdirSync(folder.path)).toEqual(['settings.json']);
  });

  test.each([
    ['another text', 'theirs'],
    ['a text of the same size', 'OLD'],
  ])('HKI-2 somebody who writes %s while ours is on its way keeps what they wrote', async (_what, theirs) => {
    using folder = testFolder();
    const file = folder.write('settings.json', 'old');
    const fs = meddledFileSystem((temporary) => {
      if (temporary.startsWith(file)) writeFileSync(file, theirs);
    });
    expect(await filesIn(folder, fs).replace(file, 'old', 'new')).toEqual({ kind: 'changed' });
    expect([readFileSync(file, 'utf8'), readdirSync(folder.path).toSorted()]).toEqual([
      theirs,
      ['home', 'settings.json'],
    ]);
  });

  test('HKI-2 somebody who overwrites it at once is told', async () => {
    using folder = testFolder();
    const file = folder.write('settings.json', 'old');
    const fs: FileSystem = {
      ...nodeFileSystem,
      async rename(from, to) {
        await nodeFileSystem.rename(from, to);
        if (to === file) writeFileSync(file, 'theirs');
      },
    };
    expect(await filesIn(folder, fs).replace(file, 'old', 'new')).toEqual({ kind: 'overwritten' });
  });

  test('HKI-2 of two writers at once one writes, and the other is told that the file changed', async () => {
    using folder = testFolder();
    const file = folder.write('settings.json', 'old');
    const files = filesIn(folder);
    const outcomes = await Promise.all(['one', 'two'].map((text) => files.replace(file, 'old', text)));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['written', 'changed']);
    expect(readFileSync(file, 'utf8')).toBe('one');
  });

  test('HKI-2 a missing file is made with its folders, private, and is removed again', async () => {
    using folder = testFolder();
    const file = folder.at('a', 'b', 'settings.json');
    const files = filesIn(folder);
    expect(await files.replace(file, undefined, 'new')).toEqual({ kind: 'written' });
    if (!isWindows)
      expect([file, folder.at('a', 'b'), folder.at('a')].map((name) => statSync(name).mode & 0o777)).toEqual([
        0o600, 0o700, 0o700,
      ]);
    expect((await files.replace(file, 'new', undefined)).kind).toBe('written');
    expect([readdirSync(folder.at('a', 'b')), textsIn(folder.at('home', 'backups'))]).toEqual([[], ['new']]);
    expect(await files.replace(file, undefined, undefined)).toEqual({ kind: 'written' });
  });

  test('HKI-2 a text that is no Unicode is refused before anything is written', async () => {
    using folder = testFolder();
    const file = folder.write('settings.json', 'old');
    expect(await filesIn(folder).replace(file, 'old', '\uD800')).toEqual({ kind: 'failed', code: 'EILSEQ' });
    expect(readdirSync(folder.path)).toEqual(['settings.json']);
  });
});

describe.skipIf(isWindows)('HKI-2 files that are not plain', () => {
  test('HKI-2 what a link leads to is written, through as many as there are, and the links stay', async () => {
    using folder = testFolder();
    const real = folder.write('dotfiles/real.json', 'old', 0o644);
    symlinkSync('dotfiles/real.json', folder.at('middle'));
    symlinkSync(folder.at('middle'), folder.at('settings.json'));
    expect((await filesIn(folder).replace(folder.at('settings.json'), 'old', 'new')).kind).toBe('written');
    expect([readFileSync(real, 'utf8'), lstatSync(folder.at('settings.json')).isSymbolicLink()]).toEqual(['new', true]);
    expect([lstatSync(folder.at('middle')).isSymbolicLink(), statSync(real).mode & 0o777]).toEqual([true, 0o644]);
  });

  test('HKI-2 what a dangling link leads to is made where its folder is there, and removed again with the link left', async () => {
    using folder = testFolder();
    const files = filesIn(folder);
    folder.folder('dotfiles');
    symlinkSync('dotfiles/new.json', folder.at('settings.json'));
    symlinkSync('gone/new.json', folder.at('lost.json'));
    expect(await files.replace(folder.at('settings.json'), undefined, 'new')).toEqual({ kind: 'written' });
    expect(readFileSync(folder.at('dotfiles', 'new.json'), 'utf8')).toBe('new');
    expect((await files.replace(folder.at('settings.json'), 'new', undefined)).kind).toBe('written');
    expect([lstatSync(folder.at('settings.json')).isSymbolicLink(), readdirSync(folder.at('dotfiles'))]).toEqual([
      true,
      [],
    ]);
    const linkTarget = folder.at('gone', 'new.json');
    expect(await files.replace(folder.at('lost.json'), undefined, 'new')).toEqual({
      kind: 'failed',
      code: 'ENOENT',
      linkTarget,
    });
  });

  test('HKI-2 replaces a file with a hard link atomically; the other name keeps the old text', async () => {
    using folder = testFolder();
    const file = folder.write('settings.json', 'a longer old text', 0o604);
    linkSync(file, folder.at('other-name'));
    expect(await filesIn(folder).read(file)).toMatchObject({ kind: 'text', hasOtherNames: true });
    expect((await filesIn(folder).replace(file, 'a longer old text', 'new')).kind).toBe('written');
    const texts = [file, folder.at('other-name')].map((name) => readFileSync(name, 'utf8'));
    expect([texts, statSync(file).mode & 0o777]).toEqual([['new', 'a longer old text'], 0o604]);
    expect(textsIn(folder.at('home', 'backups'))).toEqual(['a longer old text']);
  });

  test('HKI-2 a read-only file was made so by somebody: it is neither replaced, nor removed, nor backed up', async () => {
    using folder = testFolder();
    const real = folder.write('dotfiles/settings.json', 'old', 0o444);
    symlinkSync(real, folder.at('settings.json'));
    const failed = { kind: 'failed', code: 'EACCES', linkTarget: real };
    expect(await filesIn(folder).replace(folder.at('settings.json'), 'old', 'new')).toEqual(failed);
    expect(await filesIn(folder).replace(folder.at('settings.json'), 'old', undefined)).toEqual(failed);
    expect([readFileSync(real, 'utf8'), readdirSync(folder.path).toSorted()]).toEqual([
      'old',
      ['dotfiles', 'settings.json'],
    ]);
  });

  test.runIf(isRoot)('HKI-2 the superuser gives a file back to its owner', async () => {
    using folder = testFolder();
    const file = folder.write('settings.json', 'old', 0o640);
    chownSync(file, 12_345, 12_346);
    expect((await filesIn(folder).replace(file, 'old', 'new')).kind).toBe('written');
    const { uid, gid, mode } = statSync(file);
    expect([uid, gid, mode & 0o777, readFileSync(file, 'utf8')]).toEqual([12_345, 12_346, 0o640, 'new']);
  });

  test.runIf(isRoot)(
    'HKI-2 whoever owns the folder can’t lead what the superuser gives back to another file',
    async () => {
      using folder = testFolder();
      const victim = folder.write('victim', 'secret', 0o600);
      const file = folder.write('theirs/settings.json', 'old', 0o644);
      chownSync(file, 12_345, 12_346);
      const fs = meddledFileSystem((temporary) => {
        if (!temporary.startsWith(file)) return;
        renameSync(temporary, `${temporary}.kept`);
        symlinkSync(victim, temporary);
      });
      await filesIn(folder, fs).replace(file, 'old', 'new');
      const { uid, gid, mode } = statSync(victim);
      expect([uid, gid, mode & 0o777, readFileSync(victim, 'utf8')]).toEqual([
        0,
        statSync(folder.path).gid,
        0o600,
        'secret',
      ]);
    },
  );

  test.runIf(isRoot)(
    'HKI-2 nobody else can: another’s file and a read-only folder are refused before anything is written',
    async ({ skip }) => {
      using folder = testFolder();
      const file = folder.write('theirs/settings.json', 'old', 0o666);
      const own = folder.write('closed/settings.json', 'old', 0o666);
      mkdirSync(folder.at('home'));
      // As another user, in a process of its own: this one may do everything.
      const program = `
      import { createSettingsFiles } from ${JSON.stringify(path.join(import.meta.dirname, 'settingsFiles.ts'))};
      const [backups, theirs, own] = process.argv.slice(1);
      const files = createSettingsFiles({ backups });
      console.log(JSON.stringify([await files.replace(theirs, 'old', 'new'), await files.replace(own, 'old', 'new')]));`;
      chownSync(folder.path, 12_345, 12_345);
      chownSync(folder.at('theirs'), 12_345, 12_345);
      chownSync(own, 12_345, 12_345);
      chownSync(folder.at('closed'), 0, 0);
      let output: string;
      try {
        output = execFileSync(process.execPath, ['--input-type=module', '-e', program, folder.at('home'), file, own], {
          uid: 12_345,
          gid: 12_345,
          encoding: 'utf8',
          env: { PATH: process.env['PATH'] },
          stdio: ['ignore', 'pipe', 'ignore'],
        });
      } catch {
        return skip('another user can’t read this checkout');
      }
      expect(JSON.parse(output)).toEqual([
        { kind: 'failed', code: 'EPERM' },
        { kind: 'failed', code: 'EACCES' },
      ]);
      expect([readFileSync(file, 'utf8'), readFileSync(own, 'utf8'), readdirSync(folder.at('home'))]).toEqual([
        'old',
        'old',
        [],
      ]);
    },
  );
});

describe('HKI-2 whatever call fails', () => {
  const cases = [
    { what: 'a plain file', before: 'old', after: 'new', hardLink: false },
    { what: 'a new file', before: undefined, after: 'new', hardLink: false },
    { what: 'a removal', before: 'old', after: undefined, hardLink: false },
    { what: 'a file with two names', before: 'old', after: 'longer than before', hardLink: true },
  ];
  for (const { what, before, after, hardLink } of cases) {
    for (const code of ['ENOSPC', 'EIO']) {
      test.skipIf(hardLink && isWindows)(
        `HKI-2 ${what} is the old or the new, whole, and the answer says which (${code})`,
        async () => {
          const prepare = (folder: TestFolder) => {
            const file = before === undefined ? folder.at('settings.json') : folder.write('settings.json', before);
            if (hardLink) linkSync(file, folder.at('other-name'));
            return file;
          };
          const present = (file: string) => {
            try {
              return readFileSync(file, 'utf8');
            } catch {
              return undefined;
            }
          };
          using calm = testFolder();
          const counted = faultyFileSystem();
          await filesIn(calm, counted).replace(prepare(calm), before, after);
          expect(counted.calls.length).toBeGreaterThan(4);
          const outcomes = new Set<string>();
          for (let nth = 1; nth <= counted.calls.length; nth++) {
            using folder = testFolder();
            const file = prepare(folder);
            const fs = faultyFileSystem();
            fs.arm({ nth, code });
            const { kind } = await filesIn(folder, fs).replace(file, before, after);
            outcomes.add(kind);
            // `overwritten`: it could not be read again, so that nothing can be promised.
            const expected = kind === 'written' ? [after] : kind === 'overwritten' ? [after] : [before, after];
            expect(expected, `call ${nth} (${fs.calls.at(nth - 1)}): ${kind}`).toContain(present(file));
            if (kind === 'failed') expect(present(file), `call ${nth} (${fs.calls[nth - 1]})`).toBe(before);
            expect(readdirSync(folder.path).filter((name) => name.endsWith('.tmp'))).toEqual([]);
          }
          expect(outcomes).toContain('failed');
        },
      );
    }
  }
});
