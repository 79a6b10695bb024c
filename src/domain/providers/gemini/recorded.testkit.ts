import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentEvent } from '../../../protocol/event.ts';
import type { HookEnvelope } from '../../../protocol/hook.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import type { SessionState } from '../../../protocol/stored.ts';
import type { ProviderId } from '../../../protocol/providers.ts';
import { normalize } from '../../normalize.ts';
import { readHook } from '../../readHook.ts';
import { momentOf, recording, recordings, type RecordedHook, recordingsFolder } from '../../recordings.testkit.ts';
import { reduceSession } from '../../reduce.ts';
import type { EventDraft, Provider } from '../provider.ts';
import type { TranscriptFact } from '../transcript.ts';

/** The names of a program's recordings, without their ending. */
export function recordedNames(provider: ProviderId): readonly string[] {
  const names = recordings().filter(({ name }) => name.startsWith(`${provider}/`));
  return names.map(({ name }) => path.basename(name, '.jsonl'));
}

export function recorded(provider: ProviderId, name: string): readonly RecordedHook[] {
  return recording(`${provider}/${name}.jsonl`).hooks;
}

export function linesOf(file: string): readonly JsonObject[] {
  const lines = readFileSync(path.join(recordingsFolder, file), 'utf8').split('\n');
  return lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as JsonObject);
}

/** As a forwarder hands it in that was not told the hook's name; `told` is what it was told of whose hook it is. */
export function hookOf({ payload, atMs }: RecordedHook, index: number, told?: ProviderId): HookEnvelope {
  const read = readHook({
    ...payload,
    _meta: {
      delivery_id: `delivery-${index}`,
      collected_at: momentOf(atMs),
      ...(told === undefined ? {} : { provider: told }),
    },
  });
  if (!read.ok) throw new Error(read.error);
  return read.hook;
}

export function eventsOf(provider: ProviderId, hooks: readonly RecordedHook[]): readonly AgentEvent[] {
  return hooks.flatMap((hook, index) => {
    const receivedAt = momentOf(hook.atMs);
    return normalize(hookOf(hook, index, provider), { receivedAt, project: { path: '/home/dev/project' } }).events;
  });
}

export interface Played {
  /** Phase after phase; with the tool while something waits, and the session's life once it is over. */
  readonly phases: readonly string[];
  readonly state: SessionState;
}

/** A recording through the reducer: what each of its sessions went through, in order of appearance. */
export function played(provider: ProviderId, name: string): readonly Played[] {
  const sessions = new Map<string, Played>();
  for (const event of eventsOf(provider, recorded(provider, name))) {
    const before = sessions.get(event.session_id);
    const state = reduceSession(before?.state, event);
    const phases = before?.phases ?? [];
    const word = wordFor(state);
    sessions.set(event.session_id, { state, phases: phases.at(-1) === word ? phases : [...phases, word] });
  }
  return [...sessions.values()];
}

function wordFor({ session }: SessionState): string {
  if (session.state !== 'active') return session.state;
  const tool = session.phase?.startsWith('waiting') ? [session.phaseBecause?.tool ?? '?'] : [];
  return [session.phase ?? 'none', ...tool].join(' ');
}

/** What a provider makes of one payload, as `normalize` asks it. */
export function draftsOf(provider: Provider, hook: string, payload: JsonObject): readonly EventDraft[] {
  const rule = provider.hooks[hook];
  if (!rule) throw new Error(`no rule for ${hook}`);
  return rule.read(provider.upgrade?.(payload) ?? payload);
}

/** A transcript's facts without their times, absent fields left out. */
export function factsOf(provider: Provider, file: string): readonly Omit<TranscriptFact, 'ts'>[] {
  const facts = linesOf(file).flatMap((line) => provider.transcript?.facts(line) ?? []);
  return facts.map((fact) => {
    const told = Object.entries(fact).filter(([key, value]) => key !== 'ts' && value !== undefined);
    return Object.fromEntries(told) as Omit<TranscriptFact, 'ts'>;
  });
}
