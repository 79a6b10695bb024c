import { expect, test, vi } from 'vitest';
import type * as vscode from 'vscode';
import { createSecrets } from './secrets.ts';

test('stores a secret under its name, and reports its name after each change', async () => {
  const kept = new Map<string, string>();
  const told = new Set<(event: vscode.SecretStorageChangeEvent) => void>();
  const changed = (key: string) => told.forEach((listener) => listener({ key }));
  const secrets = createSecrets({
    get: async (key: string) => kept.get(key),
    store: async (key: string, value: string) => void kept.set(key, value),
    delete: async (key: string) => void kept.delete(key),
    onDidChange: (listener: (event: vscode.SecretStorageChangeEvent) => void) => {
      told.add(listener);
      return { dispose: () => void told.delete(listener) };
    },
  } as unknown as vscode.SecretStorage);
  const heard = vi.fn();
  const hearing = secrets.onChange(heard);

  await secrets.set('postgres.url', 'postgres://here');
  changed('agentMascot.postgres.url');
  changed('agentMascot.somethingElse');
  expect([...kept.keys()]).toEqual(['agentMascot.postgres.url']);
  expect(await secrets.get('postgres.url')).toBe('postgres://here');
  expect(heard.mock.calls).toEqual([['postgres.url']]);

  await secrets.delete('postgres.url');
  hearing.dispose();
  changed('agentMascot.postgres.url');
  expect(await secrets.get('postgres.url')).toBeUndefined();
  expect(heard).toHaveBeenCalledTimes(1);
});
