import * as vscode from 'vscode';
import type { StateSource } from '../app/ports.ts';

/** The name of a collector that runs without an editor. It has no secrets. */
const HEADLESS = 'headless';

export interface OtherHolder {
  readonly kind: 'editor' | 'headless';
  readonly app: string;
}

/** The owner, if it has other secrets than this editor; `undefined` if it is a window of this editor, which shares its secrets. */
export function otherHolder(source: Pick<StateSource, 'snapshot'>): OtherHolder | undefined {
  const app = source.snapshot().owner?.app;
  if (app === undefined || app === vscode.env.appName) return undefined;
  return { kind: app === HEADLESS ? 'headless' : 'editor', app };
}
