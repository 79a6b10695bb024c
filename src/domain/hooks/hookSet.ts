import type { JsonObject } from '../../protocol/json.ts';
import type { CommandPlace } from './command.ts';

/** How an agent lists hooks in its settings, under the key `hooks`. */
export interface HooksFormat {
  /** `grouped`: `hooks.<event>` lists groups, each with a list `hooks`; `flat`: it lists the hooks themselves. */
  readonly shape: 'grouped' | 'flat';
  /** The field of a hook with its command. */
  readonly commandKey: 'command' | 'bash';
  /** What a file that we make has beside `hooks`. */
  readonly head?: JsonObject;
}

/** One element that we add to the list of an event. */
export interface HookEntry {
  readonly event: string;
  /** In the form of the agent's settings: a group with one hook, or the hook. */
  readonly element: JsonObject;
}

export interface HookSet {
  readonly format: HooksFormat;
  readonly entries: readonly HookEntry[];
}

export interface HookSetRequest {
  readonly place: CommandPlace;
  /** HKI-7: every agent of this kind that is installed is known to pass over event names that it does not know. */
  readonly takesNewEvents: boolean;
}
