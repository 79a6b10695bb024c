import * as vscode from 'vscode';
import { panelWords } from './panelWords.ts';

/** English of every text outside the panel, with `{name}` places; the translations are in media/l10n. */
export const editorWords = {
  'panel.title': 'Agent Mascot',
  'describe.here': 'this window’s folders',
  'describe.quiet': 'do not disturb',
  'describe.otherOwner': 'another window collects',
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
  'conversation.name': 'Conversation: {project}',
  'conversation.unknown': 'The conversation can’t be read now: no window that collects answers. Try again in a moment.',
  'transcript.unknown': 'It is not known where the transcript of this session is.',
  'transcript.missing':
    'The transcript is not there: {file}. Its agent may have removed it, or it is on another machine.',
  'pick.whichMascot': 'Which mascot?',
  'pick.noMascot': 'There is no such mascot now.',
  'pick.show': 'Show Mascot',
  'pick.focus': 'Focus Terminal',
  'pick.conversation': 'Open Conversation',
  'pick.transcript': 'Open Transcript',
  'pick.copy': 'Copy Session ID',
  'pick.rename': 'Rename Mascot',
  'pick.pin': 'Pin Mascot',
  'pick.unpin': 'Unpin Mascot',
  'pick.hide': 'Hide Mascot',
  'pick.unhide': 'Show Hidden Mascot Again',
  'mascot.gone': 'This mascot is not there any more.',
  'rename.title': 'Rename {name}',
  'rename.prompt': 'The name that you see from now on. Leave it empty for its own name, {name}.',
  'rename.tooLong': 'At most {max} characters.',
  'look.refused':
    'The change could not be kept. The log says why; what is often wrong: ~/.agent-mascot can’t be written.',
  'look.silent': 'Nothing was changed: no window that collects answers. Try again in a moment.',
  'hide.told': '{name} is hidden. Its session still counts when it waits for you.',
  'button.undo': 'Undo',
  'copied.sessionId': 'Session ID copied.',
  'window.noFolder': 'a window without a folder',
  'focus.otherWindow': 'Its terminal is in the window “{name}” ({app}); it is in front there now.',
  'focus.deafWindow': 'Its terminal is in the window “{name}” ({app}), which does not answer now.',
  'focus.over': 'This session is over: its process has ended.',
  'focus.far': 'This session runs on another machine: {host}.',
  'focus.container': 'This session runs in a container, whose terminals can’t be seen from here.',
  'focus.panel': 'This session runs in an editor’s panel, not in a terminal.',
  'focus.headless': 'This session runs headless: no terminal in this editor belongs to it.',
  'focus.outside': 'This session runs outside the editor’s terminals: process {pid}.',
  'focus.outsideTty': 'This session runs in a terminal outside the editor: {tty}, process {pid}.',
  'focus.unknown': 'It is not known where this session runs: its agent did not tell.',
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
