import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseRecording, playRecording, recordings } from '../scripts/playRecording.mjs';
import { expectationsOf } from '../src/domain/golden.testkit.ts';
import { recording } from '../src/domain/recordings.testkit.ts';
import { hookedIds } from '../src/protocol/providers.ts';
import type { Session } from '../src/protocol/state.ts';
import { type Headless, startHeadless } from '../test/process/headless.testkit.ts';
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

/** Where each session stands and what it counts, in the words of the expectations beside the recordings. */
async function shown(headless: Headless) {
  const { items } = (await headless.get('/api/sessions')) as { items?: readonly Session[] };
  return (items ?? []).map(({ provider, state, phase, counts }) => ({
    provider,
    stand: `${state} ${phase ?? '-'}`,
    counts:
      `prompts ${counts.prompts} replies ${counts.replies} tools ${counts.toolCalls} ` +
      `failures ${counts.failures} subagents ${counts.subagents}`,
  }));
}

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
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
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

  it('FWD-1 lists hooks of every agent, no transcripts, and each can be played', async () => {
    const known = await recordings();
    const played = known.map(({ name, file }) => {
      const lines = parseRecording(readFileSync(file, 'utf8'), file);
      const hooks = lines.flatMap((line) => ('event' in line ? [line] : []));
      const isWhole = hooks.every(({ t_ms: at, event }) => Number.isFinite(at) && /^\w+$/.test(event));
      return isWhole && hooks.length > 0 ? undefined : name;
    });
    expect(played.filter(Boolean)).toEqual([]);
    expect(new Set(known.map(({ name }) => name.split('/')[0]))).toEqual(new Set([...hookedIds, 'dialects']));
    expect(known.filter(({ name }) => name.includes('transcripts'))).toEqual([]);
  });

  it('FWD-1 reads both words for the time, and passes over calls that were no hooks', () => {
    const rows = [
      { dt_ms: 5, event: 'P:PreToolUse', stdin: { a: 1 }, hook_cwd: '/f', parents: ['x'] },
      { dt_ms: 6, event: 'notify', stdin: '' },
      { dt_ms: 7, event: 'Stop(finished)' },
      { dt_ms: 8, event: 'Stop', stdin: [] },
      { t_ms: 9, note: 'Esc' },
    ];
    expect(parseRecording(rows.map((row) => JSON.stringify(row)).join('\n'), 'x')).toEqual([
      { t_ms: 5, event: 'PreToolUse', hook_cwd: '/f', stdin: { a: 1 } },
      { t_ms: 9, note: 'Esc' },
    ]);
  });

  it.each([
    ['codex/codex-exec-hello', 'codex', ['undefined']],
    ['gemini/gemini-fail', 'gemini', ['string']],
    ['copilot/copilot-fail', 'copilot', ['number']],
    ['copilot/copilot-pascal', 'copilot', ['string', 'number']],
  ])('FWD-1 %s is told to be of %s, each hook with its name and as of now', async (name, provider, forms) => {
    const begin = Date.now();
    // What the person set for hooks of their own is not asked.
    const where = { forwarder: bundles.forwarder, env: { ...env(), MASCOT_PROVIDER: 'claude' }, cwd: folder };
    await playRecording({ file: name, speed: fast, ...where, log: () => {} });
    const { hooks } = recording(`${name}.jsonl`);
    expect(payloads().map(({ _meta }) => _meta)).toEqual(
      hooks.map(({ event }) => expect.objectContaining({ provider, event: event.replace(/^P:/, '') })),
    );
    const stamps = payloads().map(({ timestamp }) => timestamp);
    expect([...new Set(stamps.map((stamp) => typeof stamp))]).toEqual(forms);
    const moments = stamps.filter((stamp) => stamp !== undefined).map((stamp) => Number(new Date(stamp as string)));
    expect(moments.filter((moment) => !(moment >= begin && moment <= Date.now()))).toEqual([]);
    expect(moments.toSorted((a, b) => a - b)).toEqual(moments);
  });

  it('FWD-1 a file from elsewhere is of nobody, and what looks like no moment stays', async () => {
    const file = path.join(folder, 'own.jsonl');
    const stdin = { hook_event_name: 'BeforeAgent', session_id: 'session-0001', timestamp: 'soon' };
    writeFileSync(file, JSON.stringify({ dt_ms: 0, event: 'BeforeAgent', stdin }));
    await play(file);
    expect(payloads()).toMatchObject([{ timestamp: 'soon', _meta: { provider: 'gemini', event: 'BeforeAgent' } }]);
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

  describe('FWD-1 played into a collector', () => {
    let headless: Headless;
    beforeEach(async () => {
      headless = startHeadless(folder);
      await headless.ready;
    });
    afterEach(() => headless.end('SIGKILL'));

    it.each([
      'codex/codex-exec-spawn',
      'codex/codex-tui-shell',
      'gemini/gemini-fail',
      'gemini/gemini-tui-readmissing',
      'copilot/copilot-pascal',
      'copilot/copilot-task',
      'dialects/copilot-cli',
    ])('FWD-1 %s ends as its agent did', async (name) => {
      const expected = (expectationsOf(recording(`${name}.jsonl`)) ?? []).map(({ timeline, counts }) => ({
        provider: name.split('/')[0]?.replace('dialects', 'copilot'),
        stand: timeline.at(-1)?.replace(/^\d+ /, ''),
        counts,
      }));
      const where = { forwarder: bundles.forwarder, env: { ...env(), AGENT_MASCOT_HOME: headless.home }, cwd: folder };
      const { failed } = await playRecording({ file: name, speed: fast, ...where, log: () => {} });
      expect(failed).toEqual([]);
      await expect.poll(async () => await shown(headless)).toEqual(expected);
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
