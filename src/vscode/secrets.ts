import type * as vscode from 'vscode';
import { type SecretName, secretNames, type Secrets } from '../app/outletPorts.ts';
import { configSection } from './ids.ts';

/** Secrets in the editor's secret storage, which the system's keyring encrypts. */
export function createSecrets(storage: vscode.SecretStorage): Secrets {
  return {
    get: async (name) => await storage.get(keyOf(name)),
    set: async (name, value) => await storage.store(keyOf(name), value),
    delete: async (name) => await storage.delete(keyOf(name)),
    onChange: (listener) =>
      storage.onDidChange(({ key }) => {
        const name = secretNames.find((each) => keyOf(each) === key);
        if (name) listener(name);
      }),
  };
}

const keyOf = (name: SecretName) => `${configSection}.${name}`;
