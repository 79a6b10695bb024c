import type { AgentEvent, EventOf } from '../protocol/event.ts';
import type { Interaction } from '../protocol/reading.ts';
import type { Report } from '../protocol/report.ts';
import type { Agent, Session } from '../protocol/state.ts';
import type { WorkItem } from '../protocol/work.ts';
import { isMain } from './agentIds.ts';
import { pathWithin } from './folders.ts';
import { readCalls } from './reportCalls.ts';
import { keepEnds } from './reportLists.ts';
import { statisticsOf } from './statistics.ts';
import { cutText, oneLine, shortText } from './text.ts';
import { lastWorkOf } from './work.ts';

const REQUEST_MAX = 2_000;
const REPLY_MAX = 4_000;
const SUMMARY_MAX = 500;
const DETAILS_MAX = 4_000;
const LABEL_MAX = 300;
const MOVES_KEPT = 20;
const ITEMS_SHOWN = 50;
const AGENTS_SHOWN = 50;
const TURN_FAILURES_SHOWN = 20;

type Request = Report['requests']['items'][number];
type Move = Report['workItems']['items'][number]['moves'][number];
type Decision = Report['decisions']['items'][number];

/** What the stored events do not say. */
export interface Reported {
  readonly session: Session;
  readonly agents: readonly Agent[];
  /** Those of its project. */
  readonly items: readonly WorkItem[];
}

export interface ReportReader {
  /** What was said, in order. */
  said(interaction: Interaction): void;
  /** All events, in order. */
  take(event: AgentEvent): void;
  report(reported: Reported, complete: boolean): Report;
}

/** EVT-1: adds up what became of a session, in room that does not grow with it. `folders`: paths are told from there. */
export function readReport(folders: readonly string[]): ReportReader {
  const requests = keepEnds<Request>(40, 160);
  const decisions = keepEnds<Decision>(40, 60);
  const untracked = keepEnds<Report['untracked']['items'][number]>(20, 80);
  const turnFailures = keepEnds<Report['failures']['items'][number]>(5, TURN_FAILURES_SHOWN - 5);
  const unkeptRequests = keepEnds<Request>(40, 160);
  const moves = new Map<string, { title?: string | undefined; moves: Move[] }>();
  const ends = new Map<string, string>();
  const calls = readCalls(folders);
  let turn: Report['turn'] = { ended: null };
  let failedAt = -Infinity;
  let reply: Report['reply'];

  function asked(event: EventOf<'user_prompt'>): void {
    if (!isMain(event) || event.payload.synthetic === true) return;
    turn = { ended: null };
    if (event.payload.unlogged !== true) return;
    unkeptRequests.add({ ts: event.ts, text: '', unlogged: event.payload.private === true ? 'private' : 'off' });
  }

  function turnEnded(event: EventOf<'turn_ended'>): void {
    if (!isMain(event)) return;
    const reason = event.payload.reason;
    const ended = reason === 'failed' || reason === 'interrupted' ? reason : 'completed';
    const error = ended === 'failed' ? oneLine(shortText(event.payload.error) ?? '', LABEL_MAX) : '';
    turn = { ended, ...(error === '' ? {} : { error }) };
    if (ended !== 'failed' || isToldAgain(event)) return;
    failedAt = Date.parse(event.ts);
    const message = oneLine(shortText(event.payload.message, LABEL_MAX * 4) ?? '', LABEL_MAX);
    turnFailures.add({ ts: event.ts, kind: 'turn', what: error, ...(message === '' ? {} : { message }), times: 1 });
  }

  /** NRM-8: hook and transcript tell the same end, seconds apart. */
  function isToldAgain({ ts }: AgentEvent): boolean {
    return Date.parse(ts) - failedAt < SAME_MS;
  }

  function decided(event: EventOf<'decision' | 'escalation'>): void {
    const [details, workItem] = [shortText(event.payload.details, DETAILS_MAX), shortText(event.payload.work_item)];
    decisions.add({
      ts: event.ts,
      type: event.event_type,
      summary: shortText(event.payload.summary, SUMMARY_MAX) ?? '',
      ...(details === undefined ? {} : { details }),
      ...(workItem === undefined ? {} : { workItem }),
    });
  }

  function moved(event: EventOf<'work_started' | 'work_ended' | 'dependency_resolved'>, what: Move['what']): void {
    const id = shortText(event.payload.work_item);
    if (id === undefined) return;
    const known = moves.get(id) ?? { moves: [] };
    moves.set(id, {
      title: shortText(event.payload.title) ?? known.title,
      moves: [...known.moves, { ts: event.ts, what }].slice(-MOVES_KEPT),
    });
  }

  function strayed(event: EventOf<'untracked_edit' | 'guard_gap'>, what: 'denied' | 'warned' | 'gap'): void {
    const [tool, target] = [shortText(event.payload.tool_name), shortText(event.payload.target)];
    untracked.add({
      ts: event.ts,
      what,
      ...(tool === undefined ? {} : { tool }),
      ...(target === undefined ? {} : { target: pathWithin(target, folders) }),
    });
  }

  function movedItems({ session, items }: Reported): Report['workItems'] {
    const own = items.filter((item) => item.touches.some((touch) => touch.session === session.id));
    const ids = [...new Set([...moves.keys(), ...calls.workItems, ...own.map(({ id }) => id)])];
    const all = ids.map((id) => {
      const item = items.find((each) => each.id === id);
      const title = item?.title ?? moves.get(id)?.title;
      const touched = item?.touches.find((touch) => touch.session === session.id)?.files.length ?? 0;
      return {
        id,
        ...(title === undefined ? {} : { title }),
        ...(item === undefined ? {} : { status: item.status }),
        moves: moves.get(id)?.moves ?? [],
        files: Math.max(touched, calls.filesFor(id)),
      };
    });
    return firstOf(all, ITEMS_SHOWN);
  }

  function participants({ agents }: Reported): Report['agents'] {
    const others = agents
      .filter(({ kind }) => kind !== 'main')
      .toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
    const told = others.map(({ id, name, kind, type, task, startedAt }) => {
      const endedAt = ends.get(id);
      return {
        ...{ id, name, kind, type, startedAt, task: task === null ? null : cutText(task, LABEL_MAX) },
        ...(endedAt === undefined ? {} : { endedAt }),
        calls: calls.callsOf(id),
      };
    });
    return firstOf(told, AGENTS_SHOWN);
  }

  return {
    said({ role, content, ts, agentId, sessionId }) {
      if (!isMain({ agent_id: agentId, session_id: sessionId })) return;
      if (role === 'user') requests.add({ ts, ...cutTo(content, REQUEST_MAX) });
      else reply = { ts, ...cutTo(content, REPLY_MAX) };
    },
    take(event) {
      calls.take(event);
      switch (event.event_type) {
        case 'user_prompt':
          return asked(event);
        case 'turn_ended':
          return turnEnded(event);
        case 'agent_stopped':
          return void ends.set(event.agent_id, event.ts);
        case 'decision':
        case 'escalation':
          return decided(event);
        case 'work_started':
          return moved(event, 'started');
        case 'work_ended':
          return moved(event, event.payload.status === 'cancelled' ? 'cancelled' : 'done');
        case 'dependency_resolved':
          return moved(event, 'freed');
        case 'untracked_edit':
          return strayed(event, event.payload.decision ?? 'warned');
        case 'guard_gap':
          return strayed(event, 'gap');
        default:
          return;
      }
    },
    report(reported, complete) {
      const { session } = reported;
      const [kept, unkept, failures] = [requests.part(), unkeptRequests.part(), turnFailures.part()];
      const { files, commands, failures: failedCalls, mended } = calls.told();
      return {
        session: sessionPart(session),
        statistics: statisticsOf(session),
        requests: { items: inTime([...kept.items, ...unkept.items]), left: kept.left + unkept.left },
        files: { ...files, items: inPlace(files.items) },
        commands,
        failures: {
          items: inTime([...failedCalls.items, ...failures.items]),
          left: failedCalls.left + failures.left,
        },
        mended,
        decisions: decisions.part(),
        workItems: movedItems(reported),
        agents: participants(reported),
        untracked: untracked.part(),
        turn,
        ...(reply === undefined ? {} : { reply }),
        unkept: {
          calls: calls.unkept,
          // The figures outlive the words.
          missing: kept.items.length + unkept.items.length === 0 && session.counts.prompts > 0,
        },
        complete,
      };
    },
  };
}

const SAME_MS = 10_000;

function sessionPart(session: Session): Report['session'] {
  const { id, provider, state, project, cwd, worktree, title, model, startedAt, endedAt, endReason } = session;
  return {
    ...{ id, provider, state, project, cwd, title, model, startedAt, lastWorkAt: lastWorkOf(session) },
    ...(worktree === undefined ? {} : { worktree }),
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(endReason === undefined ? {} : { endReason }),
  };
}

function cutTo(text: string, max: number): { text: string; cut?: true } {
  return text.length <= max ? { text } : { text: cutText(text, max), cut: true };
}

function firstOf<T>(all: readonly T[], max: number): { items: T[]; left: number } {
  return { items: all.slice(0, max), left: Math.max(0, all.length - max) };
}

function inTime<T extends { readonly ts: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.ts < b.ts ? -1 : Number(a.ts > b.ts)));
}

function inPlace(files: Report['files']['items']): Report['files']['items'] {
  return files.toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}
