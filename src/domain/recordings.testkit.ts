import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent } from '../protocol/event.ts';
import { providerIds } from '../protocol/providers.ts';
import { isJsonObject, type Json, type JsonObject } from '../protocol/json.ts';
import { normalize } from './normalize.ts';
import { readHook } from './readHook.ts';

export const recordingsFolder = path.join(import.meta.dirname, '../../test/recordings');

export interface RecordedHook {
  readonly atMs: number;
  readonly event: string;
  readonly payload: JsonObject;
}

export interface Recording {
  /** Its path below test/recordings; the first folder is the provider. */
  readonly name: string;
  readonly hooks: readonly RecordedHook[];
}

/** Every recording of hooks from real agents. */
export function recordings(): readonly Recording[] {
  return readdirSync(recordingsFolder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.jsonl') && !name.includes('/transcripts/'))
    .sort()
    .map(recording);
}

export function recording(name: string): Recording {
  return { name, hooks: hooksIn(path.join(recordingsFolder, name)) };
}

interface Line {
  readonly t_ms?: number;
  readonly dt_ms?: number;
  readonly event?: string;
  readonly stdin?: Json;
}

/** Lines without a payload are notes on what the person did, and calls that are no hooks. */
function hooksIn(file: string): readonly RecordedHook[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Line)
    .flatMap(({ t_ms: t, dt_ms: dt, event, stdin }) =>
      event !== undefined && isJsonObject(stdin) ? [{ atMs: t ?? dt ?? 0, event, payload: stdin }] : [],
    );
}

const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');

/** The moment of a recording's millisecond, in the replays. */
export function momentOf(atMs: number): string {
  return new Date(BEGIN + atMs).toISOString();
}

export function providerOf({ name }: Recording) {
  return providerIds.find((id) => name.startsWith(`${id}/`));
}

/** The events of each hook of a recording, each at its recorded moment; none of a hook that came before in another form (NRM-7). */
export function eventsOfHooks(recorded: Recording): readonly (readonly AgentEvent[])[] {
  const provider = providerOf(recorded);
  const seen = new Set<string>();
  return recorded.hooks.map(({ atMs, event, payload }, index) => {
    const at = momentOf(atMs);
    const meta = {
      delivery_id: `delivery-${index}`,
      collected_at: at,
      provider: provider ?? installedFor(event),
      event: plainName(event),
    };
    const read = readHook({ ...payload, _meta: meta }, provider);
    if (!read.ok) throw new Error(`${recorded.name} ${atMs}: ${read.error}`);
    const { events, keys } = normalize(read.hook, { receivedAt: at, project: { path: '/home/dev/project' } });
    const isNew = keys.every((key) => !seen.has(key));
    for (const key of keys) seen.add(key);
    return isNew ? events : [];
  });
}

/** The program that the installed command named in recordings of `dialects`, whichever program ran it. */
function installedFor(event: string): string {
  return event.startsWith('claude:') ? 'claude' : 'copilot';
}

/** Copilot's hooks were recorded under both forms of their names; `P:` marks the Pascal ones, `claude:` those of Claude's settings. */
function plainName(event: string): string {
  return event.replace(/^(?:P|claude):/, '');
}

export function eventsOf(recorded: Recording): readonly AgentEvent[] {
  return eventsOfHooks(recorded).flat();
}
