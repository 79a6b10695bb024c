import type { FoundFile, ProcessRef, TailRequest } from '../sourcePorts.ts';
import type { Sources } from '../watch/watchParts.ts';

/** Files, folders and processes of a test's machine: what is put there is told at once. */
export interface FakeSources extends Sources {
  /** Whole lines, put at the end of a transcript. */
  write(path: string, ...lines: readonly object[]): void;
  /** The file is another one from now on, with these lines. */
  replace(path: string, ...lines: readonly object[]): void;
  followed(): readonly string[];
  putFile(folder: string, name: string, content: object | undefined): void;
  find(found: FoundFile): void;
  kill(pid: number): void;
  askedFor(): readonly ProcessRef[];
}

interface Listener {
  readonly folder: string;
  readonly matches: (name: string) => boolean;
  readonly onFile: (name: string, text: string | undefined) => void;
}

export function fakeSources(roots: Sources['roots'] = [], now = () => 0): FakeSources {
  const files = new Map<string, string[]>();
  const follows = new Set<TailRequest>();
  const listeners = new Set<Listener>();
  const finders = new Set<(found: FoundFile) => void>();
  const folders = new Map<string, Map<string, string>>();
  const dead = new Set<number>();
  let asked: readonly ProcessRef[] = [];

  function give(request: TailRequest, lines: readonly string[], reset: boolean): void {
    const wanted = lines.filter(request.wants);
    const offset = files.get(request.path)?.length ?? 0;
    request.onChunk({ lines: wanted, offset, reset, caughtUp: true, modifiedAt: now() });
  }
  const followers = (path: string) => [...follows].filter((request) => request.path === path);

  return {
    tails: {
      follow(request) {
        follows.add(request);
        // The offset of this machine is the number of lines.
        const lines = files.get(request.path)?.slice(Math.max(request.from, request.after ?? 0));
        if (lines) give(request, lines, false);
        return { dispose: () => void follows.delete(request) };
      },
      tail: (path, _bytes, after = 0) => Promise.resolve((files.get(path) ?? []).slice(after)),
      size: (path) => Promise.resolve(files.get(path)?.length ?? 0),
    },
    folders: {
      watch(folder, matches, onFile) {
        const listener = { folder, matches, onFile };
        listeners.add(listener);
        for (const [name, text] of folders.get(folder) ?? []) if (matches(name)) onFile(name, text);
        return { dispose: () => void listeners.delete(listener) };
      },
    },
    processes: {
      gone(ids) {
        asked = ids;
        return Promise.resolve(ids.map(({ pid }) => dead.has(pid)));
      },
      host: 'here',
      pidNamespace: 'pid:[1]',
    },
    sessionFiles: {
      watch(_root, onFile) {
        finders.add(onFile);
        return { dispose: () => void finders.delete(onFile) };
      },
    },
    roots,
    write(path, ...lines) {
      const texts = lines.map((line) => JSON.stringify(line));
      files.set(path, [...(files.get(path) ?? []), ...texts]);
      for (const request of followers(path)) give(request, texts, false);
    },
    replace(path, ...lines) {
      const texts = lines.map((line) => JSON.stringify(line));
      files.set(path, texts);
      for (const request of followers(path)) give(request, texts, true);
    },
    followed: () => [...follows].map(({ path }) => path),
    putFile(folder, name, content) {
      const text = content === undefined ? undefined : JSON.stringify(content);
      const known = folders.get(folder) ?? new Map<string, string>();
      if (text === undefined) known.delete(name);
      else known.set(name, text);
      folders.set(folder, known);
      for (const each of listeners) if (each.folder === folder && each.matches(name)) each.onFile(name, text);
    },
    find: (found) => finders.forEach((tell) => tell(found)),
    kill: (pid) => void dead.add(pid),
    askedFor: () => asked,
  };
}
