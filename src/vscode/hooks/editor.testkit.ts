/** Stands for the editor: notes what it is asked to show, and answers as the test says, in order. */

interface Item {
  readonly label: string;
  readonly kind?: number;
  readonly description?: string;
  readonly detail?: string;
  readonly buttons?: readonly unknown[];
}

export interface Folder {
  readonly name: string;
  readonly uri: FakeUri;
}

export class FakeUri {
  readonly scheme: string;
  readonly path: string;
  readonly query: string;
  constructor(scheme: string, path: string, query = '') {
    this.scheme = scheme;
    this.path = path;
    this.query = query;
  }
  get fsPath() {
    return this.path;
  }
  with({ scheme, query }: { scheme: string; query: string }) {
    return new FakeUri(scheme, this.path, query);
  }
  toString() {
    return `${this.scheme}:${this.path}?${this.query}`;
  }
}

export class TabInputTextDiff {
  readonly modified: FakeUri;
  constructor(modified: FakeUri) {
    this.modified = modified;
  }
}

/** What is shown, one line each. */
const shown: string[] = [];
/** A part of the label of what the person chooses; `-` for none, `@` before it for the button in an item's line. */
const answers: string[] = [];
const commands: string[] = [];
const lists: Item[][] = [];
const folders: Folder[] = [];
const existing: string[] = [];
const clipboard: string[] = [];
const tabs: { input: TabInputTextDiff }[] = [];
const providers = new Map<string, (uri: FakeUri) => string>();

export const editor = { shown, answers, commands, lists, folders, existing, clipboard, tabs, providers };

export function clearEditor(): void {
  for (const list of [shown, answers, commands, lists, folders, existing, clipboard, tabs]) list.length = 0;
}

function next(): string {
  return answers.shift() ?? '-';
}

function choose<T extends Item>(items: readonly T[], wish: string): T | undefined {
  if (wish === '-') return undefined;
  const found = items.find(({ label, kind }) => kind === undefined && label.includes(wish.replace('@', '')));
  if (found === undefined)
    throw new Error(`nothing to choose has "${wish}": ${items.map(({ label }) => label).join(' | ')}`);
  return found;
}

function message(level: string) {
  return (text: string, ...rest: readonly unknown[]): Promise<string | undefined> => {
    const buttons = rest.filter((one) => typeof one === 'string');
    const [options] = rest;
    const detail =
      typeof options === 'object' && options !== null && 'detail' in options ? `\n${String(options.detail)}` : '';
    shown.push([`${level}: ${text}${detail}`, ...buttons].join(' | '));
    if (buttons.length === 0) return Promise.resolve(undefined);
    const wish = next();
    if (wish !== '-' && !buttons.includes(wish)) throw new Error(`no button "${wish}": ${buttons.join(', ')}`);
    return Promise.resolve(wish === '-' ? undefined : wish);
  };
}

class QuickPick {
  title = '';
  placeholder = '';
  ignoreFocusOut = false;
  items: readonly Item[] = [];
  selectedItems: readonly Item[] = [];
  private accept: () => void = () => undefined;
  private trigger: (event: { item: Item }) => void = () => undefined;
  private hidden: () => void = () => undefined;
  private open = false;
  onDidAccept(call: () => void) {
    this.accept = call;
  }
  onDidTriggerItemButton(call: (event: { item: Item }) => void) {
    this.trigger = call;
  }
  onDidHide(call: () => void) {
    this.hidden = call;
  }
  show() {
    shown.push(`pick: ${this.title}`);
    lists.push([...this.items]);
    this.open = true;
    while (this.open) {
      const wish = next();
      const item = choose(this.items, wish);
      if (item === undefined) return this.hide();
      this.selectedItems = [item];
      if (wish.startsWith('@')) this.trigger({ item });
      else this.accept();
    }
  }
  hide() {
    if (!this.open) return;
    this.open = false;
    this.hidden();
  }
  dispose() {}
}

const nothing = { dispose: () => undefined };

export const fakeVscode = {
  l10n: {
    t: (text: string, places: Record<string, unknown> = {}) =>
      text.replace(/\{(\w+)\}/g, (place, name: string) => (name in places ? String(places[name]) : place)),
  },
  ProgressLocation: { Notification: 15 },
  QuickPickItemKind: { Separator: -1 },
  Disposable: { from: (...all: { dispose(): void }[]) => ({ dispose: () => all.forEach((one) => one.dispose()) }) },
  EventEmitter: class<T> {
    private readonly listeners: ((value: T) => void)[] = [];
    readonly event = (listener: (value: T) => void) => {
      this.listeners.push(listener);
      return nothing;
    };
    fire(value: T) {
      this.listeners.forEach((listener) => listener(value));
    }
    dispose() {}
  },
  ThemeIcon: class {},
  Position: class {
    readonly line: number;
    readonly character: number;
    constructor(line: number, character: number) {
      this.line = line;
      this.character = character;
    }
  },
  Range: class {
    readonly start: { line: number; character: number };
    constructor(start: { line: number; character: number }) {
      this.start = start;
    }
  },
  TabInputTextDiff,
  Uri: {
    file: (path: string) => new FakeUri('file', path),
    from: ({ scheme, path, query }: { scheme: string; path: string; query?: string }) =>
      new FakeUri(scheme, path, query),
    joinPath: (uri: FakeUri, ...parts: string[]) =>
      new FakeUri(
        'file',
        parts.reduce((path) => path.replace(/\/[^/]*$/, ''), uri.path),
      ),
  },
  env: {
    clipboard: { writeText: (text: string) => Promise.resolve(void clipboard.push(text)) },
  },
  commands: {
    executeCommand: (id: string, ...rest: unknown[]) => {
      commands.push(id);
      const [before, after, title] = rest;
      if (id === 'vscode.diff' && before instanceof FakeUri && after instanceof FakeUri) {
        const text = (uri: FakeUri) => providers.get(uri.scheme)?.(uri) ?? '';
        shown.push(`diff: ${String(title)} [${text(before)}] -> [${text(after)}]`);
        tabs.push({ input: new TabInputTextDiff(after) });
      }
      return Promise.resolve();
    },
  },
  languages: { setTextDocumentLanguage: (document: unknown) => Promise.resolve(document) },
  window: {
    activeTextEditor: undefined,
    tabGroups: {
      all: [{ tabs }],
      close: (closed: readonly { input: TabInputTextDiff }[]) => {
        for (const tab of closed) tabs.splice(tabs.indexOf(tab), 1);
        return Promise.resolve(true);
      },
    },
    showQuickPick: (items: readonly Item[], { title }: { title: string }) => {
      shown.push(`pick: ${title}`);
      lists.push([...items]);
      return Promise.resolve(choose(items, next()));
    },
    createQuickPick: () => new QuickPick(),
    showInformationMessage: message('info'),
    showWarningMessage: message('warning'),
    showErrorMessage: message('error'),
    withProgress: (_: unknown, run: (progress: object, cancel: object) => unknown) =>
      run(
        { report: () => undefined },
        { onCancellationRequested: (call: () => void) => void (next() === 'cancel' && call()) },
      ),
    showTextDocument: (
      document: FakeUri | { content: string },
      { selection }: { selection?: { start: { line: number; character: number } } } = {},
    ) => {
      const at = selection ? `:${selection.start.line}:${selection.start.character}` : '';
      shown.push(`open: ${document instanceof FakeUri ? document.path : document.content}${at}`);
      return Promise.resolve();
    },
  },
  workspace: {
    get workspaceFolders() {
      return folders;
    },
    getWorkspaceFolder: () => undefined,
    registerTextDocumentContentProvider: (
      scheme: string,
      { provideTextDocumentContent }: { provideTextDocumentContent: (uri: FakeUri) => string },
    ) => {
      providers.set(scheme, provideTextDocumentContent);
      return nothing;
    },
    openTextDocument: (uri: unknown) => Promise.resolve(uri),
    fs: {
      stat: ({ path }: FakeUri) =>
        existing.includes(path) ? Promise.resolve({}) : Promise.reject(new Error(`no ${path}`)),
    },
  },
};
