import { DEFAULT_PROVIDER, type ProviderId, type ProviderMarks, providerMarks } from '../src/protocol/providers.ts';
import { eventNameOf, textOf } from './payload.ts';
import type { Payload } from './payload.ts';

const known = Object.entries(providerMarks) as readonly (readonly [ProviderId, ProviderMarks])[];

/** Whose hook this is: the argument of the installed command, else the person's variable, else the payload's shape. */
export function providerOf(argument: string | undefined, variable: string | undefined, payload: Payload): ProviderId {
  return knownProvider(argument) ?? knownProvider(variable) ?? providerByShape(payload);
}

function knownProvider(name: string | undefined): ProviderId | undefined {
  return known.find(([id]) => id === name?.trim().toLowerCase())?.[0];
}

function providerByShape(payload: Payload): ProviderId {
  const path = (textOf(payload, 'transcript_path') ?? textOf(payload, 'transcriptPath') ?? '').replaceAll('\\', '/');
  const event = eventNameOf(payload);
  const has = (key: string) => textOf(payload, key) !== undefined;
  let found = DEFAULT_PROVIDER;
  for (const [id, marks] of known) {
    if (marks.transcript?.test(path) || marks.event?.test(event)) return id;
    if (marks.fits?.(payload, event, has)) found = id;
  }
  return found;
}
