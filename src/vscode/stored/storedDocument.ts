import * as vscode from 'vscode';
import type { Clock } from '../../app/ports.ts';
import type { Collector } from '../../app/windowPorts.ts';
import { storedScheme } from '../ids.ts';
import { createMadeDocument, type MadeDocument } from '../madeDocument.ts';
import { phraseFor } from '../phrases.ts';
import type { EditorSettings } from '../settings.ts';
import { storedText } from './storedText.ts';

/** CNV-4: what this machine keeps, for how long, and how to have it otherwise. */
export function createStoredDocument(
  collector: Pick<Collector, 'stored'>,
  settings: Pick<EditorSettings, 'current'>,
  clock: Pick<Clock, 'now'>,
): MadeDocument {
  return createMadeDocument({
    scheme: storedScheme,
    name: () => phraseFor('stored.title'),
    async text() {
      const stored = await collector.stored();
      if (stored === undefined) return undefined;
      const person = { locale: vscode.env.language, now: clock.now() };
      // In a browser the preview follows such an address nowhere.
      const scheme = vscode.env.uiKind === vscode.UIKind.Desktop ? vscode.env.uriScheme : undefined;
      return storedText({ stored, settings: settings.current() }, { ...person, scheme });
    },
    unknown: () => phraseFor('stored.unknown'),
  });
}
