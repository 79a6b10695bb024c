import { takesNewEvents } from '../../domain/hooks/claudeVersions.ts';
import { type Finding, type FindingCode, type Fix, refusalWords } from '../../domain/hooks/findings.ts';
import type { Refusal, Standing } from '../../domain/hooks/settingsEdit.ts';
import { descriptors, hookScopes } from '../../protocol/providers.ts';
import type { CodexTrust, FoundProgram } from './doctorPorts.ts';
import type { ScopeStanding } from './hookInstaller.ts';
import type { Scope } from './hookPorts.ts';

type Level = Finding['level'];
type Values = Finding['values'];

export interface ScopeSurroundings {
  /** The agent of this scope was used here. */
  readonly isHere: boolean;
  /** Some settings of Claude Code have our hooks already. */
  readonly claudeInstalled: boolean;
}

/** What a settings file shows: nothing where hooks are neither there nor missed. */
export function scopeFindings(standing: ScopeStanding, surroundings: ScopeSurroundings): readonly Finding[] {
  const { scope, standing: found } = standing;
  const open: Fix = { kind: 'open', file: scope.file };
  if (found === undefined) {
    return [about(scope, 'scope.unreadable', 'error', { why: standing.why ?? 'unknown' }, open)];
  }
  return isRefusal(found) ? [broken(scope, found)] : standingFindings(standing, found, surroundings);
}

function broken(scope: Scope, { reason, line, column, event }: Refusal): Finding {
  const words = event === undefined ? refusalWords[reason] : `${event}: ${refusalWords[reason]}`;
  const agent = descriptors[scope.provider].name;
  const fix: Fix = { kind: 'open', file: scope.file, line, column };
  return about(scope, 'scope.broken', 'error', { line, column, reason: words, agent }, fix);
}

function standingFindings(
  { scope, recorded }: ScopeStanding,
  found: Standing,
  { isHere, claudeInstalled }: ScopeSurroundings,
): readonly Finding[] {
  const install: Fix = { kind: 'install', scope: scope.id, ...(scope.project ? { project: scope.project } : {}) };
  const findings: Finding[] = [];
  switch (found.state) {
    case 'whole':
      findings.push(about(scope, 'scope.whole', 'good', { count: scope.wanted.entries.length }));
      break;
    case 'partial':
      findings.push(about(scope, 'scope.partial', 'warning', { events: found.missing.join(', ') }, install));
      break;
    case 'outdated':
      findings.push(about(scope, 'scope.outdated', 'warning', {}, install));
      break;
    case 'absent':
      if (recorded) findings.push(about(scope, 'scope.vanished', 'error', {}, install));
      else if (isMissed(scope, isHere, claudeInstalled))
        findings.push(about(scope, 'scope.absent', 'note', {}, install));
      break;
  }
  if (found.disabled && (found.state !== 'absent' || claudeInstalled || recorded)) {
    findings.push(about(scope, 'scope.disabled', 'error', {}, { kind: 'open', file: scope.file }));
  }
  return findings;
}

/** Of the three files of Claude Code one is enough; other agents count where they were used. */
function isMissed(scope: Scope, isHere: boolean, claudeInstalled: boolean): boolean {
  return scope.provider === 'claude' ? scope.id === 'user' && !claudeInstalled : isHere;
}

export interface AgentFacts {
  /** Files of policies. */
  readonly policies: readonly string[];
  readonly claude: { readonly scope: Scope; readonly programs: readonly FoundProgram[] } | undefined;
  readonly codex:
    | { readonly scope: Scope; readonly count: number; readonly trust: CodexTrust; readonly inline: string | undefined }
    | undefined;
}

/** What keeps an agent from running hooks that stand in its file. */
export function agentFindings({ policies, claude, codex }: AgentFacts): readonly Finding[] {
  return [
    ...policies.map((file): Finding => {
      return { code: 'scope.managed', level: 'error', values: { file }, fix: { kind: 'explain', topic: 'managed' } };
    }),
    ...(claude ? olderPrograms(claude.scope, claude.programs) : []),
    ...(codex ? codexFindings(codex) : []),
  ];
}

/** HKI-7. */
function olderPrograms(scope: Scope, programs: readonly FoundProgram[]): readonly Finding[] {
  const older = programs.filter(({ version }) => !takesNewEvents([version]));
  if (older.length === 0) return [];
  const versions = older.map(({ file, version }) => version ?? file).join(', ');
  return [about(scope, 'scope.newEvents', 'note', { agent: descriptors[scope.provider].name, versions })];
}

/** HKI-8. */
function codexFindings({ scope, count, trust, inline }: NonNullable<AgentFacts['codex']>): readonly Finding[] {
  const findings: Finding[] = [];
  const fix: Fix = { kind: 'explain', topic: 'codex-trust' };
  const add = (code: FindingCode, level: Level, values: Values) => findings.push({ code, level, values, fix });
  if (trust.kind === 'unknown') add('codex.unknown', 'note', { why: trust.why });
  else {
    if (trust.untrusted > 0) add('codex.untrusted', 'warning', { count: trust.untrusted, all: count });
    if (trust.changed > 0) add('codex.changed', 'warning', { count: trust.changed, all: count });
    if (trust.untrusted + trust.changed === 0) {
      findings.push({ code: 'codex.trusted', level: 'good', values: { count: trust.trusted } });
    }
  }
  if (inline !== undefined) {
    findings.push({
      code: 'codex.inline',
      level: 'note',
      values: { file: inline },
      fix: { kind: 'open', file: inline },
    });
  }
  return findings.map((finding) => ({ ...finding, values: { scope: hookScopes[scope.id].name, ...finding.values } }));
}

function about({ id, file }: Scope, code: FindingCode, level: Level, values: Values, fix?: Fix): Finding {
  return { code, level, values: { scope: hookScopes[id].name, file, ...values }, ...(fix ? { fix } : {}) };
}

function isRefusal(found: Standing | Refusal): found is Refusal {
  return 'reason' in found;
}
