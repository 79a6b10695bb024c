import type { HookRule } from '../provider.ts';
import { agentHooks } from './agentHooks.ts';
import { plainHooks } from './plainHooks.ts';
import { sessionHooks } from './sessionHooks.ts';
import { taskHooks } from './taskHooks.ts';
import { toolHooks } from './toolHooks.ts';

/** Every event that 2.1.327 knows, in the words of that version: payloads of older ones come through `upgrade` first. */
export const claudeHooks: Readonly<Record<string, HookRule>> = {
  ...sessionHooks,
  ...toolHooks,
  ...agentHooks,
  ...taskHooks,
  ...plainHooks,
};
