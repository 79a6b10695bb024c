import type { Route } from './route.ts';

/**
 * SEC-7: what a caller needs for a route. There are two tokens: the port file's, which hooks and agents can find, and the person's,
 * which windows send as well. A request marked as an agent's reaches only that agent's project, with either token.
 */
export type Capability =
  /** No token. */
  | 'open'
  /** Reports what happens in a session: either token, or none if `allowUnauthenticatedIngest` is on. */
  | 'report'
  /** Figures of the collector itself, which name no session: either token. */
  | 'machine'
  /** Either token; an agent only if the session in the path is its own. */
  | 'session'
  /** Either token; the route keeps an agent to its own project (`Asked.scope`). */
  | 'project'
  /** Either token, but no agent: it covers all projects. */
  | 'everything'
  /** The person's token, and no agent: it deletes data, or changes what all agents share. */
  | 'person';

const capabilities: Readonly<Record<string, Capability>> = {
  readHealth: 'open',

  ingestHook: 'report',
  postHook: 'report',

  startSessionOlder: 'report',
  writePromptOlder: 'report',
  writeObservationOlder: 'report',
  writeResponseOlder: 'report',
  summarizeSessionOlder: 'report',
  stopSessionOlder: 'report',

  readStoring: 'machine',
  readHookTrial: 'machine',
  readHookTimes: 'machine',

  readSession: 'session',
  readStory: 'session',
  readReport: 'session',
  readStatistics: 'session',
  explainSession: 'session',
  listEvents: 'session',
  listInteractions: 'session',
  listObservations: 'session',
  listSessionEvents: 'session',
  listDeliveries: 'session',
  sayNote: 'session',

  readState: 'project',
  listAgents: 'project',
  listSessions: 'project',
  searchInteractions: 'project',
  readContext: 'project',
  listWorkItems: 'project',
  readWorkItem: 'project',
  createWorkItem: 'project',
  startWorkItem: 'project',
  endWorkItem: 'project',
  logOwnEvent: 'project',
  readTracking: 'project',

  readStats: 'everything',
  readStored: 'everything',
  followState: 'everything',
  followEvents: 'everything',

  sawWorkItems: 'person',
  changeLook: 'person',
  eraseSession: 'person',
  eraseAll: 'person',
};

/** A route that is not in the table needs the person. */
export function capabilityOf({ name }: Pick<Route, 'name'>): Capability {
  return capabilities[name] ?? 'person';
}

export const capabilityNames: readonly string[] = Object.keys(capabilities);

/** The sentences of docs/openapi.json. */
export const capabilityWords: Readonly<Record<Capability, string>> = {
  open: 'Needs no token.',
  report: 'Needs the token of the port file, unless `agentMascot.collector.allowUnauthenticatedIngest` is on.',
  machine: 'Needs the token of the port file.',
  session: 'Needs the token of the port file; an agent can read only its own session.',
  project: 'Needs the token of the port file; an agent can read and change only its own project.',
  everything: 'Needs the token of the port file; refused to agents, because it covers all projects.',
  person: 'Needs the person’s token, which is in `person.key` beside the port file; refused to agents.',
};
