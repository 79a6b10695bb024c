import type { HookPlan, PlanNote, ScopeStanding } from '../app/hooks/hookInstaller.ts';
import type { Scope, Written } from '../app/hooks/hookPorts.ts';
import { refusalWords } from '../domain/hooks/findings.ts';
import type { Refusal } from '../domain/hooks/settingsEdit.ts';
import { descriptors } from '../protocol/providers.ts';
import { printable, table } from './text.ts';

/** How it ended for one file; the names are those of `--json`. */
export type Outcome =
  | 'written'
  | 'unchanged'
  | 'not-confirmed'
  | 'declined'
  | 'refused'
  | 'unreadable'
  | 'changed'
  | 'failed'
  | 'overwritten';

export const noteWords: Readonly<Record<PlanNote, string>> = {
  'codex-asks-for-trust':
    'Codex asks whether you trust these hooks when it starts next; until you do, it runs none of them.',
  'codex-later-hooks-lose-trust':
    'Codex knows a hook by its place in the list: other hooks move up, and Codex will ask for them again.',
  'codex-inline-hooks': 'Your config.toml has hooks too: Codex warns of the two places at each start.',
  'shared-with-team': 'This file is shared with whoever clones the project; without Agent Mascot the hooks do nothing.',
  'disabled-by-person': '"disableAllHooks" in this file turns all hooks off, these too.',
  link: 'This file is a link.',
  'hard-links': 'This file has hard links. Only this path is changed; the others keep the current text.',
};

export function noteLines(plan: Extract<HookPlan, { kind: 'change' }>): readonly string[] {
  return plan.notes.map((note) =>
    note === 'link' && plan.linkTarget !== undefined
      ? `Note: this file is a link; ${printable(plan.linkTarget)} is what gets written.`
      : `Note: ${noteWords[note]}`,
  );
}

/** `line`: the text of the line where it is broken, where it could be read. */
export function refusedLines({ file, provider }: Scope, refusal: Refusal, line: string | undefined): readonly string[] {
  const what = refusal.event === undefined ? '' : `, ${printable(refusal.event)}`;
  return [
    `${printable(file)}:${refusal.line}:${refusal.column}: ${refusalWords[refusal.reason]}${what}`,
    ...(line === undefined ? [] : pointed(line, refusal)),
    `${descriptors[provider].name} ignores the whole file as it is. Nothing was written: put this right and try again.`,
  ];
}

const SHOWN_BEFORE = 60;
const SHOWN_LENGTH = 100;

function pointed(line: string, { line: number, column }: Refusal): readonly string[] {
  const from = Math.max(0, column - 1 - SHOWN_BEFORE);
  // Cell by cell, so that the mark stands below its character.
  const cells = (text: string) => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');
  const before = `  ${number} | `;
  return [
    `${before}${cells(line.slice(from, from + SHOWN_LENGTH))}`.trimEnd(),
    `${' '.repeat(before.length + column - 1 - from)}^`,
  ];
}

export function unreadableLine({ file }: Scope, why: string): string {
  return `${printable(file)} can't be read (${printable(why)}). Nothing was written: make it a text file that you may read, and try again.`;
}

export function writtenLines(file: string, written: Written): readonly string[] {
  const name = printable(file);
  switch (written.kind) {
    case 'written':
      return [`Written: ${name}`, ...(written.backup === undefined ? [] : [`Backup:  ${printable(written.backup)}`])];
    case 'changed':
      return [`${name} was changed by another program meanwhile. Nothing was written: run the command again.`];
    case 'failed':
      return [failedLine(name, written.code, written.linkTarget)];
    case 'overwritten':
      return [
        `${name} was written, and another program overwrote it at once: close that program and run the command again.`,
      ];
  }
}

function failedLine(name: string, code: string, linkTarget: string | undefined): string {
  const link =
    linkTarget === undefined ? '' : ` It is a link to ${printable(linkTarget)}, where a dotfile manager may keep it.`;
  const advice = adviceWords[code] ?? 'Put this right and run the command again.';
  return `${name} could not be written (${printable(code)}).${link} ${advice}`;
}

const adviceWords: Readonly<Record<string, string>> = {
  EACCES: 'It is read-only, or its folder is: allow writing (chmod u+w) and run the command again.',
  EPERM: 'It belongs to another user, or is locked: run the command as its owner.',
  EROFS: 'Its file system is read-only: add the lines of the difference where the file is kept.',
  ENOSPC: 'The disk is full: make room and run the command again.',
  ENOENT: 'Its folder is not there: make it, or mend the link, and run the command again.',
};

export function stateOf({ standing, recorded, content }: ScopeStanding): string {
  if (standing === undefined) return 'unreadable';
  if ('reason' in standing) return 'broken';
  if (standing.state === 'absent') return recorded ? 'vanished' : content === 'missing' ? 'no file' : 'absent';
  return standing.disabled ? `${standing.state}, disabled` : standing.state;
}

export function standingLines(standings: readonly ScopeStanding[]): readonly string[] {
  const rows = standings.map((standing) => [
    standing.scope.id,
    stateOf(standing),
    printable(standing.scope.file),
    detailOf(standing),
  ]);
  return table([['SCOPE', 'HOOKS', 'FILE', ''], ...rows]);
}

function detailOf({ standing, why, linkTarget }: ScopeStanding): string {
  const parts: string[] = [];
  if (standing === undefined) parts.push(printable(why ?? ''));
  else if ('reason' in standing) {
    parts.push(`line ${standing.line}, column ${standing.column}: ${refusalWords[standing.reason]}`);
  } else {
    if (standing.missing.length > 0 && standing.state !== 'absent')
      parts.push(`missing: ${standing.missing.join(' ')}`);
    if (standing.outdated.length > 0) parts.push(`outdated: ${standing.outdated.map(printable).join(' ')}`);
  }
  if (linkTarget !== undefined) parts.push(`-> ${printable(linkTarget)}`);
  return parts.join('; ');
}
