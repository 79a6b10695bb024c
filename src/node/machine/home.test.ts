import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { readPortFile, removePortFile } from '../cluster/portFile.ts';
import { isOfHome } from '../hooks/ownFiles.ts';
import { homeAt, prepareHome } from './home.ts';
import { readOwnFile } from './ownFile.ts';
import { proofKey } from './proofKey.ts';

let dir = '';
const home = () => homeAt(path.join(dir, 'home'));
const modeOf = (file: string) => statSync(file).mode & 0o777;
const self = process.getuid?.();
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'mascot-home-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function put(file: string, mode: number, text = '{}'): string {
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe.runIf(self !== undefined)('COL-2 SEC-1 the home', () => {
  test('COL-2 SEC-1 its folders and files are made private again, each told of once', async () => {
    const { folder, bin, spool, portFile, settings, claim, generation, storeLocation, installed } = home();
    await prepareHome(home());
    const files = [settings, storeLocation, claim, generation, installed, portFile];
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

  test('FWD-3 SEC-1 a port file that others could have written is not made good by a mode: nobody believes it', async () => {
    await prepareHome(home());
    put(home().portFile, 0o666, '{"version":1,"instance":"i"}');
    await prepareHome(home(), logLines());
    expect(modeOf(home().portFile)).toBe(0o666);
    await expect(readPortFile(home().portFile)).rejects.toThrow(
      `the file ${home().portFile} can be written by others (chmod 600 it)`,
    );
    await removePortFile(home().portFile, 'i');
    expect(readFileSync(home().portFile, 'utf8')).toContain('"i"');
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
    const used = await proofKey(file, log);
    expect([used !== key, log.lines.length, modeOf(file)]).toEqual([isReplaced, isReplaced ? 1 : 0, 0o600]);
    expect(readFileSync(file, 'utf8')).toBe(`${used}\n`);
    expect(log.lines.join('')).not.toContain(used);
    expect(await proofKey(file, log)).toBe(used);
  });

  test('FWD-3 one that is missing, empty or short is made, with 256 bits', async () => {
    mkdirSync(home().folder, { mode: 0o700 });
    const made = await proofKey(home().proofKey, logLines());
    expect(Buffer.from(made, 'base64url')).toHaveLength(32);
    for (const text of ['', 'short']) {
      put(home().proofKey, 0o600, text);
      expect(await proofKey(home().proofKey, logLines())).not.toBe(text);
    }
  });

  test('FWD-3 on Windows its mode is not asked', async () => {
    mkdirSync(home().folder, { mode: 0o700 });
    const file = put(home().proofKey, 0o666, key);
    expect(await readOwnFile(file, 'any')).toEqual({ kind: 'text', text: key });
    const log = logLines();
    expect([await proofKey(file, log, 'any'), log.lines]).toEqual([key, []]);
  });
});
