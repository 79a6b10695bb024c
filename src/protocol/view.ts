import { z } from 'zod';
import type { Patch, Snapshot } from './state.ts';

/** How the panel is to be drawn; sent once with the first snapshot and again whenever it changes. */
export interface ViewConfig {
  /** `off` stops every animation; `auto` follows the system's and the editor's wish. */
  readonly motion: 'auto' | 'off';
  /** BCP 47, for numbers and durations. */
  readonly locale: string;
  /** Translated texts by key, with `{name}` places. */
  readonly strings: Readonly<Record<string, string>>;
  /** Hooks are installed somewhere; what is missing counts as not. */
  readonly installed?: boolean;
}

/** Where the shown state comes from; anything but `live` is told to the person. `off`: everything was removed. */
export type ViewSource = 'live' | 'connecting' | 'stopped' | 'off';

/** Host to panel. Whatever may get lost on the way is a snapshot, never a patch: a hidden panel gets a snapshot when it shows again. */
export type HostMessage =
  | { readonly type: 'config'; readonly config: ViewConfig }
  | { readonly type: 'snapshot'; readonly state: Snapshot; readonly source: ViewSource }
  | { readonly type: 'patch'; readonly patch: Patch }
  | { readonly type: 'select'; readonly agentId: string };

/** Panel to host. */
export const panelMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** The panel saw a gap in the revisions. */
  z.object({ type: z.literal('resync') }),
  z.object({ type: z.literal('installHooks') }),
  z.object({ type: z.literal('checkHooks') }),
  z.object({ type: z.literal('showLog') }),
  /** Why a session is shown as it is. */
  z.object({ type: z.literal('explain'), sessionId: z.string().min(1).max(500) }),
]);
export type PanelMessage = z.infer<typeof panelMessageSchema>;
