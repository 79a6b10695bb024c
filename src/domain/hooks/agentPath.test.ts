import { expect, test } from 'vitest';
import { agentSidePath, homeBelowPerson, homeInCommand } from './agentPath.ts';

const long = 'é'.repeat(5_000);

test.each([
  ['F:\\x', '/mnt/f/x'],
  ['F:/x', '/mnt/f/x'],
  ['f:\\a b\\c"d$`', '/mnt/f/a b/c"d$`'],
  ['C:\\', '/mnt/c'],
  ['C:', '/mnt/c'],
  ['\\\\?\\C:\\Users\\한글', '/mnt/c/Users/한글'],
  ['\\\\wsl.localhost\\Distro\\home\\u', '/home/u'],
  ['\\\\WSL.LOCALHOST\\Distro-22.04\\home\\u\\', '/home/u/'],
  ['\\\\wsl$\\Distro\\home\\u', '/home/u'],
  ['//wsl.localhost/Distro/home/u', '/home/u'],
  ['\\\\?\\UNC\\wsl.localhost\\Distro\\home\\u', '/home/u'],
  ['\\\\wsl$\\Distro', '/'],
  [`D:\\${long}`, `/mnt/d/${long}`],
  ['/home/u', '/home/u'],
  ['/home/u/C:\\x', '/home/u/C:\\x'],
  ['/home/a\\b', '/home/a\\b'],
  ['relative/x', 'relative/x'],
  ['F:x', 'F:x'],
  ['ab:\\x', 'ab:\\x'],
  ['\\\\server\\share\\x', '\\\\server\\share\\x'],
  ['\\\\wsl.localhost.evil\\d\\x', '\\\\wsl.localhost.evil\\d\\x'],
  ['', ''],
])('FWD-10 %j is %j for an agent in WSL, and itself for one on Windows', (path, expected) => {
  expect([agentSidePath(path, 'posix'), agentSidePath(path, 'windows')]).toEqual([expected, path]);
});

test.each<[string, string, string, 'posix' | 'windows']>([
  ['/home/u/.agent-mascot', '/home/u', '$HOME/.agent-mascot', 'posix'],
  ['/home/u/.agent-mascot/', '/home/u//', '$HOME/.agent-mascot', 'posix'],
  ['/home/u', '/home/u', '$HOME', 'posix'],
  ['/home/user2/x', '/home/u', '/home/user2/x', 'posix'],
  ['/opt/mascot', '/home/u', '/opt/mascot', 'posix'],
  ['/opt/mascot', '/', '/opt/mascot', 'posix'],
  ['/opt/mascot', '', '/opt/mascot', 'posix'],
  ['/home/u/../v/x', '/home/u', '/home/u/../v/x', 'posix'],
  ['/home/u/a "b" $c `d` é', '/home/u', '$HOME/a "b" $c `d` é', 'posix'],
  [`/home/u/${long}`, '/home/u', `$HOME/${long}`, 'posix'],
  ['C:\\Users\\u\\.agent-mascot', 'C:\\Users\\u', '$HOME/.agent-mascot', 'posix'],
  ['\\\\wsl.localhost\\D\\home\\u\\m', '/home/u', '$HOME/m', 'posix'],
  ['C:\\Users\\u v\\.agent-mascot', 'C:\\Users\\u v', 'C:/Users/u v/.agent-mascot', 'windows'],
  ['C:/m/', 'C:/', 'C:/m', 'windows'],
  ['\\\\server\\share\\m', 'C:\\Users\\u', '//server/share/m', 'windows'],
])(
  'HKI-4 the home %j of somebody at %j stands as %j in a command for more than one machine',
  (home, person, expected, system) => {
    expect(homeBelowPerson(home, person, system)).toBe(expected);
  },
);

test.each<[string, string, 'posix' | 'windows']>([
  ['/home/u/.agent-mascot/', '/home/u/.agent-mascot', 'posix'],
  ['/home/u/a "b" $c `d` é', '/home/u/a "b" $c `d` é', 'posix'],
  ['C:\\Users\\u\\.agent-mascot', '/mnt/c/Users/u/.agent-mascot', 'posix'],
  ['\\\\wsl.localhost\\D\\home\\u\\m', '/home/u/m', 'posix'],
  ['C:\\Users\\u v\\.agent-mascot', 'C:/Users/u v/.agent-mascot', 'windows'],
])('SEC-8 the home %j stands as %j in a command of the person’s own files', (home, expected, system) => {
  expect(homeInCommand(home, system)).toBe(expected);
});
