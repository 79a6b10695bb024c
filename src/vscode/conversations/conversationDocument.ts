import * as vscode from 'vscode';
import type { Clock, Disposable, StateChange, StateSource } from '../../app/ports.ts';
import { findWords } from '../../domain/findWords.ts';
import { isOver } from '../../domain/life.ts';
import type { Delivery } from '../../protocol/relay.ts';
import { agentText } from '../agentText.ts';
import { conversationScheme } from '../ids.ts';
import { phraseFor } from '../phrases.ts';
import { sessionOf } from '../sessionPick.ts';
import { projectOf } from '../sessionWords.ts';
import { conversationFormat, shownLimits } from './conversationFormat.ts';
import { ConversationReader, type ConversationSource } from './conversationReading.ts';
import { conversationText, type ConversationText } from './conversationText.ts';
import { DocumentView } from './documentView.ts';

/** A place in a conversation that somebody looked for. */
export interface WantedPlace {
  readonly interactionId: string;
  /** The words that were searched for. */
  readonly words: string;
}

export interface ConversationDocumentParts {
  readonly source: StateSource;
  readonly collector: ConversationSource;
  readonly clock: Clock;
}

/** The shortest time between two updates of a document. Each update costs the collector a few pages. */
const UPDATE_EVERY_MS = 1_000;

/** A chat's answer does not change the state, so a delivery that waits for one is asked about, less and less often. */
const RECEIPT_LOOKS_MS = [2_000, 5_000, 15_000, 60_000] as const;

interface OpenConversation {
  readonly address: vscode.Uri;
  reader: ConversationReader;
  /** What the document shows; `undefined` until a collector has responded once. */
  text: ConversationText | 'erased' | undefined;
  goesOn: boolean;
  /** It shows a part of a long session that does not reach to the end, so it does not grow. */
  isPart: boolean;
  /** Something has happened that the document does not show yet. */
  isBehind: boolean;
  nextUpdate: Disposable | undefined;
  /** The deliveries that the document shows. */
  deliveries: readonly Delivery[];
  nextReceiptLook: Disposable | undefined;
  receiptLooks: number;
}

/** CNV-3: conversations as read-only Markdown documents, which grow while their sessions go on and the person sees them. */
export class ConversationDocuments implements Disposable {
  readonly #source: StateSource;
  readonly #collector: ConversationSource;
  readonly #clock: Clock;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #view: DocumentView;
  readonly #opened = new Map<string, OpenConversation>();
  readonly #disposables: Disposable;

  constructor({ source, collector, clock }: ConversationDocumentParts) {
    this.#source = source;
    this.#collector = collector;
    this.#clock = clock;
    this.#view = new DocumentView(this.#changed, clock);
    this.#disposables = vscode.Disposable.from(
      this.#changed,
      this.#view,
      vscode.workspace.registerTextDocumentContentProvider(conversationScheme, {
        onDidChange: this.#changed.event,
        provideTextDocumentContent: (address) => this.#provide(address),
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        if (uri.scheme !== conversationScheme) return;
        stopTimers(this.#opened.get(uri.query));
        this.#opened.delete(uri.query);
      }),
      source.onChange((change) => {
        for (const [id, one] of this.#opened) {
          if (one.text === undefined || isAbout(change, id)) this.#markBehind(one);
        }
      }),
      this.#view.onSeen(() => {
        for (const one of this.#opened.values()) {
          this.#scheduleReceiptLook(one);
          if (one.isBehind) this.#markBehind(one);
        }
      }),
    );
  }

  /** Opens a session's conversation: at the wanted place, else at its end while the session goes on, else at its beginning. */
  async show(sessionId: string, place?: WantedPlace): Promise<void> {
    const one = this.#opened.get(sessionId) ?? this.#open(sessionId, await this.#addressOf(sessionId));
    if (!(await this.#loadAt(sessionId, one, place)) || one.text === 'erased') {
      void vscode.window.showInformationMessage(textOf({ text: one.text === 'erased' ? 'erased' : undefined }));
      return;
    }
    const at = place && rangeOf(one, place);
    await this.#view.show(one.address, textOf(one), at ?? (one.goesOn && !one.isPart ? 'end' : 'beginning'));
    this.#scheduleReceiptLook(one);
  }

  /** CNV-4: reads every open conversation again. Called after something was deleted, of which the state may say nothing. */
  reread(): void {
    for (const one of this.#opened.values()) {
      one.isPart = false;
      this.#markBehind(one);
    }
  }

  dispose(): void {
    for (const one of this.#opened.values()) stopTimers(one);
    this.#disposables.dispose();
  }

  async #provide(address: vscode.Uri): Promise<string> {
    // After a reload the editor brings back its open documents before anything here has asked for them.
    const one = this.#opened.get(address.query) ?? this.#open(address.query, address);
    if (one.text === undefined) await this.#load(one);
    return textOf(one);
  }

  #open(sessionId: string, address: vscode.Uri): OpenConversation {
    const one: OpenConversation = {
      address,
      reader: new ConversationReader(this.#collector, sessionId),
      text: undefined,
      goesOn: false,
      isPart: false,
      isBehind: false,
      nextUpdate: undefined,
      deliveries: [],
      nextReceiptLook: undefined,
      receiptLooks: 0,
    };
    this.#opened.set(sessionId, one);
    return one;
  }

  async #addressOf(sessionId: string): Promise<vscode.Uri> {
    const session = await sessionOf({ source: this.#source, collector: this.#collector }, sessionId);
    const project = session === undefined ? '' : projectOf(session);
    const name = phraseFor('conversation.name', { project: project || agentText(sessionId) });
    return vscode.Uri.from({
      scheme: conversationScheme,
      path: `/${name.replace(/[\\/]/g, ' ')}.md`,
      query: sessionId,
    });
  }

  /** Reads the conversation. False if no collector responds; then the document keeps what it shows. */
  async #load(one: OpenConversation): Promise<boolean> {
    one.isBehind = false;
    const read = await one.reader.read();
    if (read === undefined) return false;
    one.goesOn = read !== 'erased' && !isOver(read.session.state);
    one.isPart = read !== 'erased' && read.cut.after;
    const time = { locale: vscode.env.language, now: this.#clock.now() };
    const format = conversationFormat(vscode.l10n, time, shownLimits);
    one.text = read === 'erased' ? 'erased' : conversationText(read, format);
    one.deliveries = read === 'erased' ? [] : read.deliveries;
    one.receiptLooks = 0;
    this.#scheduleReceiptLook(one);
    return true;
  }

  /** Reads the newest part, and the part around the place if the newest does not have it. */
  async #loadAt(sessionId: string, one: OpenConversation, place: WantedPlace | undefined): Promise<boolean> {
    if (one.isPart) one.reader = new ConversationReader(this.#collector, sessionId);
    if (!(await this.#load(one))) return false;
    if (place === undefined || rangeOf(one, place) !== undefined || one.text === 'erased') return true;
    one.reader = new ConversationReader(this.#collector, sessionId, place.interactionId);
    return this.#load(one);
  }

  #scheduleReceiptLook(one: OpenConversation): void {
    one.nextReceiptLook?.dispose();
    one.nextReceiptLook = undefined;
    const waits = one.deliveries.some(({ state }) => state === 'waiting');
    const isOpen = this.#opened.get(one.address.query) === one;
    if (!waits || one.isPart || !isOpen || !this.#view.isSeen(one.address)) return;
    const last = RECEIPT_LOOKS_MS.length - 1;
    const wait = RECEIPT_LOOKS_MS[Math.min(one.receiptLooks++, last)] ?? UPDATE_EVERY_MS;
    one.nextReceiptLook = this.#clock.after(wait, () => void this.#lookForReceipts(one));
  }

  async #lookForReceipts(one: OpenConversation): Promise<void> {
    const now = await this.#collector.deliveries(one.address.query);
    if (now === undefined || JSON.stringify(now) === JSON.stringify(one.deliveries)) this.#scheduleReceiptLook(one);
    else this.#markBehind(one);
  }

  /** Something has happened in the session: updates the document soon if the person sees it. */
  #markBehind(one: OpenConversation): void {
    one.isBehind = true;
    if (one.isPart || !this.#view.isSeen(one.address)) return;
    one.nextUpdate ??= this.#clock.after(UPDATE_EVERY_MS, () => void this.#update(one));
  }

  async #update(one: OpenConversation): Promise<void> {
    const before = textOf(one);
    const loaded = await this.#load(one);
    one.nextUpdate = undefined;
    if (textOf(one) !== before) await this.#view.renew(one.address, textOf(one));
    // What happened during the read may not be in it. If no collector responded, the next change of the state tries again.
    if (loaded && one.isBehind) this.#markBehind(one);
  }
}

function textOf({ text }: Pick<OpenConversation, 'text'>): string {
  if (text === undefined) return phraseFor('conversation.unknown');
  return text === 'erased' ? phraseFor('conversation.erased') : text.text;
}

function stopTimers(one: OpenConversation | undefined): void {
  one?.nextUpdate?.dispose();
  one?.nextReceiptLook?.dispose();
}

function isAbout(change: StateChange, sessionId: string): boolean {
  if (change.type === 'reset') return true;
  const { sessions, agents, removedSessions } = change.patch;
  return (
    sessions.some(({ id }) => id === sessionId) ||
    agents.some((agent) => agent.sessionId === sessionId) ||
    removedSessions.includes(sessionId)
  );
}

/** The wanted words where they can be found, else the beginning of the interaction; `undefined` if the text does not have it. */
function rangeOf(
  { text }: Pick<OpenConversation, 'text'>,
  { interactionId, words }: WantedPlace,
): vscode.Range | undefined {
  if (text === undefined || text === 'erased') return undefined;
  const place = text.places.get(interactionId);
  if (place === undefined) return undefined;
  const lines = text.text.split('\n');
  for (let line = place.from; line < place.to; line++) {
    const found = findWords(lines[line] ?? '', words);
    if (found) return new vscode.Range(line, found.from, line, found.to);
  }
  return new vscode.Range(place.from, 0, place.from, 0);
}
