import { RELAY_SHELF } from '../../domain/relay/records.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { Clock } from '../ports.ts';
import type { Shelves } from '../shelfPorts.ts';

/** Beside messages and sessions; of no session. */
const KEY = 'on';

/** Since when the relay is on with the settings of now: only what came since may be caught up after a crash. */
export interface Standing {
  /** Whether it was on already when the last owner ended. */
  begin(isOn: boolean): boolean;
  changed(isOn: boolean): void;
  since(): string;
}

export function keepStanding(store: Shelves, clock: Pick<Clock, 'now'>): Standing {
  const shelf = store.shelf(RELAY_SHELF);
  const value = shelf.get(KEY)?.value;
  let since = isJsonObject(value) && typeof value['since'] === 'string' ? value['since'] : undefined;

  function changed(isOn: boolean): void {
    if (!isOn && since === undefined) return;
    since = isOn ? new Date(clock.now()).toISOString() : undefined;
    const put = since === undefined ? shelf.put([], [KEY]) : shelf.put([{ key: KEY, value: { since } }]);
    // Whoever can't write this can't write what waits, which says so.
    put.catch(() => undefined);
  }

  return {
    begin(isOn) {
      if (isOn && since !== undefined) return true;
      changed(isOn);
      return false;
    },
    changed,
    since: () => since ?? '',
  };
}
