import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { fitPayload } from '../../../forwarder/cut.ts';
import { readVariables, toldNames, type Variables } from '../../../forwarder/environment.ts';
import { buildMeta } from '../../../forwarder/meta.ts';
import { findOrigin, type Origin } from '../../../forwarder/origin.ts';
import { parseObject, type Payload, startsSession } from '../../../forwarder/payload.ts';
import { handOverId, type HandOver } from '../../protocol/handOver.ts';
import { STRING_MAX_BYTES } from '../../protocol/limits.ts';
import { eventAtStart } from './payloadStart.ts';
import { unbegun } from './spoolBegun.ts';

/** The kernel tells starts and the moment of the boot by seconds and hundredths of them. */
const START_TOLERANCE_MS = 2_000;

export interface Made {
  /** The file's name, with the dot or without. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly made: number;
}

export interface Place {
  readonly platform: string;
  readonly host: string;
}

const here: Place = { platform: process.platform, host: hostname() };

/**
 * A hook that the entry handed over, as the forwarder would have sent it: the body of `/ingest`. Undefined: its payload is no
 * JSON object.
 */
export async function completed(handOver: HandOver, made: Made, place: Place = here): Promise<unknown> {
  const payload = parseObject(handOver.payload);
  if (!payload) return undefined;
  const body = await bodyOf(payload, handOver.head, made, place);
  // FWD-9. A text that is shorter in all than one string may be can have nothing to cut.
  return handOver.payload.length > STRING_MAX_BYTES / 3 ? parseObject(fitPayload(body)) : body;
}

/** The same as JSON, for who hands it on: of at most BODY_MAX_BYTES, whatever the payload. */
export async function completedText(handOver: HandOver, made: Made, place: Place = here): Promise<string | undefined> {
  const payload = parseObject(handOver.payload);
  return payload ? fitPayload(await bodyOf(payload, handOver.head, made, place)) : undefined;
}

/** Of one whose payload is left alone: what its beginning and its head tell. Undefined: not whose event it is. */
export async function completedStart(
  { head, payload: text }: HandOver,
  bytes: number,
  made: Made,
  place: Place = here,
): Promise<unknown> {
  const payload = eventAtStart(text, bytes);
  return payload && bodyOf(payload, head, made, place);
}

async function bodyOf(payload: Payload, head: HandOver['head'], { name, made }: Made, place: Place): Promise<Payload> {
  const variables = readVariables(head, toldNames);
  const meta = buildMeta(
    payload,
    variables,
    await originOf(head, variables, made, place),
    {
      id: handOverId(unbegun(name), made),
      collectedAt: new Date(made).toISOString(),
      providerArgument: head['provider'],
      eventArgument: head['event'],
      cwd: head['cwd'],
      host: head['host'] ?? (namesItself(place) ? undefined : place.host),
    },
    startsSession(payload) ? sha256 : undefined,
  );
  return { ...payload, _meta: meta };
}

/** A pid means something only where it was given: in a container that shares the home it is another's. */
async function originOf(head: HandOver['head'], variables: Variables, made: number, place: Place): Promise<Origin> {
  const nobody: Origin = { ancestors: [] };
  const parent = Number(head['ppid']);
  if (!Number.isSafeInteger(parent) || parent <= 0 || !isFromHere(head, place)) return nobody;
  // What the shells of Windows call a pid is their own count.
  if (place.platform === 'win32') return nobody;
  const origin = await findOrigin(
    { platform: place.platform, parent, bornBefore: made + START_TOLERANCE_MS },
    variables,
    false,
  );
  return origin.ancestors.length > 0 ? origin : nobody;
}

export function isFromHere(head: HandOver['head'], place: Place = here): boolean {
  return head['host'] === undefined ? !namesItself(place) : head['host'] === place.host;
}

/** Where a shell always finds the host's name, one that told none was in some odd place. */
function namesItself({ platform }: Place): boolean {
  return platform === 'linux';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
