import type { MascotAction } from '../../protocol/view.ts';
import { commandIds } from '../ids.ts';

/** What the panel asks for, as the command that does it. */
export const actionCommands = {
  focusTerminal: commandIds.focusTerminal,
  openConversation: commandIds.openConversation,
  openTranscript: commandIds.openTranscript,
  rename: commandIds.renameMascot,
  pin: commandIds.pinMascot,
  unpin: commandIds.unpinMascot,
  hide: commandIds.hideMascot,
  unhide: commandIds.unhideMascot,
  copySessionId: commandIds.copySessionId,
} as const satisfies Record<MascotAction, string>;
