import type * as vscode from 'vscode';

/** What the editor remembers, in memory. */
export function aMemento(): vscode.Memento {
  const values = new Map<string, unknown>();
  return {
    keys: () => [...values.keys()],
    get: <T>(key: string, other?: T) => (values.has(key) ? (values.get(key) as T) : other),
    update: (key, value) => Promise.resolve(void values.set(key, value)),
  };
}
