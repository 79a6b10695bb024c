import { createServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { selfSigned } from '../../../forwarder/selfSigned.testkit.ts';
import { temporaryFolder } from '../store/store.testkit.ts';
import { createTeamDatabase } from './teamDatabase.ts';

const ends: (() => void)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  for (const end of ends.splice(0)) end();
});

/** A server that speaks PostgreSQL up to TLS with `selfSigned`, then reports what it received and hangs up. */
async function serveTls(): Promise<{ readonly port: number; readonly heard: string[] }> {
  const heard: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, ...selfSigned });
      secure.on('error', () => undefined);
      secure.once('data', (bytes: Buffer) => {
        heard.push(bytes.toString('latin1'));
        secure.destroy();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard };
}

function connect(port: number, query: string, caFile = ''): Promise<unknown> {
  const machine = () => Promise.resolve({ id: 'm', host: 'h', user: 'u', version: '1' });
  const url = `postgresql://me:hidden@127.0.0.1:${port}/team?${query}`;
  return createTeamDatabase({ url, caFile: () => caFile, machine }).connect();
}

test.each(['sslmode=verify-full', 'sslmode=verify-ca'])(
  'SEC-8 with %s an unknown certificate ends the connection, with NODE_TLS_REJECT_UNAUTHORIZED=0 and PGSSLMODE too',
  async (query) => {
    const { port, heard } = await serveTls();
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    vi.stubEnv('PGSSLMODE', 'no-verify');
    await expect(connect(port, query)).rejects.toMatchObject({ kind: 'tls' });
    expect(heard).toEqual([]);
  },
);

test('SEC-8 checks against the certificate file that the person names, whatever the environment says', async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, 'ca.pem');
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const { port, heard } = await serveTls();
  await writeFile(file, selfSigned.cert);
  await expect(connect(port, 'sslmode=verify-full', file)).rejects.toMatchObject({ kind: 'unreachable' });
  expect(heard.join('')).toContain('user\0me\0');
});

test('SEC-8 skips the check only with the person’s own sslmode=require', async () => {
  const { port, heard } = await serveTls();
  await expect(connect(port, 'sslmode=require')).rejects.toMatchObject({ kind: 'unreachable' });
  expect(heard).toHaveLength(1);
});
