import { relayQuietHours } from '../../protocol/relay.ts';

const DAY = 24 * 60;
const MINUTE_MS = 60_000;

/** Minutes of the local day; it may go over midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

/** Undefined: there are none. */
export function readQuietHours(text: string): QuietHours | undefined {
  const [, fromHour, fromMinute, toHour, toMinute] = relayQuietHours.exec(text) ?? [];
  if (fromHour === undefined) return undefined;
  const [from, to] = [Number(fromHour) * 60 + Number(fromMinute), Number(toHour) * 60 + Number(toMinute)];
  return from === to ? undefined : { from, to };
}

/** How long ago it was quiet last; what was said then could be sent no sooner. */
export function sinceQuietMs({ to }: QuietHours, localMinute: number): number {
  return ((localMinute - to + DAY) % DAY) * MINUTE_MS;
}

/** For how long it is quiet still; 0: it is not. */
export function quietForMs({ from, to }: QuietHours, localMinute: number): number {
  const since = (localMinute - from + DAY) % DAY;
  const length = (to - from + DAY) % DAY;
  return since < length ? (length - since) * MINUTE_MS : 0;
}
