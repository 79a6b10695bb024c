import * as vscode from 'vscode';
import { panelWords } from './panelWords.ts';

/** English of every text outside the panel, with `{name}` places; the translations are in media/l10n. */
export const editorWords = {
  'panel.title': 'Agent Mascot',
  'badge.waiting': '{count} waiting for you',
  'status.name': 'Agent Mascot',
  'status.label': 'Agent Mascot: {text}',
  'status.waiting': '{count} waiting',
  'status.busy': '{count} busy',
  'status.yourMove': '{count} ready',
  'status.resting': '{count} quiet',
  'status.quiet': 'No agents',
  'status.noSessions': 'No agent is running.',
  'status.more': '… and {count} more',
  'status.collectsHere': 'This window collects.',
  'status.collectsThere': 'Another window collects: {app} {version}',
  'status.connecting': 'Connecting…',
  'status.stopped': 'Not running',
  'status.off': 'Off',
  'urgency.permission': 'needs permission',
  'urgency.question': 'has a question',
  'urgency.busy': 'working',
  'urgency.yourMove': 'your move',
  'urgency.failed': 'the turn failed',
  'urgency.interrupted': 'interrupted',
  'urgency.asleep': 'asleep',
  'urgency.gone': 'its process is gone',
  'urgency.lost': 'no sign of life',
  'urgency.ended': 'ended',
  'urgency.seen': 'seen in transcript only',
  'urgency.none': 'quiet',
  'session.background': '{n} in background',
  'explain.title': 'Explain This State',
  'explain.which': 'Which session?',
  'explain.unknown': 'Nothing is known about this session now.',
  'diagnostics.copied': 'Diagnostics copied. They hold no tokens, prompts or file contents.',
  'wait.none': 'No agent is running.',
  'failure.owner': 'Agent Mascot can’t run in this window: {reason}',
  'failure.showLog': 'Show Log',
  'damage.title': 'Agent Mascot repaired its store: {sentence}',
  'spool.dropped':
    'Agent Mascot lost {count} events: over {megabytes} MB waited and no window took them in, or there was no room to keep them.',
  'storing.full':
    'Agent Mascot stores nothing now: the disk of {folder} is full ({why}). Make room; what waits is taken in then.',
  'storing.unwritable':
    'Agent Mascot stores nothing now: {folder} can’t be written ({why}). Make it writable; what waits is taken in then.',
  'storing.failed':
    'Agent Mascot stores nothing now: writing to {folder} fails ({why}). Check the disk, and reload the window; what waits is taken in then.',
} as const;
export type PhraseKey = keyof typeof editorWords;

export function phraseFor(key: PhraseKey, places: Readonly<Record<string, string | number>> = {}): string {
  return vscode.l10n.t(editorWords[key], places);
}

/** The panel fills its places itself, so it gets the templates. */
export function panelStrings(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(panelWords).map(([key, english]) => [key, vscode.l10n.t(english)]));
}
