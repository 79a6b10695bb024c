import * as vscode from 'vscode';
import type { Clock, Disposable, Log, StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { foldersOfThisWindow } from '../thisWindow.ts';
import { configSection } from '../ids.ts';
import type { FolderMode } from './guardWords.ts';

export interface GuardStandingParts {
  readonly source: Pick<StateSource, 'snapshot' | 'status' | 'onChange'>;
  readonly collector: Pick<Collector, 'tracking'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

export interface GuardStanding extends Disposable {
  /** Of the projects that this window's folders belong to, each once. */
  modes(): readonly FolderMode[];
  /** Something was told that it may depend on. */
  again(): void;
  readonly onChange: (listener: () => void) => Disposable;
}

/** Whoever collects looks twice a second for what was told. */
const CALM_MS = 1_500;

/**
 * GRD-2: what edits are held to here, by the word of whoever judges them: the settings of this window are not the only ones, and
 * what a project was given once holds without a window too.
 */
export function createGuardStanding({ source, collector, clock, log }: GuardStandingParts): GuardStanding {
  const changed = new vscode.EventEmitter<void>();
  let modes: readonly FolderMode[] = [];
  let asked = 0;
  let calm: Disposable | undefined;
  let judge = judgeOf(source);

  async function ask(): Promise<void> {
    calm = undefined;
    const mine = ++asked;
    const found = source.status() === 'live' ? await Promise.all(foldersOfThisWindow().map(modeOf)) : [];
    // Whoever was slower has older news.
    if (mine !== asked) return;
    const now = [...new Map(found.flatMap((each) => (each ? [[each.project, each] as const] : []))).values()];
    if (JSON.stringify(now) === JSON.stringify(modes)) return;
    modes = now;
    changed.fire();
  }

  async function modeOf(folder: string): Promise<FolderMode | undefined> {
    const told = await collector.tracking(folder);
    return told && { project: told.project, mode: told.mode };
  }

  function again(): void {
    calm?.dispose();
    calm = clock.after(CALM_MS, () => void ask().catch((error: unknown) => log.warn(String(error))));
  }

  const watching = vscode.Disposable.from(
    changed,
    vscode.workspace.onDidChangeWorkspaceFolders(again),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${configSection}.tracking`)) again();
    }),
    source.onChange(() => {
      const now = judgeOf(source);
      if (now === judge) return;
      judge = now;
      again();
    }),
  );
  again();
  return {
    modes: () => modes,
    again,
    onChange: changed.event,
    dispose() {
      asked++;
      calm?.dispose();
      watching.dispose();
    },
  };
}

function judgeOf(source: Pick<StateSource, 'snapshot' | 'status'>): string {
  return `${source.status()} ${source.snapshot().owner?.instance ?? ''}`;
}
