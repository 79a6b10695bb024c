import { isObject } from '../../forwarder/payload.ts';
import { storingFinding } from '../app/hooks/machineFindings.ts';
import { lastPart } from '../domain/folders.ts';
import { findingText } from '../domain/hooks/findings.ts';
import { excerptOf } from '../domain/findWords.ts';
import { type Answer, objectsIn, phaseWords, readSession, readSnapshot, textIn } from './answers.ts';
import { age, printable, shortened, table } from './text.ts';

/** The most urgent first, as in the status bar. */
const phaseOrder = ['waiting_permission', 'waiting_question', 'interactable', 'busy'] as const;

type Row = readonly string[];

export function statusLines(
  answer: Answer,
  origin: string,
  intake: Answer = {},
  more: readonly Row[] = [],
): readonly string[] {
  const { owner, sessions, agents } = readSnapshot(answer);
  const live = sessions.filter(({ state }) => state === 'active' || state === 'idle');
  const phases = phaseOrder.flatMap((phase) => {
    const count = live.filter((session) => session.phase === phase).length;
    return count > 0 ? [`${count} ${phaseWords[phase]}`] : [];
  });
  const rows: readonly Row[] = [
    ['Collector', origin],
    ['Runs in', owner ? `${printable(owner.app)} ${printable(owner.version)}`.trim() : 'unknown'],
    ['Since', owner ? printable(owner.startedAt) : 'unknown'],
    ['Sessions', [`${live.length}`, ...phases].join(' · ')],
    ['Agents', `${agents.filter(({ present }) => present).length}`],
    ...more,
    ...storingRows(intake),
  ];
  return table(rows);
}

/** Only where something is wrong. */
function storingRows({ storing, spool }: Answer): readonly Row[] {
  if (!isObject(storing) || storing['ok'] !== false) return [];
  const code = textIn(storing, 'code') || 'unknown';
  const waiting = isObject(spool) && typeof spool['waiting'] === 'number' ? spool['waiting'] : 0;
  const finding = storingFinding({ ok: false, code, folder: textIn(storing, 'folder') || '?' }, waiting);
  return [
    ['Storing', `NO, since ${printable(textIn(storing, 'since')) || '?'}`],
    ['', printable(findingText(finding))],
  ];
}

export function sessionLines(answer: Answer, now: number): readonly string[] {
  const sessions = objectsIn(answer, 'items').map(readSession);
  if (sessions.length === 0) return ['No sessions yet. Start an agent with the hooks installed.'];
  const rows = sessions.map((session) => [
    printable(session.id),
    session.state,
    session.phase ? phaseWords[session.phase] : '-',
    age(now - Date.parse(session.lastEventAt)),
    lastPart(printable(session.project || session.cwd)) || '-',
    printable(session.title) || '-',
  ]);
  return [...table([['ID', 'STATE', 'PHASE', 'LAST', 'PROJECT', 'TITLE'], ...rows]), ...moreLine(answer)];
}

const roleWords: Readonly<Record<string, string>> = { user: 'you', assistant: 'agent' };
const TITLE_CELLS = 30;
const EXCERPT_LENGTH = 100;

export function searchLines(answer: Answer, words: string, now: number): readonly string[] {
  const hits = objectsIn(answer, 'items');
  if (hits.length === 0) return [`Nothing said holds "${printable(words)}".`];
  const rows = hits.map((hit) => [
    printable(textIn(hit, 'sessionId')) || '-',
    age(now - Date.parse(textIn(hit, 'ts'))),
    roleWords[textIn(hit, 'role')] ?? '-',
    shortened(printable(textIn(hit, 'sessionTitle')), TITLE_CELLS) || '-',
    shortened(excerptOf(printable(textIn(hit, 'content')), words, EXCERPT_LENGTH), EXCERPT_LENGTH),
  ]);
  return [...table([['ID', 'WHEN', 'WHO', 'SESSION', 'TEXT'], ...rows]), ...moreLine(answer)];
}

function moreLine(answer: Answer): readonly string[] {
  return typeof answer['next'] === 'string' ? ['There are more: raise --limit.'] : [];
}
