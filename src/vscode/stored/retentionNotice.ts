import * as vscode from 'vscode';
import type { Clock, Disposable, Log } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import type { PlannedRetention } from '../../protocol/reading.ts';
import { RETENTION_DAYS_MAX } from '../../protocol/settings.ts';
import { commandIds, configSection } from '../ids.ts';
import { phraseFor } from '../phrases.ts';

export interface RetentionNoticeParts {
  readonly collector: Pick<Collector, 'stored'>;
  readonly clock: Pick<Clock, 'after'>;
  /** Shared by all windows, so that each plan is shown once. */
  readonly memory: Pick<vscode.Memento, 'get' | 'update'>;
  readonly log: Pick<Log, 'debug'>;
}

/** Shortly after retention's first run, and as often as it runs. */
const FIRST_AFTER_MS = 2 * 60_000;
const EVERY_MS = 60 * 60_000;

const SHOWN_KEY = 'retention.told';

/** STO-5: shows what retention will delete, and lets the person keep it. */
export function watchPlannedRetention(parts: RetentionNoticeParts): Disposable {
  const { collector, clock, memory, log } = parts;
  let timer = clock.after(FIRST_AFTER_MS, look);

  function look(): void {
    timer = clock.after(EVERY_MS, look);
    showNews().catch((error: unknown) => log.debug(`Planned retention could not be shown: ${String(error)}`));
  }

  async function showNews(): Promise<void> {
    // Only the focused window shows the notice.
    if (!vscode.window.state.focused) return;
    const planned = (await collector.stored())?.retentionPlanned ?? [];
    const shown = memory.get<readonly string[]>(SHOWN_KEY, []);
    const news = planned.filter((plan) => !shown.includes(idOf(plan)));
    if (news.length === 0) return;
    await memory.update(SHOWN_KEY, planned.map(idOf));
    for (const plan of news) void show(plan);
  }

  return { dispose: () => timer.dispose() };
}

function idOf({ why, since }: PlannedRetention): string {
  return `${why} ${since}`;
}

export function plannedSentence({ why, sessions, of, inHours }: PlannedRetention): string {
  return phraseFor(`retention.planned.${why}`, { sessions, of, hours: inHours });
}

async function show(plan: PlannedRetention): Promise<void> {
  const [keep, settings, showStored] = [
    phraseFor('retention.keep'),
    phraseFor('retention.settings'),
    phraseFor('retention.show'),
  ];
  // Keeping days is harmless; more disk space is the person's decision, in the settings.
  const buttons = plan.why === 'age' ? [keep, settings, showStored] : [settings, showStored];
  const choice = await vscode.window.showWarningMessage(plannedSentence(plan), ...buttons);
  if (choice === showStored) await vscode.commands.executeCommand(commandIds.showStored);
  if (choice === settings)
    await vscode.commands.executeCommand('workbench.action.openSettings', `${configSection}.retention`);
  if (choice === keep)
    await vscode.workspace
      .getConfiguration(configSection)
      .update('retention.days', RETENTION_DAYS_MAX, vscode.ConfigurationTarget.Global);
}
