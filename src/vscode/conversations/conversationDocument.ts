import * as vscode from 'vscode';
import type { Clock, Disposable, StateChange, StateSource } from '../../app/ports.ts';
import { isOver } from '../../domain/life.ts';
import { findWords } from '../../domain/findWords.ts';
import type { Delivery } from '../../protocol/relay.ts';
import { agentText } from '../agentText.ts';
import { conversationScheme } from '../ids.ts';
import { phraseFor } from '../phrases.ts';
import { sessionOf } from '../sessionPick.ts';
import { projectOf } from '../sessionWords.ts';
import { conversationTelling, shownLimits } from './conversationHead.ts';
import { type ConversationReader, type ConversationSource, createConversationReader } from './conversationReading.ts';
import { conversationText, type ConversationText } from './conversationText.ts';
import { createDocumentView } from './documentView.ts';

export interface ConversationDocument extends Disposable {
  /** Opens a session's conversation: where it is wanted, else at its end while it goes on, else at its beginning. */
  show(sessionId: string, place?: WantedPlace): Promise<void>;
  /** CNV-4: something was deleted: what is open is read again, also of sessions that no change of the state tells of. */
  erased(): void;
}

export interface WantedPlace {
  readonly interactionId: string;
  /** What was looked for there. */
  readonly words: string;
}

export interface ConversationDocumentParts {
  readonly source: StateSource;
  readonly collector: ConversationSource;
  readonly clock: Clock;
}

/** Faster than this nobody reads; each look costs the collector a few pages. */
const CALM_MS = 1_000;

/** No change of the state tells that a chat has answered: while something waits for that, it is asked less and less often. */
const RECEIPT_LOOKS_MS = [2_000, 5_000, 15_000, 60_000] as const;

interface Opened {
  readonly address: vscode.Uri;
  reader: ConversationReader;
  /** What it shows; undefined as long as nobody could be asked. */
  told: ConversationText | 'erased' | undefined;
  goesOn: boolean;
  /** A part of a long session, which does not reach to its end: it does not grow. */
  isPart: boolean;
  /** Something happened that it does not show yet. */
  behind: boolean;
  calm: Disposable | undefined;
  /** What a chat was told of it, as it is shown. */
  deliveries: readonly Delivery[];
  receiptLook: Disposable | undefined;
  receiptLooks: number;
}

/** CNV-3: conversations as read-only Markdown, which grow while their sessions go on and somebody looks. */
export function createConversationDocument({
  source,
  collector,
  clock,
}: ConversationDocumentParts): ConversationDocument {
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const view = createDocumentView(changed, clock);
  const opened = new Map<string, Opened>();

  function keep(sessionId: string, address: vscode.Uri): Opened {
    const one: Opened = {
      address,
      reader: createConversationReader(collector, sessionId),
      told: undefined,
      goesOn: false,
      isPart: false,
      behind: false,
      calm: undefined,
      deliveries: [],
      receiptLook: undefined,
      receiptLooks: 0,
    };
    opened.set(sessionId, one);
    return one;
  }

  async function named(sessionId: string): Promise<vscode.Uri> {
    const session = await sessionOf({ source, collector }, sessionId);
    const project = session === undefined ? '' : projectOf(session);
    const name = phraseFor('conversation.name', { project: project || agentText(sessionId) });
    return vscode.Uri.from({
      scheme: conversationScheme,
      path: `/${name.replace(/[\\/]/g, ' ')}.md`,
      query: sessionId,
    });
  }

  /** False: nobody can be asked now; then it goes on showing what it did. */
  async function load(one: Opened): Promise<boolean> {
    one.behind = false;
    const read = await one.reader.read();
    if (read === undefined) return false;
    one.goesOn = read !== 'erased' && !isOver(read.session.state);
    one.isPart = read !== 'erased' && read.cut.after;
    const time = { locale: vscode.env.language, now: clock.now() };
    const telling = conversationTelling(vscode.l10n, time, shownLimits);
    one.told = read === 'erased' ? 'erased' : conversationText(read, telling);
    one.deliveries = read === 'erased' ? [] : read.deliveries;
    one.receiptLooks = 0;
    followReceipts(one);
    return true;
  }

  function followReceipts(one: Opened): void {
    one.receiptLook?.dispose();
    one.receiptLook = undefined;
    const waits = one.deliveries.some(({ state }) => state === 'waiting');
    if (!waits || one.isPart || !isOpen(one) || !view.isSeen(one.address)) return;
    const last = RECEIPT_LOOKS_MS.length - 1;
    const wait = RECEIPT_LOOKS_MS[Math.min(one.receiptLooks++, last)] ?? CALM_MS;
    one.receiptLook = clock.after(wait, () => void lookAtReceipts(one));
  }

  async function lookAtReceipts(one: Opened): Promise<void> {
    const now = await collector.deliveries(one.address.query);
    if (now === undefined || JSON.stringify(now) === JSON.stringify(one.deliveries)) followReceipts(one);
    else happened(one);
  }

  const isOpen = (one: Opened) => opened.get(one.address.query) === one;

  /** The newest part of it, unless the place is in another. */
  async function loadFor(sessionId: string, one: Opened, place: WantedPlace | undefined): Promise<boolean> {
    if (one.isPart) one.reader = createConversationReader(collector, sessionId);
    if (!(await load(one))) return false;
    if (place === undefined || textPlace(one, place) !== undefined || one.told === 'erased') return true;
    one.reader = createConversationReader(collector, sessionId, place.interactionId);
    return load(one);
  }

  function happened(one: Opened): void {
    one.behind = true;
    if (one.isPart || !view.isSeen(one.address)) return;
    one.calm ??= clock.after(CALM_MS, () => void catchUp(one));
  }

  async function catchUp(one: Opened): Promise<void> {
    const before = textOf(one);
    const loaded = await load(one);
    one.calm = undefined;
    if (textOf(one) !== before) await view.renew(one.address, textOf(one));
    // What happened while it was read is not in it for sure. Where nobody could be asked, the next change of the state asks again.
    if (loaded && one.behind) happened(one);
  }

  const disposables = vscode.Disposable.from(
    changed,
    view,
    vscode.workspace.registerTextDocumentContentProvider(conversationScheme, {
      onDidChange: changed.event,
      async provideTextDocumentContent(address) {
        // After a reload the editor brings back what was open, before anybody asked for it here.
        const one = opened.get(address.query) ?? keep(address.query, address);
        if (one.told === undefined) await load(one);
        return textOf(one);
      },
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      if (uri.scheme !== conversationScheme) return;
      forget(opened.get(uri.query));
      opened.delete(uri.query);
    }),
    source.onChange((change) => {
      for (const [id, one] of opened) if (one.told === undefined || concerns(change, id)) happened(one);
    }),
    view.onSeen(() => {
      for (const one of opened.values()) {
        followReceipts(one);
        if (one.behind) happened(one);
      }
    }),
  );

  return {
    async show(sessionId, place) {
      const one = opened.get(sessionId) ?? keep(sessionId, await named(sessionId));
      if (!(await loadFor(sessionId, one, place)) || one.told === 'erased') {
        void vscode.window.showInformationMessage(textOf({ told: one.told === 'erased' ? 'erased' : undefined }));
        return;
      }
      const at = place && textPlace(one, place);
      await view.show(one.address, textOf(one), at ?? (one.goesOn && !one.isPart ? 'end' : 'beginning'));
      followReceipts(one);
    },
    erased() {
      for (const one of opened.values()) {
        one.isPart = false;
        happened(one);
      }
    },
    dispose() {
      for (const one of opened.values()) forget(one);
      disposables.dispose();
    },
  };
}

function textOf({ told }: Pick<Opened, 'told'>): string {
  if (told === undefined) return phraseFor('conversation.unknown');
  return told === 'erased' ? phraseFor('conversation.erased') : told.text;
}

function forget(one: Opened | undefined): void {
  one?.calm?.dispose();
  one?.receiptLook?.dispose();
}

function concerns(change: StateChange, sessionId: string): boolean {
  if (change.type === 'reset') return true;
  const { sessions, agents, removedSessions } = change.patch;
  return (
    sessions.some(({ id }) => id === sessionId) ||
    agents.some((agent) => agent.sessionId === sessionId) ||
    removedSessions.includes(sessionId)
  );
}

/** The words themselves where they can be found, else the beginning of what was said. */
function textPlace({ told }: Pick<Opened, 'told'>, { interactionId, words }: WantedPlace): vscode.Range | undefined {
  if (told === undefined || told === 'erased') return undefined;
  const place = told.places.get(interactionId);
  if (place === undefined) return undefined;
  const lines = told.text.split('\n');
  for (let line = place.from; line < place.to; line++) {
    const found = findWords(lines[line] ?? '', words);
    if (found) return new vscode.Range(line, found.from, line, found.to);
  }
  return new vscode.Range(place.from, 0, place.from, 0);
}
