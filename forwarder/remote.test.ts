import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  accepted,
  context,
  essence,
  installInto,
  printed,
  prompt,
  runScript,
  silent,
  spooled,
  unusedPort,
  useForwarder,
  writePortFile,
} from './forwarder.testkit.ts';
import type { Run } from './forwarder.testkit.ts';
import { selfSigned } from './selfSigned.testkit.ts';

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

interface Heard {
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Stands for a collector on another machine: TLS with a certificate of its own. */
async function serveTls(output: object = {}): Promise<{ readonly port: number; readonly heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer(selfSigned, (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      heard.push({ authorization: request.headers.authorization, body });
      response.end(JSON.stringify({ ok: true, id: '1', output }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, heard };
}

/** A made-up key whose form masking recognises. */
const secret = `sk-ant-api03-${'aB3dE6gH9'.repeat(10)}AA`;
const telling = { ...prompt, prompt: `use ${secret}` };

describe('SEC-8 a collector on another machine', () => {
  const { bundles, home, serve } = useForwarder();

  function name(remote: object | string, { folder = home(), mode = 0o600 } = {}): void {
    const file = path.join(folder, 'remote.json');
    writeFileSync(file, typeof remote === 'string' ? remote : JSON.stringify(remote));
    chmodSync(file, mode);
  }
  const forward = (env: Readonly<Record<string, string>> = {}, beside?: string[]): Promise<Run> =>
    runScript(installInto(home(), bundles(), beside), { input: JSON.stringify(telling), env });

  it('HKI-9 gets no edit of an excluded project, though the guard is on', async () => {
    const { port, heard } = await serveTls(context('of the team'));
    name({ url: `https://localhost:${port}`, token: 'theirs', ca: selfSigned.cert });
    writeFileSync(path.join(home(), 'excluded.json'), JSON.stringify({ version: 1, projects: ['/excluded'] }));
    writeFileSync(path.join(home(), 'guard.on'), '');
    const script = installInto(home(), bundles());
    const ask = (cwd: string) =>
      runScript(script, { input: JSON.stringify({ ...telling, cwd }), args: ['--guard', '--installed'] });
    expect(essence(await ask('/excluded'))).toEqual(silent);
    expect([heard, spooled(home())]).toEqual([[], []]);
    expect((await ask('/p')).stdout).toBe(printed(context('of the team')));
  });

  it('SEC-8 receives the masked event if remote.json names it, and its answer is printed', async () => {
    const { port, heard } = await serveTls(context('of the team'));
    const local = await serve(() => accepted);
    writePortFile(home(), local.port);
    name({ url: `https://localhost:${port}/below`, token: 'theirs', ca: selfSigned.cert });
    expect(essence(await forward())).toEqual({ ...silent, stdout: printed(context('of the team')) });
    expect(heard.map(({ authorization }) => authorization)).toEqual(['Bearer theirs']);
    expect(heard[0]?.body).not.toContain(secret);
    const { _meta: meta, ...payload } = JSON.parse(heard[0]?.body ?? '') as Record<string, unknown>;
    expect(payload).toMatchObject({ session_id: 's', prompt: expect.stringMatching(/^use «masked:/) as unknown });
    expect(meta).toMatchObject({ delivery_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as unknown });
    expect([local.connections(), spooled(home()).length]).toEqual([0, 0]);
  });

  it('SEC-8 receives nothing with an untrusted certificate, whatever variables say about certificates', async () => {
    const { port, heard } = await serveTls();
    const authority = path.join(home(), 'ca.pem');
    writeFileSync(authority, selfSigned.cert);
    name({ url: `https://localhost:${port}`, token: 'theirs' });
    for (const env of [
      {},
      { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      { NODE_EXTRA_CA_CERTS: authority },
      { SSL_CERT_FILE: authority, NODE_OPTIONS: '--use-openssl-ca' },
    ] as Readonly<Record<string, string>>[]) {
      const run = await forward(env);
      expect([run.code, run.stdout]).toEqual([0, '']);
      expect(run.stderr).toMatch(/the collector at https:\/\/localhost:\d+ can't be reached; the event is kept/);
    }
    expect([heard, spooled(home()).length]).toEqual([[], 4]);
  });

  it('SEC-8 receives nothing under a name that its certificate does not have', async () => {
    const { port, heard } = await serveTls();
    name({ url: `https://127.0.0.2:${port}`, token: 'theirs', ca: selfSigned.cert });
    expect((await forward({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).stdout).toBe('');
    expect([heard, spooled(home()).length]).toEqual([[], 1]);
  });

  it('SEC-8 receives nothing if remote.mjs, which masks, is missing; the event is kept', async () => {
    const { port, heard } = await serveTls();
    name({ url: `https://localhost:${port}`, token: 'theirs', ca: selfSigned.cert });
    const run = await forward({}, []);
    expect([run.code, run.stdout, heard, spooled(home()).length]).toEqual([0, '', [], 1]);
    expect(run.stderr).toMatch(/nothing was sent .*remote\.json.*the event is kept/);
  });

  it('SEC-8 is read only from remote.json in the forwarder’s own home', async () => {
    const { port, heard } = await serveTls();
    const local = await serve(() => accepted);
    const repository = path.join(home(), 'repository');
    mkdirSync(repository);
    writePortFile(home(), local.port);
    name({ url: `https://localhost:${port}`, token: 'x', ca: selfSigned.cert }, { folder: repository });
    expect(essence(await forward({ AGENT_MASCOT_HOME: repository, HOME: repository }))).toEqual(silent);
    expect([heard, local.received.length]).toEqual([[], 1]);
  });

  it('SEC-8 over http on this machine (a tunnel) receives the masked event, and its answer is not printed', async () => {
    const server = await serve(() => accepted);
    name({ url: server.url, token: 'theirs' });
    expect(essence(await forward())).toEqual(silent);
    expect(server.received[0]?.body).toContain('«masked:');
    expect(server.received[0]?.body).not.toContain(secret);
  });

  const refused: readonly (readonly [string, object | string, RegExp])[] = [
    ['http elsewhere', { url: 'http://192.0.2.1:4820', token: 't' }, /begins with https:\/\//],
    ['a name that looks like this machine', { url: 'http://127.0.0.1.evil.example', token: 't' }, /begins with https/],
    ['a password', { url: 'https://me:pass-word@evil.example', token: 't' }, /an address alone/],
    ['no address', { token: 't' }, /an address alone/],
    ['no token', { url: 'https://collector.example' }, /token as "token"/],
    ['a token that would end its line', { url: 'https://collector.example', token: 'a\r\nX: b' }, /token as "token"/],
    ['an authority that is no text', { url: 'https://collector.example', token: 't', ca: 1 }, /PEM text/],
    ['no JSON', '{"url"', /an address alone/],
  ];
  it.each(refused)('SEC-8 a file with %s sends nothing and says what to do', async (_title, remote, words) => {
    name(remote);
    const run = await forward();
    expect([run.code, run.stdout, spooled(home()).length]).toEqual([0, '', 1]);
    expect(run.stderr).toMatch(words);
    expect(run.stderr).not.toContain('pass-word');
  });

  it.runIf(process.getuid)('SEC-8 a file that others can read or write sends nothing', async () => {
    for (const [mode, words] of [
      [0o644, /open to others \(chmod 600 it\)/],
      [0o620, /written by others \(chmod 600 it\)/],
    ] as const) {
      name({ url: 'https://collector.example', token: 't' }, { mode });
      expect((await forward()).stderr).toMatch(words);
    }
    expect(spooled(home())).toHaveLength(2);
  });

  it('SEC-8 that is down is reported, and no editor is started', async () => {
    name({ url: `https://localhost:${await unusedPort()}`, token: 't', ca: selfSigned.cert });
    const run = await forward();
    expect(run.stderr).toMatch(/refuses connections; the event is kept and shown later\.\n$/);
    expect(spooled(home())).toHaveLength(1);
  });
});
