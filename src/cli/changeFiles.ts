import { readFileSync } from 'node:fs';
import type { HookAction, HookPlan, PlanNote } from '../app/hooks/hookInstaller.ts';
import type { HookKit } from '../app/hooks/hookKit.ts';
import type { Scope } from '../app/hooks/hookPorts.ts';
import { unifiedDiff } from '../domain/hooks/lineDiff.ts';
import { type Call, printJson } from './command.ts';
import { type ExitCode, exitCodes, MascotError } from './failure.ts';
import { noteLines, type Outcome, refusedLines, unreadableLine, writtenLines } from './hookTexts.ts';
import { printable } from './text.ts';

/** What came of one file, as `--json` tells it. */
export interface FileResult {
  readonly scope: Scope['id'];
  readonly file: string;
  readonly project?: string | undefined;
  readonly action: HookAction;
  readonly outcome: Outcome;
  readonly notes?: readonly PlanNote[];
  readonly diff?: string;
  readonly backup?: string | undefined;
  readonly reason?: string;
  readonly line?: number;
  readonly column?: number;
  readonly linkTarget?: string | undefined;
}

type Change = Extract<HookPlan, { kind: 'change' }>;

const good: readonly Outcome[] = ['written', 'unchanged'];

type Ready = () => Promise<void>;

/** HKI-9: plans each file, shows the difference, asks unless `--yes` was given, and writes. */
export async function changeFiles(
  call: Call,
  kit: HookKit,
  action: HookAction,
  scopes: readonly Scope[],
): Promise<ExitCode> {
  const results: FileResult[] = [];
  const ready = action === 'install' ? entryReady(kit) : () => Promise.resolve();
  for (const scope of scopes) results.push(await changeFile(call, kit, action, scope, ready));
  if (call.json) printJson(call, { results });
  return results.every(({ outcome }) => good.includes(outcome)) ? exitCodes.ok : exitCodes.failed;
}

/** HKI-4: hooks that stand in a file must find what they call. Once is enough. */
export function entryReady(kit: HookKit): Ready {
  let done: Promise<void> | undefined;
  const refresh = async () => {
    try {
      await kit.refresh();
    } catch (error) {
      const why = printable(String(error));
      throw new MascotError(
        exitCodes.failed,
        `what hooks call could not be copied to the home (${why}); nothing was written`,
      );
    }
  };
  return () => (done ??= refresh());
}

async function changeFile(
  call: Call,
  kit: HookKit,
  action: HookAction,
  scope: Scope,
  ready: Ready,
): Promise<FileResult> {
  const plan = await kit.installer.plan(action, scope);
  const { id, file, project } = scope;
  const base = { scope: id, file, ...(project === undefined ? {} : { project }), action } as const;
  switch (plan.kind) {
    case 'nothing':
      await ready();
      if (action === 'uninstall') await kit.forget({ ...base, made: false, format: scope.wanted.format, at: '' });
      say(call, [`Nothing to do: ${printable(file)} ${nothingWords[action]}`]);
      return { ...base, outcome: 'unchanged' };
    case 'refused': {
      const { reason, line, column } = plan.refusal;
      complain(call, refusedLines(scope, plan.refusal, lineAt(file, line)));
      return { ...base, outcome: 'refused', reason, line, column };
    }
    case 'unreadable':
      complain(call, [unreadableLine(scope, plan.why)]);
      return { ...base, outcome: 'unreadable', reason: plan.why };
    case 'change':
      return { ...base, ...(await confirmAndWrite(call, kit, plan, ready)) };
  }
}

const nothingWords: Readonly<Record<HookAction, string>> = {
  install: 'has all our hooks.',
  uninstall: 'has none of our hooks.',
};

type Confirmed = Pick<FileResult, 'outcome' | 'notes' | 'diff' | 'backup' | 'reason' | 'linkTarget'>;

async function confirmAndWrite(call: Call, kit: HookKit, plan: Change, ready: Ready): Promise<Confirmed> {
  const { scope, notes } = plan;
  const diff = unifiedDiff(plan.before, plan.after, scope.file);
  if (!call.args.has('yes')) {
    say(call, [diff.trimEnd(), ...noteLines(plan)]);
    const answer = await consent(call, scope.file);
    if (answer !== 'yes') {
      complain(call, [notWritten[answer]]);
      return { outcome: answer, notes, diff };
    }
  } else say(call, noteLines(plan));
  await ready();
  const written = await kit.installer.carryOut(plan);
  const lines = writtenLines(scope.file, written);
  if (written.kind === 'written') say(call, lines);
  else complain(call, lines);
  return {
    outcome: written.kind,
    notes,
    ...(written.kind === 'written' ? { backup: written.backup } : {}),
    ...(written.kind === 'failed' ? { reason: written.code, linkTarget: written.linkTarget } : {}),
  };
}

const notWritten = {
  'not-confirmed': 'Nothing was written: give --yes to write these changes.',
  declined: 'Nothing was written.',
} as const;

async function consent({ world, json }: Call, file: string): Promise<'yes' | 'declined' | 'not-confirmed'> {
  if (json || !world.terminal.isInteractive) return 'not-confirmed';
  const answer = await world.terminal.ask(`Write these changes to ${printable(file)}? [y/N] `);
  return /^\s*y(es)?\s*$/i.test(answer ?? '') ? 'yes' : 'declined';
}

function say({ json, world }: Call, lines: readonly string[]): void {
  if (!json && lines.length > 0) world.terminal.out(lines.join('\n'));
}

function complain({ json, world }: Call, lines: readonly string[]): void {
  if (!json) world.terminal.complain(lines.join('\n'));
}

function lineAt(file: string, line: number): string | undefined {
  try {
    const text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
    return text.split(/\r\n|\n|\r/)[line - 1];
  } catch {
    return undefined;
  }
}
