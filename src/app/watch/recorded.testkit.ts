import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { standingOf } from '../../domain/golden.testkit.ts';
import { providerFor } from '../../domain/providers/registry.ts';
import { readHook } from '../../domain/readHook.ts';
import { providerOf, type Recording, recordingsFolder } from '../../domain/recordings.testkit.ts';
import { factsInLine } from '../../domain/transcript/read.ts';
import { setUpWatch, START } from './watch.testkit.ts';

export interface RecordedTranscript {
  /** Below the provider's `transcripts` folder. */
  readonly file: string;
  /** The sub-agent that wrote it; absent: the main agent. */
  readonly agentId?: string;
}

interface Step {
  readonly at: number;
  run(): Promise<void> | void;
}

/** A recording's hooks and its transcripts, told in the order and at the times of the recording. */
export async function playBoth(recording: Recording, transcripts: readonly RecordedTranscript[]) {
  const lab = setUpWatch();
  const provider = providerOf(recording);
  const first = recording.hooks.find(({ payload }) => typeof payload['transcript_path'] === 'string');
  const timelines = new Map<string, string[]>();
  const steps: Step[] = recording.hooks.map(({ atMs, event, payload }, index) => ({
    at: atMs,
    async run() {
      const collected_at = new Date(START + atMs).toISOString();
      const meta = {
        delivery_id: `d${index}`,
        collected_at,
        event: event.replace(/^P:/, ''),
        provider: provider ?? 'claude',
        host: 'here',
      };
      const read = readHook({ ...payload, _meta: meta }, provider);
      if (read.ok) await lab.pipeline.ingest(read.hook);
    },
  }));
  for (const each of transcripts) {
    const main = String(first?.payload['transcript_path'] ?? '');
    const own =
      each.agentId === undefined ? main : providerFor(provider ?? '').files?.agentTranscript(main, each.agentId);
    const lines = linesOf(path.join(recordingsFolder, provider ?? '', 'transcripts', each.file));
    const offset = offsetOf(recording, transcripts, lines);
    for (const [ts, group] of atOnce(lines)) {
      steps.push({
        at: ts - offset,
        run: () => lab.sources.write(own ?? main, ...group.map((line) => shifted(line, offset))),
      });
    }
  }
  for (const { at, run } of steps.toSorted((a, b) => a.at - b.at)) {
    const wait = START + at - lab.clock.now();
    if (wait > 0) await lab.pass(wait);
    await run();
    await lab.rest();
    for (const id of lab.hub.sessionIds()) {
      const state = lab.hub.state(id);
      const timeline = timelines.get(id) ?? [];
      timelines.set(id, timeline);
      if (!state) continue;
      const standing = standingOf(state);
      if (timeline.at(-1)?.replace(/^\d+ /, '') !== standing) timeline.push(`${Math.round(at)} ${standing}`);
    }
  }
  await lab.pass(5_000);
  return { lab, timelines };
}

interface Line {
  readonly line: object;
  readonly ts: number;
}

/** Lines without a time of their own stand with the one before. */
function linesOf(file: string): readonly Line[] {
  if (!existsSync(file)) throw new Error(`no transcript ${file}`);
  let ts: number | undefined;
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const entry = JSON.parse(line) as { timestamp?: string };
      ts = entry.timestamp === undefined ? ts : Date.parse(entry.timestamp);
      return { line: entry, ts };
    });
  const begin = lines.find((each) => each.ts !== undefined)?.ts ?? 0;
  return lines.map((each) => ({ line: each.line, ts: each.ts ?? begin }));
}

/** What is written within a few milliseconds is read in one go. */
const AT_ONCE_MS = 10;

function atOnce(lines: readonly Line[]): readonly (readonly [number, readonly object[]])[] {
  const groups: [number, object[]][] = [];
  for (const { line, ts } of lines) {
    const last = groups.at(-1);
    if (last && ts - last[0] <= AT_ONCE_MS) last[1].push(line);
    else groups.push([ts, [line]]);
  }
  return groups.map(([ts, group]) => [ts + AT_ONCE_MS, group]);
}

/** Hooks were recorded from zero, transcripts by the clock: the first prompt is in both. */
function offsetOf(recording: Recording, transcripts: readonly RecordedTranscript[], lines: readonly Line[]): number {
  const provider = providerOf(recording) ?? '';
  const format = providerFor(provider).transcript;
  const main = transcripts.find(({ agentId }) => agentId === undefined)?.file ?? '';
  const mainLines = linesOf(path.join(recordingsFolder, provider, 'transcripts', main));
  const prompts = recording.hooks.filter(({ payload }) => typeof payload['prompt'] === 'string');
  for (const { line, ts } of mainLines) {
    const facts = format ? factsInLine(format, JSON.stringify(line)) : [];
    const prompt = facts.find((fact) => fact.kind === 'prompt');
    const hook = prompt && prompts.find(({ payload }) => payload['prompt'] === prompt.text);
    if (hook) return ts - hook.atMs;
  }
  return (lines[0]?.ts ?? 0) - (recording.hooks[0]?.atMs ?? 0);
}

function shifted(line: object, offset: number): object {
  const { timestamp } = line as { timestamp?: string };
  if (timestamp === undefined) return line;
  return { ...line, timestamp: new Date(START + Date.parse(timestamp) - offset).toISOString() };
}
