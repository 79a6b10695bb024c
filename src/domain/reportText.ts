import type { Report } from '../protocol/report.ts';
import { nameOfProvider } from '../protocol/providers.ts';
import { isOver } from './life.ts';
import { codeMarkdown, headingMarkdown, plainMarkdown, quotedMarkdown } from './markdownText.ts';
import type { ReportTelling, ReportWord } from './reportWords.ts';

const TITLE_MAX = 160;

/** EVT-1: a session's report as Markdown. Whatever agents and people wrote stands in it as words, code or a quotation. */
export function reportText(report: Report, telling: ReportTelling): string {
  const sections = [
    headLines(report, telling),
    askedLines(report, telling),
    doneLines(report, telling),
    failureLines(report, telling),
    decisionLines(report, telling, 'decision'),
    decisionLines(report, telling, 'escalation'),
    itemLines(report, telling),
    agentLines(report, telling),
    untrackedLines(report, telling),
    endLines(report, telling),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function headLines({ session, statistics, complete }: Report, telling: ReportTelling): readonly string[] {
  const { word, number } = telling;
  const title = headingMarkdown(session.title, TITLE_MAX);
  const { prompts, replies, toolCalls, failures, subagents } = statistics;
  const agent = nameOfProvider(session.provider) ?? codeMarkdown(session.provider);
  const figures = [
    word('prompts', { count: number(prompts) }),
    word('replies', { count: number(replies) }),
    failures === 0
      ? word('toolCalls', { count: number(toolCalls) })
      : word('toolCallsFailed', { count: number(toolCalls), failed: number(failures) }),
    ...(subagents === 0 ? [] : [word('subagents', { count: number(subagents) })]),
  ];
  const rows: readonly (readonly [ReportWord, string])[] = [
    ['project', codeMarkdown(session.project || session.cwd)],
    ['worktree', codeMarkdown(session.worktree ?? '')],
    ['agent', joined([agent, codeMarkdown(session.model)])],
    ['when', whenText(session, statistics.durationMs, telling)],
    ['statistics', joined(figures)],
    ['session', codeMarkdown(session.id)],
  ];
  return [
    `# ${title === '' ? word('untitled') : word('title', { title })}`,
    '',
    ...rows.filter(([, text]) => text !== '').map(([name, text]) => `- ${word(name)}: ${text}`),
    ...(complete ? [] : ['', `_${word('incomplete')}_`]),
  ];
}

function whenText(session: Report['session'], durationMs: number, { word, moment, duration }: ReportTelling): string {
  const [from, length] = [moment(session.startedAt), duration(durationMs)];
  if (!isOver(session.state)) return word('goesOn', { from, length });
  return word('over', { from, to: moment(session.endedAt ?? session.lastWorkAt), length });
}

function askedLines({ requests, unkept }: Report, telling: ReportTelling): readonly string[] {
  const { word, time } = telling;
  if (requests.items.length === 0) {
    return section(telling, 'asked', [word(unkept.missing ? 'askedMissing' : 'askedNothing')]);
  }
  const parts = requests.items.map(({ ts, text, cut, unlogged }) => {
    if (unlogged !== undefined) return `_${word(unlogged === 'private' ? 'askedPrivate' : 'askedOff')} · ${time(ts)}_`;
    return `**${time(ts)}**\n\n${quotation(text, cut, telling)}`;
  });
  return section(telling, 'asked', [[...parts, ...leftLines(requests.left, telling)].join('\n\n')]);
}

function quotation(text: string, cut: boolean | undefined, { word }: ReportTelling): string {
  return `${quotedMarkdown(text)}${cut === true ? `\n\n_${word('cut')}_` : ''}`;
}

function doneLines({ files, commands, unkept }: Report, telling: ReportTelling): readonly string[] {
  const { word, number } = telling;
  const edited = files.items.map(({ path, edits }) => {
    return item([codeMarkdown(path), edits > 1 ? word('edits', { count: number(edits) }) : '']);
  });
  const ran = commands.items.map((command) => item([codeMarkdown(command.text), outcomeText(command, telling)]));
  const parts = [
    ...listed(word('files', { count: number(files.items.length + files.left) }), edited, files.left, telling),
    ...listed(word('commands', { count: number(commands.items.length + commands.left) }), ran, commands.left, telling),
  ];
  if (parts.length === 0) parts.push(word('doneNothing'));
  if (unkept.calls > 0) parts.push('', word('unkept', { count: number(unkept.calls) }));
  return section(telling, 'done', parts);
}

function listed(name: string, lines: readonly string[], left: number, telling: ReportTelling): readonly string[] {
  return lines.length === 0 ? [] : [`### ${name}`, '', ...lines, ...leftItems(left, telling), ''];
}

type Command = Report['commands']['items'][number];

function outcomeText({ outcome, exitCode, times, failures }: Command, { word, number }: ReportTelling): string {
  const often =
    times === 1
      ? ''
      : failures === 0
        ? word('times', { times: number(times) })
        : word('timesFailed', { times: number(times), failed: number(failures) });
  return joined([ended(), often]);

  function ended(): string {
    if (outcome === 'failed' && exitCode !== undefined) return word('failedExit', { code: exitCode });
    if (outcome === 'failed' || outcome === 'started') return word(outcome);
    return word('succeeded');
  }
}

const failureWords = {
  build: 'failedBuild',
  test: 'failedTest',
  quality: 'failedQuality',
} as const satisfies Record<string, ReportWord>;

function failureLines({ failures, mended }: Report, telling: ReportTelling): readonly string[] {
  const { word, time, number } = telling;
  const lines = failures.items.map(({ ts, kind, check, what, message, times }) => {
    const name = kind === 'turn' ? 'failedTurn' : check === undefined ? 'failedCall' : failureWords[check];
    const often = times === 1 ? '' : word('times', { times: number(times) });
    return item([`${word(name)}: ${codeMarkdown(what)}`, time(ts), often, plainMarkdown(message ?? '')]);
  });
  return section(telling, 'failures', [
    ...(lines.length === 0 ? [word('failuresNone')] : [...lines, ...leftItems(failures.left, telling)]),
    ...(mended === 0 ? [] : ['', word('mended', { count: number(mended) })]),
  ]);
}

function decisionLines(
  { decisions }: Report,
  telling: ReportTelling,
  type: 'decision' | 'escalation',
): readonly string[] {
  const { word, time } = telling;
  const parts = decisions.items
    .filter((decision) => decision.type === type)
    .map(({ ts, summary, details, workItem }) => {
      const about = workItem === undefined ? '' : word('forItem', { item: codeMarkdown(workItem) });
      const head = joined([`**${plainMarkdown(summary)}**`, time(ts), about]);
      return details === undefined ? head : `${head}\n\n${quotedMarkdown(details)}`;
    });
  if (parts.length === 0) return [];
  const left = leftLines(decisions.left, telling);
  return section(telling, type === 'decision' ? 'decisions' : 'escalations', [[...parts, ...left].join('\n\n')]);
}

const statusWords = {
  pending: 'itemPending',
  running: 'itemRunning',
  done: 'itemDone',
  cancelled: 'itemCancelled',
} as const satisfies Record<string, ReportWord>;

const moveWords = {
  started: 'movedStarted',
  done: 'movedDone',
  cancelled: 'movedCancelled',
  freed: 'movedFreed',
} as const satisfies Record<string, ReportWord>;

function itemLines({ workItems }: Report, telling: ReportTelling): readonly string[] {
  const { word, time, number } = telling;
  if (workItems.items.length === 0) return [];
  const lines = workItems.items.map(({ id, title, status, moves, files }) =>
    item([
      `${codeMarkdown(id)} ${plainMarkdown(title ?? '')}`.trim(),
      status === undefined ? '' : word(statusWords[status]),
      moves.map(({ ts, what }) => word(moveWords[what], { time: time(ts) })).join(', '),
      files === 0 ? '' : word('itemFiles', { count: number(files) }),
    ]),
  );
  return section(telling, 'items', [...lines, ...leftItems(workItems.left, telling)]);
}

function agentLines({ agents }: Report, telling: ReportTelling): readonly string[] {
  const { word, time, number } = telling;
  if (agents.items.length === 0) return [];
  const lines = agents.items.map(({ name, type, kind, task, startedAt, endedAt, calls }) => {
    const who = `**${plainMarkdown(name)}** (${plainMarkdown(type) || word(kind === 'teammate' ? 'teammate' : 'subagent')})`;
    const when = endedAt === undefined ? time(startedAt) : word('fromTo', { from: time(startedAt), to: time(endedAt) });
    return item([who, plainMarkdown(task ?? ''), when, word('toolCalls', { count: number(calls) })]);
  });
  return section(telling, 'agents', [...lines, ...leftItems(agents.left, telling)]);
}

const untrackedWords = {
  denied: 'untrackedDenied',
  warned: 'untrackedWarned',
  gap: 'untrackedGap',
} as const satisfies Record<string, ReportWord>;

function untrackedLines({ untracked }: Report, telling: ReportTelling): readonly string[] {
  const { word, time } = telling;
  if (untracked.items.length === 0) return [];
  const lines = untracked.items.map(({ ts, what, tool, target }) =>
    item([`${plainMarkdown(tool ?? '')} ${codeMarkdown(target ?? '')}`.trim(), word(untrackedWords[what]), time(ts)]),
  );
  return section(telling, 'untracked', [...lines, ...leftItems(untracked.left, telling)]);
}

function endLines({ session, turn, reply }: Report, telling: ReportTelling): readonly string[] {
  const { word, time } = telling;
  const lines = [standing(session, telling)];
  const error = plainMarkdown(turn.error ?? '');
  if (turn.ended === 'failed') lines.push(error === '' ? word('turnFailed') : word('turnFailedBy', { error }));
  if (turn.ended === 'interrupted') lines.push(word('turnInterrupted'));
  if (reply)
    lines.push('', `**${word('lastWords')}** · ${time(reply.ts)}`, '', quotation(reply.text, reply.cut, telling));
  return section(telling, 'ending', lines);
}

function standing({ state, endReason = '' }: Report['session'], { word }: ReportTelling): string {
  if (!isOver(state)) return word('endsOpen');
  if (state === 'stale') return word('endsStale');
  return endReason === '' ? word('endsOver') : word('endsOverBy', { reason: codeMarkdown(endReason) });
}

function section({ word }: ReportTelling, name: ReportWord, lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line !== '');
  return [`## ${word(name)}`, '', ...lines.slice(0, last + 1)];
}

function item(parts: readonly string[]): string {
  return `- ${joined(parts)}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

function leftLines(left: number, { word, number }: ReportTelling): readonly string[] {
  return left === 0 ? [] : [`_${word('left', { count: number(left) })}_`];
}

function leftItems(left: number, telling: ReportTelling): readonly string[] {
  return leftLines(left, telling).map((line) => `- ${line}`);
}
