import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writePortFile } from '../../forwarder/forwarder.testkit.ts';
import { AGENT_HEADER, PERSON_HEADER } from '../protocol/discovery.ts';
import { createScene, type Scene } from './cli.testkit.ts';

export interface FakeAsked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** What it answers, a text as it is; a number before it is the status. Undefined: it never does. */
type FakeAnswer = (asked: FakeAsked) => unknown;

export interface FakeCollector {
  readonly home: string;
  readonly asked: FakeAsked[];
  /** The `AGENT_HEADER` of each request. */
  readonly claims: (string | undefined)[];
  /** The person's token in each request. */
  readonly tokens: (string | undefined)[];
  serve(answer: FakeAnswer): Promise<number>;
  /** The command line, which asks it. */
  scene(env?: Readonly<Record<string, string>>): Scene;
  end(): Promise<void>;
}

/** A collector that says what a test wants, found by its port file. */
export function fakeCollector(): FakeCollector {
  const home = mkdtempSync(path.join(tmpdir(), 'mascot-cli-'));
  const asked: FakeAsked[] = [];
  const claims: (string | undefined)[] = [];
  const tokens: (string | undefined)[] = [];
  let server: Server | undefined;
  return {
    home,
    asked,
    claims,
    tokens,
    async serve(answer) {
      server = createServer((request, response) => {
        let text = '';
        request.on('data', (piece: Buffer) => (text += piece.toString()));
        request.on('end', () => {
          const body: unknown = text === '' ? undefined : JSON.parse(text);
          const one: FakeAsked = { method: request.method ?? '', path: request.url ?? '', body };
          asked.push(one);
          claims.push(request.headers[AGENT_HEADER]?.toString());
          tokens.push(request.headers[PERSON_HEADER]?.toString());
          const said = answer(one);
          if (said === undefined) return;
          const [status, sent] = Array.isArray(said) ? (said as [number, unknown]) : [200, said];
          response.statusCode = status;
          response.end(typeof sent === 'string' ? sent : JSON.stringify(sent));
        });
      });
      await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      writePortFile(home, port, { app: 'An\u001b[31m Editor' });
      return port;
    },
    scene: (env = {}) => createScene([]).in({ AGENT_MASCOT_HOME: home, ...env }),
    async end() {
      server?.closeAllConnections();
      await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
