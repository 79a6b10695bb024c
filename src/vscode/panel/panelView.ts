import * as vscode from 'vscode';
import type { Clock, Disposable, Log, StateChange, StateSource } from '../../app/ports.ts';
import type { Collector, Machine } from '../../app/windowPorts.ts';
import { type HostMessage, type PanelMessage, panelMessageSchema } from '../../protocol/view.ts';
import type { InstalledHooks } from '../hooks/installedHooks.ts';
import { actionCommands, commandIds, viewIds } from '../ids.ts';
import { panelStrings, phraseFor } from '../phrases.ts';
import type { EditorSettings } from '../settings.ts';
import { Elsewhere } from '../thisWindow.ts';
import type { ViewChoices } from '../viewChoices.ts';
import { panelHtml } from './panelHtml.ts';
import { StoryFeed } from './storyFeed.ts';

export interface PanelParts {
  readonly source: StateSource;
  /** Whether the collector runs in this window. */
  readonly owns: () => boolean;
  readonly settings: EditorSettings;
  readonly choices: Pick<
    ViewChoices,
    'filter' | 'showHidden' | 'met' | 'chooseFilter' | 'chooseHidden' | 'meet' | 'onChange'
  >;
  readonly collector: Pick<Collector, 'story'>;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly log: Log;
  readonly extensionUri: vscode.Uri;
  readonly installed: InstalledHooks;
}

/** A mascot needs both ids: agents of one team have the same ids in each of its sessions. */
export interface PanelMascot {
  readonly sessionId: string;
  readonly agentId: string;
}

type Selection = Extract<HostMessage, { type: 'select' }>;

/** The editor disposes of a hidden view's page late, and the next page takes about this long to begin. */
const BEGIN_MS = 5_000;

/** The sidebar's webview. The page keeps no state: each time it shows again it gets a snapshot. */
export class PanelView implements Disposable {
  readonly #parts: PanelParts;
  readonly #elsewhere: Elsewhere;
  readonly #stories: StoryFeed;
  readonly #disposables: Disposable;
  #view: vscode.WebviewView | undefined;
  /** The page has said that it listens. */
  #isReady = false;
  /** A selection that no page could receive yet. */
  #waitingSelection: Selection | undefined;
  /** The selection that was posted last. A page that begins soon after has not received it. */
  #postedSelection: { readonly message: Selection; readonly at: number } | undefined;
  /** The session of the mascot that was selected last. The person wants to see it whatever the filter. */
  #selectedSession: string | undefined;
  #postedElsewhere = '';

  constructor(parts: PanelParts) {
    const { source, settings, installed, choices } = parts;
    this.#parts = parts;
    this.#elsewhere = new Elsewhere(source, parts.machine);
    this.#stories = new StoryFeed({
      collector: parts.collector,
      clock: parts.clock,
      log: parts.log,
      isSeen: () => this.#isSeen(),
      show: (sessionId, story) => this.#post({ type: 'story', sessionId, story }),
    });
    const postConfig = () => this.#postConfig();
    this.#disposables = vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(viewIds.panel, { resolveWebviewView: (view) => this.#begin(view) }),
      this.#elsewhere,
      this.#stories,
      settings.onChange(postConfig),
      installed.onChange(postConfig),
      vscode.workspace.onDidGrantWorkspaceTrust(postConfig),
      choices.onChange(() => {
        this.#selectedSession = undefined;
        this.#postConfig();
        this.#postElsewhere(false);
      }),
      this.#elsewhere.onChange(() => this.#postElsewhere(false)),
      source.onChange((change) => this.#follow(change)),
    );
  }

  /** Shows the panel and moves the keyboard's focus to that mascot. `open`: also opens its card. */
  async select({ sessionId, agentId }: PanelMascot, open = false): Promise<void> {
    const { source, choices } = this.#parts;
    const agent = source.snapshot().agents.find((one) => one.id === agentId && one.sessionId === sessionId);
    if (agent?.hidden === true) choices.chooseHidden(true);
    this.#selectedSession = sessionId;
    this.#waitingSelection = { type: 'select', agentId, open };
    await vscode.commands.executeCommand(`${viewIds.panel}.focus`);
    this.#postSelection();
  }

  /** Plays a sound if the panel is visible. */
  chime(): void {
    this.#post({ type: 'chime' });
  }

  dispose(): void {
    this.#disposables.dispose();
  }

  #isSeen(): boolean {
    return this.#isReady && this.#view?.visible === true;
  }

  /** Sends a message to the page. What a hidden page misses is in the snapshot that it gets when it shows again. */
  #post(message: HostMessage): void {
    if (this.#isSeen()) void this.#view?.webview.postMessage(message);
  }

  #begin(view: vscode.WebviewView): void {
    const { extensionUri, log } = this.#parts;
    this.#view = view;
    this.#isReady = false;
    const dist = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
    view.webview.options = { enableScripts: true, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((raw) => {
      const message = panelMessageSchema.safeParse(raw);
      if (message.success) this.#receive(message.data);
      else log.warn('The panel sent a message that is not understood.');
    });
    view.onDidChangeVisibility(() => {
      if (view.visible) this.#postAll();
    });
    view.onDidDispose(() => {
      this.#view = undefined;
      this.#isReady = false;
    });
    const script = view.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'panel.js')).toString();
    view.webview.html = panelHtml({
      nonce: newNonce(),
      script,
      language: vscode.env.language,
      title: phraseFor('panel.title'),
    });
    this.#describe();
  }

  #receive(message: PanelMessage): void {
    const { choices } = this.#parts;
    switch (message.type) {
      case 'ready':
        return this.#beginPage();
      case 'resync':
        return this.#postSnapshot();
      case 'installHooks':
      case 'checkHooks':
      case 'showLog':
        return void vscode.commands.executeCommand(commandIds[message.type]);
      case 'explain':
        return void vscode.commands.executeCommand(commandIds.explainState, message.sessionId);
      case 'act': {
        const { sessionId, agentId } = message;
        return void vscode.commands.executeCommand(actionCommands[message.action], { sessionId, agentId });
      }
      case 'story':
        return this.#stories.open(message.sessionId);
      case 'filter':
        return choices.chooseFilter(message.filter);
      case 'showHidden':
        return choices.chooseHidden(message.show);
      case 'met':
        return choices.meet();
    }
  }

  #beginPage(): void {
    this.#isReady = true;
    const posted = this.#postedSelection;
    if (posted && this.#parts.clock.now() - posted.at < BEGIN_MS) this.#waitingSelection ??= posted.message;
    this.#postedSelection = undefined;
    // A new page has no card open.
    this.#stories.open(null);
    this.#postAll();
  }

  #follow(change: StateChange): void {
    if (change.type === 'reset') {
      this.#describe();
      this.#postSnapshot();
      return this.#lookForHooks();
    }
    // Posted before the patch, so that a session of another window is never drawn for a moment.
    this.#postElsewhere(false);
    this.#post(change);
    this.#stories.follow(change.patch);
  }

  #postAll(): void {
    this.#postConfig();
    this.#postSnapshot();
    this.#postSelection();
    this.#lookForHooks();
  }

  #postSnapshot(): void {
    const { source } = this.#parts;
    this.#post({ type: 'snapshot', state: source.snapshot(), source: source.status() });
    this.#postElsewhere(true);
    this.#stories.renew();
  }

  /** Posts which sessions the filter leaves out, if they have changed or `always`. */
  #postElsewhere(always: boolean): void {
    const isNarrowed = this.#parts.choices.filter() === 'here';
    const ids = isNarrowed ? this.#elsewhere.ids().filter((id) => id !== this.#selectedSession) : [];
    const text = ids.join('\n');
    if (always || text !== this.#postedElsewhere) this.#post({ type: 'elsewhere', sessionIds: ids });
    this.#postedElsewhere = text;
  }

  #postConfig(): void {
    const { settings, installed, choices } = this.#parts;
    this.#describe();
    this.#post({
      type: 'config',
      config: {
        motion: settings.current()['panel.motion'],
        locale: vscode.env.language,
        strings: panelStrings(),
        installed: installed.current(),
        filter: choices.filter(),
        showHidden: choices.showHidden(),
        restricted: !vscode.workspace.isTrusted,
        welcome: !choices.met(),
      },
    });
  }

  #postSelection(): void {
    const message = this.#waitingSelection;
    if (message === undefined || !this.#isSeen()) return;
    this.#postElsewhere(false);
    this.#post(message);
    this.#postedSelection = { message, at: this.#parts.clock.now() };
    this.#waitingSelection = undefined;
  }

  /** Says beside the view's title why the panel may show less than one expects. */
  #describe(): void {
    if (!this.#view) return;
    const { source, settings, choices, owns } = this.#parts;
    const { owner } = source.snapshot();
    const parts = [
      choices.filter() === 'here' ? phraseFor('describe.here') : '',
      settings.current().doNotDisturb ? phraseFor('describe.quiet') : '',
      source.status() === 'live' && owner !== null && !owns() ? phraseFor('describe.otherOwner') : '',
    ];
    this.#view.description = parts.filter((words) => words !== '').join(' · ');
  }

  /** Looks whether hooks are installed, but not before the collector runs, so that starting is not slowed. */
  #lookForHooks(): void {
    if (this.#isSeen() && this.#parts.source.status() === 'live') this.#parts.installed.look();
  }
}

function newNonce(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
