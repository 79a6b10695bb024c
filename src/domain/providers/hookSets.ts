import type { HookedId } from '../../protocol/providers.ts';
import type { HookSet, HookSetRequest } from '../hooks/hookSet.ts';
import { claudeHookSet } from './claude/hookSet.ts';
import { codexHookSet } from './codex/hookSet.ts';
import { copilotHookSet } from './copilot/hookSet.ts';
import { geminiHookSet } from './gemini/hookSet.ts';

/** The hooks that each provider gets. Apart from `registry.ts`, so that a small program can install hooks without reading any. */
export const hookSets: Readonly<Record<HookedId, (request: HookSetRequest) => HookSet>> = {
  claude: claudeHookSet,
  codex: codexHookSet,
  gemini: geminiHookSet,
  copilot: copilotHookSet,
};
