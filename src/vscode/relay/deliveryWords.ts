import { plainMarkdown } from '../../domain/markdownText.ts';
import type { Delivery } from '../../protocol/relay.ts';
import type { Translator } from '../stepWords.ts';
import { relayPhrases } from './relayWords.ts';

export interface DeliveryTelling {
  readonly l10n: Translator;
  moment(ts: string): string;
}

/** RLY-1: what became of something that a chat was to be told, in a line that says what it was. */
export function deliveryWords(delivery: Delivery, telling: DeliveryTelling): string {
  const { l10n } = telling;
  const kind = l10n.t(relayPhrases[`kind.${delivery.kind}`]);
  return l10n.t(relayPhrases[`delivery.${formOf(delivery)}`], { kind, ...placesOf(delivery, telling) });
}

/** The same where what it was stands above it. */
export function receiptWords(delivery: Delivery, telling: DeliveryTelling): string {
  return telling.l10n.t(relayPhrases[`receipt.${formOf(delivery)}`], placesOf(delivery, telling));
}

function formOf({ state, why }: Delivery): Delivery['state'] | 'held' {
  return state === 'waiting' && why !== undefined ? 'held' : state;
}

function placesOf({ at, when, why = '' }: Delivery, { l10n, moment }: DeliveryTelling) {
  return { time: moment(when ?? at), why: whyWords(why, l10n) };
}

/** An owner of another version may name a reason that is not known here. */
export function whyWords(why: string, l10n: Translator, detail = ''): string {
  const key = `why.${why}`;
  return Object.hasOwn(relayPhrases, key)
    ? l10n.t(relayPhrases[key as keyof typeof relayPhrases], { detail })
    : plainMarkdown(why);
}
