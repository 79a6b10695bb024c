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

/** An event of the editor, which a test fires. */
export class FakeEvent<T> {
  private readonly listeners = new Set<(value: T) => void>();
  readonly on = (listener: (value: T) => void) => {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  };
  fire(value: T) {
    for (const listener of [...this.listeners]) listener(value);
  }
  get heard() {
    return this.listeners.size;
  }
  clear() {
    this.listeners.clear();
  }
}

export interface FakeTerminal {
  readonly processId: Promise<number | undefined>;
  show(preserveFocus: boolean): void;
}

/** A terminal with this shell. `never`: it doesn't come up. */
export function aTerminal(name: string, shell: number | 'never'): FakeTerminal {
  return {
    processId: shell === 'never' ? new Promise(() => undefined) : Promise.resolve(shell),
    show: (preserveFocus) => void shown.push(`terminal: ${name}${preserveFocus ? ' behind' : ''}`),
  };
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
const terminals: FakeTerminal[] = [];
const registered = new Map<string, (argument?: unknown) => unknown>();
/** What of each shown document its provider is asked by. */
const queries: string[] = [];
/** Commands with what they are given. */
const executed: unknown[][] = [];
const settings = new Map<string, unknown>();
/** What stands for the window, its views and what it tells of itself. */
const state = {
  focused: true,
  activeTerminal: undefined as FakeTerminal | undefined,
  remoteName: undefined as string | undefined,
  trusted: true,
  /** Whether the editor's own Markdown extension is on. */
  previews: true,
};
const events = {
  terminals: new FakeEvent<unknown>(),
  window: new FakeEvent<unknown>(),
  folders: new FakeEvent<unknown>(),
  trust: new FakeEvent<unknown>(),
  configuration: new FakeEvent<{ affectsConfiguration(name: string): boolean }>(),
};
/** What a setting has where, by its name, after its folder where it is one's own: `/p agentMascot.tracking.mode`. */
const inspected = new Map<string, Record<string, unknown>>();
const trees = new Map<string, FakeTree>();
const webviews = new Map<string, { resolveWebviewView(view: unknown): void }>();

interface TreeProvider {
  getChildren(node?: unknown): unknown[];
  getTreeItem(node: unknown): Record<string, unknown>;
}

export class FakeTree {
  visible = true;
  badge: { value: number; tooltip: string } | undefined;
  message: string | undefined;
  description: string | undefined;
  readonly revealed: unknown[] = [];
  readonly changed = new FakeEvent<{ visible: boolean }>();
  readonly onDidChangeVisibility = this.changed.on;
  readonly provider: TreeProvider;
  constructor(provider: TreeProvider) {
    this.provider = provider;
  }
  reveal(node: unknown, options: unknown) {
    this.revealed.push([node, options]);
    return Promise.resolve();
  }
  dispose() {}
}

export const editor = {
  ...{ shown, answers, commands, lists, folders, existing, clipboard, tabs, providers },
  ...{ terminals, executed, settings, state, events, trees, webviews, registered, queries, inspected },
};

export function clearEditor(): void {
  for (const list of [
    shown,
    answers,
    commands,
    lists,
    folders,
    existing,
    clipboard,
    tabs,
    terminals,
    executed,
    queries,
  ])
    list.length = 0;
  for (const map of [settings, trees, webviews, registered, inspected]) map.clear();
  for (const event of Object.values(events)) event.clear();
  Object.assign(state, {
    focused: true,
    activeTerminal: undefined,
    remoteName: undefined,
    trusted: true,
    previews: true,
  });
}

/** Until what has been begun without waiting for it is done. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));

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
  return (text: string, ...rest: readonly unknown[]): Promise<unknown> => {
    const given = rest.filter((one) => typeof one === 'string' || (typeof one === 'object' && one && 'title' in one));
    const buttons = given.map((one) => (typeof one === 'string' ? one : String((one as { title: unknown }).title)));
    const [options] = rest;
    const detail =
      typeof options === 'object' && options !== null && 'detail' in options ? `\n${String(options.detail)}` : '';
    shown.push([`${level}: ${text}${detail}`, ...buttons].join(' | '));
    if (buttons.length === 0) return Promise.resolve(undefined);
    const wish = next();
    if (wish !== '-' && !buttons.includes(wish)) throw new Error(`no button "${wish}": ${buttons.join(', ')}`);
    return Promise.resolve(wish === '-' ? undefined : given[buttons.indexOf(wish)]);
  };
}

class QuickPick {
  title = '';
  placeholder = '';
  ignoreFocusOut = false;
  items: readonly Item[] = [];
  selectedItems: readonly Item[] = [];
  buttons: readonly object[] = [];
  private accept: () => void = () => undefined;
  private trigger: (event: { item: Item }) => void = () => undefined;
  private pressed: (button: object) => void = () => undefined;
  private hidden: () => void = () => undefined;
  private open = false;
  onDidAccept(call: () => void) {
    this.accept = call;
  }
  onDidTriggerItemButton(call: (event: { item: Item }) => void) {
    this.trigger = call;
  }
  onDidTriggerButton(call: (button: object) => void) {
    this.pressed = call;
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
      if (wish === goBack && this.buttons.includes(back)) {
        this.pressed(back);
        continue;
      }
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

const back = { iconPath: { id: 'back' } };

/** An answer that goes back, or looks at the page that a button leads to. */
export const [goBack, followLink] = ['<- back', '-> link'];

class InputBox {
  title = '';
  value = '';
  prompt = '';
  validationMessage: string | undefined;
  buttons: readonly object[] = [];
  private accept: () => void = () => undefined;
  private trigger: (button: object) => void = () => undefined;
  private hidden: () => void = () => undefined;
  private open = false;
  onDidChangeValue() {}
  onDidAccept(call: () => void) {
    this.accept = call;
  }
  onDidTriggerButton(call: (button: object) => void) {
    this.trigger = call;
  }
  onDidHide(call: () => void) {
    this.hidden = call;
  }
  show() {
    shown.push(`input: ${this.title} [${this.value}] ${this.prompt}`);
    this.open = true;
    while (this.open) {
      const wish = next();
      const button = this.buttons.find((one) => (one === back) === (wish === goBack));
      if (wish === '-') return this.hide();
      if (wish === goBack || wish === followLink) {
        if (button === undefined) throw new Error(`no button for "${wish}"`);
        this.trigger(button);
        continue;
      }
      this.value = wish;
      this.accept();
      if (this.validationMessage !== undefined) shown.push(`wrong: ${this.validationMessage}`);
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
  FileType: { File: 1, Directory: 2 },
  ProgressLocation: { Notification: 15 },
  QuickPickItemKind: { Separator: -1 },
  QuickInputButtons: { Back: back },
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
  ThemeIcon: class {
    static readonly File = { id: 'file' };
    readonly id: string;
    readonly color: { id: string } | undefined;
    constructor(id: string, color?: { id: string }) {
      this.id = id;
      this.color = color;
    }
  },
  ThemeColor: class {
    readonly id: string;
    constructor(id: string) {
      this.id = id;
    }
  },
  MarkdownString: class {
    value = '';
    appendText(text: string) {
      this.value += text;
      return this;
    }
    appendMarkdown(text: string) {
      this.value += text;
      return this;
    }
  },
  TreeItem: class {
    readonly label: string;
    constructor(label: string) {
      this.label = label;
    }
  },
  TreeItemCollapsibleState: { None: 0, Collapsed: 1, Expanded: 2 },
  UIKind: { Desktop: 1, Web: 2 },
  ConfigurationTarget: { Global: 1 },
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
    parse: (text: string) => new FakeUri(text.slice(0, text.indexOf(':')), text.replace(/^\w+:\/\//, '')),
    from: ({ scheme, path, query }: { scheme: string; path: string; query?: string }) =>
      new FakeUri(scheme, path, query),
    joinPath: (uri: FakeUri, ...parts: string[]) =>
      new FakeUri(
        'file',
        parts.reduce((path) => path.replace(/\/[^/]*$/, ''), uri.path),
      ),
  },
  env: {
    language: 'en',
    appName: 'Test Code',
    uriScheme: 'test-code',
    uiKind: 1,
    get remoteName() {
      return state.remoteName;
    },
    openExternal: (uri: FakeUri) => Promise.resolve(void shown.push(`page: ${uri.path}`)),
    clipboard: { writeText: (text: string) => Promise.resolve(void clipboard.push(text)) },
  },
  commands: {
    registerCommand: (id: string, run: (argument?: unknown) => unknown) => {
      registered.set(id, run);
      return nothing;
    },
    executeCommand: (id: string, ...rest: unknown[]) => {
      commands.push(id);
      executed.push([id, ...rest]);
      const [before, after, title] = rest;
      if (id === 'markdown.showPreview' && before instanceof FakeUri) {
        if (!state.previews) return Promise.reject(new Error(`command '${id}' not found`));
        queries.push(before.query);
        shown.push(`preview: ${before.path}`);
      }
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
    terminals,
    get activeTerminal() {
      return state.activeTerminal;
    },
    get state() {
      return state;
    },
    onDidOpenTerminal: events.terminals.on,
    onDidCloseTerminal: events.terminals.on,
    onDidChangeWindowState: events.window.on,
    setStatusBarMessage: (text: string) => void shown.push(`briefly: ${text}`),
    createTreeView: (id: string, { treeDataProvider }: { treeDataProvider: TreeProvider }) => {
      const tree = new FakeTree(treeDataProvider);
      trees.set(id, tree);
      return tree;
    },
    registerWebviewViewProvider: (id: string, provider: { resolveWebviewView(view: unknown): void }) => {
      webviews.set(id, provider);
      return nothing;
    },
    showInputBox: (options: {
      title: string;
      value: string;
      prompt: string;
      validateInput: (text: string) => string | undefined;
    }) => {
      const wish = next();
      const wrong = wish === '-' ? undefined : options.validateInput(wish);
      shown.push(`input: ${options.title} [${options.value}] ${wrong ?? options.prompt}`);
      return Promise.resolve(wish === '-' || wrong !== undefined ? undefined : wish);
    },
    tabGroups: {
      all: [{ tabs }],
      close: (closed: readonly { input: TabInputTextDiff }[]) => {
        for (const tab of closed) tabs.splice(tabs.indexOf(tab), 1);
        return Promise.resolve(true);
      },
    },
    showQuickPick: (
      given: readonly Item[] | readonly string[],
      { title, canPickMany }: { title: string; canPickMany?: boolean },
    ) => {
      shown.push(`pick: ${title}`);
      const items = given.map((item) => (typeof item === 'string' ? { label: item } : item));
      lists.push([...items]);
      const wish = next();
      if (typeof given[0] === 'string') return Promise.resolve(choose(items, wish)?.label);
      if (canPickMany !== true || wish === '-') return Promise.resolve(choose(items, wish));
      return Promise.resolve(items.filter(({ label }) => wish.split('|').includes(label)));
    },
    createQuickPick: () => new QuickPick(),
    createInputBox: () => new InputBox(),
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
      if (document instanceof FakeUri) queries.push(document.query);
      const at = selection ? `:${selection.start.line}:${selection.start.character}` : '';
      shown.push(`open: ${document instanceof FakeUri ? document.path : document.content}${at}`);
      return Promise.resolve();
    },
  },
  workspace: {
    name: 'harbour',
    get isTrusted() {
      return state.trusted;
    },
    onDidGrantWorkspaceTrust: events.trust.on,
    onDidChangeWorkspaceFolders: events.folders.on,
    onDidChangeConfiguration: events.configuration.on,
    getConfiguration: (section: string, folder?: FakeUri) => ({
      get: (name: string) => inspected.get(`${section}.${name}`)?.['inForce'],
      inspect: (name: string) => inspected.get([folder?.path, `${section}.${name}`].filter(Boolean).join(' ')),
      update: (name: string, value: unknown) => Promise.resolve(void settings.set(`${section}.${name}`, value)),
    }),
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
        existing.includes(path)
          ? Promise.resolve({ type: path.endsWith('/') ? 2 : 1 })
          : Promise.reject(new Error(`no ${path}`)),
    },
  },
};
