import * as vscode from 'vscode';
import type { StateSource } from '../app/ports.ts';
import { maskText } from '../domain/mask/mask.ts';
import { summarise, urgencies } from '../domain/selectors.ts';
import type { Settings } from '../protocol/settings.ts';

export interface DiagnosticsParts {
  readonly source: StateSource;
  /** Whether the collector runs in this window. */
  readonly owns: () => boolean;
  readonly settings: () => Settings;
  readonly version: string;
  readonly activationMs: () => number;
}

/** What helps with a report and tells nothing of the person's work: numbers, versions and settings, no names and no paths. */
export function diagnosticsText({ source, owns, settings, version, activationMs }: DiagnosticsParts): string {
  const state = source.snapshot();
  const summary = summarise(state);
  const { owner } = state;
  const lines = [
    `Agent Mascot ${version} in ${vscode.env.appName} ${vscode.version}`,
    `host: ${process.platform} ${process.arch}, Node ${process.versions.node}, remote: ${vscode.env.remoteName ? 'yes' : 'no'}`,
    `activation: ${activationMs().toFixed(1)} ms`,
    `state: ${source.status()}, revision ${state.revision}`,
    owner
      ? `owner: ${owns() ? 'this window' : 'another window'}, ${owner.app} ${owner.version}, generation ${owner.generation}, since ${owner.startedAt}`
      : 'owner: none',
    `sessions: ${urgencies.map((urgency) => `${urgency} ${summary.by[urgency].length}`).join(', ')}`,
    `agents: ${state.agents.filter((agent) => agent.present).length} present of ${state.agents.length}`,
    ...Object.entries(settings()).map(([name, value]) => `agentMascot.${name}: ${String(value)}`),
  ];
  return maskText(`${lines.join('\n')}\n`);
}
