import type { IncomingHttpHeaders } from 'node:http';
import { readPidNamespace } from '../../../forwarder/linuxProcesses.ts';
import { AGENT_HEADER } from '../../protocol/discovery.ts';
import type { Session } from '../../protocol/state.ts';
import type { Reply, RouteWorld } from './route.ts';

/** SEC-7: what an agent may read and change: its own session and everything in the same project. */
export interface AgentScope {
  readonly session: string | undefined;
  readonly project: string;
}

const PROCESSES_MAX = 64;

const unknownProject: Reply = {
  status: 403,
  body: { error: 'can’t find the project that this agent works in: ask the person to do this' },
};

const otherProject: Reply = {
  status: 403,
  body: {
    error: 'this belongs to another project, and agents can read and change only their own: ask the person to do it',
  },
};

const otherSession: Reply = {
  status: 403,
  body: {
    error: 'an agent can read all of only its own session: search the prompts of others, or ask the person',
  },
};

export function isFromAgent(headers: IncomingHttpHeaders): boolean {
  return headers[AGENT_HEADER] !== undefined;
}

/**
 * The scope of the agent that sends this header, or a refusal if its project is unknown. A session whose process is an ancestor of the
 * caller wins over the session that the request names: a variable is easier to change than an ancestor.
 */
export async function agentScope(
  { source, work }: Pick<RouteWorld, 'source' | 'work'>,
  headers: IncomingHttpHeaders,
): Promise<AgentScope | Reply> {
  const claim = new URLSearchParams(String(headers[AGENT_HEADER]));
  const namespace = claim.get('namespace') ?? undefined;
  // In another container the same pids are other processes.
  const counted = namespace === undefined || namespace === readPidNamespace() ? (claim.get('processes') ?? '') : '';
  const processes = counted.split(',').map(Number).slice(0, PROCESSES_MAX);
  const named = claim.get('session') ?? undefined;
  const { sessions } = source.snapshot();
  const runsAbove = ({ id, agentPid }: Session) =>
    id === named && agentPid !== undefined && processes.includes(agentPid);
  const session =
    sessions.find(runsAbove) ??
    work.sessionOf({ processes }) ??
    (named === undefined ? undefined : work.sessionOf({ session: named }));
  const folder = claim.get('folder') ?? undefined;
  const project = session?.project || (folder && (await work.projectOf({ project: folder })));
  return project ? { session: session?.id, project } : unknownProject;
}

export function isOwnSession(
  { session, project }: AgentScope,
  { id, project: its }: Pick<Session, 'id' | 'project'>,
): boolean {
  return id === session || its === project;
}

/** Undefined if the agent may use this session. */
export function refusalOfSession(scope: AgentScope, session: Pick<Session, 'id' | 'project'>): Reply | undefined {
  return isOwnSession(scope, session) ? undefined : otherProject;
}

/** MEM-5: undefined if the agent may read all of this session, also what agents and tools wrote in it. */
export function refusalOfReading(scope: AgentScope, session: Pick<Session, 'id' | 'project'>): Reply | undefined {
  return session.id === scope.session ? undefined : (refusalOfSession(scope, session) ?? otherSession);
}

/** Undefined if the agent may use this project, or if the request names none. */
export function refusalOfProject(scope: AgentScope | undefined, project: string | undefined): Reply | undefined {
  return scope === undefined || project === undefined || project === scope.project ? undefined : otherProject;
}
