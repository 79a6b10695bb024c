import { chmodSync, chownSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './forwarder.testkit.ts';
import { isAlone, ourTrust, stepsTo, untrustedStep } from './trustedPath.ts';
import type { Step } from './trustedPath.ts';

const US = 1000;
const trust = { uid: US, isPrivateGroup: (gid: number) => gid === 0 || gid === US };
const step = (kind: Step['kind'], mode: number, uid = US, gid = 50): Step => ({ path: '/x', kind, uid, gid, mode });

describe('SEC-6 a step of the way that another account could turn', () => {
  const end = step('file', 0o755);
  it.each<readonly [string, boolean, Step]>([
    ['root’s folder', true, step('folder', 0o755, 0, 0)],
    ['our own', true, step('folder', 0o700)],
    ['somebody else’s', false, step('folder', 0o755, 1001)],
    ['one that others may write', false, step('folder', 0o757)],
    ['… but for names that are not theirs', true, step('folder', 0o1777, 0, 0)],
    ['… that is somebody else’s', false, step('folder', 0o1777, 1001)],
    ['root:staff 2775, as /usr/local/bin of Debian', false, step('folder', 0o2775, 0, 50)],
    ['root’s group', true, step('folder', 0o775, 0, 0)],
    ['our own group', true, step('folder', 0o775, US, US)],
    ['a sticky one of a group, as /nix/store', true, step('folder', 0o1775, 0, 30_000)],
    ['our link, whose mode says nothing', true, step('link', 0o777)],
    ['a link of somebody else in a sticky folder', false, step('link', 0o777, 1001)],
    ['a file of somebody else', false, step('file', 0o755, 1001)],
    ['a file that others may write', false, step('file', 0o757)],
    ['a file that a group may write', false, step('file', 0o775, US, US)],
  ])('SEC-6 %s: trusted %s', (_what, isTrusted, asked) => {
    expect(untrustedStep([asked, end], trust)).toBe(isTrusted ? undefined : asked);
  });

  it('SEC-6 a bundle, which is what runs, is not excused by being sticky', () => {
    const bundle = step('folder', 0o1777);
    expect(untrustedStep([step('folder', 0o755), bundle], trust)).toBe(bundle);
  });

  it('SEC-6 a group is our own alone if no list knows somebody else in it', () => {
    const groups =
      'root:x:0:\nme:x:1000:\nusers:x:100:\nwork:x:1002:me,you\nmine:x:1003:me\ntwo:x:1004:\nzwei:x:1004:you';
    const accounts = 'me:x:1000:1000::/home/me:/bin/sh\nyou:x:1001:100::/:/bin/sh\n';
    const gids = [1000, 100, 1002, 1003, 1004, 9];
    expect(gids.map((gid) => isAlone(1000, gid, groups, accounts))).toEqual([true, false, false, true, false, false]);
    expect(isAlone(5000, 1000, groups, accounts)).toBe(false);
    expect(isAlone(1000, 1000, '', '')).toBe(false);
  });

  it('SEC-6 on macOS, where everybody has the same first group, only root’s and the admins’ count', () => {
    const { isPrivateGroup } = ourTrust('darwin');
    expect([0, 80, 20, 501].map(isPrivateGroup)).toEqual([true, true, false, false]);
  });
});

describe.skipIf(process.platform === 'win32')('SEC-6 the way to a file', () => {
  let folder: string;
  beforeEach(() => (folder = realpathSync(temporaryFolder('steps'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const at = (...names: string[]) => path.join(folder, ...names);
  const below = (file: string) =>
    stepsTo(file)
      ?.filter((found) => found.path.startsWith(folder + path.sep))
      .map((found) => `${found.kind} ${found.path.slice(folder.length + 1)}`);

  it('SEC-6 every folder and every link, `..` where the links before it led to', () => {
    mkdirSync(at('real', 'deep'), { recursive: true });
    mkdirSync(at('other'));
    writeFileSync(at('real', 'code'), '');
    symlinkSync('real/deep', at('up'));
    symlinkSync('../up/../code', at('other', 'link'));
    expect(below(at('other', 'link'))).toEqual([
      'folder other',
      'link other/link',
      'link up',
      'folder real/deep',
      'folder real',
      'file real/code',
    ]);
    expect(stepsTo(at('other'))?.[0]?.path).toBe('/');
  });

  it('SEC-6 what is not there, and what goes in circles', () => {
    symlinkSync('b', at('a'));
    symlinkSync('a', at('b'));
    expect([stepsTo(at('gone')), stepsTo(at('a')), stepsTo(at('x', '..', 'y'))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  const found = (file: string) => untrustedStep(stepsTo(file) ?? [], ourTrust())?.path;
  it('SEC-6 a folder far above that others may write, and one that a link in the middle passes', () => {
    for (const name of ['good', 'open']) mkdirSync(at(name, 'a', 'b'), { recursive: true });
    for (const name of ['good', 'open']) writeFileSync(at(name, 'a', 'b', 'code'), '', { mode: 0o755 });
    symlinkSync(at('good', 'a', 'b', 'code'), at('open', 'second'));
    symlinkSync(at('open', 'second'), at('good', 'first'));
    chmodSync(at('open'), 0o777);
    expect([
      found(at('good', 'a', 'b', 'code')),
      found(at('open', 'a', 'b', 'code')),
      found(at('good', 'first')),
    ]).toEqual([undefined, at('open'), at('open')]);
  });

  it.skipIf(process.getuid?.() !== 0)('SEC-6 a folder or a link of another account (as root, who can make one)', () => {
    mkdirSync(at('theirs', 'a'), { recursive: true });
    writeFileSync(at('theirs', 'a', 'code'), '', { mode: 0o755 });
    chownSync(at('theirs'), 12_345, 0);
    mkdirSync(at('staff'));
    writeFileSync(at('staff', 'code'), '', { mode: 0o755 });
    chownSync(at('staff'), 0, 50);
    chmodSync(at('staff'), 0o2775);
    expect([found(at('theirs', 'a', 'code')), found(at('staff', 'code'))]).toEqual([at('theirs'), at('staff')]);
  });
});
