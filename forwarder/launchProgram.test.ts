import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './forwarder.testkit.ts';
import { chooseProgram } from './launchProgram.ts';

describe.skipIf(process.platform === 'win32')('FWD-7 the program that is started', () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder('programs')));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** In a folder of its own, so that each can be spoiled alone. */
  const program = (name: string, mode = 0o755, folderMode = 0o755) => {
    const file = path.join(folder, name, 'code');
    mkdirSync(path.dirname(file));
    writeFileSync(file, '');
    chmodSync(file, mode);
    chmodSync(path.dirname(file), folderMode);
    return file;
  };
  const choose = (places: { PATH?: string; MASCOT_APP_PATH?: string; editors?: readonly string[] }) => {
    const { editors = [], ...variables } = places;
    const choice = chooseProgram({ platform: 'linux', variables, person: folder, editors });
    return 'why' in choice ? choice.why : choice.candidate.program;
  };

  it('FWD-7 the person’s word goes before all else, and the last editor before the PATH', () => {
    const [named, last, onPath] = [program('named'), program('last'), program('path')];
    const PATH = path.dirname(onPath);
    expect([
      choose({ MASCOT_APP_PATH: named, editors: [last], PATH }),
      choose({ editors: [last], PATH }),
      choose({ editors: [path.join(folder, 'gone'), last], PATH }),
      choose({ editors: [], PATH }),
    ]).toEqual([named, last, last, onPath]);
  });

  it('FWD-7 a MASCOT_APP_PATH that can’t be followed is told, and nothing else is started', () => {
    const last = program('last');
    const says = (named: string) => choose({ MASCOT_APP_PATH: named, editors: [last] });
    expect([
      says('code'),
      says(path.join(folder, 'gone')),
      says(folder),
      says(program('plain', 0o644)),
      says(program('open', 0o777)),
    ]).toEqual([
      'MASCOT_APP_PATH must be the whole path of an editor’s program',
      `MASCOT_APP_PATH names ${folder}/gone, which is no program that can be run`,
      `MASCOT_APP_PATH names ${folder}, which is no program that can be run`,
      `MASCOT_APP_PATH names ${folder}/plain/code, which is no program that can be run`,
      `MASCOT_APP_PATH names ${folder}/open/code, which can be written by others, so it is not started`,
    ]);
  });

  it('FWD-7 SEC-6 what others may write to is passed over: the program, its folder, and where a link to it lies', () => {
    const good = program('good');
    const open = path.join(folder, 'shared');
    mkdirSync(open);
    chmodSync(open, 0o777);
    symlinkSync(good, path.join(open, 'code'));
    const linked = path.join(folder, 'linked');
    symlinkSync(good, linked);
    const unsafe = [program('a', 0o757), program('b', 0o775), program('c', 0o755, 0o777), path.join(open, 'code')];
    expect(choose({ editors: [...unsafe, linked] })).toBe(linked);
    const PATH = [...unsafe.map((file) => path.dirname(file)), path.dirname(good)].join(':');
    expect(choose({ PATH })).toBe(good);
  });

  it('FWD-7 no editor found: it says so, and what to do', () => {
    const none = { platform: 'win32', variables: {}, person: folder, editors: [] };
    expect(chooseProgram(none)).toEqual({
      why: 'no editor was found to start: start one with Agent Mascot, or name its program in MASCOT_APP_PATH',
    });
  });

  it('FWD-7 a bundle of macOS is a folder that nobody else can write', () => {
    const bundle = (name: string, mode: number) => {
      const made = path.join(folder, `${name}.app`);
      mkdirSync(made);
      chmodSync(made, mode);
      return made;
    };
    const [open, good] = [bundle('Open', 0o777), bundle('Good', 0o775)];
    const file = path.join(folder, 'File.app');
    writeFileSync(file, '');
    const chosen = chooseProgram({ platform: 'darwin', variables: {}, person: folder, editors: [file, open, good] });
    expect(chosen).toMatchObject({ candidate: { program: '/usr/bin/open', args: ['-g', '-a', good] } });
  });
});
