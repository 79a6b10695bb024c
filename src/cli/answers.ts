import { isObject } from '../../forwarder/payload.ts';
import type { Session, Snapshot } from '../protocol/state.ts';
import { printable } from './text.ts';

export type Answer = Readonly<Record<string, unknown>>;

export const phaseWords: Readonly<Record<NonNullable<Session['phase']>, string>> = {
  waiting_permission: 'waiting for permission',
  waiting_question: 'waiting for an answer',
  interactable: 'ready',
  busy: 'busy',
};

export type SessionAnswer = Pick<Session, 'id' | 'phase' | 'lastEventAt' | 'project' | 'cwd' | 'title'> & {
  readonly state: string;
};

/** The collector may be of another version: a field that is not what it was is shown as unknown. */
export function readSession(value: Answer): SessionAnswer {
  const because = value['phaseBecause'];
  // A minute of silence after a turn is reported like a question, but is one to nobody.
  const leftIdle = isObject(because) && because['detail'] === 'idle';
  const phase = leftIdle ? 'interactable' : textIn(value, 'phase');
  return {
    id: textIn(value, 'id'),
    state: printable(textIn(value, 'state')) || '-',
    phase: Object.hasOwn(phaseWords, phase) ? (phase as SessionAnswer['phase']) : null,
    lastEventAt: textIn(value, 'lastEventAt'),
    project: textIn(value, 'project'),
    cwd: textIn(value, 'cwd'),
    title: textIn(value, 'title'),
  };
}

export interface AgentAnswer {
  readonly id: string;
  readonly sessionId: string;
  readonly name: string;
  readonly kind: string;
  readonly present: boolean;
}

export function readAgent(value: Answer): AgentAnswer {
  return {
    id: textIn(value, 'id'),
    sessionId: textIn(value, 'sessionId'),
    name: textIn(value, 'name'),
    kind: textIn(value, 'kind'),
    present: value['present'] === true,
  };
}

export interface SnapshotAnswer {
  readonly owner: Pick<NonNullable<Snapshot['owner']>, 'app' | 'version' | 'startedAt'> | null;
  readonly sessions: readonly SessionAnswer[];
  readonly agents: readonly AgentAnswer[];
}

export function readSnapshot(answer: Answer): SnapshotAnswer {
  const owner = answer['owner'];
  return {
    owner: isObject(owner)
      ? { app: textIn(owner, 'app'), version: textIn(owner, 'version'), startedAt: textIn(owner, 'startedAt') }
      : null,
    sessions: objectsIn(answer, 'sessions').map(readSession),
    agents: objectsIn(answer, 'agents').map(readAgent),
  };
}

export function objectsIn(answer: Answer, key: string): readonly Answer[] {
  const value = answer[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function textIn(answer: Answer, key: string): string {
  const value = answer[key];
  return typeof value === 'string' ? value : '';
}
