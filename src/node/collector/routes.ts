import { fromPathPart } from '../../protocol/pathPart.ts';
import { cardRoutes } from './cardRoutes.ts';
import { contextRoutes } from './contextRoutes.ts';
import { hookRoutes } from './hookRoutes.ts';
import { olderRoutes } from './olderRoutes.ts';
import { observationRoutes } from './observationRoutes.ts';
import { plainRoutes } from './plainRoutes.ts';
import { privacyRoutes } from './privacyRoutes.ts';
import { relayRoutes } from './relayRoutes.ts';
import { reportRoutes } from './reportRoutes.ts';
import type { Route } from './route.ts';
import { searchRoutes } from './searchRoutes.ts';
import { sessionEventRoutes } from './sessionEventRoutes.ts';
import { sessionRoutes } from './sessionRoutes.ts';
import { stateRoutes } from './stateRoutes.ts';
import { workRoutes } from './workRoutes.ts';
import { writingRoutes } from './writingRoutes.ts';

/** Everything that the collector answers. Who may come in at all is decided in `gate.ts`. */
export const routes: readonly Route[] = [
  ...plainRoutes,
  ...writingRoutes,
  ...stateRoutes,
  ...sessionRoutes,
  ...sessionEventRoutes,
  ...observationRoutes,
  ...reportRoutes,
  ...relayRoutes,
  ...cardRoutes,
  ...searchRoutes,
  ...contextRoutes,
  ...hookRoutes,
  ...privacyRoutes,
  ...workRoutes,
  ...olderRoutes,
];

export interface Found {
  /** Of this path, by method. */
  readonly routes: readonly Route[];
  readonly params: Readonly<Record<string, string>>;
}

export function routesAt(path: string): Found {
  const parts = path.split('/');
  const fitting = routes.filter((route) => fits(route.path.split('/'), parts));
  const pattern = fitting[0]?.path.split('/') ?? [];
  const params = pattern.flatMap((name, index) =>
    isParameter(name) ? [[name.slice(1, -1), fromPathPart(parts[index] ?? '')]] : [],
  );
  return { routes: fitting, params: Object.fromEntries(params) as Record<string, string> };
}

function fits(pattern: readonly string[], parts: readonly string[]): boolean {
  return (
    pattern.length === parts.length &&
    pattern.every((wanted, index) => (isParameter(wanted) ? parts[index] !== '' : parts[index] === wanted))
  );
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}
