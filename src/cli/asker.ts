import { toPathPart } from '../protocol/pathPart.ts';
import { textIn } from './answers.ts';
import type { Options } from './arguments.ts';
import { ask, type AskedCollector } from './asking.ts';
import type { Call } from './command.ts';
import { MascotError, wrongUsage } from './failure.ts';
import { projectAround } from './places.ts';

const SESSION_ID_MAX = 200;

export const projectOption: Options = {
  project: {
    takes: 'a folder of it',
    words: 'of this project (default: that of the session, else the one around you)',
  },
};

export const sessionOption: Options = {
  session: { takes: 'its id', words: 'for this session (default: the one that this shell is of, if any)' },
};

/** Who asks, as the collector takes it. */
export interface Asker {
  readonly [key: string]: unknown;
  readonly session?: string;
  readonly processes?: readonly number[];
  readonly project?: string;
}

/** The session that is named, else the one in whose shell the command runs, where its agent tells its shells. */
export function sessionNamed({ args, world }: Call): string | undefined {
  const given = args.value('session');
  const session = (given ?? world.env['MASCOT_SESSION_ID'] ?? '').trim();
  if ((session === '' && given !== undefined) || session.length > SESSION_ID_MAX) {
    throw wrongUsage(`--session takes the id of a session; "mascot sessions" lists them`);
  }
  return session === '' ? undefined : session;
}

/** Other agents tell their shells nothing: theirs are found by the processes above. */
export function sessionAsking(call: Call): Pick<Asker, 'session' | 'processes'> {
  const session = sessionNamed(call);
  if (session !== undefined) return { session };
  return call.above.length === 0 ? {} : { processes: call.above };
}

/** Also names the project. A session or an agent has its own project, whatever folder its shell is in. */
export function askerOf(call: Call): Asker {
  const who = sessionAsking(call);
  const isPerson = who.session === undefined && call.agent === undefined;
  const project = call.args.has('project') || isPerson ? projectAround(call) : undefined;
  return { ...who, ...(project === undefined ? {} : { project }) };
}

/** Of which project something is asked: a folder of it. Undefined: none is named, and there is none around. */
export async function projectAsked(call: Call, collector: AskedCollector): Promise<string | undefined> {
  const session = call.args.has('project') ? undefined : sessionNamed(call);
  if (session !== undefined) {
    const found = await ask(collector, `/api/sessions/${toPathPart(session)}`).catch((error: unknown) => {
      // A shell may outlive what is known of its session.
      if (call.args.has('session') || !(error instanceof MascotError)) throw error;
      return {};
    });
    const project = textIn(found, 'project') || textIn(found, 'cwd');
    if (project !== '') return project;
  }
  return projectAround(call);
}
