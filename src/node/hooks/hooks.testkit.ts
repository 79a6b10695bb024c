import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Log } from '../../app/ports.ts';

export interface TestFolder extends Disposable {
  readonly path: string;
  at(...names: string[]): string;
  /** Makes the folders on the way. */
  write(name: string, content: string | Uint8Array, mode?: number): string;
  folder(name: string): string;
}

/** Gone when the test is over: `using folder = testFolder()`. */
export function testFolder(): TestFolder {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'mascot-hooks-')));
  const at = (...names: string[]) => path.join(root, ...names);
  return {
    path: root,
    at,
    write(name, content, mode) {
      mkdirSync(path.dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
      if (mode !== undefined) chmodSync(at(name), mode);
      return at(name);
    },
    folder(name) {
      mkdirSync(at(name), { recursive: true });
      return at(name);
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  };
}

export interface ListeningLog extends Log {
  readonly warnings: string[];
}

export function listeningLog(): ListeningLog {
  const warnings: string[] = [];
  return {
    warnings,
    debug: () => {},
    info: () => {},
    warn: (text) => warnings.push(text),
    error: (text) => warnings.push(text),
  };
}
