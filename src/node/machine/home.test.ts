import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { logLines } from '../../app/testkit/fakes.testkit.ts';
import { readPortFile, removePortFile } from '../cluster/portFile.ts';
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
    const files = [portFile, settings, claim, generation, storeLocation, installed];
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
