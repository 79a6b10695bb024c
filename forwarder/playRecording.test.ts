import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { playRecording, recordings } from '../scripts/playRecording.mjs';
import {
  accepted,
  buildForwarder,
  runScript,
  startServer,
  temporaryFolder,
  writePortFile,
} from './forwarder.testkit.ts';
import type { Bundles, TestServer } from './forwarder.testkit.ts';

interface Line {
  readonly event?: string;
  readonly stdin?: Record<string, unknown>;
}

const fast = 1000;

describe('FWD-1 playing a recording', () => {
  let bundles: Bundles;
  let folder: string;
  let server: TestServer;
  beforeAll(async () => {
    bundles = await buildForwarder();
  });
  afterAll(() => bundles.remove());
  beforeEach(async () => {
    folder = temporaryFolder('play');
    server = await startServer(() => accepted);
    writePortFile(folder, server.port);
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const env = () => ({ PATH: process.env['PATH'] ?? '', AGENT_MASCOT_HOME: folder });
  const play = (file: string, log: (line: string) => void = () => {}, signal?: AbortSignal, speed = fast) =>
    playRecording({
      file,
      speed,
      forwarder: bundles.forwarder,
      env: env(),
      cwd: folder,
      log,
      ...(signal && { signal }),
    });
  const payloads = () => server.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

  it('FWD-1 plays every hook with fresh ids that still belong together, in the given folder', async () => {
    const lines: string[] = [];
    const name = 'claude/2.1.327/p-subs';
    const { file = '' } = (await recordings()).find((recording) => recording.name === name) ?? {};
    const recorded = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as Line)
      .flatMap(({ stdin }) => (stdin ? [stdin] : []));
    const { played, failed } = await play(name, (line) => lines.push(line));
    expect([played, failed, server.received.length]).toEqual([recorded.length, [], recorded.length]);
    expect(lines).toHaveLength(recorded.length);
    expect(lines[0]).toBe(` 1/${recorded.length} SessionStart startup`);

    const text = JSON.stringify(payloads());
    expect(text).not.toContain('/home/dev/project');
    const ids = new Set(JSON.stringify(recorded).match(/[0-9a-f]{8}-[0-9a-f-]{27}|toolu_\w+|(?<="agent_id":")\w+/g));
    expect([...ids].filter((id) => text.includes(id))).toEqual([]);

    const shape = (list: readonly Record<string, unknown>[], key: string) => {
      const values = [...new Set(list.map((payload) => payload[key]))].filter((value) => value !== undefined);
      return [values.length, values.map((value) => String(value).length).sort()];
    };
    for (const key of ['session_id', 'prompt_id', 'tool_use_id', 'agent_id'])
      expect(shape(payloads(), key)).toEqual(shape(recorded, key));
    for (const payload of payloads()) {
      expect(payload['transcript_path']).toContain(`/${String(payload['session_id'])}.jsonl`);
      expect(payload['_meta']).toMatchObject({ agent_pid: process.pid, project_dir: folder });
    }
  });

  it('FWD-1 can be played again: no id comes twice', async () => {
    await play('claude/2.0.77/p-single');
    await play('claude/2.0.77/p-single');
    expect(new Set(payloads().map((payload) => payload['session_id'])).size).toBe(2);
  });

  it('FWD-1 prints notes, shortens long gaps, and an unqualified name is the newest', async () => {
    const file = path.join(folder, 'long.jsonl');
    const stdin = { hook_event_name: 'Stop', session_id: 'session-0001', cwd: '/home/dev/project/sub' };
    const rows = [
      { t_ms: 0, event: 'Stop', stdin },
      { t_ms: 3_000_000, note: 'a long thought' },
      { t_ms: 9_000_000, event: 'Stop', stdin },
    ];
    writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'));
    const lines: string[] = [];
    await play(file, (line) => lines.push(line), undefined, 100);
    expect(lines).toEqual(['1/2 Stop', '        (a long thought)', '2/2 Stop']);
    expect(payloads().map(({ cwd }) => cwd)).toEqual([`${folder}/sub`, `${folder}/sub`]);
    const found = (await recordings()).map(({ name }) => name).filter((name) => name.endsWith('/p-single'));
    expect(found.at(-1)).toBe('claude/2.1.327/p-single');
  });

  it('FWD-1 names what failed', async () => {
    await server.close();
    const lines: string[] = [];
    const { played, failed } = await play('claude/2.0.77/p-single', (line) => lines.push(line));
    expect(failed).toHaveLength(played);
    expect(failed[0]?.why).toMatch(/not running; the event is kept/);
    expect(lines.at(-1)).toMatch(/^failed: \d+\/\d+ \w+: agent-mascot: /);
  });

  it('FWD-1 ends when told to', async () => {
    const stop = new AbortController();
    const playing = play('claude/2.1.327/p-subs', () => stop.abort(), stop.signal);
    await expect(playing).rejects.toThrow(/abort/i);
    expect(server.received.length).toBe(1);
  });

  it('FWD-1 asks in words for people, the same wherever a prompt is repeated', async () => {
    await play('claude/2.1.327/interactive-subagents-permission');
    const text = JSON.stringify(payloads());
    expect(text).not.toContain('[[');
    const prompts = payloads().map((payload) => payload['prompt'] ?? Object(payload['tool_input'])['prompt']);
    const counts = Map.groupBy(prompts.filter(Boolean), (prompt) => String(prompt).split('\n')[0]);
    expect([...counts].map(([prompt, { length }]) => [prompt, length]).sort()).toEqual([
      ['<task-notification>', 2],
      ['Add the file that the docs miss', 2],
      ['Add the file that the tests miss', 2],
      ['Share the clean-up between two sub-agents', 1],
    ]);
  });

  describe('FWD-1 a play whose mascots are to be seen', () => {
    const hook = (event: string) => ({ t_ms: 0, event, stdin: { hook_event_name: event, session_id: 'session-0001' } });
    const file = () => path.join(folder, 'session.jsonl');
    const lingering = (lingerMs: number, log: (line: string) => void, signal?: AbortSignal) => {
      const rows = [hook('SessionStart'), { t_ms: 0, note: 'a note' }, hook('Stop'), hook('SessionEnd')];
      writeFileSync(file(), rows.map((row) => JSON.stringify(row)).join('\n'));
      const where = { forwarder: bundles.forwarder, env: env(), cwd: folder };
      return playRecording({ file: file(), ...where, lingerMs, log, ...(signal && { signal }) });
    };
    const events = () => payloads().map((payload) => payload['hook_event_name']);

    it('FWD-1 stays before its end, at whatever speed', async () => {
      const lines: string[] = [];
      await lingering(50, (line) => lines.push(line));
      expect(lines).toEqual([
        '1/3 SessionStart',
        '        (a note)',
        '2/3 Stop',
        '        (the mascots stay for 0.05 s, then the session ends)',
        '3/3 SessionEnd',
      ]);
    });

    it.each([
      ['at once', '1/3 SessionStart', ['SessionEnd', 'SessionStart']],
      [
        'while it stays',
        '        (the mascots stay for 600 s, then the session ends)',
        ['SessionEnd', 'SessionStart', 'Stop'],
      ],
    ])('FWD-1 stopped %s it ends its session all the same', async (_title, at, sent) => {
      const stop = new AbortController();
      const playing = lingering(600_000, (line) => line === at && stop.abort(), stop.signal);
      await expect(playing).rejects.toThrow(/abort/i);
      expect(events().sort()).toEqual(sent);
      expect(events().at(-1)).toBe('SessionEnd');
    });

    it('FWD-1 stopped before its start it sends nothing', async () => {
      await expect(lingering(600_000, () => {}, AbortSignal.abort())).rejects.toThrow(/abort/i);
      expect(events()).toEqual([]);
    });
  });

  it.each([
    [
      'an unknown recording',
      () => play('no-such-thing'),
      /there is no recording "no-such-thing"; there are:\n {2}claude/,
    ],
    ['a speed of nothing', () => play('p-subs', undefined, undefined, 0), /speed must be a number above 0/],
    ['no forwarder', () => playRecording({ file: 'p-subs', forwarder: '/not/there.mjs' }), /run "npm run build" first/],
  ])('FWD-1 refuses %s', async (_title, run, words) => {
    await expect(run()).rejects.toThrow(words);
  });

  it('FWD-1 refuses a file that is no recording, by its line', async () => {
    const file = path.join(folder, 'x.jsonl');
    writeFileSync(file, '{"t_ms":0,"note":"x"}\n{"event":"Stop"}\n');
    await expect(play(file)).rejects.toThrow(`${file}:2 is no line of a recording`);
  });

  it('FWD-1 the command line says how it is used', async () => {
    const script = path.join(import.meta.dirname, '..', 'scripts', 'playRecording.mjs');
    const [none, list, unknown] = [
      await runScript(script),
      await runScript(script, { args: ['--list'] }),
      await runScript(script, { args: ['nope'] }),
    ];
    expect([none.code, list.code, unknown.code]).toEqual([2, 0, 1]);
    expect(none.stderr).toMatch(/^Usage: /);
    expect(list.stdout).toContain('claude/2.1.327/p-subs\n');
  });
});
