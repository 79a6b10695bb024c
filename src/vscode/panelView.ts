import * as vscode from 'vscode';
import type { Clock, Disposable, Log, StateSource } from '../app/ports.ts';
import type { Collector, Machine } from '../app/windowPorts.ts';
import { type HostMessage, type PanelMessage, panelMessageSchema } from '../protocol/view.ts';
import type { InstalledHooks } from './hooks/installedHooks.ts';
import { commandIds, viewIds } from './ids.ts';
import { actionCommands } from './mascots/actions.ts';
import { createElsewhere } from './panel/elsewhere.ts';
import { createStoryFeed } from './panel/storyFeed.ts';
import { panelHtml } from './panelHtml.ts';
import { panelStrings, phraseFor } from './phrases.ts';
import type { EditorSettings } from './settings.ts';
import type { ViewChoices } from './viewChoices.ts';

export interface PanelParts {
  readonly source: StateSource;
  /** Whether the collector runs in this window. */
  readonly owns: () => boolean;
  readonly settings: EditorSettings;
  readonly choices: ViewChoices;
  readonly collector: Pick<Collector, 'story'>;
  readonly machine: Machine;
  readonly clock: Clock;
  readonly log: Log;
  readonly extensionUri: vscode.Uri;
  readonly installed: InstalledHooks;
}

/** Agents of one team have the same ids in each of its sessions. */
export interface Shown {
  readonly sessionId: string;
  readonly agentId: string;
}

export interface PanelView extends Disposable {
  /** Shows the panel and puts the keyboard's focus on that agent. `open`: with its card. */
  select(mascot: Shown, open?: boolean): Promise<void>;
  /** A sound, where the panel is to be seen. */
  chime(): void;
}

/** The editor says later that a view was hidden than it lets go of its page; the next one takes about so long to begin. */
const BEGIN_MS = 5_000;

/** The sidebar's webview. It holds no state of its own: when it shows again it gets a snapshot. */
export function createPanelView(parts: PanelParts): PanelView {
  const { source, settings, choices, log, extensionUri, installed } = parts;
  let view: vscode.WebviewView | undefined;
  let ready = false;
  /** Asked for before the page could listen. */
  let selected: Extract<HostMessage, { type: 'select' }> | undefined;
  /** What the page was told last, and when: a page that begins after that has not got it. */
  let told: { readonly message: typeof selected; readonly at: number } | undefined;
  /** The session of who was shown last by name: the person wants to see it, whatever the filter. */
  let sought: string | undefined;
  let leftOut = '';

  const isSeen = () => ready && view?.visible === true;
  const post = (message: HostMessage) => {
    if (isSeen()) void view?.webview.postMessage(message);
  };
  const elsewhere = createElsewhere(source, parts.machine);
  const stories = createStoryFeed({
    collector: parts.collector,
    clock: parts.clock,
    log,
    isSeen,
    tell: (sessionId, story) => post({ type: 'story', sessionId, story }),
  });

  function postElsewhere(always: boolean): void {
    const ids = choices.filter() === 'here' ? elsewhere.ids().filter((id) => id !== sought) : [];
    const text = ids.join('\n');
    if (always || text !== leftOut) post({ type: 'elsewhere', sessionIds: ids });
    leftOut = text;
  }

  function postSnapshot(): void {
    post({ type: 'snapshot', state: source.snapshot(), source: source.status() });
    postElsewhere(true);
    stories.again();
  }

  function postConfig(): void {
    describe();
    post({
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

  /** Beside the view's title: what makes it look other than one might expect. */
  function describe(): void {
    if (!view) return;
    const { owner } = source.snapshot();
    const inForce = [
      choices.filter() === 'here' ? phraseFor('describe.here') : '',
      settings.current().doNotDisturb ? phraseFor('describe.quiet') : '',
      source.status() === 'live' && owner !== null && !parts.owns() ? phraseFor('describe.otherOwner') : '',
    ];
    view.description = inForce.filter((words) => words !== '').join(' · ');
  }

  function postSelection(): void {
    if (selected === undefined || !isSeen()) return;
    postElsewhere(false);
    post(selected);
    told = { message: selected, at: parts.clock.now() };
    selected = undefined;
  }

  function showAll(): void {
    postConfig();
    postSnapshot();
    postSelection();
    lookForHooks();
  }

  /** Not before the collector runs, so that starting is not slowed. */
  function lookForHooks(): void {
    if (isSeen() && source.status() === 'live') installed.look();
  }

  function receive(message: PanelMessage): void {
    switch (message.type) {
      case 'ready':
        ready = true;
        if (told && parts.clock.now() - told.at < BEGIN_MS) selected ??= told.message;
        told = undefined;
        // A page that begins anew has no card open.
        stories.open(null);
        return showAll();
      case 'resync':
        return postSnapshot();
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
        return stories.open(message.sessionId);
      case 'filter':
        return choices.chooseFilter(message.filter);
      case 'showHidden':
        return choices.chooseHidden(message.show);
      case 'met':
        return choices.meet();
    }
  }

  const provider: vscode.WebviewViewProvider = {
    resolveWebviewView(resolved) {
      view = resolved;
      ready = false;
      const dist = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
      resolved.webview.options = { enableScripts: true, localResourceRoots: [dist] };
      resolved.webview.onDidReceiveMessage((raw) => {
        const message = panelMessageSchema.safeParse(raw);
        if (message.success) receive(message.data);
        else log.warn('The panel sent a message that is not understood.');
      });
      resolved.onDidChangeVisibility(() => {
        if (resolved.visible) showAll();
      });
      resolved.onDidDispose(() => {
        view = undefined;
        ready = false;
      });
      const script = resolved.webview.asWebviewUri(vscode.Uri.joinPath(dist, 'panel.js')).toString();
      resolved.webview.html = panelHtml({
        nonce: newNonce(),
        script,
        language: vscode.env.language,
        title: phraseFor('panel.title'),
      });
      describe();
    },
  };

  const disposables = vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(viewIds.panel, provider),
    elsewhere,
    stories,
    settings.onChange(postConfig),
    installed.onChange(postConfig),
    vscode.workspace.onDidGrantWorkspaceTrust(postConfig),
    choices.onChange(() => {
      sought = undefined;
      postConfig();
      postElsewhere(false);
    }),
    elsewhere.onChange(() => postElsewhere(false)),
    source.onChange((change) => {
      if (change.type === 'reset') {
        describe();
        postSnapshot();
        return lookForHooks();
      }
      // Before the patch: who is left out is not drawn for a moment first.
      postElsewhere(false);
      post(change);
      stories.follow(change.patch);
    }),
  );
  return {
    async select({ sessionId, agentId }, open = false) {
      const agent = source.snapshot().agents.find((one) => one.id === agentId && one.sessionId === sessionId);
      if (agent?.hidden === true) choices.chooseHidden(true);
      sought = sessionId;
      selected = { type: 'select', agentId, open };
      await vscode.commands.executeCommand(`${viewIds.panel}.focus`);
      postSelection();
    },
    chime: () => post({ type: 'chime' }),
    dispose: () => disposables.dispose(),
  };
}

function newNonce(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
