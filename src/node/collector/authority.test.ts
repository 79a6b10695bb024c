import { afterEach, describe, expect, test } from 'vitest';
import { AGENT_HEADER, PERSON_HEADER } from '../../protocol/discovery.ts';
import { capabilityNames, capabilityOf } from './capabilities.ts';
import { collectorUnderTest, streamReader } from './collector.testkit.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

type UnderTest = Awaited<ReturnType<typeof collectorUnderTest>>;
let under: UnderTest;
afterEach(async () => {
  await under.collector.close();
});

const AGENT_PID = 4711;

/** Two projects, each with a session and a work item; every text of a project contains its name in capitals. */
async function setUp(agentWords = true): Promise<void> {
  under = await collectorUnderTest({ memory: { agentWords: () => agentWords } });
  const hook = (session: string, name: string, fields: object) =>
    under.post({ hook_event_name: name, session_id: session, cwd: `/${session}`, ...fields });
  for (const session of ['own', 'other']) {
    const mark = session.toUpperCase();
    const pid = session === 'own' ? AGENT_PID : AGENT_PID + 1;
    await hook(session, 'SessionStart', { source: 'startup', _meta: { agent_pid: pid } });
    await hook(session, 'UserPromptSubmit', { prompt: `needle ${mark}` });
    await hook(session, 'Stop', { last_assistant_message: `needle done ${mark}` });
    await send('POST', '/api/work-items', { id: `item-${session}`, title: mark, project: `/${session}` }, windows());
  }
}

const windows = () => ({ [PERSON_HEADER]: under.personToken });
const asAgent = (claim: string) => ({ [PERSON_HEADER]: undefined, [AGENT_HEADER]: claim });
const ownAgent = asAgent('session=own&folder=%2Fother');
const hooks = { [PERSON_HEADER]: undefined };

const send = (method: string, path: string, body: unknown, headers: Record<string, string | undefined>) =>
  under.ask(method, path, body === undefined ? undefined : JSON.stringify(body), headers);
const pathOf = ({ path }: Route, id: string) => path.replace('{id}', id);
const needing = (...wanted: readonly string[]) => routes.filter((route) => wanted.includes(capabilityOf(route)));
const bodyOf = ({ method }: Route) => (method === 'POST' ? {} : undefined);
const sessionIds = () =>
  under.hub
    .snapshot()
    .sessions.map(({ id }) => id)
    .toSorted();

test('SEC-7 the table of capabilities names every route, and nothing else', async () => {
  under = await collectorUnderTest();
  expect(capabilityNames.toSorted()).toEqual(routes.map(({ name }) => name).toSorted());
  expect(capabilityOf({ name: 'aRouteThatNobodyThoughtOf' })).toBe('person');
});

describe('SEC-7 what needs the person', () => {
  test('SEC-7 each deleting or changing route refuses the port file’s token with 403, says what to do, and changes nothing', async () => {
    await setUp();
    const refused = needing('person');
    expect(refused.map(({ name }) => name)).toEqual(['changeLook', 'eraseSession', 'eraseAll', 'sawWorkItems']);
    for (const route of refused) {
      for (const body of [{}, { all: true }, { name: 'Mine' }, 'no JSON']) {
        const { status, text } = await send(route.method, pathOf(route, 'other'), body, hooks);
        expect([route.name, status, text]).toEqual([route.name, 403, expect.stringContaining('person.key')]);
      }
    }
    const guesses = ['', 'x', under.token, `${under.personToken}x`];
    for (const guess of guesses) {
      const { status } = await send('POST', '/api/erase', { all: true }, { [PERSON_HEADER]: guess });
      expect([guess, status]).toEqual([guess, 403]);
    }
    const alone = { ...windows(), authorization: undefined };
    expect((await send('POST', '/api/erase', { all: true }, alone)).status).toBe(401);
    expect(sessionIds()).toEqual(['other', 'own']);
  });

  test.each([
    ['beside the port file’s, as windows send it', () => windows()],
    ['alone, as a script of the person sends it', () => ({ authorization: `Bearer ${under.personToken}` })],
  ])('SEC-7 the person’s token, %s, is enough for each of them, and for reading', async (_how, headers) => {
    await setUp();
    const none = { [PERSON_HEADER]: undefined, ...headers() };
    for (const route of needing('person')) {
      const { status } = await send(route.method, pathOf(route, 'other'), { all: true }, none);
      expect([route.name, [401, 403].includes(status)]).toEqual([route.name, false]);
    }
    expect((await send('GET', '/api/state', undefined, none)).status).toBe(200);
  });

  test('SEC-7 a reader with the port file’s token, which is no agent, reads all projects', async () => {
    await setUp();
    for (const path of ['/api/state', '/api/agents', '/api/sessions', '/api/search?q=needle', '/api/work-items']) {
      const { status, text } = await send('GET', path, undefined, hooks);
      expect([path, status, /OWN|"own/.test(text), /OTHER|"other/.test(text)]).toEqual([path, 200, true, true]);
    }
  });
});

describe('SEC-7 a request that comes from an agent', () => {
  test('SEC-7 can’t delete or read all projects at once, even with the person’s token', async () => {
    await setUp();
    for (const route of needing('person', 'everything')) {
      const answer = await send(route.method, pathOf(route, 'own'), bodyOf(route), {
        ...windows(),
        ...ownAgent,
        ...windows(),
      });
      expect([route.name, answer.status]).toEqual([route.name, 403]);
      expect(answer.text).toContain('ask the person');
    }
    const reader = await streamReader(under.collector.port, {
      authorization: `Bearer ${under.token}`,
      [AGENT_HEADER]: 'session=own',
    });
    expect(reader.error).toContain('403');
    expect(sessionIds()).toEqual(['other', 'own']);
  });

  test('SEC-7 can read its own session on every route, and no session of another project', async () => {
    await setUp();
    for (const route of needing('session')) {
      const own = await send(route.method, pathOf(route, 'own'), bodyOf(route), ownAgent);
      const other = await send(route.method, pathOf(route, 'other'), bodyOf(route), ownAgent);
      expect([route.name, own.status === 403, other.status]).toEqual([route.name, false, 403]);
      expect(other.text).not.toMatch(/OTHER|\/other/);
      expect((await send(route.method, pathOf(route, 'none'), bodyOf(route), ownAgent)).status).toBe(404);
    }
  });

  test('SEC-7 gets only its own project from lists and searches, also if it names another', async () => {
    await setUp();
    const queries = ['', '?q=needle', '?project=%2Fother&q=needle', '?cwd=%2Fother'];
    for (const route of needing('project').filter(({ method }) => method === 'GET')) {
      for (const query of queries) {
        for (const id of ['item-own', 'item-other']) {
          const { text } = await send('GET', `${pathOf(route, id)}${query}`, undefined, ownAgent);
          expect([route.name, query, text.match(/OTHER|"other|\/other/)]).toEqual([route.name, query, null]);
        }
      }
    }
    const found = async (path: string) => (await send('GET', path, undefined, ownAgent)).text;
    expect(await found('/api/search?q=needle')).toContain('needle done OWN');
    expect(await found('/api/sessions')).toContain('"id":"own"');
    expect(await found('/api/state')).toContain('"id":"own"');
    expect(await found('/api/context')).toContain('OWN');
    expect(await found('/api/work-items')).toContain('item-own');
    expect(await found('/api/tracking?project=%2Fown')).toContain('"project":"/own"');
  });

  test('SEC-7 GRD-1 EVT-4 makes, starts and ends items of its own project, and logs events there', async () => {
    await setUp();
    const did = async (path: string, body: object) => (await send('POST', path, body, ownAgent)).status;
    expect(await did('/api/work-items', { id: 'mine', session: 'own' })).toBe(200);
    expect(await did('/api/work-items', { id: 'mine-too' })).toBe(200);
    expect(await did('/api/work-items/mine/start', { session: 'own' })).toBe(200);
    expect(await did('/api/work-items/mine/end', {})).toBe(200);
    expect(await did('/api/session-events', { type: 'decision', summary: 'So', session: 'own' })).toBe(200);
    expect(under.tracked.work.list('/own').map(({ id, status }) => [id, status])).toEqual([
      ['item-own', 'pending'],
      ['mine-too', 'pending'],
      ['mine', 'done'],
    ]);
  });

  test('SEC-7 GRD-5 can’t make, start or end items of another project, however it names it', async () => {
    await setUp();
    const before = JSON.stringify(under.tracked.work.list('/other'));
    const refused = async (path: string, body: object) => {
      const { status, text } = await send('POST', path, body, ownAgent);
      expect([path, body, [403, 404].includes(status), text.match(/OTHER|\/other/)]).toEqual([path, body, true, null]);
    };
    for (const named of [{ project: '/other' }, { session: 'other' }, { session: 'other', project: '/other' }]) {
      await refused('/api/work-items', { id: 'new', ...named });
      await refused('/api/work-items/item-other/start', named);
      await refused('/api/work-items/item-other/end', { cancel: true, ...named });
    }
    await refused('/api/work-items/item-other/start', {});
    await refused('/api/work-items/item-other/end', { cancel: true });
    await refused('/api/session-events', { type: 'decision', summary: 'So', session: 'other' });
    expect(JSON.stringify(under.tracked.work.list('/other'))).toBe(before);
  });

  /** A second session of the same project. What its agent wrote holds EVIL, what its person wrote ASKED. */
  async function peer(tool: string, meta: object = {}): Promise<void> {
    const hook = (name: string, fields: object) =>
      under.post({ hook_event_name: name, session_id: 'peer', cwd: '/own', ...fields, _meta: meta });
    await hook('SessionStart', { source: 'startup' });
    await hook('UserPromptSubmit', { prompt: 'needle ASKED' });
    const call = { tool_name: tool, tool_use_id: 't', tool_input: { url: 'https://x.example', file_path: '/own/a' } };
    await hook('PreToolUse', call);
    await hook('PostToolUse', { ...call, tool_response: 'EVIL tool' });
    const task = { tool_name: 'TaskCreate', tool_use_id: 'c', tool_input: { subject: 'EVIL task', description: 'x' } };
    await hook('PreToolUse', task);
    await hook('PostToolUse', { ...task, tool_response: { task: { id: '1', subject: 'EVIL task' } } });
    await hook('Stop', { last_assistant_message: 'needle EVIL reply' });
    const claim = asAgent('session=peer');
    await send('POST', '/api/session-events', { type: 'decision', summary: 'EVIL', session: 'peer' }, claim);
    await send('POST', '/api/work-items', { id: 'theirs', title: 'EVIL item', session: 'peer', start: true }, claim);
  }

  async function readByAgent(): Promise<string> {
    const texts: string[] = [];
    for (const route of needing('project').filter(({ method }) => method === 'GET')) {
      for (const query of ['', '?q=needle', '?q=EVIL', '?project=%2Fown']) {
        const { text } = await send('GET', `${pathOf(route, 'theirs')}${query}`, undefined, ownAgent);
        texts.push(`${route.name}: ${text}`);
      }
    }
    for (const what of ['start', 'end'])
      texts.push((await send('POST', `/api/work-items/theirs/${what}`, { session: 'own' }, ownAgent)).text);
    return texts.join('\n');
  }

  test('MEM-5 GRD-5 reads what persons asked in its project, and no word of an agent that fetched from the network', async () => {
    await setUp();
    await peer('WebFetch');
    const text = await readByAgent();
    expect(text).not.toMatch(/EVIL (?:reply|task|item|tool)/);
    for (const part of ['needle ASKED', '"id":"peer"', '"id":"theirs"', 'needle done OWN'])
      expect(text).toContain(part);
    for (const route of needing('session')) {
      const { status, text: refusal } = await send(route.method, pathOf(route, 'peer'), bodyOf(route), ownAgent);
      expect([route.name, status, refusal]).toEqual([route.name, 403, expect.stringContaining('only its own session')]);
    }
    // The person, and the agent that wrote it, are told all of it.
    expect((await send('GET', '/api/search?q=EVIL', undefined, windows())).text).toContain('EVIL reply');
    const theirs = await send('GET', '/api/work-items', undefined, asAgent('session=peer'));
    expect(theirs.text).toContain('EVIL item');
  });

  test('MEM-5 GRD-5 reads replies of an agent that fetched nothing, and a title once a person has seen it', async () => {
    await setUp();
    await peer('Read');
    const [item] = under.tracked.work.list('/own').filter(({ id }) => id === 'theirs');
    await send('POST', '/api/work-items-seen', { keys: [item?.key] }, windows());
    const text = await readByAgent();
    for (const part of ['EVIL reply', 'EVIL item', 'needle ASKED']) expect(text).toContain(part);
  });

  test('MEM-5 reads no agent’s words where the setting is off, nor prompts of a headless session then', async () => {
    await setUp(false);
    await peer('Read', { entrypoint: 'sdk-cli' });
    expect(await readByAgent()).not.toMatch(/EVIL (?:reply|task|item)|ASKED/);
  });

  test.each([
    ['the session that it names', 'session=own', 'own'],
    ['the process above it, whatever session it names', `session=other&processes=1,${AGENT_PID}`, 'own'],
    ['the named one of the processes above it', `session=other&processes=${AGENT_PID},${AGENT_PID + 1}`, 'other'],
    ['the nearest process above it', `processes=${AGENT_PID + 1},${AGENT_PID}`, 'other'],
    [
      'the session that it names, where its processes are a container’s',
      `session=own&namespace=pid:[1]&processes=${AGENT_PID + 1}`,
      'own',
    ],
    ['its folder, where no session is known', 'session=gone&processes=1,2&folder=%2Fown', 'own'],
    ['the session rather than the folder', 'session=own&folder=%2Fother', 'own'],
  ])('SEC-7 is of %s', async (_what, claim, expected) => {
    await setUp();
    const { text } = await send('GET', '/api/sessions', undefined, asAgent(claim));
    const { items } = JSON.parse(text) as { items: readonly { id: string }[] };
    expect(items.map(({ id }) => id)).toEqual([expected]);
  });

  test.each(['', 'session=gone', 'processes=NaN,-1,,1e999', '%%%&=&folder='])(
    'SEC-7 is refused where nothing tells its project (%j)',
    async (claim) => {
      await setUp();
      for (const route of needing('session', 'project')) {
        const { status } = await send(route.method, pathOf(route, 'own'), bodyOf(route), asAgent(claim));
        expect([route.name, status]).toEqual([route.name, 403]);
      }
    },
  );
});

test('SEC-7 refuses an empty person’s token while there is none', async () => {
  under = await collectorUnderTest({ personToken: () => '' });
  const empty = [{ authorization: 'Bearer ' }, { authorization: 'Bearer' }, { authorization: undefined }];
  for (const headers of empty) {
    const { status } = await send('POST', '/api/erase', { all: true }, { [PERSON_HEADER]: '', ...headers });
    expect(status).toBe(401);
  }
  expect((await send('POST', '/api/erase', { all: true }, { [PERSON_HEADER]: '' })).status).toBe(403);
});
