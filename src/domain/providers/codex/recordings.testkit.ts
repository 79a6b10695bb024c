import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { hookEnvelopeSchema } from '../../../protocol/hook.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { normalize } from '../../normalize.ts';

const folder = path.join(import.meta.dirname, '../../../../test/recordings/codex');

function linesOf(file: string): readonly JsonObject[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as JsonObject);
}

function namesIn(where: string): readonly string[] {
  return readdirSync(where)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => name.slice(0, -'.jsonl'.length))
    .sort();
}

export const hookRecordings = namesIn(folder);
export const rollouts = namesIn(path.join(folder, 'transcripts'));

export function rollout(name: string): readonly JsonObject[] {
  return linesOf(path.join(folder, 'transcripts', `${name}.jsonl`));
}

interface Recorded {
  readonly dt_ms: number;
  readonly stdin?: JsonObject | '';
}

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');

/** The events of a recording's hooks, each at its recorded moment; the legacy notify program gets no payload. */
export function eventsOf(name: string) {
  const recorded = linesOf(path.join(folder, `${name}.jsonl`)) as unknown as readonly Recorded[];
  return recorded.flatMap(({ dt_ms, stdin }, index) => {
    if (!stdin) return [];
    const receivedAt = new Date(BEGIN + dt_ms).toISOString();
    const _meta = { delivery_id: `delivery-${index}`, collected_at: receivedAt, provider: 'codex' };
    const envelope = hookEnvelopeSchema.parse({ ...stdin, _meta });
    return normalize(envelope, { receivedAt, project: undefined }).events;
  });
}
