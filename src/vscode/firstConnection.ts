import type { Disposable, StateSource } from '../app/ports.ts';

/** For a tree, which must not call itself empty before a collector could be asked: the editor waits for its lines until then. */
export class FirstConnection implements Disposable {
  readonly #source: Pick<StateSource, 'status'>;
  readonly #waiting = new Set<() => void>();
  #isDisposed = false;

  constructor(source: Pick<StateSource, 'status'>) {
    this.#source = source;
  }

  /** No collector could be asked yet. */
  isPending(): boolean {
    return !this.#isDisposed && this.#source.status() === 'connecting';
  }

  /** Resolves when a collector could be asked, or when this is disposed of. */
  made(): Promise<void> {
    return this.isPending() ? new Promise((resolve) => this.#waiting.add(resolve)) : Promise.resolve();
  }

  /** To be called at each change of the source. */
  follow(): void {
    if (this.isPending()) return;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.follow();
  }
}
