import * as vscode from 'vscode';
import type { Disposable, StateChange, StateSource } from '../app/ports.ts';
import type { Snapshot } from '../protocol/state.ts';
import type { ViewSource } from '../protocol/view.ts';

const nothing: Snapshot = { revision: 0, owner: null, sessions: [], agents: [], workItems: [], guardGaps: [] };

/** The state that all views show. After `turnOff` it is empty for good. */
export class ViewedSource implements StateSource, Disposable {
  readonly #source: StateSource;
  readonly #changed = new vscode.EventEmitter<StateChange>();
  readonly #changes: Disposable;
  #isOff = false;
  readonly onChange = this.#changed.event;

  constructor(source: StateSource) {
    this.#source = source;
    this.#changes = source.onChange((change) => this.#changed.fire(change));
  }

  snapshot(): Snapshot {
    return this.#isOff ? nothing : this.#source.snapshot();
  }

  status(): ViewSource {
    return this.#isOff ? 'off' : this.#source.status();
  }

  /** Called after everything was removed. */
  turnOff(): void {
    this.#isOff = true;
    this.#changes.dispose();
    this.#changed.fire({ type: 'reset' });
  }

  dispose(): void {
    this.#changes.dispose();
    this.#changed.dispose();
  }
}
