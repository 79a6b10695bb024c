import type { Finding } from '../../domain/hooks/findings.ts';
import { storingTrouble } from '../../domain/storing.ts';
import { SPOOL_MAX_DAYS } from '../../protocol/limits.ts';
import type { Storing } from '../../protocol/reading.ts';
import type { CollectorState, DoctorWorld, EntryState, RuntimeState, SpoolState, TrialRun } from './doctorPorts.ts';

export function entryFinding({ state, folder, bytes, version }: EntryState, isInstalled: boolean): Finding {
  switch (state) {
    case 'good':
      return { code: 'entry.good', level: 'good', values: { folder, bytes } };
    case 'newer':
      return { code: 'entry.newer', level: 'note', values: { folder, version } };
    case 'missing':
      return {
        code: 'entry.missing',
        level: isInstalled ? 'error' : 'note',
        values: { folder },
        fix: { kind: 'refresh' },
      };
  }
}

export function runtimeFinding(runtime: RuntimeState): Finding {
  switch (runtime.kind) {
    case 'node':
      return { code: 'runtime.node', level: 'good', values: { version: runtime.version, file: runtime.file } };
    case 'editor':
      return { code: 'runtime.editor', level: 'good', values: { file: runtime.file } };
    case 'none':
      return { code: 'runtime.none', level: 'warning', values: {}, fix: { kind: 'explain', topic: 'node' } };
  }
}

export function collectorFindings(collector: CollectorState): readonly Finding[] {
  switch (collector.kind) {
    case 'live':
      return [{ code: 'collector.live', level: 'good', values: { url: collector.url } }];
    case 'none':
      return [{ code: 'collector.none', level: 'warning', values: {}, fix: { kind: 'reload' } }];
    case 'dead':
      return [{ code: 'collector.dead', level: 'error', values: { why: collector.why }, fix: { kind: 'reload' } }];
  }
}

/** Only the person can mend it. */
const disk = { kind: 'explain', topic: 'disk' } as const;

export function storingFinding({ code = 'unknown', folder = '?' }: Storing, count: number): Finding {
  return { code: `storing.${storingTrouble(code)}`, level: 'error', values: { folder, why: code, count }, fix: disk };
}

export function isRefusing(collector: CollectorState): collector is CollectorState & { readonly storing: Storing } {
  return collector.kind === 'live' && collector.storing?.ok === false;
}

/** What waits is as it should be while nobody takes it in. */
export function spoolFindings(spool: SpoolState, collector: CollectorState): readonly Finding[] {
  const { folder, count, kilobytes, dropped, droppedOn = '?', megabytesMax, blocked } = spool;
  const findings: Finding[] = [];
  if (isRefusing(collector)) findings.push(storingFinding(collector.storing, count));
  if (blocked !== undefined)
    findings.push({ code: 'spool.blocked', level: 'error', values: { folder, why: blocked }, fix: disk });
  if (count > 0 && !isRefusing(collector)) {
    const stuck = collector.kind !== 'none';
    findings.push({
      code: 'spool.waiting',
      level: stuck ? 'warning' : 'note',
      values: { count, kilobytes },
      fix: { kind: 'reload' },
    });
  }
  if (dropped > 0) {
    const values = { count: dropped, date: droppedOn, megabytes: megabytesMax, days: SPOOL_MAX_DAYS };
    // With a collector it is over, and nothing brings them back.
    findings.push(
      collector.kind === 'live'
        ? { code: 'spool.dropped', level: 'note', values }
        : { code: 'spool.dropped', level: 'warning', values, fix: { kind: 'reload' } },
    );
  }
  return findings.length > 0 ? findings : [{ code: 'spool.empty', level: 'good', values: {} }];
}

export function trialFindings(scope: string, { arrivedMs, seconds, code, said }: TrialRun): readonly Finding[] {
  const findings: Finding[] = [];
  if (code !== 0 || said !== '') {
    findings.push({
      code: 'trial.noisy',
      level: 'error',
      values: { scope, code, said: said === '' ? 'nothing' : said },
      fix: { kind: 'refresh' },
    });
  }
  findings.push(
    arrivedMs === null
      ? { code: 'trial.lost', level: 'error', values: { scope, seconds }, fix: { kind: 'refresh' } }
      : { code: 'trial.arrived', level: 'good', values: { scope, ms: arrivedMs } },
  );
  return findings;
}

export function logFindings(lines: Awaited<ReturnType<DoctorWorld['logLines']>>): readonly Finding[] {
  if (lines === undefined) return [];
  const { file, count, newest } = lines;
  return [{ code: 'log.lines', level: 'note', values: { count, newest }, fix: { kind: 'open', file } }];
}
