import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { readPortFile } from '../cluster/portFile.ts';
import { isOfHome } from '../hooks/ownFiles.ts';
import { homeAt, prepareHome } from './home.ts';
import { readOwnFile } from './ownFile.ts';
import { homeKey } from './homeKey.ts';

let dir = '';
const home = () => homeAt(path.join(dir, 'home'));
const modeOf = (file: string) => statSync(file).mode & 0o777;
const self = process.getuid?.();
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'mascot-home-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));

function put(file: string, mode: number, text = '{}'): string {
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe.runIf(self !== undefined)('COL-2 SEC-1 the home', () => {
  test('COL-2 SEC-1 its folders and files are made private again, each told of once', async () => {
    const { folder, bin, spool, settings, claim, generation, storeLocation, installed } = home();
    await prepareHome(home());
    const files = [settings, storeLocation, claim, generation, installed];
    for (const each of [folder, bin, spool]) chmodSync(each, 0o777);
    for (const file of files) put(file, 0o644);
    const log = logLines();
    await prepareHome(home(), log);
    await prepareHome(home(), log);
    expect([...[folder, bin, spool], ...files].map(modeOf)).toEqual([
      ...Array.from({ length: 3 }, () => 0o700),
      ...files.map(() => 0o600),
    ]);
    const told = [folder, bin, spool, ...files].map((each) => `warn ${each} was open to others and is private again.`);
    expect(log.lines).toEqual(told);
  });

  const untrusted: readonly (readonly [string, (file: string) => void])[] = [
    ['the group could write', (file) => chmodSync(file, 0o620)],
    ['others could write', (file) => chmodSync(file, 0o602)],
    ...(self === 0 ? ([['belongs to another account', (file: string) => chownSync(file, 1, 1)]] as const) : []),
    ['is a link to what others could write', linkToOpen],
  ];
  function linkToOpen(file: string): void {
    const elsewhere = put(path.join(dir, `elsewhere-${path.basename(file)}`), 0o666, readFileSync(file, 'utf8'));
    rmSync(file);
    symlinkSync(elsewhere, file);
  }

  test.each(untrusted)(
    'COL-2 SEC-1 nothing is believed of a file that %s: set aside, told once',
    async (_what, open) => {
      const { settings, storeLocation, editors } = home();
      await prepareHome(home());
      for (const file of [settings, storeLocation, editors]) open(put(file, 0o600, 'planted'));
      const log = logLines();
      await prepareHome(home(), log);
      await prepareHome(home(), log);
      const seen = [settings, storeLocation, editors].map((file) => [
        existsSync(file),
        readFileSync(`${file}.untrusted`, 'utf8'),
      ]);
      expect(seen).toEqual(Array.from({ length: 3 }, () => [false, 'planted']));
      expect(log.lines.map((line) => line.split(':')[0])).toEqual(
        [settings, storeLocation, editors].map((file) => `warn Others could have written ${file}`),
      );
      const ours = ['settings.json', 'store.json', 'editors.json'].map((name) => `${name}.untrusted`);
      expect(await Promise.all(ours.map((name) => isOfHome(name, home().folder)))).toEqual([true, true, true]);
    },
  );

  test.each(untrusted)(
    'HKI-9 SEC-1 exclusions stay when their file %s: of both copies, and told',
    async (_what, open) => {
      const { excluded } = home();
      await prepareHome(home());
      put(`${excluded}.last`, 0o600, JSON.stringify({ version: 1, projects: ['/secret', '/both'] }));
      open(put(excluded, 0o600, JSON.stringify({ version: 1, projects: ['/both', '/planted'] })));
      const log = logLines();
      await prepareHome(home(), log);
      await prepareHome(home(), log);
      expect(JSON.parse(readFileSync(excluded, 'utf8'))).toEqual({
        version: 1,
        projects: ['/both', '/planted', '/secret'],
      });
      const { uid, mode } = lstatSync(excluded);
      expect([uid, mode & 0o777, lstatSync(excluded).isFile(), log.lines.length]).toEqual([self, 0o600, true, 1]);
    },
  );

  test('HKI-9 SEC-1 a list that nobody can understand stays what it is, for who reads it to tell', async () => {
    await prepareHome(home());
    put(home().excluded, 0o666, '{');
    await prepareHome(home(), logLines());
    expect([readFileSync(home().excluded, 'utf8'), modeOf(home().excluded)]).toEqual(['{', 0o600]);
  });

  test('HKI-2 SEC-1 where hooks are and what settings were stays, private again and told', async () => {
    const { installed, backups } = home();
    await prepareHome(home());
    put(installed, 0o666, 'the record');
    mkdirSync(backups);
    chmodSync(backups, 0o777);
    const log = logLines();
    await prepareHome(home(), log);
    expect([readFileSync(installed, 'utf8'), modeOf(installed), modeOf(backups)]).toEqual(['the record', 0o600, 0o700]);
    expect(log.lines.map((line) => line.endsWith('look through what it says.'))).toEqual([true, true]);
  });

  const readOrWritten: readonly (readonly [string, (file: string) => void])[] = [
    ['the group could read', (file) => chmodSync(file, 0o640)],
    ['others could read', (file) => chmodSync(file, 0o604)],
    ...untrusted,
  ];
  test.each(readOrWritten)(
    'COL-2 SEC-1 a secret that %s is taken away, so that its owner makes another: no mode makes it one again',
    async (_what, open) => {
      const { portFile, proofKey: key, settings } = home();
      await prepareHome(home());
      for (const file of [portFile, key, settings]) put(file, 0o600);
      for (const file of [portFile, key]) open(file);
      const log = logLines();
      await prepareHome(home(), log);
      await prepareHome(home(), log);
      expect([portFile, key, settings].map((file) => existsSync(file))).toEqual([false, false, true]);
      expect(log.lines).toEqual([key, portFile].map((file) => expect.stringContaining(`warn ${file} was open`)));
    },
  );

  test('SEC-8 sets remote.json aside if others could have written it, and makes it private if they could read it', async () => {
    await prepareHome(home());
    const { remote } = home();
    put(remote, 0o644, '{}');
    await prepareHome(home(), logLines());
    expect(modeOf(remote)).toBe(0o600);
    chmodSync(remote, 0o620);
    await prepareHome(home(), logLines());
    expect([existsSync(remote), existsSync(`${remote}.untrusted`)]).toEqual([false, true]);
  });

  const elsewhere: readonly (readonly [string, () => void])[] = [
    ['the home was written by others', () => chmodSync(home().folder, 0o770)],
    ['what hooks run was', () => chmodSync(home().bin, 0o707)],
    ['something else was set aside', () => chmodSync(home().storeLocation, 0o660)],
    ['the key was read', () => chmodSync(home().proofKey, 0o604)],
  ];
  test.each(elsewhere)(
    'COL-2 SEC-1 a private port file goes when %s: a living owner learns of it so',
    async (_w, open) => {
      const { portFile, proofKey: key, storeLocation } = home();
      await prepareHome(home());
      for (const file of [portFile, key, storeLocation]) put(file, 0o600);
      await prepareHome(home());
      expect(existsSync(portFile)).toBe(true);
      open();
      await prepareHome(home(), logLines());
      expect(existsSync(portFile)).toBe(false);
    },
  );

  test('COL-2 SEC-1 folders in the place of files, made while the home was open, keep nobody from closing it', async () => {
    await prepareHome(home());
    const { portFile, proofKey: key, settings } = home();
    for (const file of [portFile, key]) mkdirSync(path.join(file, 'folder'), { recursive: true });
    put(settings, 0o666);
    mkdirSync(path.join(`${settings}.untrusted`, 'folder'), { recursive: true });
    chmodSync(home().folder, 0o777);
    await prepareHome(home(), logLines());
    expect(readdirSync(home().folder).toSorted()).toEqual([
      'bin',
      ...['collector.json.untrusted', 'proof.key.untrusted'],
      ...['settings.json.untrusted', 'settings.json.untrusted-2', 'spool'],
    ]);
  });

  test('FWD-3 SEC-1 windows refuse a port file of an open folder as forwarders do', async () => {
    mkdirSync(home().folder);
    chmodSync(home().folder, 0o722);
    put(home().portFile, 0o600);
    await expect(readPortFile(home().portFile)).rejects.toThrow(
      `the folder ${home().folder} can be written by others (chmod 700 it)`,
    );
    chmodSync(home().folder, 0o700);
    expect(await readPortFile(home().portFile)).toBeUndefined();
    expect(await readPortFile(path.join(dir, 'none', 'collector.json'))).toBeUndefined();
  });

  test('COL-2 it may be a link to a folder of one’s own; another account’s is refused', async () => {
    mkdirSync(path.join(dir, 'elsewhere'), { mode: 0o755 });
    symlinkSync(path.join(dir, 'elsewhere'), home().folder);
    await prepareHome(home());
    expect(modeOf(path.join(dir, 'elsewhere'))).toBe(0o700);
    await expect(prepareHome(home(), logLines(), (self ?? 0) + 1)).rejects.toThrow('belongs to another user');
  });

  test('SEC-1 a link in the spool’s place leads nobody to change what it leads to', async () => {
    mkdirSync(path.join(dir, 'elsewhere'));
    chmodSync(path.join(dir, 'elsewhere'), 0o755);
    mkdirSync(home().folder);
    symlinkSync(path.join(dir, 'elsewhere'), home().spool);
    await prepareHome(home());
    expect(modeOf(path.join(dir, 'elsewhere'))).toBe(0o755);
  });

  test('COL-2 on Windows, where a mode means nothing, nothing is refused or changed for it', async () => {
    mkdirSync(home().folder);
    chmodSync(home().folder, 0o777);
    put(home().settings, 0o666, 'text');
    const log = logLines();
    await prepareHome(home(), log, 'any');
    expect([modeOf(home().folder), modeOf(home().settings), log.lines]).toEqual([0o777, 0o666, []]);
  });
});

describe.runIf(self !== undefined)('SEC-1 what hooks run', () => {
  const hook = () => path.join(home().bin, 'hook');
  const opened: readonly (readonly [string, () => void])[] = [
    ['the home could be written by others', () => chmodSync(home().folder, 0o720)],
    ['their folder could', () => chmodSync(home().bin, 0o702)],
    ['a file could', () => chmodSync(hook(), 0o620)],
    ...(self === 0
      ? ([
          ['a file belongs to another account', () => chownSync(hook(), 1, 1)],
          ['their folder does', () => chownSync(home().bin, 1, 1)],
        ] as const)
      : []),
    ['a file is a link to what others can write', () => linkTo(hook(), put(path.join(dir, 'theirs'), 0o666))],
  ];
  function linkTo(name: string, target: string): void {
    rmSync(name);
    symlinkSync(target, name);
  }

  async function installed() {
    await prepareHome(home());
    put(hook(), 0o600, 'ours');
    mkdirSync(path.join(home().bin, 'folder'));
    put(path.join(home().bin, 'folder', 'git'), 0o755, 'unknown');
  }

  test.each(opened)('SEC-1 nothing of it is run any more when %s: all is set aside, told once', async (_what, open) => {
    await installed();
    open();
    const log = logLines();
    await prepareHome(home(), log);
    await prepareHome(home(), log);
    expect([readdirSync(home().bin), modeOf(home().bin)]).toEqual([[], 0o700]);
    expect(readdirSync(`${home().bin}.untrusted`).toSorted()).toEqual(['folder', 'hook']);
    expect(log.lines.filter((line) => line.includes('.untrusted'))).toEqual([
      expect.stringContaining(`Others could have written ${home().bin}: `),
    ]);
  });

  test('SEC-1 what was set aside before stays, and an empty folder is only closed', async () => {
    for (let time = 0; time < 3; time++) {
      await installed();
      chmodSync(home().folder, 0o777);
      await prepareHome(home());
    }
    chmodSync(home().bin, 0o777);
    await prepareHome(home());
    expect(readdirSync(home().folder).toSorted()).toEqual([
      ...['bin', 'bin.untrusted', 'bin.untrusted-2', 'bin.untrusted-3', 'spool'],
    ]);
  });

  test('SEC-1 it stays where it is when others could only read it', async () => {
    await installed();
    for (const folder of [home().folder, home().bin]) chmodSync(folder, 0o755);
    chmodSync(hook(), 0o644);
    await prepareHome(home(), logLines());
    expect([readFileSync(hook(), 'utf8'), modeOf(home().bin)]).toEqual(['ours', 0o700]);
  });

  test('SEC-1 a link to a folder of one’s own stays, until the home was open', async () => {
    const own = path.join(dir, 'own');
    mkdirSync(own);
    put(path.join(own, 'hook'), 0o600, 'ours');
    mkdirSync(home().folder, { mode: 0o700 });
    symlinkSync(own, home().bin);
    await prepareHome(home());
    expect(readFileSync(hook(), 'utf8')).toBe('ours');
    chmodSync(home().folder, 0o777);
    await prepareHome(home());
    expect([existsSync(hook()), lstatSync(home().bin).isDirectory(), existsSync(path.join(own, 'hook'))]).toEqual([
      ...[false, true, true],
    ]);
  });

  test.runIf(self === 0)('COL-2 backups in a folder of another account are set aside each time', async () => {
    for (let time = 0; time < 2; time++) {
      await prepareHome(home());
      mkdirSync(path.join(home().backups, 'theirs'), { recursive: true });
      chownSync(home().backups, 1, 1);
      await prepareHome(home());
    }
    expect(
      readdirSync(home().folder)
        .filter((name) => name.startsWith('backups'))
        .toSorted(),
    ).toEqual([...['backups.untrusted', 'backups.untrusted-2']]);
  });
});

describe.runIf(self !== undefined)('FWD-3 SEC-1 the key of the home', () => {
  const key = 'k'.repeat(43);

  test.each([
    ['private', 0o600, false],
    ['read by the group', 0o640, true],
    ['read by others', 0o604, true],
    ['written by others', 0o602, true],
  ])('FWD-3 SEC-1 one that is %s (%o)', async (_what, mode, isReplaced) => {
    mkdirSync(home().folder, { mode: 0o700 });
    const file = put(home().proofKey, mode, `${key}\n`);
    const log = logLines();
    const used = await homeKey(file, log);
    expect([used !== key, log.lines.length, modeOf(file)]).toEqual([isReplaced, isReplaced ? 1 : 0, 0o600]);
    expect(readFileSync(file, 'utf8')).toBe(`${used}\n`);
    expect(log.lines.join('')).not.toContain(used);
    expect(await homeKey(file, log)).toBe(used);
  });

  test('FWD-3 one that is missing, empty or short is made, with 256 bits', async () => {
    mkdirSync(home().folder, { mode: 0o700 });
    const made = await homeKey(home().proofKey, logLines());
    expect(Buffer.from(made, 'base64url')).toHaveLength(32);
    for (const text of ['', 'short']) {
      put(home().proofKey, 0o600, text);
      expect(await homeKey(home().proofKey, logLines())).not.toBe(text);
    }
  });

  test('FWD-3 on Windows its mode is not asked', async () => {
    mkdirSync(home().folder, { mode: 0o700 });
    const file = put(home().proofKey, 0o666, key);
    expect(await readOwnFile(file, 'any')).toEqual({ kind: 'text', text: key });
    const log = logLines();
    expect([await homeKey(file, log, 'any'), log.lines]).toEqual([key, []]);
  });
});
