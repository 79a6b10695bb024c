import * as vscode from 'vscode';
import type { Delivery } from '../../protocol/relay.ts';
import { moments, type PersonsTime } from '../moment.ts';
import { deliveryWords } from './deliveryWords.ts';

/** A tooltip has room for these. */
const LINES_MAX = 5;

/** RLY-1: what a chat was told of a session, the newest last; each a line. */
export function deliveryLines(deliveries: readonly Delivery[], when: PersonsTime): readonly string[] {
  const telling = { l10n: vscode.l10n, moment: moments(when) };
  return deliveries.slice(-LINES_MAX).map((delivery) => deliveryWords(delivery, telling));
}
