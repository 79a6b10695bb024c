import * as vscode from 'vscode';
import type { Disposable, StateChange, StateSource } from '../app/ports.ts';
import type { Snapshot } from '../protocol/state.ts';

export interface ViewedSource extends StateSource, Disposable {
  /** Everything was removed: from now on there is nothing to show. */
  turnOff(): void;
}

const nothing: Snapshot = { revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] };

/** What the views show: the state, until it is turned off for good. */
export function createViewedSource(source: StateSource): ViewedSource {
  const changed = new vscode.EventEmitter<StateChange>();
  let off = false;
  const changes = source.onChange((change) => changed.fire(change));
  return {
    snapshot: () => (off ? nothing : source.snapshot()),
    status: () => (off ? 'off' : source.status()),
    onChange: changed.event,
    turnOff() {
      off = true;
      changes.dispose();
      changed.fire({ type: 'reset' });
    },
    dispose() {
      changes.dispose();
      changed.dispose();
    },
  };
}
