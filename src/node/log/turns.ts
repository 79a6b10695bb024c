/** Runs pieces of work one after the other, in the order in which they were given. One that fails does not keep the next from running. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves, or rejects, as the work does. */
  run<T>(work: () => T | Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Resolves when everything that was given until now is done. Never rejects. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
