import * as vscode from 'vscode';
import type { Disposable, Log, StateSource } from '../app/ports.ts';
import { summarise } from '../domain/selectors.ts';
import { type HostMessage, type PanelMessage, panelMessageSchema } from '../protocol/view.ts';
import type { InstalledHooks } from './hooks/installedHooks.ts';
import { commandIds, viewIds } from './ids.ts';
import { panelHtml } from './panelHtml.ts';
import { panelStrings, phraseFor } from './phrases.ts';
import type { EditorSettings } from './settings.ts';

export interface PanelParts {
  readonly source: StateSource;
  readonly settings: EditorSettings;
  readonly log: Log;
  readonly extensionUri: vscode.Uri;
  readonly installed: InstalledHooks;
}

export interface PanelView extends Disposable {
  /** Shows the panel and puts the keyboard's focus on that agent. */
  select(agentId: string): Promise<void>;
}

/** The sidebar's webview. It holds no state of its own: when it shows again it gets a snapshot. */
export function createPanelView({ source, settings, log, extensionUri, installed }: PanelParts): PanelView {
  let view: vscode.WebviewView | undefined;
  let ready = false;
  /** Asked for before the page could listen. */
  let selected: string | undefined;

  const post = (message: HostMessage) => {
    if (ready && view?.visible) void view.webview.postMessage(message);
  };
  const postSnapshot = () => post({ type: 'snapshot', state: source.snapshot(), source: source.status() });
  const postConfig = () =>
    post({
      type: 'config',
      config: {
        motion: settings.current()['panel.motion'],
        locale: vscode.env.language,
        strings: panelStrings(),
        installed: installed.current(),
      },
    });

  function postSelection(): void {
    if (selected === undefined || !ready || !view?.visible) return;
    post({ type: 'select', agentId: selected });
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
    if (ready && view?.visible && source.status() === 'live') installed.look();
  }

  function showBadge(): void {
    if (!view) return;
    const { waiting } = summarise(source.snapshot());
    view.badge =
      waiting === 0 ? undefined : { value: waiting, tooltip: phraseFor('badge.waiting', { count: waiting }) };
  }

  function receive(message: PanelMessage): void {
    switch (message.type) {
      case 'ready':
        ready = true;
        return showAll();
      case 'resync':
        return postSnapshot();
      case 'installHooks':
        return void vscode.commands.executeCommand(commandIds.installHooks);
      case 'checkHooks':
        return void vscode.commands.executeCommand(commandIds.checkHooks);
      case 'showLog':
        return void vscode.commands.executeCommand(commandIds.showLog);
      case 'explain':
        return void vscode.commands.executeCommand(commandIds.explainState, message.sessionId);
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
      showBadge();
    },
  };

  const parts = vscode.Disposable.from(
    vscode.window.registerWebviewViewProvider(viewIds.panel, provider),
    settings.onChange(postConfig),
    installed.onChange(postConfig),
    source.onChange((change) => {
      showBadge();
      if (change.type === 'reset') {
        postSnapshot();
        lookForHooks();
      } else post({ type: 'patch', patch: change.patch });
    }),
  );
  return {
    async select(agentId) {
      selected = agentId;
      await vscode.commands.executeCommand(`${viewIds.panel}.focus`);
      postSelection();
    },
    dispose: () => parts.dispose(),
  };
}

function newNonce(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
