import { chmodSync, chownSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from './forwarder.testkit.ts';
import { chooseProgram } from './launchProgram.ts';
import { projectOf } from './project.ts';

describe.skipIf(process.platform === 'win32')('FWD-7 the program that is started', () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder('programs')));
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

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
    const isInProject = projectOf([path.join(folder, 'project')]);
    const choice = chooseProgram({ platform: 'linux', variables, person: folder, isInProject, editors });
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
      'MASCOT_APP_PATH must be the whole path of an editor’s program on this machine',
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

  it('FWD-7 SEC-6 the way to it is asked up to the root, and links in its middle', () => {
    const good = program('good');
    const open = path.join(folder, 'open');
    mkdirSync(path.join(open, 'deep'), { recursive: true });
    writeFileSync(path.join(open, 'deep', 'code'), '', { mode: 0o755 });
    symlinkSync(good, path.join(open, 'middle'));
    symlinkSync(path.join(open, 'middle'), path.join(folder, 'first'));
    chmodSync(open, 0o777);
    const unsafe = [path.join(open, 'deep', 'code'), path.join(folder, 'first')];
    expect([
      choose({ editors: [...unsafe, good] }),
      ...unsafe.map((named) => choose({ MASCOT_APP_PATH: named })),
    ]).toEqual([
      good,
      ...unsafe.map(
        (named) =>
          `MASCOT_APP_PATH names ${named}, and ${realpathSync(open)} can be written by others, so it is not started`,
      ),
    ]);
  });

  it.skipIf(process.getuid?.() !== 0)('FWD-7 SEC-6 root:staff 2775 is passed over (as root, who can make it)', () => {
    const [staff, good] = [program('staff'), program('good')];
    chownSync(path.dirname(staff), 0, 50);
    chmodSync(path.dirname(staff), 0o2775);
    expect(choose({ PATH: [staff, good].map((file) => path.dirname(file)).join(':') })).toBe(good);
  });

  it('FWD-7 SEC-6 nothing of the session’s project is started, by whichever name', () => {
    const [inside, good] = [program('project'), program('good')];
    const [inwards, through] = [path.join(folder, 'inwards'), path.join(folder, 'through')];
    symlinkSync(path.dirname(inside), inwards);
    // It leads out of the project again, for as long as the agent lets it.
    symlinkSync(good, path.join(folder, 'project', 'outwards'));
    symlinkSync(path.join(folder, 'project', 'outwards'), through);
    const named = [inside, path.join(inwards, 'code'), through];
    expect(named.map((file) => choose({ MASCOT_APP_PATH: file, editors: [good] }))).toEqual(
      named.map((file) => `MASCOT_APP_PATH names ${file}, which lies in the session’s project, so it is not started`),
    );
    const PATH = [path.dirname(inside), inwards, path.dirname(good)].join(':');
    expect([choose({ PATH }), choose({ editors: [...named, good] })]).toEqual([good, good]);
  });

  it('FWD-7 no editor found: it says so, and what to do', () => {
    const none = { platform: 'win32', variables: {}, person: folder, isInProject: () => false, editors: [] };
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
    const chosen = chooseProgram({
      platform: 'darwin',
      variables: {},
      person: folder,
      isInProject: () => false,
      editors: [file, open, good],
    });
    expect(chosen).toMatchObject({ candidate: { program: '/usr/bin/open', args: ['-g', '-a', good] } });
  });
});
