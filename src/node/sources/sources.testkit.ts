import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Disposable } from '../../app/ports.ts';

/** What a source told, and a way to wait for it. */
export interface Told<T> {
  readonly items: readonly T[];
  readonly add: (item: T) => void;
  /** Resolves as soon as what was told so far passes. */
  until(test: (items: readonly T[]) => boolean): Promise<void>;
}

export function createTold<T>(): Told<T> {
  const items: T[] = [];
  let waiting: (() => void)[] = [];
  return {
    items,
    add(item) {
      items.push(item);
      waiting.forEach((look) => look());
    },
    until(test) {
      return new Promise((resolve) => {
        const look = () => {
          if (!test(items)) return;
          waiting = waiting.filter((other) => other !== look);
          resolve();
        };
        waiting.push(look);
        look();
      });
    },
  };
}

export interface TestFolder extends Disposable {
  readonly path: string;
  at(...names: string[]): string;
  /** Disposed with the folder. */
  use<T extends Disposable>(used: T): T;
}

export function createTestFolder(): TestFolder {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'mascot-sources-')));
  const uses: Disposable[] = [];
  return {
    path: folder,
    at: (...names) => path.join(folder, ...names),
    use(used) {
      uses.push(used);
      return used;
    },
    dispose() {
      uses.forEach((used) => used.dispose());
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
