import * as z from 'zod/mini';
import { given } from '../../eventWords.ts';
import { hookRule, type HookRule } from '../provider.ts';
import { optionalText } from './fields.ts';

/** Events that are known and change nothing that we show: they are kept, by a name of our own, and are not `unknown`. */
const plain = {
  Setup: 'setup',
  UserPromptExpansion: 'user_prompt_expansion',
  // Comes before, between and after the events of its turn: no sign of work.
  MessageDisplay: 'message_display',
  PreModelSwitch: 'pre_model_switch',
  ConfigChange: 'config_change',
  // Where the session is now stands in every payload.
  CwdChanged: 'cwd_changed',
  FileChanged: 'file_changed',
  DirectoryAdded: 'directory_added',
  WorktreeCreate: 'worktree_create',
  WorktreeRemove: 'worktree_remove',
} as const;

export const plainHooks: Readonly<Record<string, HookRule>> = {
  ...Object.fromEntries(
    Object.entries(plain).map(([hook, name]) => [
      hook,
      hookRule(z.object({}), () => [
        { event_type: 'notification', severity: 'debug', payload: { notification_type: name } },
      ]),
    ]),
  ),
  // Not asked for by our own hooks: it fires once for each file, which would be a process for each.
  InstructionsLoaded: hookRule(
    z.object({ file_path: optionalText, memory_type: optionalText, load_reason: optionalText }),
    ({ file_path: file, memory_type, load_reason }) => [
      {
        event_type: 'instructions_loaded',
        severity: 'debug',
        payload: given({ file, memory_type, load_reason }),
      },
    ],
  ),
};
