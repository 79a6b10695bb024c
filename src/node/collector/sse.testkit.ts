import { type ClientRequest, type IncomingMessage, request } from 'node:http';

export interface Message {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Record<string, unknown>;
}

/** A reader of server-sent events as the standard has them: an id holds from the message that carries it. */
export async function sseReader(port: number, token: string, lastEventId?: string) {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  let asked!: ClientRequest;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asked = request({ host: '127.0.0.1', port, path: '/api/events', headers, agent: false }, resolve);
    asked.on('error', reject).end();
  });
  asked.on('error', () => undefined);
  response.on('error', () => undefined);
  const messages: Message[] = [];
  const seen = { retry: undefined as number | undefined, comments: 0 };
  let rest = '';
  let wake: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => response.once('close', resolve));
  response.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) take(block);
    wake();
  });

  function take(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 2)]),
    );
    if (block.startsWith(':')) seen.comments++;
    if (fields.has('retry')) seen.retry = Number(fields.get('retry'));
    const data = fields.get('data');
    if (data === undefined) return;
    messages.push({
      event: fields.get('event') ?? '',
      id: fields.get('id'),
      data: JSON.parse(data) as Record<string, unknown>,
    });
  }

  return {
    status: response.statusCode,
    headers: response.headers,
    response,
    messages,
    seen,
    closed,
    /** What a reader would send as `Last-Event-ID` after so many messages. */
    lastId: (count = messages.length) => messages.slice(0, count).findLast(({ id }) => id !== undefined)?.id,
    async until(done: (messages: readonly Message[]) => boolean): Promise<readonly Message[]> {
      while (!done(messages)) await new Promise<void>((resolve) => (wake = resolve));
      return messages;
    },
    end: () => void asked.destroy(),
  };
}
