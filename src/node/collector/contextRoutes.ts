import { isAbsolute } from 'node:path';
import { maskText } from '../../domain/mask/mask.ts';
import { contextQuerySchema, contextSchema } from '../../protocol/reading.ts';
import { refusalOfProject } from './agentScope.ts';
import { type Asked, badQuery, queryOf, type Reply, type Route, type RouteWorld } from './route.ts';

export const contextRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/context',
    name: 'readContext',
    summary: 'What a new session is told of the last ones of its project; nothing where that is off.',
    query: contextQuerySchema,
    answers: {
      200: { words: 'The text, ready to be handed to an agent.', shape: ['Context', contextSchema] },
      400: badQuery,
    },
    answer: context,
  },
];

async function context(world: RouteWorld, { query, signal, scope }: Asked): Promise<Reply> {
  const { cwd, limit } = queryOf(contextQuerySchema, query);
  const project = cwd === undefined ? scope?.project : await projectOf(world, cwd);
  if (refusalOfProject(scope, project)) return { status: 200, body: nothing };
  const recalled = await world.memory.recall({ project, cwd, limit, signal });
  const text = recalled?.textWithin(recalled.tokens) ?? nothing;
  return { status: 200, body: contextSchema.parse(text) };
}

/** Memory is off in this folder, or an agent asks about another project. */
const nothing = { context: '', sessions: 0, tokens: 0 };

/** In the words that sessions have it in: they were masked when they were stored. What is no whole path would be looked for where this runs. */
export async function projectOf({ projects }: Pick<RouteWorld, 'projects'>, folder: string): Promise<string> {
  return maskText(isAbsolute(folder) ? (await projects.locate(folder)).path : folder);
}
