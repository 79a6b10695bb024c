import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HOOK_LOG_NAME } from '../src/protocol/handOver.ts';
import {
  accepted,
  context,
  essence,
  printed,
  prompt,
  provenReply,
  silent,
  spooled,
  start,
  temporaryFolder,
  useForwarder,
  writePortFile,
  writeProofKey,
} from './forwarder.testkit.ts';
import { HOOK_LOG_MAX_BYTES, logToHome } from './hookLog.ts';
import { sessionLines, tellSession } from './sessionEnvironment.ts';

describe('--installed: nobody reads its standard error, and an exit code would be shown', () => {
  const { home, forward, serve } = useForwarder();
  const installed = { args: ['--installed', '--provider', 'claude', '--event', 'UserPromptSubmit'] };
  const log = () => {
    const file = path.join(home(), HOOK_LOG_NAME);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };

  it.each(['', 'no JSON planted-secret', '[]'])(
    'FWD-5 %j on standard input: exit 0, silence, a line in the log',
    async (input) => {
      expect(essence(await forward(input, installed))).toEqual(silent);
      expect(log()).toMatch(/^\d{4}-\d\d-\d\dT\S+Z standard input .+\n$/);
      expect(log()).not.toContain('planted');
    },
  );

  it('FWD-5 nothing runs: kept, and no line, for that is how it is most of the time', async () => {
    expect(essence(await forward(prompt, installed))).toEqual(silent);
    expect([spooled(home()).length, log()]).toEqual([1, '']);
  });

  it('FWD-5 nothing runs and nothing can be kept: a line', async () => {
    writeFileSync(path.join(home(), 'spool'), 'in the way');
    expect(essence(await forward(prompt, installed))).toEqual(silent);
    expect(log()).toMatch(/the event could not be kept in .+: make room or make it writable\n$/);
  });

  it('FWD-5 what stays wrong is said once in ten minutes, and each other thing at once', () => {
    const at = Date.UTC(2026, 0, 1);
    const minutes = [0, 1, 9, 11, 12];
    for (const minute of minutes) logToHome(home(), 'the same', at + minute * 60_000);
    for (const words of ['another', 'the same', 'the same']) logToHome(home(), words, at + 13 * 60_000);
    expect(
      log()
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(14)),
    ).toEqual(['00:00.000Z the same', '11:00.000Z the same', '13:00.000Z another', '13:00.000Z the same']);
  });

  it('FWD-1 the reply is printed all the same', async () => {
    const server = await serve((request) => provenReply(request, { output: context('x') }));
    writePortFile(home(), server.port);
    writeProofKey(home());
    expect(essence(await forward(start, installed))).toEqual({ ...silent, stdout: printed(context('x')) });
  });

  it.each(['/nowhere/a.hook', ''])('FWD-5 --hand-over %j: exit 0 and a line that quotes nothing', async (file) => {
    const args = ['--installed', '--hand-over', file || path.join(home(), 'torn.hook')];
    if (!file) writeFileSync(args[2]!, 'agent-mascot-hook/1\0provider=claude\0\0{"prompt":"planted');
    expect(essence(await forward('', { args }))).toEqual(silent);
    expect(log().split('\n')).toHaveLength(2);
    expect(log()).not.toContain('planted');
    expect(file || existsSync(args[2]!)).toBeTruthy();
  });

  it('HKI-3 --guard without a guard reads nothing and asks nobody', async () => {
    const server = await serve(() => accepted);
    writePortFile(home(), server.port);
    expect(essence(await forward(prompt, { args: ['--installed', '--guard'] }))).toEqual(silent);
    expect(server.received).toEqual([]);
  });
});

describe('FWD-5 the log of hooks', () => {
  let home: string;
  beforeEach(() => (home = temporaryFolder('log')));
  afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const file = () => path.join(home, HOOK_LOG_NAME);

  it('FWD-5 is bounded, keeps the newer half in whole lines, and is the person’s alone', () => {
    for (let n = 0; n < 400; n++) logToHome(home, `${n} ${'x'.repeat(300)}`);
    const text = readFileSync(file(), 'utf8');
    expect([text.length <= HOOK_LOG_MAX_BYTES, statSync(file()).mode & 0o777]).toEqual([true, 0o600]);
    const numbers = text
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[1]));
    expect(numbers).toEqual(numbers.map((_, index) => 400 - numbers.length + index));
    expect(numbers.length).toBeGreaterThan(50);
  });

  it('FWD-5 a line stays a line, and a log that can’t be written is no failure', () => {
    logToHome(home, 'a\nb\u001b[31m\0c');
    expect(readFileSync(file(), 'utf8')).toMatch(/^\S+Z a b \[31m c\n$/);
    rmSync(file());
    mkdirSync(file());
    logToHome(home, 'x');
    logToHome('/nowhere', 'x');
  });
});

describe('OUT-2 what the agent’s shells are told', () => {
  it.each(['', "a'b", 'a b', '$(id)', '-n', 'a\nb', 'x'.repeat(201), 7, undefined])(
    'OUT-2 no session is called %j',
    (id) => {
      const folder = temporaryFolder('env');
      const file = path.join(folder, 'env');
      tellSession(file, { session_id: id }, '/home/u/.agent-mascot');
      expect(existsSync(file)).toBe(false);
      rmSync(folder, { recursive: true });
    },
  );

  it.each(['/h/a b', "/h/it's", '/h/$HOME`id`', '/h/ünï', '/h/"q"\\'])(
    'OUT-2 the folder %s comes last on the PATH, once',
    (bin) => {
      const lines = sessionLines('s-1', bin);
      const script = `${lines}${lines}printf '%s|%s' "$MASCOT_SESSION_ID" "$PATH"`;
      expect(execFileSync('sh', ['-c', script], { env: { PATH: '/bin' }, encoding: 'utf8' })).toBe(`s-1|/bin:${bin}`);
    },
  );

  it('OUT-2 Git’s shells on Windows know drives by another name; what can’t be on a PATH is left out', () => {
    expect(sessionLines('s', 'C:\\Users\\u\\.agent-mascot\\bin')).toContain(":'/c/Users/u/.agent-mascot/bin' ;; esac");
    for (const bin of ['/a:b', 'relative', '\\\\server\\share'])
      expect(sessionLines('s', bin)).toBe("\nexport MASCOT_SESSION_ID='s'\n");
  });

  it('OUT-2 a file that can’t be written is no failure', () => {
    tellSession('/nowhere/env', { session_id: 's' }, '/h');
  });
});
