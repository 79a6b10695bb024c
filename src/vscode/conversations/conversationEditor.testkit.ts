import { editor, FakeEvent, fakeVscode, FakeUri } from '../hooks/editor.testkit.ts';

/** An editor with documents that grow, lists that answer while one types, and a dialog that asks where to save. */

interface Provider {
  readonly onDidChange?: (listener: (uri: FakeUri) => void) => { dispose(): void };
  provideTextDocumentContent(uri: FakeUri): Promise<string> | string;
}

class Range {
  readonly start: { line: number; character: number };
  readonly end: { line: number; character: number };
  constructor(...at: readonly (number | { line: number; character: number })[]) {
    const [a, b, c, d] = at;
    this.start = typeof a === 'object' ? a : { line: Number(a), character: Number(b) };
    this.end = typeof b === 'object' ? b : { line: Number(c), character: Number(d) };
  }
}

export class OpenDocument {
  text = '';
  readonly uri: FakeUri;
  constructor(uri: FakeUri) {
    this.uri = uri;
  }
  get lineCount() {
    return this.text.split('\n').length;
  }
  getText() {
    return this.text;
  }
}

export class OpenEditor {
  selection: Range | undefined;
  visibleRanges: { end: { line: number } }[] = [];
  readonly revealed: number[] = [];
  readonly document: OpenDocument;
  constructor(document: OpenDocument) {
    this.document = document;
  }
  /** Down to this line it is in view. */
  scrollTo(line: number) {
    this.visibleRanges = [{ end: { line } }];
  }
  revealRange({ start }: Range) {
    this.revealed.push(start.line);
    this.scrollTo(start.line);
  }
}

export interface ListItem {
  readonly label: string;
  readonly detail?: string;
  readonly alwaysShow?: boolean;
}

export class LiveQuickPick {
  title = '';
  placeholder = '';
  value = '';
  busy = false;
  shown = 0;
  disposed = false;
  items: readonly ListItem[] = [];
  activeItems: readonly ListItem[] = [];
  selectedItems: readonly ListItem[] = [];
  buttons: readonly { readonly iconPath: { readonly id: string } }[] = [];
  private readonly typed = new FakeEvent<string>();
  private readonly button = new FakeEvent<unknown>();
  private readonly accepted = new FakeEvent<void>();
  private readonly hidden = new FakeEvent<void>();
  readonly onDidChangeValue = this.typed.on;
  readonly onDidTriggerButton = this.button.on;
  readonly onDidAccept = this.accepted.on;
  readonly onDidHide = this.hidden.on;
  show() {
    this.shown++;
  }
  hide() {
    this.hidden.fire();
  }
  dispose() {
    this.disposed = true;
  }
  type(value: string) {
    this.value = value;
    this.typed.fire(value);
  }
  press(icon: string) {
    this.button.fire(this.buttons.find(({ iconPath }) => iconPath.id === icon));
  }
  choose(label: string) {
    this.selectedItems = this.items.filter((item) => item.label.includes(label));
    this.accepted.fire();
  }
}

const documents: OpenDocument[] = [];
const editors: OpenEditor[] = [];
const picks: LiveQuickPick[] = [];
const written = new Map<string, string>();
const changes = new FakeEvent<{ document: OpenDocument }>();
const closes = new FakeEvent<OpenDocument>();
const seen = new FakeEvent<unknown>();
const state = {
  provider: undefined as Provider | undefined,
  /** What the save dialog answers. */
  target: undefined as FakeUri | undefined,
  asked: undefined as { defaultUri: FakeUri } | undefined,
  writeError: undefined as Error | undefined,
  cancel: false,
};

export const workbench = { documents, editors, picks, written, seen, state };

export function clearWorkbench(): void {
  for (const list of [documents, editors, picks]) list.length = 0;
  for (const event of [changes, closes, seen]) event.clear();
  written.clear();
  Object.assign(state, {
    provider: undefined,
    target: undefined,
    asked: undefined,
    writeError: undefined,
    cancel: false,
  });
}

export function closeDocument(document: OpenDocument): void {
  documents.splice(documents.indexOf(document), 1);
  closes.fire(document);
}

export const conversationVscode = {
  ...fakeVscode,
  Range,
  TextEditorRevealType: { InCenter: 1 },
  TabInputWebview: class {},
  Uri: {
    ...fakeVscode.Uri,
    joinPath: (uri: FakeUri, ...parts: string[]) => new FakeUri('file', [uri.path, ...parts].join('/')),
  },
  window: {
    ...fakeVscode.window,
    get visibleTextEditors() {
      return editors;
    },
    onDidChangeVisibleTextEditors: seen.on,
    tabGroups: { all: [], onDidChangeTabs: () => ({ dispose: () => undefined }) },
    createQuickPick: () => {
      const pick = new LiveQuickPick();
      picks.push(pick);
      return pick;
    },
    showQuickPick: async (items: Promise<readonly ListItem[]>, options: { title: string }) =>
      fakeVscode.window.showQuickPick(await items, options),
    showSaveDialog: (options: { defaultUri: FakeUri }) => {
      state.asked = options;
      return Promise.resolve(state.target);
    },
    withProgress: (_: unknown, run: (progress: object, cancel: object) => unknown) =>
      run(
        { report: ({ message }: { message: string }) => void editor.shown.push(`progress: ${message}`) },
        { onCancellationRequested: (call: () => void) => void (state.cancel && call()) },
      ),
    showTextDocument: (document: OpenDocument, { selection }: { selection?: Range } = {}) => {
      const open = editors.find((one) => one.document === document) ?? new OpenEditor(document);
      if (!editors.includes(open)) editors.push(open);
      open.selection = selection;
      open.scrollTo(selection?.end.line ?? 0);
      return Promise.resolve(open);
    },
  },
  workspace: {
    ...fakeVscode.workspace,
    get workspaceFolders() {
      return editor.folders;
    },
    textDocuments: documents,
    onDidChangeTextDocument: changes.on,
    onDidCloseTextDocument: closes.on,
    registerTextDocumentContentProvider: (_: string, provider: Provider) => {
      state.provider = provider;
      provider.onDidChange?.((uri) => {
        const document = documents.find((one) => one.uri.toString() === uri.toString());
        if (document) void fill(document, provider);
      });
      return { dispose: () => undefined };
    },
    async openTextDocument(uri: FakeUri) {
      const open = documents.find((one) => one.uri.toString() === uri.toString()) ?? new OpenDocument(uri);
      if (documents.includes(open)) return open;
      documents.push(open);
      open.text = (await state.provider?.provideTextDocumentContent(uri)) ?? '';
      return open;
    },
    fs: {
      writeFile: (uri: FakeUri, bytes: Uint8Array) => {
        if (state.writeError) return Promise.reject(state.writeError);
        written.set(uri.path, new TextDecoder().decode(bytes));
        return Promise.resolve();
      },
    },
  },
};

async function fill(document: OpenDocument, provider: Provider): Promise<void> {
  document.text = await provider.provideTextDocumentContent(document.uri);
  changes.fire({ document });
}
