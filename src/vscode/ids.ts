import type { MascotAction } from '../protocol/view.ts';

/** Names that package.json, users' key bindings and other programs refer to. They never change. */
export const extensionId = 'agent-mascot.agent-mascot';
export const configSection = 'agentMascot';

export const viewIds = {
  container: 'agentMascot',
  panel: 'agentMascot.panel',
  sessions: 'agentMascot.sessions',
  workItems: 'agentMascot.workItems',
} as const;

export const commandIds = {
  showPanel: 'agentMascot.showPanel',
  goToLongestWait: 'agentMascot.goToLongestWait',
  installHooks: 'agentMascot.installHooks',
  uninstallHooks: 'agentMascot.uninstallHooks',
  checkHooks: 'agentMascot.checkHooks',
  repairHooks: 'agentMascot.repairHooks',
  excludeProject: 'agentMascot.excludeProject',
  removeEverything: 'agentMascot.removeEverything',
  explainState: 'agentMascot.explainState',
  copyDiagnostics: 'agentMascot.copyDiagnostics',
  showLog: 'agentMascot.showLog',
  showInPanel: 'agentMascot.showInPanel',
  focusTerminal: 'agentMascot.focusTerminal',
  openConversation: 'agentMascot.openConversation',
  exportConversation: 'agentMascot.exportConversation',
  showReport: 'agentMascot.showReport',
  searchConversations: 'agentMascot.searchConversations',
  searchHere: 'agentMascot.searchHere',
  openTranscript: 'agentMascot.openTranscript',
  renameMascot: 'agentMascot.renameMascot',
  pinMascot: 'agentMascot.pinMascot',
  unpinMascot: 'agentMascot.unpinMascot',
  hideMascot: 'agentMascot.hideMascot',
  unhideMascot: 'agentMascot.unhideMascot',
  copySessionId: 'agentMascot.copySessionId',
  showAllAgents: 'agentMascot.showAllAgents',
  showThisWindowsAgents: 'agentMascot.showThisWindowsAgents',
  showHiddenMascots: 'agentMascot.showHiddenMascots',
  hideHiddenMascots: 'agentMascot.hideHiddenMascots',
  turnDoNotDisturbOn: 'agentMascot.turnDoNotDisturbOn',
  turnDoNotDisturbOff: 'agentMascot.turnDoNotDisturbOff',
  filterSessions: 'agentMascot.filterSessions',
  clearSessionFilter: 'agentMascot.clearSessionFilter',
  groupSessionsByProject: 'agentMascot.groupSessionsByProject',
  groupSessionsByDay: 'agentMascot.groupSessionsByDay',
  moreSessions: 'agentMascot.moreSessions',
  deleteSession: 'agentMascot.deleteSession',
  dontLogProject: 'agentMascot.dontLogProject',
  noMemoryForProject: 'agentMascot.noMemoryForProject',
  deleteAllData: 'agentMascot.deleteAllData',
  showStored: 'agentMascot.showStored',
  newWorkItem: 'agentMascot.newWorkItem',
  startWorkItem: 'agentMascot.startWorkItem',
  endWorkItem: 'agentMascot.endWorkItem',
  cancelWorkItem: 'agentMascot.cancelWorkItem',
  copyWorkItemId: 'agentMascot.copyWorkItemId',
  openWorkFile: 'agentMascot.openWorkFile',
  setUpChatRelay: 'agentMascot.setUpChatRelay',
  testChatRelay: 'agentMascot.testChatRelay',
  previewChatRelay: 'agentMascot.previewChatRelay',
  turnChatRelayOff: 'agentMascot.turnChatRelayOff',
  openTrackingSettings: 'agentMascot.openTrackingSettings',
  connectTeamDatabase: 'agentMascot.connectTeamDatabase',
  teamDatabaseStatus: 'agentMascot.teamDatabaseStatus',
  disconnectTeamDatabase: 'agentMascot.disconnectTeamDatabase',
  openWalkthrough: 'agentMascot.openWalkthrough',
  openSettings: 'agentMascot.openSettings',
} as const;
export type CommandId = (typeof commandIds)[keyof typeof commandIds];

/** The command that does what the person chose on a mascot's card. */
export const actionCommands = {
  focusTerminal: commandIds.focusTerminal,
  openConversation: commandIds.openConversation,
  openTranscript: commandIds.openTranscript,
  rename: commandIds.renameMascot,
  pin: commandIds.pinMascot,
  unpin: commandIds.unpinMascot,
  hide: commandIds.hideMascot,
  unhide: commandIds.unhideMascot,
  copySessionId: commandIds.copySessionId,
} as const satisfies Record<MascotAction, string>;

export const walkthroughId = 'agentMascot.start';

export const statusBarId = 'agentMascot.status';
/** Schemes of our read-only documents. */
export const hookScheme = 'agent-mascot-hooks';
export const hookTopicScheme = 'agent-mascot-topic';
export const explanationScheme = 'agent-mascot-explanation';
export const conversationScheme = 'agent-mascot-conversation';
export const reportScheme = 'agent-mascot-report';
export const relayScheme = 'agent-mascot-relay';
export const teamScheme = 'agent-mascot-team';
export const storedScheme = 'agent-mascot-stored';

/** Context keys in the manifest's `when` clauses. */
export const contextKeys = {
  filter: 'agentMascot.filter',
  showHidden: 'agentMascot.showHidden',
  installed: 'agentMascot.installed',
  sessionsFiltered: 'agentMascot.sessionsFiltered',
  sessionsByDay: 'agentMascot.sessionsByDay',
} as const;

/** Keys in the editor's memory of the workspace and of the person. */
export const memoryKeys = {
  filter: 'filter',
  showHidden: 'showHidden',
  met: 'met',
  sessionGrouping: 'sessionGrouping',
} as const;
