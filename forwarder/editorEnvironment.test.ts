import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { editorEnvironment, personFolder } from './editorEnvironment.ts';
import { projectOf } from './project.ts';

const isInProject = projectOf(['/w/p']);
const told = (environment: Record<string, string>) => editorEnvironment(environment, isInProject);

describe.skipIf(process.platform === 'win32')('FWD-7 SEC-6 what the editor is told', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('SEC-6 nothing that lies in the project, and no folder that means another one elsewhere', () => {
    const kept = {
      DISPLAY: ':0',
      LANG: 'ko_KR.UTF-8',
      TZ: 'Asia/Seoul',
      XDG_STATE_HOME: '/home/u/.state',
      XDG_RUNTIME_DIR: '/run/user/1000',
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus',
    };
    const planted = {
      XDG_CONFIG_HOME: '/w/p/.config',
      XDG_DATA_HOME: '/w/x/../p',
      XDG_CACHE_HOME: path.relative(homedir(), '/w/p/cache'),
      SHELL: '/w/p/sh',
      TMPDIR: '/w/p/tmp',
      SSH_AUTH_SOCK: '/w/p/agent',
      LD_PRELOAD: '/w/p/x.so',
    };
    const PATH = '/w/p/.venv/bin:/usr/bin:bin::/bin';
    const XDG_DATA_DIRS = '/w/p/share:/usr/share';
    expect(told({ ...kept, ...planted, PATH, XDG_DATA_DIRS, XDG_CONFIG_DIRS: '/w/p' })).toEqual({
      ...kept,
      PATH: '/usr/bin:/bin',
      XDG_DATA_DIRS: '/usr/share',
    });
  });

  it.each([
    ['unix:path=/run/user/1000/bus,guid=1', true],
    ['unix:abstract=/tmp/dbus-x,guid=1', true],
    ['unix:path=/w/p/bus', false],
    ['unix:path=%2fw%2fp%2fbus', false],
    ['unixexec:path=/w/p/evil', false],
    ['unix:path=/run/bus;unixexec:path=/w/p/evil', false],
    ['unix:path=/run/bus;unix:abstract=x', true],
    ['tcp:host=evil,port=1', false],
    ['autolaunch:', false],
    ['unix:tmpdir=/tmp', false],
  ])('SEC-6 the bus %s: %s', (DBUS_SESSION_BUS_ADDRESS, isTold) => {
    expect(told({ DBUS_SESSION_BUS_ADDRESS })).toEqual(isTold ? { DBUS_SESSION_BUS_ADDRESS } : {});
  });

  it('SEC-6 a person’s folder in the project, or a relative one, gives way to the one that the system knows', () => {
    for (const HOME of ['/w/p/home', 'home']) {
      vi.stubEnv('HOME', HOME);
      const own = userInfo().homedir;
      expect([personFolder(isInProject), told({ HOME })]).toEqual([own, { HOME: own }]);
    }
    vi.stubEnv('HOME', '/home/u');
    expect([personFolder(isInProject), told({ HOME: '/home/u' })]).toEqual(['/home/u', { HOME: '/home/u' }]);
  });

  it('SEC-6 our own home stays, wherever it lies', () => {
    expect(told({ AGENT_MASCOT_HOME: '/w/p/mascot' })).toEqual({ AGENT_MASCOT_HOME: '/w/p/mascot' });
  });
});
