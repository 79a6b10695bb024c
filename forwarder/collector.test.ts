import { describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROOF_HEADER } from '../src/protocol/discovery.ts';
import { DELIVERY_DEADLINE_MS } from '../src/protocol/limits.ts';
import { findCollector } from './collector.ts';
import {
  accepted,
  challengeOf,
  essence,
  httpReply,
  installInto,
  jsonReply,
  ownStart,
  prompt,
  proofOf,
  provenHealth,
  runScript,
  silent,
  spooled,
  testVersion,
  useForwarder,
  usualPort,
  writePortFile,
  writeProofKey,
} from './forwarder.testkit.ts';
import type { Received, TestServer } from './forwarder.testkit.ts';

describe('FWD-3 finding the collector', () => {
  const { bundles, home, serve, forward } = useForwarder();

  it('FWD-3 MASCOT_COLLECTOR_URL wins over the port file, with its own token, below its own path', async () => {
    const [named, other] = [await serve(() => accepted), await serve(() => accepted)];
    writePortFile(home(), other.port);
    await forward(prompt, { env: { MASCOT_COLLECTOR_URL: `${named.url}/below/`, MASCOT_TOKEN: 'my-own' } });
    expect([named.received[0]?.path, named.received[0]?.headers.get('authorization'), other.connections()]).toEqual([
      '/below/ingest',
      'Bearer my-own',
      0,
    ]);
  });

  it.each([
    ['the same address', (port: number) => `http://127.0.0.1:${port}/`, true],
    ['another spelling of the host', (port: number) => `http://localhost:${port}`, false],
    ['another path', (port: number) => `http://127.0.0.1:${port}/x`, false],
  ])('FWD-3 without MASCOT_TOKEN the port file’s token goes to %s only', async (_title, url, goes) => {
    const server = await serve(() => accepted);
    const token = writePortFile(home(), server.port);
    const run = await forward(prompt, { env: { MASCOT_COLLECTOR_URL: url(server.port) } });
    expect(run.code).toBe(0);
    expect(server.received[0]?.headers.get('authorization')).toBe(goes ? `Bearer ${token}` : undefined);
  });

  it('FWD-3 refuses a token that would end its line, with a word on what to do', async () => {
    const run = await forward(prompt, {
      env: { MASCOT_COLLECTOR_URL: 'http://127.0.0.1:1', MASCOT_TOKEN: 'a\r\nX: b' },
    });
    expect([run.code, run.stdout, run.stderr.split('\n').length]).toEqual([0, '', 2]);
    expect(run.stderr).toMatch(/MASCOT_TOKEN contains characters/);
    expect(spooled(home())).toHaveLength(1);
  });

  const stale: readonly (readonly [string, (port: number) => void])[] = [
    ['a process that is gone', (port) => writePortFile(home(), port, { pid: 4_000_000 })],
    [
      'a pid that another process has by now',
      (port) => writePortFile(home(), port, { startedAt: '2020-01-01T00:00:00.000Z' }),
    ],
    ['a start that is no time', (port) => writePortFile(home(), port, { startedAt: 'yesterday' })],
    ['a token that is no token', (port) => writePortFile(home(), port, { token: 'a b\r\n' })],
    ['another host', (port) => writePortFile(home(), port, { url: `http://10.0.0.1:${port}` })],
    ['a version from the future', (port) => writePortFile(home(), port, { version: 2 as 1 })],
    ['no JSON', () => writeFileSync(path.join(home(), 'collector.json'), '{"version":1,', { mode: 0o600 })],
  ];
  it.runIf(process.platform === 'linux').each(stale)(
    'FWD-3 a port file with %s hands out neither token nor prompt',
    async (_title, write) => {
      const foreign = await serve(() => httpReply(200, 'ok'));
      write(foreign.port);
      usualPort(home(), foreign.port);
      writeProofKey(home());
      const run = await forward(prompt);
      expect(essence(run)).toEqual({
        ...silent,
        stderr: 'agent-mascot: VS Code with Agent Mascot is not running; the event is kept and shown when it starts.\n',
      });
      expect(foreign.received.map(({ method, path: target }) => `${method} ${target}`)).toEqual(['GET /health']);
      expect(foreign.received[0]?.text).not.toMatch(/do it|port-file-token|authorization/i);
      expect(spooled(home())).toHaveLength(1);
    },
  );

  it('FWD-3 a start within two seconds is the same start', async () => {
    const server = await serve(() => accepted);
    writePortFile(home(), server.port, { startedAt: new Date(Date.parse(ownStart()) + 1500).toISOString() });
    expect(essence(await forward(prompt))).toEqual(silent);
  });

  it.runIf(process.getuid)(
    'FWD-3 a port file that others can write is not believed, and nothing is asked of anyone',
    async () => {
      const server = await serve(() => accepted);
      writePortFile(home(), server.port);
      chmodSync(path.join(home(), 'collector.json'), 0o666);
      const run = await forward(prompt);
      expect([run.code, server.connections(), spooled(home()).length]).toEqual([0, 0, 1]);
      expect(run.stderr).toMatch(/collector\.json can be written by others \(chmod 600 it\)/);
    },
  );

  describe('FWD-3 the usual port', () => {
    async function serveThere(answer: (request: Received, port: number) => string): Promise<TestServer> {
      const server: TestServer = await serve((request) => answer(request, server.port));
      usualPort(home(), server.port);
      return server;
    }
    const health = (request: Received, port: number, then: string) =>
      request.path === '/health' ? provenHealth(request, port) : then;

    it('FWD-3 without a port file, who proves to be ours there gets the event, without a token', async () => {
      writeProofKey(home());
      const server = await serveThere((request, port) => health(request, port, accepted));
      expect(essence(await forward(prompt))).toEqual(silent);
      expect(server.received.map(({ path: target, headers }) => [target, headers.has('authorization')])).toEqual([
        ['/health', false],
        ['/ingest', false],
      ]);
    });

    it('FWD-3 asks with a fresh word each time', async () => {
      writeProofKey(home());
      const server = await serveThere((request, port) => health(request, port, accepted));
      await forward(prompt);
      await forward(prompt);
      const words = server.received.filter(({ path: target }) => target === '/health').map(challengeOf);
      expect(words.filter((word) => /^[0-9a-f]{32}$/.test(word))).toHaveLength(2);
      expect(new Set(words).size).toBe(2);
    });

    it('FWD-3 a collector there that wants a token is told of in words that help', async () => {
      writeProofKey(home());
      await serveThere((request, port) => health(request, port, jsonReply(401, { ok: false })));
      const run = await forward(prompt);
      expect(run.stderr).toMatch(
        /wants a token: set MASCOT_TOKEN, or turn on agentMascot\.collector\.allowUnauthenticatedIngest; the event is kept/,
      );
      expect(spooled(home())).toHaveLength(1);
    });

    const proofs: readonly (readonly [string, (request: Received, port: number) => string])[] = [
      ['our name alone', () => httpReply(200, 'ok', { 'x-agent-mascot': testVersion })],
      ['an empty proof', () => httpReply(200, 'ok', { [PROOF_HEADER]: '' })],
      ['a proof that is no number', () => httpReply(200, 'ok', { [PROOF_HEADER]: 'z'.repeat(64) })],
      [
        'half of the proof',
        (request, port) => httpReply(200, 'ok', { [PROOF_HEADER]: proofOf(challengeOf(request), port).slice(0, 32) }),
      ],
      [
        'a proof by another key',
        (request, port) =>
          httpReply(200, 'ok', { [PROOF_HEADER]: proofOf(challengeOf(request), port, 'another key '.repeat(3)) }),
      ],
      [
        'what the collector on another port says to the same word',
        (request, port) => httpReply(200, 'ok', { [PROOF_HEADER]: proofOf(challengeOf(request), port ^ 1) }),
      ],
      [
        'what the collector once said to another word',
        (_request, port) => httpReply(200, 'ok', { [PROOF_HEADER]: proofOf('0'.repeat(32), port) }),
      ],
      ['another text', (request, port) => provenHealth(request, port).replace('\r\n\r\nok', '\r\n\r\nno')],
      ['another status', (request, port) => provenHealth(request, port).replace(' 200 ', ' 404 ')],
    ];
    it.each(proofs)('FWD-3 a health answer with %s proves nothing', async (_title, answer) => {
      writeProofKey(home());
      const server = await serveThere((request, port) =>
        request.path === '/health' ? answer(request, port) : jsonReply(200, { ok: true, output: { a: 1 } }),
      );
      const run = await forward(prompt);
      expect([run.code, run.stdout, spooled(home()).length]).toEqual([0, '', 1]);
      expect(run.stderr).toMatch(/is not running; the event is kept/);
      expect(server.received.map(({ path: target }) => target)).toEqual(['/health']);
      expect(server.received[0]?.text).not.toContain('do it');
    });

    it.each([
      ['no key', undefined],
      ['an empty key', ''],
      ['a key of white space', ' \n'.repeat(40)],
      ['a key that was not written whole', 'a k'],
    ])('FWD-3 with %s in the home nobody can prove anything, and nobody is asked', async (_title, key) => {
      if (key !== undefined) writeProofKey(home(), key);
      const server = await serveThere((request, port) =>
        request.path === '/health'
          ? httpReply(200, 'ok', {
              'x-agent-mascot': testVersion,
              [PROOF_HEADER]: proofOf(challengeOf(request), port, (key ?? '').trim()),
            })
          : accepted,
      );
      const run = await forward(prompt);
      expect([run.code, run.stdout, server.connections(), spooled(home()).length]).toEqual([0, '', 0, 1]);
      expect(run.stderr).toMatch(/is not running; the event is kept/);
    });

    it.runIf(process.getuid)('FWD-3 a key that others can write is not believed', async () => {
      writeProofKey(home());
      chmodSync(path.join(home(), 'proof.key'), 0o620);
      const server = await serveThere((request, port) => health(request, port, accepted));
      const run = await forward(prompt);
      expect([run.code, server.connections(), spooled(home()).length]).toEqual([0, 0, 1]);
      expect(run.stderr).toMatch(/proof\.key can be written by others \(chmod 600 it\); the event is kept/);
    });
  });

  const names = ['collector.json', 'settings.json', 'proof.key'];
  it.skipIf(process.platform === 'win32').each(names)(
    'FWD-3 a pipe in the place of %s is waited for by nobody',
    async (name) => {
      writeProofKey(home());
      rmSync(path.join(home(), name), { force: true });
      execFileSync('mkfifo', ['-m', '600', path.join(home(), name)]);
      const timeUp = AbortSignal.timeout(4 * DELIVERY_DEADLINE_MS);
      const run = await forward(prompt, { signal: timeUp });
      expect([run.code, run.stdout, spooled(home()).length]).toEqual([0, '', 1]);
      expect(run.stderr).toMatch(/ is not a file \(remove it\); the event is kept/);
    },
  );

  const addresses: readonly (readonly [string, boolean])[] = [
    ['http://127.0.0.1:4820', true],
    ['http://127.8.9.10:4820/below', true],
    ['http://localhost', true],
    ['http://[::1]:4820', true],
    ['http://127.1:4820', false],
    ['http://2130706433:4820', false],
    ['http://0x7f.0.0.1:4820', false],
    ['http://0177.0.0.1:4820', false],
    ['http://127.0.0.999:4820', false],
    ['http://127.0.0.1:99999', false],
    ['http://0.0.0.0:4820', false],
    ['http://[::]:4820', false],
    ['http://[::ffff:127.0.0.1]:4820', false],
    ['http://[2001:db8::1]:4820', false],
    ['http://127.0.0.1.evil.example', false],
    ['http://127.0.0.1@evil.example', false],
    ['http://127.0.0.1:80@evil.example', false],
    ['http://127.0.0.1\\@evil.example', false],
    ['http://127.0.0.1\t.evil.example', false],
    ['http://127.0.0.1%2eevil.example', false],
    ['http://127.0.0.1?@evil.example', false],
    ['http://127.0.0.1#@evil.example', false],
    ['http://me:pass-word@127.0.0.1:1', false],
    ['http://localhost.:4820', false],
    ['http://localhost.evil.example', false],
    ['http://ⅼocalhost:4820', false],
    [' http://127.0.0.1:4820', false],
    ['http:127.0.0.1:4820', false],
    ['https://127.0.0.1:4820', false],
    ['https://collector.example/below', false],
    ['http://192.0.2.1:4820', false],
    ['file:///etc/hosts', false],
    ['nonsense', false],
  ];
  it.each(addresses)('SEC-8 a variable may only name this machine: %j is accepted: %s', async (address, counts) => {
    const token = writePortFile(home(), 4820);
    const variables = { AGENT_MASCOT_HOME: home(), MASCOT_COLLECTOR_URL: address, MASCOT_TOKEN: 'my-own' };
    const said: string[] = [];
    const found = await findCollector(variables, 1, (why) => said.push(why));
    if (counts) expect([found, said]).toEqual([{ url: new URL(address), token: 'my-own' }, []]);
    else {
      expect(found).toEqual({ url: new URL('http://127.0.0.1:4820'), token });
      expect(said).toEqual([expect.stringMatching(/^MASCOT_COLLECTOR_URL is ignored: .*remote\.json/)]);
    }
  });

  it('SEC-8 ignores a variable with an address elsewhere, says what to do, and delivers as usual', async () => {
    const server = await serve(() => accepted);
    const token = writePortFile(home(), server.port);
    const run = await forward(prompt, { env: { MASCOT_COLLECTOR_URL: 'https://me:pass-word@evil.example' } });
    expect(run.stderr).toMatch(/^agent-mascot: MASCOT_COLLECTOR_URL is ignored: [^\n]*\/remote\.json\)\n$/);
    expect(run.stderr).not.toContain('pass-word');
    expect([run.code, run.stdout, spooled(home()).length]).toEqual([0, '', 0]);
    expect(server.received.map(({ headers }) => headers.get('authorization'))).toEqual([`Bearer ${token}`]);
  });

  it('SEC-8 does not follow a redirect', async () => {
    const elsewhere = await serve(() => accepted);
    const server = await serve(() => httpReply(307, '', { Location: `${elsewhere.url}/ingest` }));
    await forward(prompt, { env: { MASCOT_COLLECTOR_URL: server.url, MASCOT_TOKEN: 't' } });
    expect([server.received.length, elsewhere.connections(), spooled(home()).length]).toEqual([1, 0, 1]);
  });

  it('SEC-8 an installed forwarder uses the home that it lies in, whatever a variable names', async () => {
    const [own, prepared] = [await serve(() => accepted), await serve(() => accepted)];
    const repository = path.join(home(), 'repository');
    mkdirSync(repository);
    writePortFile(home(), own.port);
    writePortFile(repository, prepared.port);
    const run = await runScript(installInto(home(), bundles()), {
      input: JSON.stringify(prompt),
      env: { AGENT_MASCOT_HOME: repository },
    });
    expect(essence(run)).toEqual(silent);
    expect([own.received.length, prepared.connections()]).toEqual([1, 0]);
  });

  it('FWD-3 a proxy in the environment is never used', async () => {
    const [server, proxy] = [await serve(() => accepted), await serve(() => accepted)];
    writePortFile(home(), server.port);
    const names = [
      'http_proxy',
      'HTTP_PROXY',
      'https_proxy',
      'HTTPS_PROXY',
      'all_proxy',
      'ALL_PROXY',
      'GLOBAL_AGENT_HTTP_PROXY',
    ];
    const env = { ...Object.fromEntries(names.map((name) => [name, proxy.url])), NODE_USE_ENV_PROXY: '1' };
    expect(essence(await forward(prompt, { env }))).toEqual(silent);
    expect([server.received.length, proxy.connections()]).toEqual([1, 0]);
  });
});
