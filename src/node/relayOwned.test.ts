import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { relayOutlet } from '../app/relay/relay.ts';
import { readSettings, type Settings } from '../protocol/settings.ts';
import { openExclusions } from './machine/exclusions.ts';
import { ownerTests } from './owner.testkit.ts';
import { relaySettings, relayWorld } from './relay/relayWorld.testkit.ts';

const { start } = ownerTests();

/** A chat behind a webhook. */
async function startDesk() {
  const texts: string[] = [];
  const desk = { texts, status: 200, refused: 0 };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      if (desk.status === 200) texts.push((JSON.parse(body) as { text: string }).text);
      else desk.refused++;
      response.writeHead(desk.status, desk.status === 503 ? { 'retry-after': '1' } : {}).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return Object.assign(desk, { url, [Symbol.asyncDispose]: async () => void server.close() });
}

/** An owner with hooks, store, relay and routes. */
async function startRelaying(desk: Awaited<ReturnType<typeof startDesk>>) {
  let settings: Settings = readSettings({}).settings;
  const nothing = { excludes: () => false, dispose: () => undefined };
  const exclusions = () =>
    openExclusions({
      ...{ written: () => settings.excludedProjects, noted: nothing, userHome: '/home/me', system: 'linux' },
    });
  const world = relayWorld(relaySettings, { 'relay.webhookUrl': desk.url }, { exclusions, random: () => 0 });
  const { url, headers } = await start({
    settings: () => settings,
    outlets: [relayOutlet(world)],
  });
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    post,
    hook: (name: string, fields: object) =>
      post('/ingest', { hook_event_name: name, session_id: 's', cwd: '/work/shop', ...fields }),
    change: (changes: Partial<Settings>) => void (settings = { ...settings, ...changes }),
    async states() {
      const answer = await fetch(`${url}/api/sessions/s/deliveries`, { headers });
      const { items } = (await answer.json()) as { items: readonly { kind: string; state: string; why?: string }[] };
      return items.map(({ kind, state, why = '' }) => `${kind} ${state} ${why}`.trim());
    },
  };
}

test('RLY-2 RLY-3 an owner with hooks, store, relay and routes: said, noted, and silent once its project is excluded', async () => {
  await using desk = await startDesk();
  const { post, hook, change, states } = await startRelaying(desk);

  await hook('SessionStart', { source: 'startup' });
  await hook('Stop', { last_assistant_message: 'Done.' });
  await expect.poll(() => desk.texts).toEqual(['👋 A Claude Code session in shop', 'Done.']);
  expect(await post('/api/sessions/s/notes', { text: 'Deployed.' })).toEqual({ status: 200, body: { said: true } });
  expect(desk.texts.at(-1)).toBe('Deployed.');

  desk.status = 503;
  await hook('UserPromptSubmit', { prompt: 'go on' });
  await hook('Stop', { last_assistant_message: 'Of the excluded project.' });
  await expect.poll(() => desk.refused).toBeGreaterThan(0);
  change({ excludedProjects: ['/work/shop'] });
  desk.status = 200;
  await expect.poll(states).toEqual(['started sent', 'reply sent', 'note sent', 'reply withdrawn excluded']);
  expect(await post('/api/sessions/s/notes', { text: 'Deployed again.' })).toMatchObject({ body: { said: false } });
  expect(desk.texts).toHaveLength(3);
});

test('RLY-3 CNV-4 a private prompt that is told late keeps its own reply back, and no other that waits', async () => {
  await using desk = await startDesk();
  const { hook, states } = await startRelaying(desk);
  const began = Date.now() - 10_000;
  const at = (second: number) => ({ _meta: { collected_at: new Date(began + second * 1_000).toISOString() } });
  await hook('SessionStart', { source: 'startup', ...at(0) });
  await expect.poll(() => desk.texts).toHaveLength(1);
  desk.status = 503;
  await hook('UserPromptSubmit', { prompt: 'in public', ...at(1) });
  await hook('Stop', { last_assistant_message: 'Of the public prompt.', ...at(2) });
  await hook('Stop', { last_assistant_message: 'Of the private prompt.', ...at(4) });
  await expect.poll(() => desk.refused).toBeGreaterThan(0);
  await hook('UserPromptSubmit', { prompt: '[private] and this', ...at(3) });
  desk.status = 200;
  await expect.poll(states).toEqual(['started sent', 'reply withdrawn remade', 'reply sent']);
  expect(desk.texts.slice(1)).toEqual(['Of the public prompt.']);
});
