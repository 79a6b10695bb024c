import * as z from 'zod/mini';
import { AGENT_HEADER } from '../../protocol/discovery.ts';
import { agentEventSchema } from '../../protocol/event.ts';
import { jsonObjectSchema } from '../../protocol/jsonSchema.ts';
import { interactionSchema, searchHitSchema, totalsSchema } from '../../protocol/reading.ts';
import {
  activitySchema,
  agentSchema,
  causeSchema,
  countsSchema,
  ownerInfoSchema,
  sessionSchema,
  waitSchema,
} from '../../protocol/state.ts';
import { trailStepSchema } from '../../protocol/stored.ts';
import { workItemSchema } from '../../protocol/work.ts';
import { type Capability, capabilityOf, capabilityWords } from './capabilities.ts';
import { type Answered, failing, failureSchema, type Route } from './route.ts';
import { routes } from './routes.ts';

/** JSON as OpenAPI means it; written here, read by people and their tools. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

interface Operation {
  readonly responses: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly [part: string]: unknown };
  readonly [field: string]: unknown;
}

/** What routes answer with is named by them; these are its parts, which would be repeated in each otherwise. */
const parts: readonly (readonly [name: string, schema: z.ZodMiniType])[] = [
  ['Failure', failureSchema],
  ['Session', sessionSchema],
  ['Agent', agentSchema],
  ['Cause', causeSchema],
  ['Wait', waitSchema],
  ['Activity', activitySchema],
  ['Counts', countsSchema],
  ['Owner', ownerInfoSchema],
  ['WorkItem', workItemSchema],
  ['Event', agentEventSchema],
  ['Interaction', interactionSchema],
  ['SearchHit', searchHitSchema],
  ['TrailStep', trailStepSchema],
  ['Totals', totalsSchema],
];

const refTo = (name: string) => `#/components/schemas/${name}`;

/** COL-6: the one description of the collector's HTTP, made of the table that it answers from. */
export function openApi(): OpenApi {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Agent Mascot collector',
      version: '1',
      summary: 'Takes in what the hooks of coding agents tell, and lets programs of the same person read it.',
      description:
        'Listens on loopback alone. Address and token are in `~/.agent-mascot/collector.json` (`AGENT_MASCOT_HOME` moves the ' +
        'folder); the person’s token, which deleting needs, is in `person.key` beside it and works for every route. ' +
        `A request with the header \`${AGENT_HEADER}\` comes from an agent, and reaches only that agent’s project. ` +
        'Requests from web pages are refused. Every list is `{items, next}`: ask again with `cursor` set to `next` ' +
        'until it is null.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: 'http://127.0.0.1:{port}', variables: { port: { default: '4820' } } }],
    security: [{ token: [] }, { person: [] }],
    paths: pathsOf(routes),
    components: {
      schemas: schemasOf(routes),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of the port file.' },
        person: { type: 'http', scheme: 'bearer', description: 'The token of the person: the text of `person.key`.' },
      },
    },
  };
}

function pathsOf(all: readonly Route[]): OpenApi['paths'] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of all) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths;
}

/** Where the token of the port file is not what is needed. */
const securityOf: { readonly [name in Capability]?: { readonly security: readonly object[] } } = {
  open: { security: [] },
  report: { security: [{ token: [] }, { person: [] }, {}] },
  person: { security: [{ person: [] }] },
};

function operationOf(route: Route): Operation {
  const needs = capabilityOf(route);
  const answers = { ...sharedAnswers(route), ...route.answers };
  const parameters = [...pathParameters(route.path), ...queryParameters(route.query)];
  return {
    operationId: route.name,
    summary: route.summary,
    description: [capabilityWords[needs], route.description].filter((part) => part !== undefined).join(' '),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.sent === undefined ? {} : { requestBody: { required: true, content: jsonOf(route.sent[0]) } }),
    ...(securityOf[needs] ?? {}),
    responses: Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)])),
  };
}

function sharedAnswers(route: Route): Readonly<Record<number, Answered>> {
  const needs = capabilityOf(route);
  const others: Readonly<Record<Capability, string>> = {
    ...{ open: '', report: '', machine: '' },
    session: ', or from an agent of another project',
    project: ', or from an agent, of another project',
    everything: ', or from an agent',
    person: ', or without the token of the person, or from an agent',
  };
  return {
    ...(needs === 'open'
      ? {}
      : {
          401: failing('Without a token.'),
          503: failing('The collector is about to stop, or has too much to do.'),
        }),
    403: failing(`From a web page, or to another host than loopback${others[needs]}.`),
    ...(route.method === 'POST' ? { 415: failing('Not sent as `application/json`.') } : {}),
  };
}

function responseOf({ words, shape }: Answered): unknown {
  if (shape === undefined) return { description: words };
  if (shape === 'text') return { description: words, content: { 'text/plain': { schema: { type: 'string' } } } };
  if (shape === 'events')
    return { description: words, content: { 'text/event-stream': { schema: { type: 'string' } } } };
  return { description: words, content: jsonOf(shape[0]) };
}

function jsonOf(name: string): unknown {
  return { 'application/json': { schema: { $ref: refTo(name) } } };
}

function pathParameters(path: string): readonly unknown[] {
  const names = path.split('/').filter((part) => part.startsWith('{'));
  const description =
    'Percent-encoded. What can’t stand so, like `.` and `..`, is sent as `~` and the hexadecimal UTF-16 code units of it, ' +
    'four digits each: `~002e002e`.';
  return names.map((name) => ({
    ...{ name: name.slice(1, -1), in: 'path', required: true, description },
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodMiniObject | undefined): readonly unknown[] {
  if (!query) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as JsonSchema;
    return { name, in: 'query', required: required.includes(name), description, schema };
  });
}

function schemasOf(all: readonly Route[]): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  const add = (name: string, schema: z.ZodMiniType): void => void registry.add(schema, { id: name });
  for (const [name, schema] of parts) add(name, schema);
  for (const { sent, answers } of all) {
    if (sent) add(...sent);
    for (const { shape } of Object.values(answers)) if (typeof shape === 'object') add(...shape);
  }
  const { schemas } = z.toJSONSchema(registry, {
    uri: refTo,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if ((zodSchema as unknown) === jsonObjectSchema) jsonSchema.type = 'object';
      // A field more is no new version: readers pass over what they do not know.
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // `format` says it; the pattern that does too is for no reader.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  });
  const named = Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [name, schema]);
  return Object.fromEntries(named) as Record<string, JsonSchema>;
}
