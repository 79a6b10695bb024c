import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { hookEnvelopeSchema } from '../protocol/hook.ts';
import type { JsonObject } from '../protocol/json.ts';
import { normalize } from './normalize.ts';

const folder = path.join(import.meta.dirname, '../../test/recordings');

export interface RecordedHook {
  readonly atMs: number;
  readonly event: string;
  readonly payload: JsonObject;
}

export interface Recording {
  readonly name: string;
  readonly hooks: readonly RecordedHook[];
}

/** Everything that was recorded from real agents, by its path below test/recordings. */
export function recordings(): readonly Recording[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .sort()
    .map((name) => ({ name, hooks: hooksIn(path.join(folder, name)) }));
}

export function recording(name: string): Recording {
  return { name, hooks: hooksIn(path.join(folder, name)) };
}

function hooksIn(file: string): readonly RecordedHook[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as { t_ms: number; event?: string; stdin?: JsonObject })
    .filter((line): line is { t_ms: number; event: string; stdin: JsonObject } => line.stdin !== undefined)
    .map((line) => ({ atMs: line.t_ms, event: line.event, payload: line.stdin }));
}

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');

/** The events of a recording, each at its recorded moment. */
export function eventsOf({ hooks }: Recording) {
  return hooks.flatMap(({ atMs, payload }, index) => {
    const at = new Date(BEGIN + atMs).toISOString();
    const envelope = hookEnvelopeSchema.parse({
      ...payload,
      _meta: { delivery_id: `delivery-${index}`, collected_at: at, provider: 'claude' },
    });
    return normalize(envelope, { receivedAt: at, project: { path: '/home/dev/project' } }).events;
  });
}
