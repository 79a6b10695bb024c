import { lastPart } from '../../domain/folders.ts';
import type { GuardGap } from '../../protocol/state.ts';
import type { TrackingMode } from '../../protocol/work.ts';
import { agentText } from '../agentText.ts';
import { phraseFor } from '../phrases.ts';

/** GRD-3: calmly, for nobody did anything wrong. Undefined: there is nothing to say. */
export function gapText(gaps: readonly GuardGap[], moment: (ts: string) => string): string | undefined {
  if (gaps.length === 0) return undefined;
  const count = gaps.reduce((sum, gap) => sum + gap.count, 0);
  const last = gaps.reduce((latest, { lastAt }) => (lastAt > latest ? lastAt : latest), '');
  return phraseFor(count === 1 ? 'guard.gap' : 'guard.gaps', { count, time: moment(last) });
}

export interface FolderMode {
  readonly project: string;
  readonly mode: TrackingMode;
}

/** What edits in this window's projects are held to; empty where they are held to nothing. */
export function guardText(modes: readonly FolderMode[]): string {
  // What matters comes first: there is room for a word.
  const held = (['strict', 'warn'] as const).flatMap((mode) => {
    const projects = modes.filter((each) => each.mode === mode).map(({ project }) => agentText(lastPart(project)));
    if (projects.length === 0) return [];
    const word = phraseFor(`guard.${mode}`);
    return projects.length === modes.length ? [word] : [`${word} (${projects.join(', ')})`];
  });
  return held.join(', ');
}
