import type { ScopeStanding } from '../../app/hooks/hookInstaller.ts';
import type { Refusal, Standing } from '../../domain/hooks/settingsEdit.ts';
import { hookPhrase } from './hookPhrases.ts';
import type { HookWord } from './hookWords.ts';

/** One word for what is in a scope's file now. */
export type StandingWord =
  'whole' | 'absent' | 'vanished' | 'partial' | 'outdated' | 'broken' | 'unreadable' | 'disabled';

const icons: Readonly<Record<StandingWord, string>> = {
  whole: '$(pass-filled)',
  absent: '$(circle-large-outline)',
  vanished: '$(warning)',
  partial: '$(warning)',
  outdated: '$(history)',
  broken: '$(error)',
  unreadable: '$(error)',
  disabled: '$(circle-slash)',
};

export function isRefusal(standing: Standing | Refusal): standing is Refusal {
  return 'reason' in standing;
}

export function standingWord({ content, standing, recorded }: ScopeStanding): StandingWord {
  if (content === 'unreadable') return 'unreadable';
  if (standing !== undefined && isRefusal(standing)) return 'broken';
  const state = standing?.state ?? 'absent';
  if (state === 'absent') return recorded ? 'vanished' : 'absent';
  return state === 'whole' && standing?.disabled === true ? 'disabled' : state;
}

export function standingPhrase(shown: ScopeStanding): string {
  const { standing, why } = shown;
  const word = standingWord(shown);
  const place = standing !== undefined && isRefusal(standing) ? { line: standing.line, column: standing.column } : {};
  return `${icons[word]} ${hookPhrase(`standing.${word}` satisfies HookWord, { why: why ?? '', ...place })}`;
}

/** Whether something of ours is or was there, so that there is something to uninstall. */
export function hasOurs(shown: ScopeStanding): boolean {
  return shown.recorded || !['absent', 'broken', 'unreadable'].includes(standingWord(shown));
}

/** Whether "Repair Hooks" has something to do there. A broken file counts only where we installed once. */
export function needsRepair(shown: ScopeStanding): boolean {
  const word = standingWord(shown);
  return ['partial', 'outdated', 'vanished'].includes(word) || (word === 'broken' && shown.recorded);
}
