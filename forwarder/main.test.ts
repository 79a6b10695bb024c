import { describe, expect, it } from 'vitest';
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BODY_MAX_BYTES, DELIVERY_DEADLINE_MS } from '../src/protocol/limits.ts';
import {
  accepted,
  context,
  essence,
  httpReply,
  jsonReply,
  ownStart,
  printed,
  prompt,
  provenReply,
  runScript,
  silent,
  spooled,
  start,
  testVersion,
  unusedPort,
  useForwarder,
  writePortFile,
  writeProofKey,
} from './forwarder.testkit.ts';
import type { Answer } from './forwarder.testkit.ts';

describe('the built forwarder', () => {
  const { bundles, home, serve, forward } = useForwarder();
  const bodyOf = (text: string | undefined) => JSON.parse(text ?? 'null') as Record<string, unknown>;
  const metaOf = (text: string | undefined) => bodyOf(text)['_meta'] as Record<string, unknown>;
  const never: Answer = () => () => {};

  describe('FWD-8 the file', () => {
    it('FWD-8 is one small file without packages', () => {
      expect(statSync(bundles().forwarder).size).toBeLessThan(42 * 1024);
      expect(bundles().inputs.filter((input) => !/^(forwarder|src\/protocol)\/[\w/]+\.ts$/.test(input))).toEqual([]);
      const imports = readFileSync(bundles().forwarder, 'utf8').match(/(?:from|import)\s*\(?\s*"[^"]+"/g) ?? [];
      expect(imports.filter((found) => !found.includes('"node:'))).toEqual([]);
    });

    const node18 = process.env['AGENT_MASCOT_NODE18'];
    it.skipIf(!node18)('FWD-8 runs on Node 18 (AGENT_MASCOT_NODE18 names one)', async () => {
      const server = await serve((request) => provenReply(request, { output: context('hi') }));
      writePortFile(home(), server.port);
      writeProofKey(home());
      const run = await forward(start, { node: node18 ?? '' });
      expect(essence(run)).toEqual({ ...silent, stdout: printed(context('hi')) });
      expect(metaOf(server.received[0]?.body)['fingerprint']).toMatch(/^[0-9a-f]{16}$/);
    });
  });

  describe('HKI-9 an excluded project', () => {
    /** Both lists: what the commands keep, and what the setting says. */
    function exclude(): { readonly first: string; readonly link: string } {
      const first = path.join(home(), 'first');
      const link = path.join(home(), 'link');
      mkdirSync(path.join(first, 'below'), { recursive: true });
      symlinkSync(first, link);
      const list = (...projects: unknown[]) => JSON.stringify({ version: 1, projects });
      writeFileSync(path.join(home(), 'excluded.json'), list(first, 7));
      writeFileSync(path.join(home(), 'excluded-setting.json'), list('/q'));
      return { first, link };
    }

    it('HKI-9 sends no event of it, whether its folder is given, inherited or behind a link', async () => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      const { first, link } = exclude();
      for (const cwd of [first, `${first}/below`, `${first}/../first/`, link, '/q', '/q/x'])
        expect(essence(await forward({ ...prompt, cwd }))).toEqual(silent);
      expect(essence(await forward({ ...prompt, cwd: '/p' }, { env: { CLAUDE_PROJECT_DIR: first } }))).toEqual(silent);
      expect(server.received).toEqual([]);
      for (const cwd of [`${first}-two`, '/p', '7']) await forward({ ...prompt, cwd });
      expect(server.received.map(({ body }) => bodyOf(body)['cwd'])).toEqual([`${first}-two`, '/p', '7']);
    });

    it('HKI-9 keeps nothing of it while nobody collects, nor of an edit that asks the guard', async () => {
      const { first } = exclude();
      writeFileSync(path.join(home(), 'guard.on'), '');
      expect(essence(await forward({ ...prompt, cwd: first }))).toEqual(silent);
      expect(essence(await forward({ ...prompt, cwd: first }, { args: ['--guard'] }))).toEqual(silent);
      expect(spooled(home())).toEqual([]);
    });

    it('GRD-4 asks the guard about an edit from there, for the session may belong elsewhere', async () => {
      const { first } = exclude();
      writeFileSync(path.join(home(), 'guard.on'), '');
      const output = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
      const server = await serve((request) => provenReply(request, { output }));
      writePortFile(home(), server.port);
      writeProofKey(home());
      const asked = { args: ['--guard'] };
      expect((await forward({ ...prompt, cwd: first }, asked)).stdout).toBe(printed(output));
      const env = { CLAUDE_PROJECT_DIR: first };
      expect((await forward({ ...prompt, cwd: '/p' }, { ...asked, env })).stdout).toBe(printed(output));
      expect(server.received).toHaveLength(2);
    });

    it('SEC-8 GRD-4 asks the guard of the home, whatever collector a variable names', async () => {
      writeFileSync(path.join(home(), 'guard.on'), '');
      const output = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };
      const server = await serve((request) => provenReply(request, { output }));
      const stranger = await serve(() => accepted);
      writePortFile(home(), server.port);
      writeProofKey(home());
      for (const port of [stranger.port, await unusedPort()]) {
        const env = { MASCOT_COLLECTOR_URL: `http://127.0.0.1:${port}` };
        expect((await forward(prompt, { args: ['--guard'], env })).stdout).toBe(printed(output));
      }
      expect([server.received.length, stranger.received.length]).toEqual([2, 0]);
    });

    it('HKI-9 sends events of other projects even if the list is broken', async () => {
      const { first } = exclude();
      for (const text of ['{', '[]', 'null', '{"projects":{}}', '{"projects":[null,{},"relative"]}', '']) {
        writeFileSync(path.join(home(), 'excluded.json'), text);
        await forward({ ...prompt, cwd: first });
      }
      expect(spooled(home())).toHaveLength(6);
    });
  });

  describe('FWD-1 one hook', () => {
    it('FWD-1 posts the payload with _meta, and prints nothing of its own', async () => {
      const server = await serve(() => accepted);
      const token = writePortFile(home(), server.port);
      const run = await forward(prompt, {
        args: ['--provider', 'codex'],
        env: { CLAUDE_PROJECT_DIR: '/home/dev/project' },
      });
      expect(essence(run)).toEqual(silent);
      expect(server.received).toHaveLength(1);
      const [request] = server.received;
      expect([
        request?.method,
        request?.path,
        request?.headers.get('authorization'),
        request?.headers.get('content-type'),
        request?.headers.get('host'),
      ]).toEqual(['POST', '/ingest', `Bearer ${token}`, 'application/json', `127.0.0.1:${server.port}`]);
      const { _meta, ...payload } = bodyOf(request?.body);
      expect(payload).toEqual(prompt);
      expect(_meta).toMatchObject({
        workspace_id: 'project',
        provider: 'codex',
        forwarder_version: testVersion,
        project_dir: '/home/dev/project',
      });
      expect(spooled(home())).toEqual([]);
    });

    it('FWD-1 keeps letters of every kind and a BOM does no harm', async () => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      await forward(`\ufeff${JSON.stringify({ ...prompt, prompt: '한글 🦊 \u0000 \u2028 "\\' })}\n`);
      expect(bodyOf(server.received[0]?.body)['prompt']).toBe('한글 🦊 \u0000 \u2028 "\\');
    });

    it.each([
      [
        'an object',
        { output: context('a\nb 🦊') },
        '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a\\nb 🦊"}}\n',
      ],
      ['nothing', {}, ''],
      ['null', { output: null }, ''],
      ['text', { output: 'text' }, ''],
      ['a list', { output: [1] }, ''],
      ['a duplicate without output', { duplicate: true }, ''],
    ])('FWD-1 an output that is %s', async (_title, extra, stdout) => {
      const server = await serve((request) => provenReply(request, extra));
      writePortFile(home(), server.port);
      writeProofKey(home());
      expect(essence(await forward(prompt))).toEqual({ ...silent, stdout });
    });

    it('FWD-1 prints a long output whole, and reads one that comes in chunks', async () => {
      const output = context('é'.repeat(15_000));
      const server = await serve((request) => (socket) => {
        const [head = '', body = ''] = provenReply(request, { output }).split('\r\n\r\n');
        socket.write(`${head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')}\r\n\r\n`);
        for (let at = 0; at < body.length; at += 5_001) {
          const part = Buffer.from(body.slice(at, at + 5_001));
          socket.write(`${part.length.toString(16)}\r\n`);
          socket.write(part);
          socket.write('\r\n');
        }
        socket.end('0\r\n\r\n');
      });
      writePortFile(home(), server.port);
      writeProofKey(home());
      expect(essence(await forward(prompt))).toEqual({ ...silent, stdout: printed(output) });
    });
  });

  describe('FWD-2 _meta of a real process', () => {
    it.runIf(process.platform === 'linux')(
      'FWD-2 names this process as the agent, though a shell stands between',
      async () => {
        const server = await serve(() => accepted);
        writePortFile(home(), server.port);
        const script = path.join(home(), 'hook.sh');
        writeFileSync(script, `"${process.execPath}" "${bundles().forwarder}"; true\n`);
        const before = Date.now();
        const run = await runScript(script, {
          node: '/bin/sh',
          input: JSON.stringify(start),
          env: { AGENT_MASCOT_HOME: home(), CLAUDE_PID: String(process.pid) },
        });
        expect(essence(run)).toEqual(silent);
        const meta = metaOf(server.received[0]?.body);
        expect(meta).toMatchObject({ agent_pid: process.pid, agent_started_at: ownStart() });
        expect((meta['ancestors'] as number[]).indexOf(process.pid)).toBe(1);
        expect(meta['pid_namespace']).toMatch(/^pid:\[\d+\]$/);
        expect(meta['fingerprint']).toMatch(/^[0-9a-f]{16}$/);
        const collected = Date.parse(String(meta['collected_at']));
        expect(collected).toBeGreaterThanOrEqual(before);
        expect(collected).toBeLessThanOrEqual(Date.now());
        expect(meta['collected_at']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      },
    );

    it('FWD-2 each call has a delivery_id of its own', async () => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      await Promise.all([forward(prompt), forward(prompt), forward(prompt)]);
      expect(new Set(server.received.map(({ body }) => metaOf(body)['delivery_id'])).size).toBe(3);
    });

    it('SES-1 only a session start has a fingerprint', async () => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      await forward(prompt);
      expect(metaOf(server.received[0]?.body)).not.toHaveProperty('fingerprint');
    });
  });

  describe('FWD-4 FWD-5 delivery', () => {
    it('FWD-4 asks for no health first', async () => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      await forward(prompt);
      expect(server.received.map(({ path: target }) => target)).toEqual(['/ingest']);
    });

    it('FWD-4 a refused connection is "not running"', async () => {
      writePortFile(home(), await unusedPort());
      const run = await forward(prompt);
      expect(essence(run)).toEqual({
        ...silent,
        stderr: 'agent-mascot: VS Code with Agent Mascot is not running; the event is kept and shown when it starts.\n',
      });
      expect(spooled(home())).toHaveLength(1);
    });

    const answers: readonly (readonly [string, string, RegExp, number])[] = [
      ['401', jsonReply(401, { ok: false }), /refused the token: correct MASCOT_TOKEN, or reload/, 1],
      ['413', jsonReply(413, { ok: false }), /too large; the event is kept/, 1],
      ['500', jsonReply(500, { ok: false, error: 'disk' }), /failed \(500\).*the event is kept/, 1],
      ['503', httpReply(503, '', { 'Retry-After': '1' }), /overloaded \(503\); the event is kept/, 1],
      ['a redirect', httpReply(302, '', { Location: 'http://127.0.0.1:1/' }), /not Agent Mascot \(302\)/, 1],
      ['another server’s page', httpReply(200, '<html>'), /not Agent Mascot \(200\)/, 1],
      ['JSON that is not ours', jsonReply(200, { status: 'ok' }), /not Agent Mascot \(200\)/, 1],
      ['garbage', 'SSH-2.0-OpenSSH\r\n', /not Agent Mascot; the event is kept/, 1],
      [
        'interim replies without end',
        'HTTP/1.1 100 Go on\r\n\r\n'.repeat(40_000),
        /not Agent Mascot; the event is kept/,
        1,
      ],
      ['half a reply', 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"ok":true', /not Agent Mascot/, 1],
      [
        '400',
        jsonReply(400, { ok: false, error: 'names no event \u001b[31m' }),
        /refused the payload: names no event  ?\[31m\n$/,
        0,
      ],
    ];
    it.each(answers)('FWD-5 %s: one line, exit 0, nothing on standard output', async (_title, answer, words, kept) => {
      const server = await serve(() => answer);
      writePortFile(home(), server.port);
      const run = await forward(prompt);
      expect([run.code, run.stdout, run.stderr.split('\n').length, spooled(home()).length]).toEqual([0, '', 2, kept]);
      expect(run.stderr).toMatch(/^agent-mascot: /);
      expect(run.stderr).toMatch(words);
      expect(server.received).toHaveLength(1);
    });

    it('FWD-5 a giant reply is not read to its end', async () => {
      let sent = 0;
      const server = await serve(() => (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n');
        const chunk = Buffer.alloc(256 * 1024, 'x');
        const pour = () => {
          while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
        };
        socket.on('drain', pour);
        pour();
      });
      writePortFile(home(), server.port);
      const run = await forward(prompt);
      expect([run.code, run.stdout]).toEqual([0, '']);
      expect(run.stderr).toMatch(/not Agent Mascot/);
      expect(sent).toBeLessThan(64 * 1024 * 1024);
    });

    it.each([
      ['a session start after about a second', start, 900, 4000],
      ['another event after about five', prompt, 4900, 9000],
    ])('FWD-5 gives up on %s, and keeps the event', async (_title, payload, least, most) => {
      const server = await serve(never);
      writePortFile(home(), server.port);
      const run = await forward(payload);
      expect(run.elapsedMs).toBeGreaterThan(least);
      expect(run.elapsedMs).toBeLessThan(most);
      expect([run.code, run.stdout, spooled(home()).length]).toEqual([0, '', 1]);
      expect(run.stderr).toMatch(/did not answer in time; the event is kept and shown later\.\n$/);
    });

    it.runIf(process.platform === 'linux')('FWD-5 waits for a connection far less than for a delivery', async () => {
      const listening = `require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, function () {
          console.log(this.address().port);
        })`;
      const stopped = spawn(process.execPath, ['-e', listening], { stdio: ['ignore', 'pipe', 'inherit'] });
      const queue: Socket[] = [];
      try {
        const [port] = (await once(stopped.stdout, 'data')) as [Buffer];
        stopped.kill('SIGSTOP');
        // A backlog of one has room for two: from the third on, the kernel lets connections hang.
        for (let waiting = 0; waiting < 2; waiting++) {
          const socket = connect(Number(port), '127.0.0.1');
          queue.push(socket);
          await once(socket, 'connect');
        }
        writePortFile(home(), Number(port));
        const given = new AbortController();
        const timer = delay(DELIVERY_DEADLINE_MS, 'the delivery deadline', { signal: given.signal });
        const ended = forward(prompt);
        const first = await Promise.race([ended, timer]);
        expect(first).toMatchObject({ code: 0, stdout: '' });
        expect((await ended).stderr).toMatch(/did not take the connection in time; the event is kept/);
        given.abort();
        await timer.catch(() => {});
      } finally {
        for (const socket of queue) socket.destroy();
        stopped.kill('SIGKILL');
      }
    });

    const faults: readonly (readonly [string, string])[] = [
      ['an error', "throw new RangeError('too deep')"],
      ['a promise', "Promise.reject(new RangeError('too deep')); return true"],
    ];
    it.each(faults)('FWD-6 %s that nobody catches in a socket’s handler loses nothing', async (_title, fault) => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      const preload = path.join(home(), 'fault.cjs');
      writeFileSync(preload, `require('node:net').Socket.prototype.write = function () { ${fault}; };`);
      const run = await forward(prompt, { env: { NODE_OPTIONS: `--require=${preload}` } });
      expect(essence(run)).toEqual({
        ...silent,
        stderr:
          'agent-mascot: an unexpected error (RangeError: too deep), please report it; the event is kept and shown later.\n',
      });
      expect(spooled(home()).map(({ text }) => bodyOf(text)['prompt'])).toEqual(['do it']);
    });

    it('FWD-5 a server that trickles bytes does not stretch the deadline', async () => {
      const server = await serve(() => (socket) => {
        const timer = setInterval(() => socket.write('x'), 100);
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n');
        socket.on('close', () => clearInterval(timer));
      });
      writePortFile(home(), server.port);
      const run = await forward(start);
      expect(run.elapsedMs).toBeLessThan(4000);
      expect(spooled(home())).toHaveLength(1);
    });

    const drops: readonly (readonly [string, (socket: Socket) => void])[] = [
      ['is reset', (socket) => socket.resetAndDestroy()],
      ['is closed', (socket) => socket.destroy()],
    ];
    it.each(drops)(
      'FWD-5 a connection that %s before an answer is tried once more with the same delivery_id',
      async (_title, drop) => {
        const server = await serve((_request, index) => (index === 0 ? drop : accepted));
        writePortFile(home(), server.port);
        expect(essence(await forward(prompt))).toEqual(silent);
        const ids = server.received.map(({ body }) => metaOf(body)['delivery_id']);
        expect(ids).toEqual([ids[0], ids[0]]);
        expect(spooled(home())).toEqual([]);
      },
    );

    it('FWD-5 it is tried no third time, and the spool has the same delivery_id', async () => {
      const server = await serve(() => (socket) => socket.resetAndDestroy());
      writePortFile(home(), server.port);
      const run = await forward(prompt);
      expect(run.stderr).toMatch(/dropped the connection; the event is kept/);
      expect(server.received).toHaveLength(2);
      const [kept] = spooled(home());
      expect(kept?.text).toBe(`${server.received[0]?.body}\n`);
      const meta = metaOf(kept?.text);
      expect(kept?.name).toBe(`${Date.parse(String(meta['collected_at']))}-${String(meta['delivery_id'])}.json`);
    });

    it('FWD-5 a reset in the middle of a reply is not tried again', async () => {
      const server = await serve(
        () => (socket) => socket.write('HTTP/1.1 200', () => setImmediate(() => socket.destroy())),
      );
      writePortFile(home(), server.port);
      await forward(prompt);
      expect([server.received.length, spooled(home()).length]).toEqual([1, 1]);
    });

    it('FWD-5 a server that answers before it has read the body is understood', async () => {
      const server = createServer((socket) => {
        socket.on('error', () => {});
        socket.once('data', () => socket.end(jsonReply(401, { ok: false })));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      writePortFile(home(), (server.address() as AddressInfo).port);
      const run = await forward({ ...prompt, list: Array.from({ length: 12 }, () => 'x'.repeat(250_000)) });
      server.close();
      expect([run.code, run.stdout, spooled(home()).length]).toEqual([0, '', 1]);
    });

    it.skipIf(process.platform === 'win32').each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
      'FWD-6 an agent that ends its hook by %s loses nothing',
      async (signal) => {
        let child: number | undefined;
        const server = await serve(() => () => process.kill(child ?? 0, signal));
        writePortFile(home(), server.port);
        const run = await forward(prompt, { onStart: (pid) => (child = pid) });
        expect([run.code, run.signal, run.stdout]).toEqual([0, null, '']);
        expect(spooled(home()).map(({ text }) => text)).toEqual([`${server.received[0]?.body}\n`]);
      },
    );
  });

  describe('FWD-5 standard input', () => {
    it.each([
      ['empty', '', /standard input is empty/],
      ['blank', ' \n', /standard input is empty/],
      ['garbage', 'not json', /not a JSON object/],
      ['a cut object', '{"a":', /not a JSON object/],
      ['a list', '[1]', /not a JSON object/],
      ['a text', '"x"', /not a JSON object/],
      ['null', 'null', /not a JSON object/],
      ['bytes', Buffer.from([0xff, 0xfe, 0x00, 0x7b]), /not a JSON object/],
    ])('FWD-5 %s: one line, exit 1', async (_title, input, words) => {
      const run = await forward(input);
      expect([run.code, run.stdout, run.stderr.split('\n').length, spooled(home()).length]).toEqual([1, '', 2, 0]);
      expect(run.stderr).toMatch(words);
    });

    it('FWD-5 over 64 MiB: stops reading, one line, exit 1', async () => {
      // With so much to collect Node sometimes never ends: its threads and its shutdown wait for each other (nodejs/node#54918).
      const run = await forward(Buffer.alloc(65 * 1024 * 1024, 'x'), { nodeArgs: ['--v8-pool-size=0'] });
      expect([run.code, run.stdout, run.stderr]).toEqual([
        1,
        '',
        "agent-mascot: the hook's payload is over 64 MiB and was not sent\n",
      ]);
    });

    it('FWD-5 reads a socket as standard input, as agents hand it over', async () => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      const giver = createServer((socket) => socket.end(JSON.stringify(prompt))).listen(path.join(home(), 'in.sock'));
      await once(giver, 'listening');
      const link = (await import('node:net')).connect(path.join(home(), 'in.sock'));
      await once(link, 'connect');
      const child: ChildProcess = spawn(process.execPath, [bundles().forwarder], {
        stdio: [link, 'pipe', 'pipe'],
        env: { AGENT_MASCOT_HOME: home() },
      });
      const [code] = (await once(child, 'close')) as [number];
      link.destroy();
      giver.close();
      expect([code, server.received.length]).toEqual([0, 1]);
    });

    it('FWD-5 waits for a slow writer', async () => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      const child = spawn(process.execPath, [bundles().forwarder], {
        stdio: ['pipe', 'ignore', 'ignore'],
        env: { AGENT_MASCOT_HOME: home() },
      });
      const text = JSON.stringify(prompt);
      child.stdin.write(text.slice(0, 10));
      setTimeout(() => child.stdin.end(text.slice(10)), 300);
      const [code] = (await once(child, 'close')) as [number];
      expect([code, bodyOf(server.received[0]?.body)['prompt']]).toEqual([0, 'do it']);
    });

    it('FWD-5 a folder that is gone and an unwritable home do no harm', async () => {
      const blocked = path.join(home(), 'file');
      writeFileSync(blocked, '');
      const run = await forward(prompt, {
        env: {
          AGENT_MASCOT_HOME: path.join(blocked, 'below'),
          MASCOT_COLLECTOR_URL: `http://127.0.0.1:${await unusedPort()}`,
        },
      });
      expect([run.code, run.stdout, run.stderr.split('\n').length]).toEqual([0, '', 2]);
      expect(run.stderr).toMatch(
        /not running; and the event could not be kept in .* \(ENOTDIR\): make room or make it writable/,
      );
    });
  });

  describe('FWD-9 big payloads', () => {
    it.each([
      ['5 MB', 5_000_000],
      ['32 MB', 32_000_000],
    ])('FWD-9 %s arrive cut, with head and tail', async (_title, size) => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      const payload = { ...prompt, prompt: `HEAD${'x'.repeat(size)}TAIL` };
      expect(essence(await forward(payload))).toEqual(silent);
      const body = server.received[0]?.body ?? '';
      expect(Buffer.byteLength(body)).toBeLessThan(BODY_MAX_BYTES);
      expect(bodyOf(body)['prompt']).toMatch(/^HEADx+\n\[agent-mascot: \d+ bytes cut\]\nx+TAIL$/);
    });
  });

  describe('FWD-12 secrets', () => {
    it('FWD-12 nothing of a poisoned environment comes out anywhere', async () => {
      const secret = ['very', 'secret', 'value'].join('-');
      const names = [
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_AUTH_TOKEN',
        'OPENAI_API_KEY',
        'CLAUDE_CODE_MESSAGING_TOKEN',
        'CLAUDE_CODE_MESSAGING_SOCKET',
        'AWS_SECRET_ACCESS_KEY',
        'GITHUB_TOKEN',
        'VSCODE_NONCE',
        'COPILOT_TOKEN',
      ];
      const env = Object.fromEntries(names.map((name) => [name, secret]));
      const server = await serve((_request, index) => (index === 0 ? accepted : httpReply(500, '')));
      writePortFile(home(), server.port);
      const runs = [await forward(start, { env }), await forward(start, { env }), await forward('nonsense', { env })];
      const everything = [
        ...runs.map(({ stdout, stderr }) => stdout + stderr),
        ...server.received.map(({ text }) => text),
        ...spooled(home()).map(({ text }) => text),
      ];
      expect([server.received.length, spooled(home()).length]).toEqual([2, 1]);
      expect(everything.filter((text) => text.includes(secret))).toEqual([]);
    });

    it('FWD-12 a complaint never holds the token', async () => {
      const server = await serve(() => jsonReply(400, { ok: false, error: 'no' }));
      const token = writePortFile(home(), server.port);
      expect((await forward(prompt)).stderr).not.toContain(token);
    });
  });

  describe('FWD-6 many at once', () => {
    it('FWD-6 twenty hooks spool whole events, each once', async () => {
      const runs = await Promise.all(
        Array.from({ length: 20 }, (_, index) => forward({ ...prompt, prompt: `${index} ${'y'.repeat(100_000)}` })),
      );
      expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0));
      const kept = spooled(home());
      const prompts = kept.map(({ text }) => String(bodyOf(text)['prompt']).split(' ')[0]);
      expect(prompts.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index));
      expect(
        kept.filter(({ mode, text, name }) => mode !== 0o600 || !text.endsWith('}\n') || name.startsWith('.')),
      ).toEqual([]);
    });

    it('FWD-6 hooks that drop at once count each file once', async () => {
      const folder = path.join(home(), 'spool');
      mkdirSync(folder, { mode: 0o700 });
      for (let index = 0; index < 16; index++)
        writeFileSync(path.join(folder, `16000000000${10 + index}-old.json`), Buffer.alloc(4 * 1024 * 1024, 'x'));
      await Promise.all(Array.from({ length: 6 }, () => forward(prompt)));
      const kept = spooled(home());
      const gone = 16 + 6 - kept.length;
      const counted = readFileSync(path.join(folder, 'dropped.count'), 'utf8').trim().split('\n').map(Number);
      expect(gone).toBeGreaterThan(0);
      expect(counted.reduce((sum, count) => sum + count, 0)).toBe(gone);
      expect(kept.filter(({ text }) => text.startsWith('{'))).toHaveLength(6);
      expect(kept.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(64 * 1024 * 1024);
    });
  });
});
