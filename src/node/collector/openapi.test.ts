import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { PipelineFullError } from '../../app/ports.ts';
import { recordings } from '../../domain/recordings.testkit.ts';
import { TRIAL_EVENT, TRIAL_FIELD } from '../../protocol/handOver.ts';
import { type Answer, collectorUnderTest } from './collector.testkit.ts';
import { troubles } from './jsonSchema.testkit.ts';
import { type JsonSchema, openApi } from './openapi.ts';
import { routes, routesAt } from './routes.ts';

const file = path.join(import.meta.dirname, '../../../docs/openapi.json');
const written = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof openApi>;
const operations = Object.entries(written.paths).flatMap(([where, byMethod]) =>
  Object.entries(byMethod).map(([method, operation]) => ({ where, method: method.toUpperCase(), operation })),
);

const opened: { close(): Promise<void> }[] = [];
async function setUp(options?: Parameters<typeof collectorUnderTest>[0]) {
  const parts = await collectorUnderTest(options);
  opened.push(parts.collector);
  return parts;
}
afterEach(async () => {
  for (const collector of opened.splice(0)) await collector.close();
});

test('COL-6 docs/openapi.json is what `npm run openapi` makes', () => {
  expect(written, 'run `npm run openapi`').toEqual(JSON.parse(JSON.stringify(openApi())));
});

describe('COL-6 the file and the server know the same routes', () => {
  test('COL-6 each row of the table is in the file, and nothing else is', () => {
    const ofFile = operations.map(({ method, where }) => `${method} ${where}`);
    expect(ofFile.toSorted()).toEqual(routes.map(({ method, path: where }) => `${method} ${where}`).toSorted());
    expect(new Set(routes.map(({ name }) => name)).size).toBe(routes.length);
  });

  test('COL-6 the server answers what the file says, by that method alone, and nothing beside it', async () => {
    const { ask, post } = await setUp();
    const bodyless = new Set(['GET', 'DELETE']);
    await post(hook);
    await post({ hook_event_name: TRIAL_EVENT, [TRIAL_FIELD]: 's' });
    await ask('POST', '/api/work-items', JSON.stringify({ id: 's', project: '/p' }));
    for (const where of Object.keys(written.paths)) {
      const methods = Object.keys(written.paths[where] ?? {}).map((method) => method.toUpperCase());
      // `/api/sessions/start` is also what `/api/sessions/{id}` is for a session of that id.
      const fitting = routesAt(where)
        .routes.filter(({ path }) => path !== where)
        .map(({ method }) => method);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const) {
        if (fitting.some((each) => each === method)) continue;
        const answer = await ask(method, where.replace('{id}', 's'), bodyless.has(method) ? undefined : '{}');
        expect([method, where, answer.status === 405]).toEqual([method, where, !methods.includes(method)]);
        expect([method, where, answer.status === 404]).toEqual([method, where, false]);
      }
      expect((await ask('GET', `${where.replace('{id}', 's')}/beside`)).status).toBe(404);
    }
  });

  test('COL-6 every reference leads somewhere, and every schema is used', () => {
    const text = JSON.stringify(written);
    const used = new Set(Array.from(text.matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name]) => name));
    expect(used).toEqual(new Set(Object.keys(written.components.schemas)));
  });
});

const hook = { hook_event_name: 'UserPromptSubmit', session_id: 's', cwd: '/p', prompt: 'hello' };

describe('COL-6 what a running collector answers is what the file says', () => {
  /** The schema that the file gives for an answer; throws where it gives none. */
  function checkAnswer(method: string, where: string, answer: Answer): void {
    const { responses } = operations.find((each) => each.method === method && each.where === where)!.operation;
    const response = responses[answer.status] as { content?: Record<string, { schema: JsonSchema }> } | undefined;
    expect(response, `${method} ${where} does not tell of ${answer.status}`).toBeDefined();
    const [type, { schema }] = Object.entries(response?.content ?? {})[0]!;
    expect(String(answer.headers['content-type']).split(';')[0]).toBe(type);
    const value = type.startsWith('text/') ? answer.text : answer.json();
    expect(troubles(value, schema, written.components.schemas), `${method} ${where} ${answer.status}`).toEqual([]);
  }

  test(
    'COL-6 every reading route, for everything that agents ever sent in a recording',
    { timeout: 120_000 },
    async () => {
      const { get, post } = await setUp();
      for (const { hooks } of recordings()) for (const { payload } of hooks) await post(payload);
      const ids = ((await get('/api/sessions?limit=500')).json()['items'] as { id: string }[]).map(({ id }) => id);
      expect(ids.length).toBeGreaterThan(20);
      const queries: Readonly<Record<string, string>> = {
        '/api/search': '?q=e&limit=500',
        '/api/context': '?limit=50',
        '/api/tracking': '?project=/p',
      };
      for (const { where, method } of operations.filter((each) => each.method === 'GET')) {
        const places = where.includes('{id}')
          ? ids.map((id) => where.replace('{id}', encodeURIComponent(id)))
          : [where];
        for (const place of places) checkAnswer(method, where, await get(`${place}${queries[where] ?? ''}`));
      }
    },
  );

  test('COL-6 every refusal of a reading route', async () => {
    const { get, ask, post } = await setUp();
    await post(hook);
    for (const { where, method, operation } of operations.filter((each) => each.method === 'GET')) {
      const place = where.replace('{id}', 's');
      const asked = {
        400: () => get(`${place}?limit=x&q=&project=&format=x`),
        401: () => ask('GET', place, undefined, { authorization: undefined }),
        403: () => ask('GET', place, undefined, { origin: 'https://evil.example' }),
        404: () => get(where.replace('{id}', 'none')),
        426: () => get(place),
      };
      for (const [status, answer] of Object.entries(asked)) {
        if (!Object.hasOwn(operation.responses, status)) continue;
        const given = await answer();
        expect([where, String(given.status)]).toEqual([where, status]);
        checkAnswer(method, where, given);
      }
    }
  });

  test('COL-6 a store that closes meanwhile is told as such', async () => {
    const { get, store } = await setUp();
    await store.close();
    const answer = await get('/api/sessions');
    expect(answer.status).toBe(503);
    checkAnswer('GET', '/api/sessions', answer);
  });

  test.each(['/ingest', '/api/hook'])('COL-6 every answer of %s', async (where) => {
    const { ask, store } = await setUp();
    const body = JSON.stringify({ provider: 'claude', ...hook });
    const send = (text: string, changes?: Record<string, string | undefined>) => ask('POST', where, text, changes);
    const full = await setUp({ pipeline: { ingest: () => Promise.reject(new PipelineFullError('full')) } });
    const answers = [
      await send(body),
      await send(body),
      await send('x'),
      await send('{}'),
      await send(body, { authorization: undefined }),
      await send(body, { origin: 'https://evil.example' }),
      await send(' '.repeat(5_000_000)),
      await send(body, { 'content-type': 'text/plain' }),
      await full.ask('POST', where, body),
    ];
    store.failAppendsWith(new Error('full'));
    answers.push(await send(body.replace('hello', 'other')));
    for (const answer of answers) checkAnswer('POST', where, answer);
    const statuses = new Set(answers.map(({ status }) => status));
    const { responses } = operations.find((each) => each.where === where)!.operation;
    expect([...statuses].toSorted()).toEqual(
      Object.keys(responses)
        .map(Number)
        .filter((status) => status !== 408),
    );
  });
});

describe('the validator of these tests', () => {
  const schemas = { Name: { type: 'string', minLength: 1 } } as const;
  const schema = {
    type: 'object',
    properties: {
      name: { $ref: '#/components/schemas/Name' },
      age: { anyOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
    },
    required: ['name'],
  } as const;
  test.each([
    [{ name: 'a', age: 1 }, []],
    [{ name: 'a', age: null }, []],
    [{ name: '' }, ['$.name is too short']],
    [{ age: 1 }, ['$.name is missing']],
    [{ name: 'a', more: 1 }, ['$.more is not listed']],
    [{ name: 'a', age: 1.5 }, ['$.age is none of these: $.age is no integer; $.age is no null']],
    [[], ['$ is no object']],
  ])('COL-6 %j: %j', (value, expected) => {
    expect(troubles(value, schema, schemas)).toEqual(expected);
  });

  test('COL-6 it refuses to judge by words that it does not know', () => {
    expect(() => troubles(1, { oneOf: [] }, schemas)).toThrow('oneOf');
    expect(() => troubles(1, { $ref: '#/components/schemas/None' }, schemas)).toThrow('leads nowhere');
  });
});
