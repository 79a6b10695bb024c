export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** `Promise.withResolvers` for the editors whose Node does not have it yet (before 22). */
export function deferred<T>(): Deferred<T> {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
