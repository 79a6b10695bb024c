import * as vscode from 'vscode';
import type { HookKit } from '../app/hooks/hookKit.ts';
import type { Clock, Disposable, Explainer, StateSource } from '../app/ports.ts';
import type { RelayKit } from '../app/relay/relayPorts.ts';
import type { Collector, Machine, TrackingNotes, Windows } from '../app/windowPorts.ts';
import { registerCommands } from './commands.ts';
import { conversationCommands } from './conversations/conversationCommands.ts';
import { ConversationDocuments } from './conversations/conversationDocument.ts';
import { ReportDocuments } from './conversations/reportDocument.ts';
import { diagnosticsText, type LoadTimes } from './diagnostics.ts';
import { createExplanationDocument } from './explanation.ts';
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
import { PanelView } from './panel/panelView.ts';
import { type TeamKit, teamCommands } from './postgres/teamCommands.ts';
import { createTeamPreview } from './postgres/teamPreview.ts';
import { forgetSecrets, relayCommands } from './relay/relayCommands.ts';
import { createRelayPreview } from './relay/relayPreview.ts';
import { SessionsTree } from './sessions/sessionsTree.ts';
import type { EditorSettings } from './settings.ts';
import { StatusBar } from './statusBar.ts';
import { eraseCommands, onErased } from './stored/eraseCommands.ts';
import { projectCommands } from './stored/projectCommands.ts';
import { watchPlannedRetention } from './stored/retentionNotice.ts';
import { createStoredDocument } from './stored/storedDocument.ts';
import { Elsewhere, nearnessTo } from './thisWindow.ts';
import type { NotStoring } from './troubles.ts';
import { ViewChoices } from './viewChoices.ts';
import { ViewedSource } from './viewedSource.ts';
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
  readonly loadTimes: LoadTimes;
  readonly collector: Collector;
  readonly windows: Windows;
  readonly machine: Machine;
  readonly trackingNotes: TrackingNotes;
  readonly relay: RelayKit;
  readonly team: TeamKit;
}

/** Makes everything that the editor shows and offers, and registers the commands. */
export function createEditorViews(parts: EditorViewParts): Disposable {
  const shared = createShared(parts);
  const documents = createDocuments(shared);
  const panel = createPanel(shared);
  const trees = createTrees(shared);
  const reread = () => {
    trees.sessions.reread();
    trees.work.reread();
    documents.conversation.reread();
    documents.report.reread();
  };
  const hooks = createHookCommands({
    kit: parts.kit,
    membership: parts.membership,
    log: parts.log,
    version: parts.version,
    folders: parts.folders,
    turnedOff: () => shared.source.turnOff(),
    forgetSecrets: () => forgetSecrets(parts.relay.secrets),
    changed: shared.installed.look,
  });
  const { source, clock, installed, terminals, elsewhere } = shared;
  const { collector, windows, machine, settings, context, log } = parts;
  return vscode.Disposable.from(
    source,
    windows,
    installed,
    installed.onChange(
      () => void vscode.commands.executeCommand('setContext', contextKeys.installed, installed.current()),
    ),
    shared.choices,
    new OwnWindow({ windows, machine, terminals, clock, log }),
    panel,
    trees.sessions,
    elsewhere,
    trees.guard,
    trees.work,
    new TrackingSettings({ notes: parts.trackingNotes, log, onNoted: () => trees.guard.refresh() }),
    documents.stored,
    documents.relayPreview,
    documents.teamPreview,
    createNotices(shared, panel),
    documents.conversation,
    documents.report,
    documents.explanation,
    hooks,
    onErased(source, reread),
    watchPlannedRetention({ collector, clock, memory: context.globalState, log }),
    new StatusBar({
      ...{ source, clock, settings, elsewhere },
      owns: parts.membership.owns,
      notStoring: parts.notStoring,
      team: parts.team.standing,
    }),
    registerCommands({ source, panel, log, hooks, ...commandTables(shared, { documents, panel, trees, reread }) }),
  );
}

/** What several views use. */
interface Shared extends EditorViewParts {
  readonly clock: Clock;
  readonly source: ViewedSource;
  readonly installed: ReturnType<typeof createInstalledHooks>;
  readonly choices: ViewChoices;
  readonly terminals: Terminals;
  readonly terminal: TerminalFocus;
  readonly elsewhere: Elsewhere;
}

function createShared(parts: EditorViewParts): Shared {
  const { windows, machine, context } = parts;
  const clock = systemClock;
  const source = new ViewedSource(parts.membership);
  const terminals = new Terminals(clock);
  return {
    ...parts,
    clock,
    source,
    terminals,
    installed: createInstalledHooks(parts.kit, parts.log),
    choices: new ViewChoices(context.globalState, context.workspaceState),
    terminal: new TerminalFocus({ windows, machine, terminals }),
    elsewhere: new Elsewhere(source, machine),
  };
}

/** Tests give the views a clock that they wind themselves. */
const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return { dispose: () => clearTimeout(timer) };
  },
};

function createDocuments({ source, collector, clock, settings, membership, relay, team }: Shared) {
  return {
    conversation: new ConversationDocuments({ source, collector, clock }),
    report: new ReportDocuments({ collector, clock }),
    explanation: createExplanationDocument(membership),
    teamPreview: createTeamPreview({ source, collector, user: team.user }),
    relayPreview: createRelayPreview({ kit: relay, source, collector, clock }),
    stored: createStoredDocument(collector, settings, clock),
  };
}

function createPanel(shared: Shared): PanelView {
  const { source, settings, choices, collector, machine, clock, log, installed, membership, context } = shared;
  return new PanelView({
    ...{ source, settings, choices, collector, machine, clock, log, installed },
    owns: membership.owns,
    extensionUri: context.extensionUri,
  });
}

function createTrees({ source, collector, clock, choices, elsewhere, installed, relay, context, log }: Shared) {
  const sessions = new SessionsTree({
    ...{ source, collector, clock, choices },
    memory: context.workspaceState,
    relays: () => relay.rules.current().target !== 'off',
    onShown: installed.look,
  });
  const guard = new GuardModes({ source, collector, clock, log });
  const work = new WorkTree({ source, collector, clock, choices, elsewhere, guard });
  return { sessions, guard, work };
}

function createNotices(shared: Shared, panel: PanelView): Notices {
  const { source, settings, windows, machine, clock, log, terminals, terminal } = shared;
  return new Notices({
    ...{ source, settings, windows, clock, log },
    nearnessTo: (session) => nearnessTo(session, { machine, terminals, terminal }),
    view: new NoticeView({ source, settings, panel, terminal }),
  });
}

interface CommandTargets {
  readonly documents: ReturnType<typeof createDocuments>;
  readonly panel: PanelView;
  readonly trees: ReturnType<typeof createTrees>;
  readonly reread: () => void;
}

/** The commands of each subject, for the table of all commands. */
function commandTables(shared: Shared, { documents, panel, trees, reread }: CommandTargets) {
  const { source, collector, clock, machine, log, settings, choices, relay, team, terminal, membership } = shared;
  const { version, loadTimes, folders } = shared;
  const { conversation, report, explanation, stored, relayPreview, teamPreview } = documents;
  const isCopied = async () => ((await team.secrets.get('postgres.url')) ?? '') !== '';
  return {
    choices,
    sessions: trees.sessions,
    explanation,
    stored,
    diagnostics: () =>
      diagnosticsText({ source, owns: membership.owns, settings: settings.current, version, loadTimes }),
    mascots: mascotCommands({
      ...{ source, collector, clock, terminal, conversation },
      select: (mascot) => panel.select(mascot, true),
    }),
    conversations: conversationCommands({
      ...{ collector, machine, conversation, report, clock },
      personHome: folders.person,
    }),
    erasing: eraseCommands({ source, collector, clock, log, isCopied, reread }),
    projects: projectCommands(settings),
    work: workCommands({ source, collector, clock, show: (key) => trees.work.show(key) }),
    relay: relayCommands({ kit: relay, source, collector, preview: relayPreview }),
    team: teamCommands(team, teamPreview, source),
  };
}
