/** As much of a list as a report tells: its beginning and its end, with what stood between them counted. */
export interface Kept<T> {
  add(item: T): void;
  part(): { readonly items: T[]; readonly left: number };
}

export function keepEnds<T>(first: number, last: number): Kept<T> {
  const beginning: T[] = [];
  const end: T[] = [];
  let left = 0;
  return {
    add(item) {
      if (beginning.length < first) beginning.push(item);
      else if (end.push(item) > last) {
        end.shift();
        left++;
      }
    },
    part: () => ({ items: [...beginning, ...end], left }),
  };
}

/** The newest of what is told once each. */
export interface Newest<T> {
  get(key: string): T | undefined;
  /** Puts it at the end. */
  set(key: string, value: T): void;
  delete(key: string): void;
  part(max: number): { readonly items: T[]; readonly left: number };
}

/** More is forgotten while it is read, so that a session of weeks takes no more room than one of a day. */
export function keepNewest<T>(most: number): Newest<T> {
  const all = new Map<string, T>();
  let forgotten = 0;
  return {
    get: (key) => all.get(key),
    set(key, value) {
      all.delete(key);
      all.set(key, value);
      const oldest = all.size > most ? all.keys().next().value : undefined;
      if (oldest === undefined) return;
      all.delete(oldest);
      forgotten++;
    },
    delete: (key) => void all.delete(key),
    part(max) {
      const items = [...all.values()].slice(-max);
      return { items, left: all.size - items.length + forgotten };
    },
  };
}
