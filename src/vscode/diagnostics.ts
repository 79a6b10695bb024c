import * as vscode from 'vscode';
import type { StateSource } from '../app/ports.ts';
import { maskText } from '../domain/mask/mask.ts';
import { summarise, urgencies } from '../domain/selectors.ts';
import { type Settings, settingText } from '../protocol/settings.ts';

/** How long the start of this window took, in milliseconds. */
export interface LoadTimes {
  /** From the first line of the extension's script until `activate` returned, with the editor's own work in between. */
  readonly activationMs: number;
  /** From that first line until the whole program was loaded; the editor was not blocked. */
  readonly loadMs: number;
  /** The longest single block of the extension host. */
  readonly longestMs: number;
}

export function loadTimesText({ activationMs, loadMs, longestMs }: LoadTimes): string {
  return `activation: ${activationMs.toFixed(1)} ms, loaded after ${loadMs.toFixed(1)} ms in steps of at most ${longestMs.toFixed(1)} ms`;
}

export interface DiagnosticsParts {
  readonly source: StateSource;
  /** Whether the collector runs in this window. */
  readonly owns: () => boolean;
  readonly settings: () => Settings;
  readonly version: string;
  readonly loadTimes: LoadTimes;
}

/** Numbers, versions and settings for a bug report. It holds no names and no paths, so it says nothing of the person's work. */
export function diagnosticsText({ source, owns, settings, version, loadTimes }: DiagnosticsParts): string {
  const state = source.snapshot();
  const summary = summarise(state);
  const { owner } = state;
  const lines = [
    `Agent Mascot ${version} in ${vscode.env.appName} ${vscode.version}`,
    `host: ${process.platform} ${process.arch}, Node ${process.versions.node}, remote: ${vscode.env.remoteName ? 'yes' : 'no'}`,
    loadTimesText(loadTimes),
    `state: ${source.status()}, revision ${state.revision}`,
    owner
      ? `owner: ${owns() ? 'this window' : 'another window'}, ${owner.app} ${owner.version}, generation ${owner.generation}, since ${owner.startedAt}`
      : 'owner: none',
    `sessions: ${urgencies.map((urgency) => `${urgency} ${summary.by[urgency].length}`).join(', ')}`,
    `agents: ${state.agents.filter((agent) => agent.present).length} present of ${state.agents.length}`,
    ...Object.entries(settings()).map(([name, value]) => `agentMascot.${name}: ${settingText(name, value)}`),
  ];
  return maskText(`${lines.join('\n')}\n`);
}
