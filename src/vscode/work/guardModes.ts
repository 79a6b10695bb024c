import * as vscode from 'vscode';
import type { Clock, Disposable, Log, StateSource } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { lastPart } from '../../domain/folders.ts';
import type { GuardGap } from '../../protocol/state.ts';
import type { TrackingMode } from '../../protocol/work.ts';
import { agentText } from '../agentText.ts';
import { configSection } from '../ids.ts';
import { phraseFor } from '../phrases.ts';
import { foldersOfThisWindow } from '../thisWindow.ts';

export interface GuardModesParts {
  readonly source: Pick<StateSource, 'snapshot' | 'status' | 'onChange'>;
  readonly collector: Pick<Collector, 'tracking'>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

/** To what the guard holds edits in a project. */
export interface ProjectMode {
  readonly project: string;
  readonly mode: TrackingMode;
}

/** The collector looks twice a second for changed rules. */
const CALM_MS = 1_500;

/**
 * GRD-2: to what the guard holds edits in this window's projects, as the collector says it. The settings of this window are not
 * enough: another window may have set a rule, and a project's rule holds without a window too.
 */
export class GuardModes implements Disposable {
  readonly #parts: GuardModesParts;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #watching: Disposable;
  readonly onChange = this.#changed.event;
  #modes: readonly ProjectMode[] = [];
  /** Rises with each request, so that a slower, earlier answer is dropped. */
  #request = 0;
  #calm: Disposable | undefined;
  #collector: string;

  constructor(parts: GuardModesParts) {
    const { source } = parts;
    this.#parts = parts;
    this.#collector = collectorMark(source);
    this.#watching = vscode.Disposable.from(
      this.#changed,
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${configSection}.tracking`)) this.refresh();
      }),
      source.onChange(() => {
        const now = collectorMark(source);
        if (now === this.#collector) return;
        this.#collector = now;
        this.refresh();
      }),
    );
    this.refresh();
  }

  /** Each project of this window's folders once; empty until the collector has answered. */
  modes(): readonly ProjectMode[] {
    return this.#modes;
  }

  /** Asks the collector again, after a pause. */
  refresh(): void {
    const { clock, log } = this.#parts;
    this.#calm?.dispose();
    this.#calm = clock.after(CALM_MS, () => void this.#ask().catch((error: unknown) => log.warn(String(error))));
  }

  dispose(): void {
    this.#request++;
    this.#calm?.dispose();
    this.#watching.dispose();
  }

  async #ask(): Promise<void> {
    this.#calm = undefined;
    const request = ++this.#request;
    const isLive = this.#parts.source.status() === 'live';
    const found = isLive ? await Promise.all(foldersOfThisWindow().map((folder) => this.#modeOf(folder))) : [];
    if (request !== this.#request) return;
    const now = [...new Map(found.flatMap((each) => (each ? [[each.project, each] as const] : []))).values()];
    if (JSON.stringify(now) === JSON.stringify(this.#modes)) return;
    this.#modes = now;
    this.#changed.fire();
  }

  async #modeOf(folder: string): Promise<ProjectMode | undefined> {
    const found = await this.#parts.collector.tracking(folder);
    return found && { project: found.project, mode: found.mode };
  }
}

/** Changes when another collector answers. */
function collectorMark(source: Pick<StateSource, 'snapshot' | 'status'>): string {
  return `${source.status()} ${source.snapshot().owner?.instance ?? ''}`;
}

/** The modes in words; empty if edits are held to nothing. */
export function guardText(modes: readonly ProjectMode[]): string {
  // The stricter mode comes first, because there is room for a word only.
  const held = (['strict', 'warn'] as const).flatMap((mode) => {
    const projects = modes.filter((each) => each.mode === mode).map(({ project }) => agentText(lastPart(project)));
    if (projects.length === 0) return [];
    const word = phraseFor(`guard.${mode}`);
    return projects.length === modes.length ? [word] : [`${word} (${projects.join(', ')})`];
  });
  return held.join(', ');
}

/** GRD-3: says for how many edits the guard could not be asked; `undefined` for none. It is no warning: nobody did anything wrong. */
export function gapText(gaps: readonly GuardGap[], moment: (ts: string) => string): string | undefined {
  if (gaps.length === 0) return undefined;
  const count = gaps.reduce((sum, gap) => sum + gap.count, 0);
  const last = gaps.reduce((latest, { lastAt }) => (lastAt > latest ? lastAt : latest), '');
  return phraseFor(count === 1 ? 'guard.gap' : 'guard.gaps', { count, time: moment(last) });
}
