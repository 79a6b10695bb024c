import * as vscode from 'vscode';
import type { SinkStanding } from '../../app/sink/sinkPorts.ts';
import { mayPass, type SinkTroubleKind } from '../../domain/postgres/trouble.ts';
import { commandIds } from '../ids.ts';
import { shortMoments } from '../moment.ts';
import { teamPhrase } from './teamPhrases.ts';

export interface TeamStanding {
  /** How it stands. Undefined: this window does not copy. */
  text(): string | undefined;
  /** What there is to say of it as long as it lasts. */
  trouble(): string | undefined;
  set(standing: SinkStanding): void;
  onChange(listener: () => void): { dispose(): void };
}

/** Longer than a server takes to start again, or a laptop to find its network. */
const TELL_AFTER_MS = 15 * 60_000;

/** SNK-1: one notice for each kind of trouble until it works again, and nothing when it does. */
export function createTeamStanding(now: () => number = Date.now): TeamStanding {
  const listeners = new Set<() => void>();
  const told = new Set<SinkTroubleKind>();
  let current: SinkStanding | undefined;

  function tell(kind: SinkTroubleKind, text: string): void {
    told.add(kind);
    const [again, log] = [teamPhrase('button.reconnect'), teamPhrase('button.showLog')];
    void vscode.window.showWarningMessage(text, again, log).then((choice) => {
      if (choice === again) void vscode.commands.executeCommand(commandIds.connectTeamDatabase);
      if (choice === log) void vscode.commands.executeCommand(commandIds.showLog);
    });
  }

  function moment(at: number): string {
    return shortMoments({ locale: vscode.env.language })(new Date(at).toISOString(), now());
  }

  function trouble(): string | undefined {
    if (current?.kind !== 'trouble') return undefined;
    const lasts = { time: moment(current.since), events: current.behind.events };
    return `${troubleText(current)} ${teamPhrase('standing.lasts', lasts)}`;
  }

  function text(): string | undefined {
    if (current === undefined || current.kind === 'off') return undefined;
    if (current.kind !== 'copying') return trouble() ?? teamPhrase('standing.upToDate');
    const { events, since } = current.behind;
    if (events === 0 || since === undefined) return teamPhrase('standing.copying');
    return teamPhrase('standing.behind', { events, time: moment(since) });
  }

  return {
    text,
    trouble,
    set(standing) {
      current = standing;
      if (standing.kind === 'upToDate' || standing.kind === 'off') told.clear();
      if (standing.kind === 'trouble' && !told.has(standing.trouble)) {
        const isLong = now() - standing.since >= TELL_AFTER_MS;
        if (!mayPass(standing.trouble) || isLong) tell(standing.trouble, troubleText(standing));
      }
      for (const each of listeners) each();
    },
    onChange(listener) {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
  };
}

function troubleText({ trouble, detail }: Extract<SinkStanding, { kind: 'trouble' }>): string {
  return teamPhrase(`trouble.${trouble}`, { detail });
}
