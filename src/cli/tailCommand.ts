import { isObject, parseObject } from '../../forwarder/payload.ts';
import { type Answer, objectsIn, readAgent, readSession } from './answers.ts';
import { ask, type AskedCollector, collectorOf } from './asking.ts';
import { type Change, changeLine, changesBetween, eventChange, type Watched } from './changes.ts';
import { type Call, type Command, noWords } from './command.ts';
import { exitCodes } from './failure.ts';
import { ONLY_OWN } from './readCommands.ts';
import { readWorkItem } from './workItems.ts';

const POLL_MS = 1_000;
/** The first release of Node whose own WebSocket can carry a token. */
const NODE_WITH_WEBSOCKET = 22;

/** Told of every state, and of what happens in the sessions. */
interface Listener {
  /** Up to which record of the store it knows what happened: what comes after it is told by the next owner, too. */
  record: number | undefined;
  /** Gives back what is to be kept for the next. */
  state(next: (before: Watched) => Watched): void;
  event(event: Answer): void;
}

export const tailCommand: Command = {
  summary:
    'one line for each change of a session’s phase or of a work item, each agent that comes or goes, each decision and failure, until Ctrl+C',
  options: {},
  words: noWords,
  async run(call) {
    let collector = await collectorOf(call);
    const first = await ask(collector, '/api/state');
    if (call.agent) call.world.terminal.complain(ONLY_OWN);
    const ended = eitherOf(call.world.untilEnded(), call.world.terminal.closed);
    let watched = watchedIn(first);
    const listener: Listener = {
      record: undefined,
      state(next) {
        const now = next(watched);
        tell(call, changesBetween(watched, now));
        watched = now;
      },
      event(event) {
        const change = eventChange(event, watched);
        if (change) tell(call, [change]);
      },
    };
    while (!ended.aborted) {
      await follow(collector, listener, ended);
      // Its window closed or was loaded anew: the next owner has another address, and the same sessions.
      await pause(ended);
      collector = await collectorOf(call).catch(() => collector);
    }
    return exitCodes.ok;
  },
};

function tell(call: Call, changes: readonly Change[]): void {
  const { terminal, now } = call.world;
  const at = new Date(now());
  for (const change of changes) {
    terminal.out(
      call.json
        ? JSON.stringify({ ts: at.toISOString(), ...change })
        : changeLine(change, at.toTimeString().slice(0, 'hh:mm:ss'.length)),
    );
  }
}

/** Resolves when the collector says no more. */
async function follow(collector: AskedCollector, listener: Listener, ended: AbortSignal): Promise<void> {
  // The stream covers all projects, so agents can't use it.
  const canStream = Number.parseInt(process.versions.node, 10) >= NODE_WITH_WEBSOCKET && !collector.headers;
  if (canStream && (await stream(collector, listener, ended))) {
    return;
  }
  await poll(collector, listener, ended);
}

async function poll(collector: AskedCollector, listener: Listener, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    const answer = await ask(collector, '/api/state').catch(() => undefined);
    if (!answer) return;
    listener.state(() => watchedIn(answer));
    await pause(ended);
  }
}

/** False: it could not be opened. */
function stream({ url, token }: AskedCollector, listener: Listener, ended: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    let opened = false;
    const address = `${url.href.replace(/^http/, 'ws').replace(/\/$/, '')}/ws`;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    // Node's own takes headers, which a browser's does not; its types say nothing of them.
    const socket = new WebSocket(address, { headers } as unknown as string[]);
    const close = () => socket.close();
    const finish = () => {
      ended.removeEventListener('abort', close);
      resolve(opened);
    };
    ended.addEventListener('abort', close);
    socket.onopen = () => {
      opened = true;
      const { record } = listener;
      const who = { protocol: 1, role: 'reader', app: 'mascot', version: '' };
      socket.send(JSON.stringify({ type: 'hello', ...who, ...(record === undefined ? {} : { record }) }));
    };
    socket.onclose = finish;
    socket.onerror = () => {
      socket.close();
      finish();
    };
    socket.onmessage = ({ data }) => {
      const frame = typeof data === 'string' ? parseObject(data) : undefined;
      const state = frame?.['state'] as Answer | undefined;
      if (frame?.['type'] === 'snapshot' && state) listener.state(() => watchedIn(state));
      if (frame?.['type'] === 'patch') listener.state((before) => patched(before, frame));
      if (frame?.['type'] === 'session-event' && isObject(frame['event'])) listener.event(frame['event']);
      // A snapshot comes before what happened since the record that was named, so it says where to go on only at first.
      const isTold = frame?.['type'] !== 'snapshot' || listener.record === undefined;
      if (isTold && typeof frame?.['record'] === 'number') listener.record = frame['record'];
    };
  });
}

function watchedIn(state: Answer): Watched {
  return patched(undefined, state);
}

function patched(before: Watched | undefined, frame: Answer): Watched {
  const sessions = new Map(before?.sessions);
  const agents = new Map(before?.agents);
  for (const session of objectsIn(frame, 'sessions').map(readSession)) sessions.set(session.id, session);
  for (const agent of objectsIn(frame, 'agents').map(readAgent)) agents.set(agent.id, agent);
  const work = new Map(before?.work);
  for (const item of objectsIn(frame, 'workItems').map(readWorkItem)) work.set(item.key, item);
  for (const key of idsIn(frame['removedWorkItems'])) work.delete(key);
  for (const id of idsIn(frame['removedSessions'])) sessions.delete(id);
  for (const id of idsIn(frame['removedAgents'])) agents.delete(id);
  return { sessions, agents, work };
}

function idsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((id): id is string => typeof id === 'string') : [];
}

function pause(ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      ended.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, POLL_MS);
    ended.addEventListener('abort', finish);
    if (ended.aborted) finish();
  });
}

/** `AbortSignal.any` is younger than the oldest Node that this runs on. */
function eitherOf(...signals: readonly AbortSignal[]): AbortSignal {
  const either = new AbortController();
  for (const signal of signals) signal.addEventListener('abort', () => either.abort());
  return either.signal;
}
