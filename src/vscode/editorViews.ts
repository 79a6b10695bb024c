import * as vscode from 'vscode';
import type { HookKit } from '../app/hooks/hookKit.ts';
import type { Disposable, Explainer, StateSource } from '../app/ports.ts';
import type { RelayKit } from '../app/relay/relayPorts.ts';
import type { Collector, Machine, TrackingNotes, Windows } from '../app/windowPorts.ts';
import { registerCommands } from './commands.ts';
import { conversationCommands } from './conversations/conversationCommands.ts';
import { ConversationDocuments } from './conversations/conversationDocument.ts';
import { ReportDocuments } from './conversations/reportDocument.ts';
import { diagnosticsText, type Loaded } from './diagnostics.ts';
import { editorClock } from './editorClock.ts';
import { createExplanationDocument } from './explanationDocument.ts';
import { TerminalFocus } from './focus/focusTerminal.ts';
import { OwnWindow } from './focus/ownWindow.ts';
import { Terminals } from './focus/terminals.ts';
import { createHookCommands, type HookCommandParts } from './hooks/hookCommands.ts';
import { createInstalledHooks } from './hooks/installedHooks.ts';
import { contextKeys } from './ids.ts';
import type { EditorLog } from './log.ts';
import { mascotCommands } from './mascots/mascotCommands.ts';
import { Notices } from './notices/notices.ts';
import { NoticeView } from './notices/noticeView.ts';
import { Elsewhere, nearnessTo } from './thisWindow.ts';
import { PanelView } from './panel/panelView.ts';
import { type TeamKit, teamCommands } from './postgres/teamCommands.ts';
import { createTeamPreview } from './postgres/teamPreview.ts';
import { forgetSecrets, relayCommands } from './relay/relayCommands.ts';
import { createRelayPreview } from './relay/relayPreview.ts';
import { SessionsTree } from './sessions/sessionsTree.ts';
import type { EditorSettings } from './settings.ts';
import { StatusBar } from './statusBar.ts';
import { eraseCommands } from './stored/eraseCommands.ts';
import { onErased } from './stored/onErased.ts';
import { projectCommands } from './stored/projectCommands.ts';
import { watchPlannedRetention } from './stored/retentionNotice.ts';
import { createStoredDocument } from './stored/storedDocument.ts';
import type { NotStoring } from './troubles.ts';
import { ViewChoices } from './viewChoices.ts';
import { createViewedSource } from './viewedSource.ts';
import { GuardModes } from './work/guardModes.ts';
import { TrackingSettings } from './work/trackingSettings.ts';
import { workCommands } from './work/workCommands.ts';
import { WorkTree } from './work/workTree.ts';

export interface EditorViewParts {
  readonly membership: StateSource & Explainer & HookCommandParts['membership'];
  readonly kit: HookKit;
  readonly settings: EditorSettings;
  readonly notStoring: NotStoring;
  readonly log: EditorLog;
  readonly version: string;
  /** Where the extension lies, and what it remembers of this person and of this workspace. */
  readonly context: Pick<vscode.ExtensionContext, 'extensionUri' | 'globalState' | 'workspaceState'>;
  readonly folders: HookCommandParts['folders'];
  readonly loaded: Loaded;
  readonly collector: Collector;
  readonly windows: Windows;
  readonly machine: Machine;
  readonly trackingNotes: TrackingNotes;
  readonly relay: RelayKit;
  readonly team: TeamKit;
}

/** All that the editor shows and offers. */
export function createEditorViews(parts: EditorViewParts): Disposable {
  const { membership, kit, settings, log, version, context, folders, loaded } = parts;
  const { collector, windows, machine } = parts;
  const clock = editorClock;
  const source = createViewedSource(membership);
  const installed = createInstalledHooks(kit, log);
  const markInstalled = () =>
    void vscode.commands.executeCommand('setContext', contextKeys.installed, installed.current());
  const choices = new ViewChoices(context.globalState, context.workspaceState);
  const terminals = new Terminals(clock);
  const terminal = new TerminalFocus({ windows, machine, terminals });
  const conversation = new ConversationDocuments({ source, collector, clock });
  const report = new ReportDocuments({ collector, clock });
  const conversations = conversationCommands({
    ...{ collector, machine, conversation, report, clock },
    personHome: folders.person,
  });
  const panel = new PanelView({
    source,
    owns: membership.owns,
    settings,
    choices,
    collector,
    machine,
    clock,
    log,
    extensionUri: context.extensionUri,
    installed,
  });
  const explanation = createExplanationDocument(membership);
  const teamPreview = createTeamPreview({ source, collector, user: parts.team.user });
  const relayPreview = createRelayPreview({ kit: parts.relay, source, collector, clock });
  const stored = createStoredDocument(collector, settings, clock);
  const sessions = new SessionsTree({
    source,
    collector,
    clock,
    memory: context.workspaceState,
    relays: () => parts.relay.rules.current().target !== 'off',
    choices,
    onShown: installed.look,
  });
  const elsewhere = new Elsewhere(source, machine);
  const guard = new GuardModes({ source, collector, clock, log });
  const work = new WorkTree({ source, collector, clock, choices, elsewhere, guard });
  function erased(): void {
    sessions.reread();
    work.reread();
    conversation.reread();
    report.reread();
  }
  const isCopied = async () => ((await parts.team.secrets.get('postgres.url')) ?? '') !== '';
  const erasing = eraseCommands({ source, collector, clock, log, isCopied, erased });
  const hooks = createHookCommands({
    kit,
    membership,
    log,
    version,
    folders,
    turnedOff: source.turnOff,
    forgetSecrets: () => forgetSecrets(parts.relay.secrets),
    changed: installed.look,
  });
  const mascots = mascotCommands({
    ...{ source, collector, clock, terminal, conversation },
    select: (mascot) => panel.select(mascot, true),
  });
  const notices = new Notices({
    source,
    settings,
    windows,
    clock,
    log,
    nearnessTo: (session) => nearnessTo(session, { machine, terminals, terminal }),
    view: new NoticeView({ source, settings, panel, terminal }),
  });
  const diagnostics = () =>
    diagnosticsText({ source, owns: membership.owns, settings: settings.current, version, loaded });
  return vscode.Disposable.from(
    source,
    windows,
    installed,
    installed.onChange(markInstalled),
    choices,
    new OwnWindow({ windows, machine, terminals, clock, log }),
    panel,
    sessions,
    elsewhere,
    guard,
    work,
    new TrackingSettings({ notes: parts.trackingNotes, log, onNoted: () => guard.refresh() }),
    stored,
    relayPreview,
    teamPreview,
    notices,
    conversation,
    report,
    explanation,
    hooks,
    onErased(source, erased),
    watchPlannedRetention({ collector, clock, memory: context.globalState, log }),
    new StatusBar({
      ...{ source, clock, owns: membership.owns, notStoring: parts.notStoring, settings, elsewhere },
      team: parts.team.standing,
    }),
    registerCommands({
      source,
      panel,
      log,
      hooks,
      choices,
      mascots,
      conversations,
      explanation,
      diagnostics,
      sessions,
      erasing,
      projects: projectCommands(settings),
      team: teamCommands(parts.team, teamPreview, source),
      relay: relayCommands({ kit: parts.relay, source, collector, preview: relayPreview }),
      work: workCommands({ source, collector, clock, show: (key) => work.show(key) }),
      stored,
    }),
  );
}
