import * as z from 'zod/mini';
import type { Patch, Snapshot } from './state.ts';
import type { Story } from './story.ts';

export const viewFilters = ['all', 'here'] as const;
/** `here`: only sessions in this window's folders. */
export type ViewFilter = (typeof viewFilters)[number];

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
  readonly filter?: ViewFilter;
  /** Hidden mascots are drawn too, so that they can be brought back. */
  readonly showHidden?: boolean;
  /** The window is in Restricted Mode. */
  readonly restricted?: boolean;
  /** Nobody has been met before: the first mascot is introduced. */
  readonly welcome?: boolean;
}

/** Where the shown state comes from; anything but `live` is told to the person. `off`: everything was removed. */
export type ViewSource = 'live' | 'connecting' | 'stopped' | 'off';

/** Host to panel. Whatever may get lost on the way is a snapshot, never a patch: a hidden panel gets a snapshot when it shows again. */
export type HostMessage =
  | { readonly type: 'config'; readonly config: ViewConfig }
  | { readonly type: 'snapshot'; readonly state: Snapshot; readonly source: ViewSource }
  | { readonly type: 'patch'; readonly patch: Patch }
  /** Sessions that the filter leaves out; none while all are shown. */
  | { readonly type: 'elsewhere'; readonly sessionIds: readonly string[] }
  /** Of the session whose card is open, again whenever it goes on. Null: it can't be told now. */
  | { readonly type: 'story'; readonly sessionId: string; readonly story: Story | null }
  /** `open`: with its card. */
  | { readonly type: 'select'; readonly agentId: string; readonly open?: boolean }
  /** A sound, once. */
  | { readonly type: 'chime' };

/** What the person can do with a mascot from its card or its menu. */
export const mascotActions = [
  'focusTerminal',
  'openConversation',
  'openTranscript',
  'rename',
  'pin',
  'unpin',
  'hide',
  'unhide',
  'copySessionId',
] as const;
export type MascotAction = (typeof mascotActions)[number];

const idSchema = z.string().check(z.minLength(1), z.maxLength(500));

/** Panel to host. */
export const panelMessageSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready') }),
  /** The panel saw a gap in the revisions. */
  z.object({ type: z.literal('resync') }),
  z.object({ type: z.literal('installHooks') }),
  z.object({ type: z.literal('checkHooks') }),
  z.object({ type: z.literal('showLog') }),
  /** Why a session is shown as it is. */
  z.object({ type: z.literal('explain'), sessionId: idSchema }),
  z.object({ type: z.literal('act'), action: z.enum(mascotActions), sessionId: idSchema, agentId: idSchema }),
  /** Whose card is open; null: none is. */
  z.object({ type: z.literal('story'), sessionId: z.nullable(idSchema) }),
  z.object({ type: z.literal('filter'), filter: z.enum(viewFilters) }),
  z.object({ type: z.literal('showHidden'), show: z.boolean() }),
  /** The introduction of the first mascot has been read. */
  z.object({ type: z.literal('met') }),
]);
export type PanelMessage = z.infer<typeof panelMessageSchema>;
