import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { startFakeDiscord } from '../../src/node/relay/fakeDiscord.testkit.ts';
import { temporaryFolder } from '../../src/node/store/store.testkit.ts';
import type { Moment, RelayChildOptions } from './relayChild.ts';
import { openRelayOwner, type RelayOwnerOptions, until } from './relayOwner.testkit.ts';
import { buildPrograms } from './storePrograms.testkit.ts';

interface Chat extends AsyncDisposable, Pick<RelayOwnerOptions, 'target' | 'address'> {
  /** What it was asked to say, each time, in order; and by which key of ours. */
  readonly asked: () => readonly { readonly text: string; readonly key: string }[];
  /** What people see there. */
  readonly said: () => readonly string[];
  /** The next reply gets no answer, whether it is taken or not. */
  hang(isTaken: boolean): void;
}

async function discordChat(): Promise<Chat> {
  const discord = await startFakeDiscord();
  const sayings = () => discord.requests.filter(({ path: at }) => at.endsWith('/messages'));
  return {
    target: 'discord',
    address: discord.api,
    asked: () =>
      sayings().map(({ body }) => {
        const { content, nonce } = body as { content: string; nonce: string };
        return { text: content, key: nonce };
      }),
    said: () => discord.messages.map(({ content }) => content),
    hang: (isTaken) => discord.next({ path: '/messages', with: 'hang', carriedOut: isTaken }),
    [Symbol.asyncDispose]: discord.close,
  };
}

async function forumChat(): Promise<Chat> {
  const discord = await startFakeDiscord();
  const sayings = () => discord.requests.filter(({ path: at }) => at.includes('thread_id='));
  return {
    target: 'discordForum',
    address: discord.forumUrl,
    // A webhook of Discord's knows no key.
    asked: () =>
      sayings().map(({ body }) => {
        const { content: text } = body as { content: string };
        return { text, key: text };
      }),
    // The post's own words come first.
    said: () => discord.messages.slice(1).map(({ content }) => content),
    hang: (isTaken) => discord.next({ path: 'thread_id=', with: 'hang', carriedOut: isTaken }),
    [Symbol.asyncDispose]: discord.close,
  };
}

async function webhookChat(): Promise<Chat> {
  const asked: { text: string; key: string }[] = [];
  const said: string[] = [];
  let hangs: { isTaken: boolean } | undefined;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { text, event } = JSON.parse(body) as { text: string; event: { kind: string } };
      if (event.kind !== 'reply') return void response.end();
      asked.push({ text, key: String(request.headers['idempotency-key']) });
      const hanging = hangs;
      hangs = undefined;
      if (hanging?.isTaken !== false) said.push(text);
      if (!hanging) response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    target: 'webhook',
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    asked: () => asked,
    said: () => said,
    hang: (isTaken) => void (hangs = { isTaken }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const chats = { discord: discordChat, discordForum: forumChat, webhook: webhookChat };

describe.skipIf(process.platform === 'win32')('RLY-2 an owner that is killed', () => {
  let programs: AsyncDisposable & { readonly path: string };
  beforeAll(async () => {
    programs = await temporaryFolder();
    await buildPrograms(programs.path, 'relayChild.ts');
    return () => programs[Symbol.asyncDispose]();
  });

  function startOwner(options: RelayChildOptions) {
    const child = spawn(process.execPath, [path.join(programs.path, 'child.mjs'), '', JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    const heard = new Set<() => void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      for (const each of heard) each();
    });
    const closed = once(child, 'close');
    return {
      lines,
      go: () => child.stdin.write('go\n'),
      said: (wanted: (line: string) => boolean) =>
        new Promise<void>((resolve) => {
          const look = () => (lines.some(wanted) ? resolve() : undefined);
          heard.add(look);
          look();
        }),
      async kill() {
        child.kill('SIGKILL');
        expect(await closed).toEqual([null, 'SIGKILL']);
      },
    };
  }

  const [A, B, C] = ['Reply A', 'Reply B', 'Reply C'];

  /** What the next owner asks for, and what is there in the end. */
  const cases: readonly [Moment, keyof typeof chats, boolean, readonly string[], readonly string[], string?][] = [
    ['stored', 'discord', true, [B, C], [A, B, C]],
    ['queued', 'discord', true, [B, C], [A, B, C]],
    ['trying', 'discord', true, [B, C], [A, B, C]],
    ['out', 'discord', true, [B, C], [A, B, C]],
    ['out', 'discord', false, [B, C], [A, B, C]],
    ['answered', 'discord', true, [B, C], [A, B, C]],
    ['receipt', 'discord', true, [B, C], [A, B, C]],
    ['settled', 'discord', true, [C], [A, B, C]],
    ['queued', 'discordForum', true, [B, C], [A, B, C]],
    ['out', 'discordForum', true, [C], [A, B, C], 'unknown'],
    ['out', 'discordForum', false, [C], [A, C], 'unknown'],
    ['stored', 'webhook', true, [B, C], [A, B, C]],
    ['queued', 'webhook', true, [B, C], [A, B, C]],
    ['trying', 'webhook', true, [C], [A, C], 'unknown'],
    ['out', 'webhook', true, [C], [A, B, C], 'unknown'],
    ['out', 'webhook', false, [C], [A, C], 'unknown'],
    ['answered', 'webhook', true, [C], [A, B, C], 'unknown'],
    ['receipt', 'webhook', true, [C], [A, B, C], 'unknown'],
    ['settled', 'webhook', true, [C], [A, B, C]],
  ];

  test.concurrent.each(cases)(
    'RLY-2 killed when the reply was %s (%s, taken: %s): it is never there twice, and what waited follows',
    async (moment, target, isTaken, next, seen, became = 'sent') => {
      await using folder = await temporaryFolder();
      await using chat = await chats[target]();
      const options = { folder: folder.path, target: chat.target, address: chat.address };
      const first = startOwner({ ...options, generation: 1, moment });
      await first.said((line) => line === 'A');
      if (moment === 'out') chat.hang(isTaken);
      first.go();
      await first.said((line) => line === 'stopped');
      if (moment === 'out') await until(() => chat.asked().length === 2);
      await first.kill();
      const before = chat.asked();
      const count = before.length;

      const owner = await openRelayOwner({ ...options, generation: 2 });
      await until(() => chat.asked().some(({ text }) => text === C) && owner.waiting().length === 0);
      const states = owner.receipts().map(({ id, state }) => [id, state]);
      await owner.close();
      expect(
        chat
          .asked()
          .slice(count)
          .map(({ text }) => text),
      ).toEqual(next);
      expect(chat.said()).toEqual(seen);
      // Whatever was asked for twice bore the key by which it is known.
      const keysOfB = chat.asked().flatMap(({ text, key }) => (text === B ? [key] : []));
      expect(new Set(keysOfB).size).toBeLessThanOrEqual(1);
      expect(states).toEqual([
        ['started/s', 'sent'],
        [A, 'sent'],
        [B, became],
        [C, 'sent'],
      ]);
    },
  );

  test.concurrent.each(['discord', 'webhook'] as const)(
    'RLY-2 killed again and again at any instant (%s): every answered reply is there once and in order, but what a kill left unknown',
    async (target) => {
      await using folder = await temporaryFolder();
      await using chat = await chats[target]();
      const options = { folder: folder.path, target: chat.target, address: chat.address };
      const kills = 3;
      let from = 1;
      for (let kill = 1; kill <= kills; kill++) {
        const owner = startOwner({ ...options, generation: kill, from });
        await owner.said((line) => line.startsWith('+'));
        // Two that are killed while they begin a thread leave none to the third for an hour.
        await until(() => chat.said().length > 0);
        await wait(Math.random() * 400);
        await owner.kill();
        from = Number(owner.lines.at(-1)?.slice(1)) + 2;
      }
      const owner = await openRelayOwner({ ...options, generation: kills + 1 });
      const stored = owner.store.events('s').flatMap(({ id }) => (id.startsWith('Reply') ? [id] : []));
      const isOver = () => owner.receipts().some(({ id }) => id === stored.at(-1));
      await until(() => owner.waiting().length === 0 && isOver());
      await owner.close();
      const all = chat.said();
      expect(all).toEqual([...new Set(all)]);
      // A thread that was made right before a kill, and was not noted as greeted, is greeted by a message.
      const said = all.filter((text) => !text.startsWith('👋'));
      expect(said).toEqual(stored.filter((id) => said.includes(id)));
      const missing = stored.filter((id) => !said.includes(id)).length;
      expect(missing).toBeLessThanOrEqual(target === 'discord' ? 0 : kills);
      expect(said.length).toBeGreaterThan(kills);
    },
  );
});
