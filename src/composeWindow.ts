import type { Log } from './app/ports.ts';
import type { Collector, Machine, TrackingNotes, Windows } from './app/windowPorts.ts';
import { createCollectorQuestions } from './node/cluster/collectorQuestions.ts';
import type { Home } from './node/machine/home.ts';
import { thisMachine } from './node/machine/thisMachine.ts';
import { createProjects } from './node/machine/projects.ts';
import { createTrackingNotes } from './node/machine/trackingFile.ts';
import { createWindows } from './node/machine/windows.ts';

/** What a window needs of the machine, and of whoever collects. */
export function composeWindow(
  home: Home,
  app: string,
  log: Pick<Log, 'debug' | 'warn'>,
): {
  readonly collector: Collector;
  readonly windows: Windows;
  readonly machine: Machine;
  readonly trackingNotes: TrackingNotes;
} {
  return {
    collector: createCollectorQuestions(home),
    windows: createWindows({ folder: home.windows, app, log }),
    machine: thisMachine(),
    trackingNotes: createTrackingNotes(home, createProjects(), log),
  };
}
