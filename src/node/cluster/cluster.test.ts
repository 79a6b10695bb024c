import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Connected, LinkEnd, LinkHandlers } from '../../app/ports.ts';
import { parsePortFile, type PortFile } from '../../protocol/discovery.ts';
import { type ServerFrame, WIRE_VERSION } from '../../protocol/wire.ts';
import { collectorUnderTest } from '../collector/collector.testkit.ts';
import { homeAt } from '../machine/home.ts';
import { ownProcess } from '../machine/processes.ts';
import { createOwnerLinks } from './ownerLink.ts';
import { publishPortFile, readPortFile, removePortFile } from './portFile.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mascot-cluster-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
const home = () => homeAt(folder);

function linkTo(instance: string, handlers: Partial<LinkHandlers> = {}): Promise<Connected> {
  const deaf: LinkHandlers = { onFrame: () => undefined, onSign: () => undefined, onClosed: () => undefined };
  return createOwnerLinks(home(), { app: 'test', version: '1' }).connect({ ...deaf, ...handlers }, instance);
}

const portFile = async (changes: Partial<PortFile> = {}): Promise<PortFile> => ({
  version: 1,
  url: 'http://127.0.0.1:4820',
  port: 4820,
  token: 't',
  instance: 'i',
  generation: 1,
  app: 'test',
  ...(await ownProcess()),
  ...changes,
});

describe('COL-2 the port file', () => {
  test('COL-2 is private, whole, and read back as it was written', async () => {
    const content = await portFile();
    await publishPortFile(home().portFile, content);
    if (process.platform !== 'win32') expect(statSync(home().portFile).mode & 0o777).toBe(0o600);
    expect(await readPortFile(home().portFile)).toEqual(content);
    expect(readdirSync(folder)).toEqual(['collector.json']);
  });

  test('COL-2 is removed by its owner alone', async () => {
    await publishPortFile(home().portFile, await portFile({ instance: 'next' }));
    await removePortFile(home().portFile, 'former');
    expect(readdirSync(folder)).toEqual(['collector.json']);
    await removePortFile(home().portFile, 'next');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('COL-2 is removed by its owner though others could have written it, and so is no door to nobody', async () => {
    await publishPortFile(home().portFile, await portFile());
    chmodSync(home().portFile, 0o666);
    await removePortFile(home().portFile, 'i');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['not JSON', '{'],
    ['another version', JSON.stringify({ version: 2 })],
    [
      'an address elsewhere',
      JSON.stringify({
        version: 1,
        url: 'http://evil.example:1',
        port: 1,
        token: 't',
        pid: 1,
        instance: 'i',
        startedAt: '',
      }),
    ],
    [
      'an address of another port',
      JSON.stringify({
        version: 1,
        url: 'http://127.0.0.1:2',
        port: 1,
        token: 't',
        pid: 1,
        instance: 'i',
        startedAt: '',
      }),
    ],
    [
      'no token',
      JSON.stringify({
        version: 1,
        url: 'http://127.0.0.1:1',
        port: 1,
        token: '',
        pid: 1,
        instance: 'i',
        startedAt: '',
      }),
    ],
    [
      'a port that is none',
      JSON.stringify({
        version: 1,
        url: 'http://127.0.0.1:99999',
        port: 99999,
        token: 't',
        pid: 1,
        instance: 'i',
        startedAt: '',
      }),
    ],
    ['null', 'null'],
  ])('COL-2 %s is no port file', (_name, text) => expect(parsePortFile(text)).toBeUndefined());
});

describe('COL-7 a follower’s link', () => {
  test('COL-7 hears the snapshot and the patches of the owner the port file names', async () => {
    const { collector, post, token } = await collectorUnderTest();
    await publishPortFile(home().portFile, await portFile({ url: collector.url, port: collector.port, token }));
    const frames: ServerFrame[] = [];
    let wake: () => void = () => undefined;
    const closed = Promise.withResolvers<LinkEnd>();
    const signed = Promise.withResolvers<void>();
    const link = await linkTo('i', {
      onFrame: (frame) => {
        frames.push(frame);
        wake();
      },
      onSign: () => (frames.length === 3 ? signed.resolve() : undefined),
      onClosed: closed.resolve,
    });
    if (typeof link === 'string') throw new Error(link);
    const until = async (count: number) => {
      while (frames.length < count) await new Promise<void>((resolve) => (wake = resolve));
    };
    await until(1);
    await post({ hook_event_name: 'UserPromptSubmit', session_id: 's', prompt: 'x' });
    await until(2);
    link.resync(0);
    await until(3);
    expect(frames.map(({ type }) => type)).toEqual(['snapshot', 'patch', 'snapshot']);
    link.ping();
    await signed.promise;
    await collector.close();
    expect(await closed.promise).toBe('gone');
    link.ping();
    link.resync(1);
  });

  test('STO-6 a take-over that goes on: the snapshot has its progress, and patches have the next and the end', async () => {
    const { collector, hub, token } = await collectorUnderTest();
    await publishPortFile(home().portFile, await portFile({ url: collector.url, port: collector.port, token }));
    hub.showTakeOver({ done: 10, of: 100 });
    const frames: ServerFrame[] = [];
    const link = await linkTo('i', { onFrame: (frame) => frames.push(frame) });
    if (typeof link === 'string') throw new Error(link);
    await expect.poll(() => frames.length).toBe(1);
    hub.showTakeOver({ done: 40, of: 100 });
    hub.showTakeOver(undefined);
    await expect.poll(() => frames.length).toBe(3);
    expect(frames.map((frame) => (frame.type === 'snapshot' ? frame.state : frame).takeOver)).toEqual([
      { done: 10, of: 100 },
      { done: 40, of: 100 },
      null,
    ]);
    link.dispose();
    await collector.close();
  });

  test('MWN-2 COL-7 without a link it is told whether the owner answers, refuses, or is silent', async () => {
    const { collector } = await collectorUnderTest();
    const { url, port } = collector;
    const seen: unknown[] = [await linkTo('i')];
    await publishPortFile(home().portFile, await portFile({ url, port, token: 'wrong' }));
    seen.push(await linkTo('i'));
    // Another owner's port file: left over, or about to be replaced.
    seen.push(await linkTo('the next'));
    await collector.close();
    seen.push(await linkTo('i'));
    expect(seen).toEqual(['silent', 'answered', 'silent', 'refused']);
  });

  test('MWN-2 a process that hangs takes the connection and says nothing: that is silence', async () => {
    const hung = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(hung, 'listening');
    const { port } = hung.address() as AddressInfo;
    await publishPortFile(home().portFile, await portFile({ url: `http://127.0.0.1:${port}`, port }));
    expect(await linkTo('i')).toBe('silent');
    hung.close();
  });

  test.each([
    [
      'a snapshot of another version',
      JSON.stringify({
        type: 'snapshot',
        protocol: WIRE_VERSION + 1,
        revision: 0,
        state: { revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] },
      }),
    ],
    ['words that we do not know', JSON.stringify({ type: 'greeting' })],
  ])('MWN-1 %s ends the link as of another protocol', async (_name, text) => {
    const http = createHttpServer();
    const server = new WebSocketServer({ server: http });
    server.on('connection', (socket) => socket.send(text));
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    await publishPortFile(home().portFile, await portFile({ url: `http://127.0.0.1:${port}`, port }));
    const frames: ServerFrame[] = [];
    const closed = Promise.withResolvers<LinkEnd>();
    await linkTo('i', { onFrame: (frame) => frames.push(frame), onClosed: closed.resolve });
    expect([await closed.promise, frames]).toEqual(['protocol', []]);
    server.close();
    http.close();
  });

  test('COL-7 explains the sessions that its owner knows, and none whose id no address can hold', async () => {
    const { collector, post, token } = await collectorUnderTest();
    await publishPortFile(home().portFile, await portFile({ url: collector.url, port: collector.port, token }));
    const ids = ['s', 'a/b?c#%', 'none', '\ud800', 'half \udc00 a pair'];
    for (const session_id of ids.slice(0, 2)) await post({ hook_event_name: 'UserPromptSubmit', session_id });
    const link = await linkTo('i');
    if (typeof link === 'string') throw new Error(link);
    const told = await Promise.all(ids.map((id) => link.explain(id)));
    expect(told.map((explanation) => explanation?.sessionId)).toEqual([
      's',
      'a/b?c#%',
      undefined,
      undefined,
      undefined,
    ]);
    link.dispose();
    await collector.close();
  });
});
