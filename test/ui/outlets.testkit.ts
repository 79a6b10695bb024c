import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';

export interface Received {
  readonly kind: string;
  readonly session: string;
  readonly text: string;
  readonly key: string;
  /** As the documentation of the webhook says that it is to be looked at. */
  readonly isSigned: boolean;
  readonly body: JsonObject;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

/** What a team would have: it takes what is posted to it, and looks at the signature. */
export async function startReceiver(secret: string) {
  const taken: Received[] = [];
  let refuses = false;
  let refused = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      if (refuses) {
        refused++;
        response.writeHead(503, { 'retry-after': '1' }).end();
        return;
      }
      const { headers } = request;
      const stamp = String(headers['x-agent-mascot-timestamp']);
      const signature = `v1=${createHmac('sha256', secret).update(`${stamp}.${text}`).digest('hex')}`;
      const body = JSON.parse(text) as JsonObject;
      const event = isJsonObject(body['event']) ? body['event'] : {};
      taken.push({
        kind: String(event['kind']),
        session: String(event['session']),
        text: String(body['text']),
        key: String(headers['idempotency-key']),
        isSigned: signature === headers['x-agent-mascot-signature'],
        body,
      });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    taken,
    url: `http://127.0.0.1:${port}/services/T0PSECRETPATH`,
    refuse(yes: boolean) {
      refuses = yes;
    },
    refused: () => refused,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The files below a folder that hold one of these texts. */
export function filesWith(folder: string, texts: readonly string[]): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = readFileSync(file);
      return texts.some((text) => bytes.includes(text));
    });
}
