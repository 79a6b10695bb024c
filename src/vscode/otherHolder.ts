import * as vscode from 'vscode';
import type { StateSource } from '../app/ports.ts';

/** What a collector without an editor calls itself. It keeps no secrets. */
const HEADLESS = 'headless';

export interface OtherHolder {
  readonly kind: 'editor' | 'headless';
  readonly app: string;
}

/** Whoever holds the history with other secrets than this editor's. Windows of one editor share theirs. */
export function otherHolder(source: Pick<StateSource, 'snapshot'>): OtherHolder | undefined {
  const app = source.snapshot().owner?.app;
  if (app === undefined || app === vscode.env.appName) return undefined;
  return { kind: app === HEADLESS ? 'headless' : 'editor', app };
}
